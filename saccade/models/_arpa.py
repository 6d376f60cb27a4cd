"""Back-off tables as ARPA text, which other tools read and write: base 10, n-grams by length."""

from collections.abc import Iterator, Sequence
from math import log

import numpy as np

from saccade.kernels.backoff import BackoffTable
from saccade.tokenizers._vocabulary import PAD

_TEN = log(10)


def arpa_lines(table: BackoffTable, names: Sequence[str]) -> Iterator[str]:
    r"""Yield the lines of an ARPA file, ends included.

        \data\
        ngram 1=NUMBER
        \1-grams:
        log10(p)    NAME ...    log10(backoff)

    PAD, which is never written, is left out. A probability of 0 is -99.

    Args:
        table: the model.
        names: what each symbol is called; without white space.
    """
    keys, _, begins, scores, backoffs = (one.detach().numpy() for one in table)
    size = len(names)
    bounds = _levels(begins, len(keys))
    yield "\\data\\\n"
    for n, (first, last) in enumerate(bounds, start=1):
        yield f"ngram {n}={last - first - (n == 1)}\n"
    texts = [""]  # of the level above
    above = 0
    for n, (first, last) in enumerate(bounds, start=1):
        yield f"\n\\{n}-grams:\n"
        parents, symbols = np.divmod(keys[first:last], size)
        before = f"{'' if n == 1 else ' '}"
        texts = [
            f"{texts[p]}{before}{names[w]}"
            for p, w in zip((parents - above).tolist(), symbols.tolist(), strict=True)
        ]
        above = first
        logs = (scores[first:last] / _TEN).tolist()
        left = (backoffs[first:last] / _TEN).tolist()
        for i, (text, score) in enumerate(zip(texts, logs, strict=True)):
            if n > 1 or i != PAD:
                behind = f"\t{left[i]:.7g}" if last <= len(backoffs) else ""
                yield f"{score:.7g}\t{text}{behind}\n"
    yield "\n\\end\\\n"


def _levels(begins: np.ndarray, n: int) -> list[tuple[int, int]]:
    """Return where the nodes of each length begin and end."""
    bounds = [(1, int(begins[1]))]
    while bounds[-1][1] < n:
        last = bounds[-1][1]
        bounds.append((last, int(begins[last])))
    return bounds
