"""Has the model ever seen text like this?"""

from collections.abc import Sequence

from saccade.guards.bands import at
from saccade.guards.flag import Flag, quote, spell
from saccade.guards.loop import runs
from saccade.guards.profile import Profile, trigrams_of

_SLACK = 0.5  # bits below what all but one in a thousand lines reach
_LONGER = 1.5  # times the longest that is usual
_REPEATS = 6  # of one unit in a row, which no ordinary text has


def familiarity(text: str, source: Sequence[str], profile: Profile | None) -> tuple[Flag, ...]:
    """Flag a source whose characters follow each other as they rarely did in training.

        mean over trigrams of log2 frequency < low - 0.5 bit

    with low the quantile 0.1 % of held-out training lines of like length; a source more than 1.5
    times longer than 99.9 % of training; and one that says the same 6 times in a row. Without a
    profile only the last is seen.

    Args:
        text: the source, normalised as the vocabulary does.
        source: its pieces, without END.
        profile: what was usual in training.
    """
    if not source:
        return ()
    return (*_repeats(source), *(_unlike(text, len(source), profile) if profile else ()))


def _repeats(source: Sequence[str]) -> tuple[Flag, ...]:
    for run in runs(source):
        unit = spell(source[run.start : run.start + run.size])
        if run.times >= _REPEATS and any(c.isalpha() for c in unit):
            places = tuple(range(run.start, run.start + run.size * run.times))
            message = f"The source repeats {quote(unit)} {run.times} times in a row."
            return (Flag("unfamiliar", message, places=places, side="source"),)
    return ()


def is_usual(text: str, profile: Profile) -> bool:
    """Tell whether the trigrams of a text are as common as in training lines of like length."""
    band = at(profile.usual, len(trigrams_of(text)))
    return band is None or profile.commonness(text) >= band.low - _SLACK


def _unlike(text: str, n_source: int, profile: Profile) -> tuple[Flag, ...]:
    flags = []
    if not is_usual(text, profile):
        flags.append(Flag("unfamiliar", _message(text, profile), side="source"))
    if n_source > _LONGER * profile.longest:
        message = (
            f"The source has {n_source} pieces; nearly all of training had at most"
            f" {profile.longest}. Cut it into sentences."
        )
        flags.append(Flag("unfamiliar", message, side="source"))
    return tuple(flags)


def _message(text: str, profile: Profile) -> str:
    unseen = profile.unseen(text)
    if not unseen:
        return "The model has never seen text like this: what it is made of is rare in training."
    share = len(unseen) / len(trigrams_of(text))
    return (
        f"The model has never seen text like this: {share:.0%} of its three-letter sequences,"
        f" as {quote(unseen[0])}, do not occur in training."
    )
