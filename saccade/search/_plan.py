"""How to decode, in plain numbers: groups of lines, limits of lengths, what a beam may be.

Every engine decides these alike, so they are decided here. Neither torch nor numpy.
"""

from collections.abc import Sequence

RATIO = 2.0  # pieces that are written for each that is read, if a recipe does not say
LEARNED = -1.0  # training finds it: see data/limits.py


def sorted_batches(lengths: Sequence[int], batch_tokens: int) -> list[list[int]]:
    """Group sentences for decoding: longest first, (length + END) x rows within `batch_tokens`.

    >>> sorted_batches([1, 3, 2], 8)
    [[1, 2], [0]]
    """
    order = sorted(range(len(lengths)), key=lengths.__getitem__, reverse=True)
    batches: list[list[int]] = []
    start = 0
    while start < len(order):
        rows = max(batch_tokens // (int(lengths[order[start]]) + 1), 1)
        batches.append(order[start : start + rows])
        start += rows
    return batches


def smaller_at_the_end(batches: list[list[int]], n_threads: int) -> list[list[int]]:
    """Cut the last of many batches, one a thread, in two, and the last of these again.

    While one thread still writes the last batch, the others wait for a quarter as long.

    >>> smaller_at_the_end([[14], [13], [12], [11], [9, 8, 7, 6, 5, 4], [3, 2, 1, 0]], 2)
    [[14], [13], [12], [11], [9, 8, 7], [6, 5, 4], [3], [2], [1], [0]]
    """
    if n_threads < 2 or len(batches) <= 2 * n_threads:
        return batches
    for _ in range(2):
        middles = [(one, (len(one) + 1) // 2) for one in batches[-n_threads:]]
        halves = [half for one, middle in middles for half in (one[:middle], one[middle:])]
        batches = [*batches[:-n_threads], *(half for half in halves if half)]
    return batches


def longest_output(n_pieces: int, ratio: float, extra: int) -> int:
    """Return how many pieces an output may have, END not counted, for a source of `n_pieces`.

    A ratio below 0 is one that training would have found: there is none before.

    >>> longest_output(4, 2.0, 10)  # END counts as a piece of the source
    20
    """
    return int((n_pieces + 1) * max(ratio, 0.0)) + extra


def beam_problems(
    width: int, length_penalty: float, n_best: int, n_completed: int, **more: float
) -> list[str]:
    """Say what is wrong with the options of a beam; `n_completed` 0 means as many as `width`.

    `more` are other options that lower scores.
    """
    problems = []
    if width < 1:
        problems.append(f"beam.width: {width} is below 1; a beam follows 1 hypothesis or more.")
    problems += penalty_problems("beam", length_penalty=length_penalty, **more)
    if not 1 <= n_best <= (n_completed or width):
        problems.append(
            f"beam.n_best: {n_best} is not between 1 and the {n_completed or width} hypotheses that"
            " are completed; raise width or n_completed."
        )
    return problems


def penalty_problems(search: str, **penalties: float) -> list[str]:
    """Say which options that lower scores are below zero.

    >>> penalty_problems("beam", length_penalty=-1.0)
    ['beam.length_penalty: -1.0 is below 0; 0 turns it off.']
    """
    return [
        f"{search}.{name}: {value} is below 0; 0 turns it off."
        for name, value in penalties.items()
        if value < 0
    ]
