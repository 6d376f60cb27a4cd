"""The phrase table: what phrases of the source were translated as, and how often, in sorted arrays.

Source phrases are the nodes of one tree, numbered by length and then by parent and word, as in a
back-off table: one sorted array of keys finds every longer phrase.
"""

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from saccade.models._phrases import LinkedPairs, PhrasePairs
from saccade.models.base import LaidSide
from saccade.tokenizers._vocabulary import SYMBOLS

Array = NDArray[Any]
SCORES = ("p(f|e)", "lex(f|e)", "p(e|f)", "lex(e|f)")  # logarithms; f: source, e: target
TURNS = ("monotone", "swapped", "apart")  # how a phrase follows the one before it
COLUMNS = (*SCORES, *TURNS, "guess")  # guess: of the language model, of the words by themselves
KINDS = ("int64", "int32", "int32", "int32", "float32")
_PRIOR = 0.5  # occurrences that every turn has before any was counted


class PhraseTable(NamedTuple):
    """All phrase pairs: M source phrases and beginnings of them, N translations, P words of these.

    keys: `[M]` int64, `parent * V + word`, ascending; -1 of the root.  options: `[M + 1]` int32,
    the first translation of each.  begins: `[N + 1]` int32, the first word of each.  words: `[P]`
    int32.
    features: `[N, 8]` float32, the COLUMNS.
    """

    keys: Array
    options: Array
    begins: Array
    words: Array
    features: Array


def empty() -> PhraseTable:
    """Return the table that knows no phrase."""
    arrays: tuple[Any, ...] = ([-1], [0, 0], [0], [], np.zeros((0, len(COLUMNS))))
    return PhraseTable(*(np.array(a, kind) for a, kind in zip(arrays, KINDS, strict=True)))


def fault(table: PhraseTable, sizes: tuple[int, int], longest: int) -> str:
    """Say what is wrong with a table, so that nobody walks out of it; nothing if it is whole.

    sizes: of the vocabularies of source and target.
    """
    keys, options, begins, words, features = table
    kinds = tuple(str(one.dtype) for one in table)
    if kinds != KINDS:
        return f"its numbers are {', '.join(kinds)}"
    n = len(features)
    shapes = [one.shape for one in table]
    if shapes != [(len(keys),), (len(keys) + 1,), (n + 1,), (len(words),), (n, len(COLUMNS))]:
        return f"its arrays have the shapes {', '.join(str(list(one)) for one in shapes)}"
    size, lengths = sizes[0], np.diff(begins)
    parents = keys[1:] // size
    faults = {
        "its phrases are not in order": keys[:1] != [-1] or (np.diff(keys) <= 0).any(),
        "a phrase stands before its beginning": (parents >= np.arange(1, len(keys))).any(),
        "its phrases do not find their translations": _unordered(options, n),
        "its translations do not find their words": _unordered(begins, len(words)),
        f"a translation does not have 1 to {longest} words": (lengths < 1).any()
        or (lengths > longest).any(),
        "a word is not of the vocabulary": (words < len(SYMBOLS)).any()
        or (words >= sizes[1]).any(),
        "a number is not finite": not np.isfinite(features).all(),
        "a probability is above 1": (features > 1e-4).any(),
    }
    return next((told for told, wrong in faults.items() if wrong), "")


def _unordered(ends: Array, n: int) -> bool:
    return bool(ends[0] != 0 or ends[-1] != n or (np.diff(ends) < 0).any())


def build(
    given: LinkedPairs, pairs: PhrasePairs, sizes: tuple[int, int], longest: int, most: int
) -> PhraseTable:
    """Count phrase pairs and score them.

        p(e|f) = count(f, e) / sum_e' count(f, e')
        lex(e|f) = prod_t  mean over links (s, t) of w(e[t] | f[s]),   w(e | nothing) without links
        w(e|f) = links of f and e / links of f

    and the same the other way. Koehn, Och & Marcu 2003, sections 2.1 and 4.4: of several alignments
    of a pair the one with the highest weight counts. p(monotone), p(swapped) and p(apart) of each
    pair are counted with 0.5 more each. The `most` translations of a phrase whose four scores have
    the greatest product are kept. The guess is left to whoever has a language model.
    """
    if not len(pairs.source):
        return empty()
    phrases = _Numbers(given.source, sizes[0], longest)
    source = phrases.of(pairs.source, pairs.source_length)
    target = _Numbers(given.target, sizes[1], longest).of(pairs.target, pairs.target_length)
    keys = source * (int(target.max()) + 1) + target
    order = np.argsort(keys, kind="stable")
    first = np.flatnonzero(np.diff(keys[order], prepend=-1))  # of each pair, among its occurrences
    features = _features(given, pairs, source, target, order, first)
    examples = order[first]
    kept = _best(source[examples], features, most)
    examples, features = examples[kept], features[kept]
    nodes, numbers = phrases.kept(source[examples])
    lengths = pairs.target_length[examples]
    spoken = LaidSide(given.target.values, lengths)
    words = _words(spoken, pairs.target[examples])
    options = np.searchsorted(numbers, np.arange(len(nodes) + 1))
    begins = np.concatenate([[0], np.cumsum(lengths)])
    arrays = (nodes, options, begins, words, features)
    return PhraseTable(*(a.astype(kind) for a, kind in zip(arrays, KINDS, strict=True)))


