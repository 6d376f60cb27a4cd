"""Does the output's length go with the input's?"""

from saccade.guards.bands import at
from saccade.guards.flag import Flag
from saccade.guards.profile import Profile, ratio

_SLACK = 1.25  # how far beyond the usual is odd
_SHORT = 2  # pieces by which an output may always differ


def length(
    n_source: int, n_target: int, profile: Profile | None, *, finished: bool = True
) -> tuple[Flag, ...]:
    """Flag an output that is empty, was cut, or is much shorter or longer than usual.

        low / 1.25 <= (T + 1) / (S + 1) <= 1.25 high

    with the quantiles 0.1 % and 99.9 % of training pairs of like source length as low and high. An
    output within 2 pieces of these limits is let pass. Without a profile only empty and cut
    outputs are seen.
    """
    if not n_source:
        return ()
    if not n_target:
        return (Flag("length", "The output is empty; the source is not."),)
    if not finished:
        text = f"The output did not come to an end: it was cut after {n_target} pieces."
        return (Flag("length", text),)
    band = at(profile.ratios, n_source) if profile else None
    if band is None:
        return ()
    low, high = band.low / _SLACK, band.high * _SLACK
    least = low * (n_source + 1) - 1 - _SHORT
    most = high * (n_source + 1) - 1 + _SHORT
    if least <= n_target <= most:
        return ()
    found = float(ratio(n_source, n_target))
    what = "short" if n_target < least else "long"
    message = (
        f"The output is very {what}: {n_target} pieces for {n_source} of the source, {found:.2f}"
        f" times as many; usual is {band.low:.2f} to {band.high:.2f}."
    )
    return (Flag("length", message),)
