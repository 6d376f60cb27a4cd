"""Does the output repeat itself where the source does not?"""

from collections.abc import Sequence
from dataclasses import dataclass

from saccade.guards.flag import Flag, quote, spell

_LONGEST = 12  # pieces of a unit
_TIMES = 3  # in a row, from which on it is a loop
_TIMES_OF_A_LETTER = 5  # for a unit of a single letter: "brrr" is a word
_TIMES_OF_NONE = 10  # for a unit of digits or signs alone: 1000000000 is a number


@dataclass(frozen=True, slots=True)
class Repetition:
    """A unit of pieces that stands several times in a row."""

    start: int
    size: int
    times: int


def loop(source: Sequence[str], target: Sequence[str]) -> tuple[Flag, ...]:
    """Flag a unit of up to 12 pieces that stands 3 times in a row where the source has no such run.

        times(u) >= 3   and   times(u) > max over units v of the source of times(v)

    A single letter must stand 5 times; digits and signs 10 times.

    >>> [flag.message for flag in loop(["▁hello"], ["▁ag"] * 7)]
    ["The output repeats 'ag' 7 times in a row; the source does not."]
    """
    found = [run for run in runs(target) if _counts(target, run)]
    if not found:
        return ()
    worst = max(found, key=lambda run: (run.times * run.size, -run.size))
    most = max((run.times for run in runs(source)), default=1)
    if worst.times <= most:
        return ()
    unit = spell(target[worst.start : worst.start + worst.size])
    than = "the source does not" if most == 1 else f"no unit of the source stands over {most} times"
    message = f"The output repeats {quote(unit)} {worst.times} times in a row; {than}."
    places = tuple(range(worst.start, worst.start + worst.size * worst.times))
    return (Flag("loop", message, places=places),)


def runs(pieces: Sequence[str]) -> list[Repetition]:
    """Return, for every size of a unit, the longest of its runs of 2 or more.

    >>> runs("a b a b a b c".split())
    [Repetition(start=0, size=2, times=3)]
    """
    found = []
    for size in range(1, min(_LONGEST, len(pieces) // 2) + 1):
        equal = best = end = 0
        for i in range(len(pieces) - size):
            equal = equal + 1 if pieces[i] == pieces[i + size] else 0
            if equal > best:
                best, end = equal, i + size + 1
        if best >= size:
            times = best // size + 1
            found.append(Repetition(end - best - size, size, times))
    return found


def _counts(pieces: Sequence[str], run: Repetition) -> bool:
    letters = sum(c.isalpha() for c in spell(pieces[run.start : run.start + run.size]))
    needed = (_TIMES_OF_NONE, _TIMES_OF_A_LETTER, _TIMES)[min(letters, 2)]
    return run.times >= needed
