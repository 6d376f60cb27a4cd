"""Back-off tables as ARPA text, which other tools read and write: base 10, n-grams by length."""

import re
from array import array
from collections.abc import Iterator, Sequence
from math import log, nan
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import torch
from numpy.typing import NDArray

from saccade.errors import DataError
from saccade.heads._backoff import NEVER
from saccade.kernels.backoff import ROOT, BackoffTable
from saccade.models.ngram import MOST
from saccade.readers._lines import read_lines
from saccade.tokenizers._vocabulary import PAD, START, SYMBOLS

Array = NDArray[Any]
_TEN = log(10)
_MOST_GRAMS = 2**31 - 2


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


def _levels(begins: Array, n: int) -> list[tuple[int, int]]:
    """Return where the nodes of each length begin and end."""
    bounds = [(1, int(begins[1]))]
    while bounds[-1][1] < n:
        last = bounds[-1][1]
        bounds.append((last, int(begins[last])))
    return bounds


class ReadArpa(NamedTuple):
    """What an ARPA file holds: the names of symbols, numbered, and the n-grams of every length."""

    names: list[str]
    sections: list["ArpaSection"]
    where: str


class ArpaSection(NamedTuple):
    """N-grams `[N, n]` of one length, log-probabilities, back-offs and line numbers `[N]`."""

    grams: Array
    scores: Array
    backoffs: Array
    lines: Array


def read_arpa(path: Path) -> ReadArpa:
    """Read an ARPA file line by line; what is wrong with it is told by file and line.

    Names are numbered behind the four symbols in the order of the file; `<unk>`, `<s>` and `</s>`
    are our UNK, START and END. A file may have at most 12 lengths, 2 ** 31 n-grams, and as many as
    its own header says.
    """
    lines = _Lines(path)
    sizes = _header(lines)
    ids = {name: i for i, name in enumerate(SYMBOLS)}
    sections = []
    for n, size in enumerate(sizes, start=1):
        lines.expect(f"\\{n}-grams:")
        sections.append(_section(lines, n, size, ids, last=n == len(sizes)))
    lines.expect("\\end\\")
    return ReadArpa(list(ids), sections, str(path))


class _Lines:
    """The lines of a file that hold something, and how to complain about one."""

    def __init__(self, path: Path) -> None:
        self.path, self.number = path, 0
        self._lines = read_lines(path)
        self._ahead = ""

    def peek(self) -> str:
        self._ahead = self.next()
        return self._ahead

    def next(self) -> str:
        if self._ahead:
            line, self._ahead = self._ahead, ""
            return line
        for line in self._lines:
            self.number += 1
            if line.strip():
                return line.strip(" \t")
        raise self.wrong("the file ends here", "\\end\\ as its last line", "Is it cut short?")

    def expect(self, wanted: str) -> None:
        line = self.next()
        if line.strip() != wanted:
            raise self.wrong(f"found {line[:60]!r}", f"{wanted!r}", "Are sections out of order?")

    def wrong(self, found: str, wanted: str, advice: str) -> DataError:
        return DataError(f"{self.path}:{self.number}: {found}; expected {wanted}. {advice}")


def _header(lines: _Lines) -> list[int]:
    """Read how many n-grams of each length there are."""
    lines.expect("\\data\\")
    sizes: list[int] = []
    while True:
        line = lines.peek()
        found = re.fullmatch(r"ngram\s+(\d{1,3})\s*=\s*(\d{1,12})", line)
        if found is None:
            break
        lines.next()
        if int(found[1]) != len(sizes) + 1 or len(sizes) == MOST:
            wanted = f"'ngram {len(sizes) + 1}=', up to {MOST}"
            raise lines.wrong(f"found {line!r}", wanted, "List every length once, in order.")
        sizes.append(int(found[2]))
    if not sizes or sum(sizes) > _MOST_GRAMS:
        raise lines.wrong(
            f"the header counts {sum(sizes):,} n-grams of {len(sizes)} lengths",
            f"1 to {_MOST_GRAMS:,}",
            "Mend the header, or prune the model.",
        )
    return sizes


