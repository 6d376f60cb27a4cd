"""How a profile is made: what is usual in a corpus is counted and measured, once, by training."""

from collections import Counter
from collections.abc import Iterable

import numpy as np
from numpy.typing import ArrayLike

from saccade.guards.bands import Band
from saccade.guards.profile import Profile, commonness, ratio, trigrams_of

_KEPT = 20_000  # trigrams
_HELD = 10  # every so many-th line is measured, and not counted before
_FEW = 200  # lines below which none are held out
_SHARE = 0.001  # of usual lines, left out at either end
_FEWEST = 200  # values that a band must hold
_MOST = 8  # bands


def gather(lines: Iterable[str], source_lengths: ArrayLike, target_lengths: ArrayLike) -> Profile:
    """Measure source lines, normalised, and the lengths of pairs in pieces.

    Every tenth line is held out of the counts while it is measured, so that what is usual is what
    is usual for new lines.
    """
    every = list(lines)
    held = every[::_HELD] if len(every) >= _FEW else every
    others = Counter[str]()
    rest = (line for i, line in enumerate(every) if len(every) < _FEW or i % _HELD)
    _count(others, rest)
    figures = [commonness(others, others.total(), line) for line in held]
    usual = measure([len(trigrams_of(line)) for line in held], figures, _SHARE)
    if len(every) >= _FEW:
        _count(others, held)
    kept = sorted(others.items(), key=lambda pair: (-pair[1], pair[0]))[:_KEPT]
    sources, targets = np.asarray(source_lengths), np.asarray(target_lengths)
    longest = int(np.quantile(sources, 0.999, method="higher")) if sources.size else 0
    ratios = measure(sources, ratio(sources, targets), _SHARE)
    return Profile(len(every), others.total(), dict(kept), usual, ratios, longest)


def measure(lengths: ArrayLike, figures: ArrayLike, share: float) -> tuple[Band, ...]:
    """Cut by length into bands of equal size, and leave out `share` at either end of each.

    low, high = quantiles share and 1 - share of figures[lengths in band]
    """
    by, values = np.asarray(lengths), np.asarray(figures, dtype=np.float64)
    if not by.size:
        return ()
    n_bands = int(np.clip(by.size // _FEWEST, 1, _MOST))
    edges = np.unique(np.quantile(by, np.arange(1, n_bands + 1) / n_bands, method="higher"))
    found, below = [], -1
    for edge in edges.tolist():
        inside = values[(by > below) & (by <= edge)]
        if inside.size:
            low, high = np.quantile(inside, [share, 1 - share]).tolist()
            found.append(Band(int(edge), float(f"{low:.4g}"), float(f"{high:.4g}")))
        below = edge
    return tuple(found)


def _count(counts: "Counter[str]", lines: Iterable[str]) -> None:
    for line in lines:
        counts.update(trigrams_of(line))