def _words(side: LaidSide, begins: Array) -> Array:
    """Return the words of spans, end to end."""
    lengths = side.lengths
    before = np.cumsum(lengths) - lengths
    found: Array = side.values[np.arange(int(lengths.sum())) + np.repeat(begins - before, lengths)]
    return found


def _features(
    given: LinkedPairs, pairs: PhrasePairs, source: Array, target: Array, order: Array, first: Array
) -> Array:
    """Score each different pair, whose occurrences are `order`, from `first` on: `[N, 8]`."""
    counts = np.diff(first, append=len(order)).astype(np.float64)
    s, t = source[order[first]], target[order[first]]
    log_back = np.log(counts / np.bincount(target)[t])
    log_there = np.log(counts / np.bincount(source)[s])
    back, there = _word_weights(given)

    def best(total: Array, begin: Array, length: Array) -> Array:
        value = total[begin + length] - total[begin]
        return np.minimum(np.maximum.reduceat(value[order], first), 0.0)

    words_back = best(back, pairs.source, pairs.source_length)
    words_there = best(there, pairs.target, pairs.target_length)
    turned = [np.add.reduceat(one[order].astype(float), first) for one in pairs[4:]]
    turned.append(counts - turned[0] - turned[1])
    turns = [np.log((one + _PRIOR) / (counts + 3 * _PRIOR)) for one in turned]
    columns = [log_back, words_back, log_there, words_there, *turns, np.zeros(len(s))]
    return np.stack(columns, axis=1)


def _word_weights(given: LinkedPairs) -> tuple[Array, Array]:
    """Return running sums of log lexical weights over the places of source and of target.

    All links of a word of a phrase pair stand in the pair, so its weight is the same in all pairs.
    """
    sums = []
    sides = (given.source, given.left), (given.target, given.right)
    for (side, own), (other, far) in (sides, sides[::-1]):
        words, others = side.values.astype(np.int64), other.values.astype(np.int64)
        n = len(words)
        alone = np.ones(n, bool)
        alone[own] = False
        place = np.concatenate([own, np.flatnonzero(alone)])
        beside = np.concatenate([others[far] + 1, np.zeros(int(alone.sum()), np.int64)])
        size = int(words.max(initial=0)) + 1
        _, inverse, count = np.unique(
            beside * size + words[place], return_inverse=True, return_counts=True
        )
        w = count[inverse] / np.bincount(beside)[beside]
        mean = np.bincount(place, w, n) / np.maximum(np.bincount(place, minlength=n), 1)
        sums.append(np.concatenate([[0.0], np.cumsum(np.log(np.maximum(mean, 1e-30)))]))
    return sums[0], sums[1]


def _best(source: Array, features: Array, most: int) -> Array:
    """Return which pairs to keep, by source phrase and then from the best on."""
    score = features[:, : len(SCORES)].sum(axis=1)
    order = np.lexsort((np.arange(len(source)), -score, source))
    ranked = source[order]
    fresh = np.flatnonzero(np.diff(ranked, prepend=-1))
    rank = np.arange(len(ranked)) - np.repeat(fresh, np.diff(fresh, append=len(ranked)))
    return order[rank < most]


class _Numbers:
    """Numbers for all spans of a side: those of the same words have the same one."""

    def __init__(self, side: LaidSide, size: int, longest: int) -> None:
        values = side.values.astype(np.int64)
        lengths = np.asarray(side.lengths, np.int64)
        room = np.repeat(np.cumsum(lengths), lengths) - np.arange(len(values))
        self.size, self.node = size, np.zeros((longest, len(values)), np.int64)
        self.keys = [np.array([-1])]
        above, first = np.zeros(len(values), np.int64), 1
        for length in range(1, longest + 1):
            at = np.flatnonzero(room >= length)
            keys, inverse = np.unique(
                above[at] * size + values[at + length - 1], return_inverse=True
            )
            self.keys.append(keys)
            self.node[length - 1, at] = above[at] = inverse + first
            first += len(keys)

    def of(self, begin: Array, length: Array) -> Array:
        """Return the numbers of spans."""
        found: Array = self.node[length - 1, begin]
        return found

    def kept(self, used: Array) -> tuple[Array, Array]:
        """Return the keys of the used phrases and their beginnings, and the new numbers of all."""
        keys = np.concatenate(self.keys)
        parents = np.maximum(keys, 0) // self.size
        keep = np.zeros(len(keys), bool)
        keep[0] = keep[used] = True
        for _ in self.keys[1:]:
            keep[parents[keep]] = True
        numbers = np.cumsum(keep) - 1
        kept = keys[keep]
        kept[1:] = numbers[kept[1:] // self.size] * self.size + kept[1:] % self.size
        return kept, numbers[used]