def _section(lines: _Lines, n: int, size: int, ids: dict[str, int], *, last: bool) -> ArpaSection:
    """Read the n-grams of one length; those of length 1 give the symbols their numbers."""
    grams, scores, backoffs, numbers = array("i"), array("d"), array("d"), array("i")
    for _ in range(size):
        line = lines.next()
        fields = line.split()
        if len(fields) not in ((n + 1,) if last else (n + 1, n + 2)):
            wanted = f"a log-probability, {n} words" + ("" if last else " and perhaps a back-off")
            raise lines.wrong(f"found {line[:60]!r}", wanted, f"The header says {size:,} n-grams.")
        scores.append(_number(lines, fields[0], most=0.0))
        backoffs.append(_number(lines, fields[n + 1], most=99.0) if len(fields) > n + 1 else 0.0)
        numbers.append(lines.number)
        for name in fields[1 : n + 1]:
            known = ids.setdefault(name, len(ids)) if n == 1 else ids.get(name)
            if known is None:
                raise lines.wrong(f"found the word {name!r}", "one of \\1-grams:", "Mend the file.")
            grams.append(known)
    found = [np.array(one) for one in (scores, backoffs, numbers)]
    return ArpaSection(np.array(grams, np.int64).reshape(size, n), *found)


def _number(lines: _Lines, text: str, most: float) -> float:
    try:
        value = float(text)
    except ValueError:
        value = nan
    if not -1000 <= value <= most:
        raise lines.wrong(f"found {text!r}", f"a number from -1000 to {most:g}", "Mend the file.")
    return max(value * _TEN, NEVER)


def table_of(read: ReadArpa) -> BackoffTable:
    """Lay n-grams out as a table: by parent and symbol, with the longest suffix of each."""
    size = len(read.names)
    keys, suffixes = np.arange(-1, size), np.zeros(size + 1, np.int64)
    scores, backoffs = np.full(size + 1, NEVER), np.zeros(size + 1)
    for n, (grams, own, left, lines) in enumerate(read.sections, start=1):
        parents = _find(keys, grams[:, :-1], size)
        _refuse(
            parents < 0, read, n, lines, "its context is no n-gram", "the words before its last"
        )
        order = np.argsort(parents * size + grams[:, -1], kind="stable")
        found = (parents * size + grams[:, -1])[order]
        again = np.zeros(len(found), bool)
        again[1:] = found[1:] == found[:-1]
        _refuse(again[np.argsort(order)], read, n, lines, "it stands there twice", "it once")
        if n == 1:
            scores[1 + grams[:, 0]], backoffs[1 + grams[:, 0]] = own, left
            scores[[1 + PAD, 1 + START]] = NEVER
            continue
        shorter = np.full(len(grams), -1)
        for begin in range(1, n):
            rest = np.flatnonzero(shorter < 0)
            shorter[rest] = _find(keys, grams[rest, begin:], size)
        keys = np.concatenate([keys, found])
        suffixes = np.concatenate([suffixes, shorter[order]])
        scores, backoffs = np.concatenate([scores, own[order]]), np.append(backoffs, left[order])
    highest = len(read.sections[-1].grams) if len(read.sections) > 1 else size
    contexts = len(keys) - highest
    begins = np.searchsorted(keys, np.arange(contexts + 1) * size)
    whole = [torch.from_numpy(a.astype(np.int32)) for a in (suffixes, begins)]
    real = [torch.from_numpy(a.astype(np.float32)) for a in (scores, backoffs[:contexts])]
    return BackoffTable(torch.from_numpy(keys), *whole, *real)


def _find(keys: Array, grams: Array, size: int) -> Array:
    """Return the nodes of n-grams `[N, n]`; -1 of those that are none, the root of empty ones."""
    nodes = np.full(len(grams), ROOT)
    for symbols in grams.T:
        wanted = nodes * size + symbols
        found = np.minimum(np.searchsorted(keys, wanted), len(keys) - 1)
        nodes = np.where((keys[found] == wanted) & (nodes >= 0), found, -1)
    return nodes


def _refuse(wrong: Array, read: ReadArpa, n: int, lines: Array, found: str, wanted: str) -> None:
    """Complain about the first n-gram that is wrong, if one is."""
    if wrong.any():
        i = int(np.flatnonzero(wrong)[0])
        words = " ".join(read.names[w] for w in read.sections[n - 1].grams[i])
        raise DataError(
            f"{read.where}:{lines[i]}: the n-gram {words!r}: {found}; expected {wanted}. Mend the"
            " file, or make it anew."
        )
