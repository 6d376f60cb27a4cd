"""From tagged words to a hidden Markov model: states, what they emit, and how they follow.

Everything is counted by sorting; no loop goes over words.
"""

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from saccade.tokenizers._vocabulary import END, PAD, UNK

Array = NDArray[Any]
LEAST = 1e-6  # share of each length of history at least, so that no sentence is impossible


class TaggedWords(NamedTuple):
    """What stands at every place, all sentences end to end.

    words: `[M]`.  factors: `[M]`, what is known of each word, such as its part of speech; 0 if
    nothing is.  tags: `[M]`.  lengths: `[n]`, of the sentences.
    """

    words: Array
    factors: Array
    tags: Array
    lengths: Array


class Emissions(NamedTuple):
    """Which states what stands at a place can be in, and how well it fits each.

    keys: `[R]`, `factor * V + word`, ascending; word 0 stands for any.  groups: `[R]`, rows of
    `candidates`.  scores: `[R, C]`, p(what stands there | state) up to a factor of its own.
    candidates: `[G, C]`, states, -1 behind the last; the last row is that of START and END.
    tags: `[N + 1]`, what a state writes; the last is END.
    """

    keys: Array
    groups: Array
    scores: Array
    candidates: Array
    tags: Array


class Transitions(NamedTuple):
    """How likely states follow each other.

    shares: `[3]`, of histories of 0, 1 and 2 states.  ones: `[N + 1]`, p(c).  pair_keys, pairs: of
    those that were seen, `b (N+1) + c` ascending and p(c | b).  triple_keys, triples: the same for
    `(a (N+1) + b) (N+1) + c`.
    """

    shares: Array
    ones: Array
    pair_keys: Array
    pairs: Array
    triple_keys: Array
    triples: Array


class Smoothing(NamedTuple):
    """How counts become probabilities: `HiddenMarkov` tells."""

    rare: int
    prior: float
    lexical: int


class States(NamedTuple):
    """The states of all places `[M]`, and of all states: how often, their group, rank and tag."""

    numbers: Array
    counts: Array
    groups: Array
    ranks: Array
    tags: Array
    names: Array  # of the groups: 2 p of a factor p, odd of a frequent word


def states_of(seen: TaggedWords, size: int, *, factored: bool, lexical: int) -> States:
    """Number the states: a tag, with the factor, or with the word if that is frequent.

    Where nothing is known of a place, any tag can stand: the group of any tag, that of no factor or
    of an unknown one, has all tags, each with a share of one more place.
    """
    names = 2 * seen.factors.astype(np.int64)
    if lexical:
        keys = seen.factors.astype(np.int64) * size + seen.words
        found, inverse, n = np.unique(keys, return_inverse=True, return_counts=True)
        names = np.where((n >= lexical)[inverse], 2 * found[inverse] + 1, names)
    tags, n_tags = np.unique(seen.tags, return_counts=True)
    wide, anywhere = int(tags.max()) + 1, 2 * UNK if factored else 0
    keys = np.concatenate([names * wide + seen.tags, anywhere * wide + tags])
    found, numbers = np.unique(keys, return_inverse=True)
    counts = np.bincount(numbers[: len(names)], minlength=len(found)).astype(float)
    spare = numbers[len(names) :]
    counts[spare] = np.maximum(counts[spare], n_tags / n_tags.sum())
    every, groups = np.unique(found // wide, return_inverse=True)
    order = np.lexsort((np.arange(len(found)), -counts, groups))  # commonest first in each group
    ranks = np.empty(len(found), np.int64)
    begins = np.searchsorted(groups[order], np.arange(len(every)))
    ranks[order] = np.arange(len(found)) - begins[groups[order]]
    return States(numbers[: len(names)], counts, groups, ranks, found % wide, every)


def emissions_of(
    seen: TaggedWords, states: States, size: int, broader: tuple[int, ...] | None, how: Smoothing
) -> Emissions:
    """Say how well every word fits every state that it can be in.

        p(x | s) ~ p(s | x) / p(s)          p(s | x) = (n(s, x) + m p(s | x')) / (n(x) + m)

    x' is the class of the word (`by_suffix`), or the factor alone; m is `prior`.

    Args:
        seen: the training data.
        states: those of the places.
        size: symbols of the words, V.
        broader: the class of every symbol; None if words have factors.
        how: the options.
    """
    width = int(states.ranks.max()) + 1
    share = np.zeros((len(states.names), width))  # p(s) of the states of each group
    share[states.groups, states.ranks] = states.counts
    share /= share.sum(axis=1, keepdims=True)
    keys = seen.factors.astype(np.int64) * size + seen.words
    if broader is None:
        every = np.unique(np.concatenate([keys, np.unique(keys // size) * size, [UNK * size]]))
        group_of = np.searchsorted(states.names, 2 * (every // size))
    else:
        every, group_of = np.arange(size), np.zeros(size, np.int64)
    place = np.searchsorted(every, keys)
    group_of[place] = states.groups[states.numbers]
    n = np.zeros((len(every), width))  # n(s, x)
    np.add.at(n, (place, states.ranks[states.numbers]), 1.0)
    whole = share[group_of]
    if broader is None:
        wider = whole
    else:
        apart = (group_of != 0)[:, None]
        wider = np.where(
            apart, whole, by_suffix(np.where(apart, 0, n), share[0], broader, how.rare)
        )
    total = n.sum(axis=1, keepdims=True)
    rest = total + how.prior
    p = np.divide(n + how.prior * wider, rest, out=wider.copy(), where=rest > 0)
    scores = np.divide(p, whole, out=np.zeros_like(p), where=whole > 0)
    scores /= scores.max(axis=1, keepdims=True)
    candidates = np.full((len(states.names) + 1, width), -1)
    candidates[states.groups, states.ranks] = np.arange(len(states.counts))
    candidates[-1, 0] = len(states.counts)
    return Emissions(every, group_of, scores, candidates, np.append(states.tags, END))


def by_suffix(n: Array, share: Array, broader: tuple[int, ...], rare: int) -> Array:
    """Say which tags are likely of the class of every symbol, by words that are rare: `[V, K]`.

        p(t | c) = (f(t, c) / f(c) + theta p(t | c')) / (1 + theta)

    c' is the broader class, and f counts the rare words of a class. theta is the standard deviation
    of p(t) over the tags. Brants 2000 (TnT), section 2.3. The broadest class, UNK, holds all rare
    words and one more that is like all words.

    Args:
        n: `[V, K]`, how often each symbol has each tag.
        share: `[K]`, p(t).
        broader: the class of every symbol; () if all are of the broadest.
        rare: words that occur at most so often count.
    """
    up = np.asarray(broader or np.full(len(n), UNK))
    is_class = np.zeros(len(n), bool)
    is_class[up] = True
    counted = (n.sum(axis=1) <= rare) | is_class
    f, here = np.where(is_class[:, None], n, 0.0), np.arange(len(n))
    f[UNK] += share
    steps = np.zeros(len(n), np.int64)
    while bool((here != UNK).any()):
        inside = here != UNK
        steps += inside
        here = np.where(inside, up[here], UNK)
        np.add.at(f, here[inside & counted], n[inside & counted])
    theta = float(share.std(ddof=1)) if len(share) > 1 else 1.0
    p = np.tile(f[UNK] / f[UNK].sum(), (len(n), 1))
    for depth in range(1, int(steps.max()) + 1):
        at = np.flatnonzero((steps == depth) & is_class)
        total = f[at].sum(axis=1, keepdims=True)
        own = np.divide(f[at], total, out=p[up[at]], where=total > 0)
        p[at] = (own + theta * p[up[at]]) / (1 + theta)
    return np.where(is_class[:, None], p, p[up])


def transitions_of(numbers: Array, lengths: Array, counts: Array, order: int) -> Transitions:
    """Count which states follow which, and share out between long and short histories.

        p(c | a b) = l1 f(c) / F + l2 f(b c) / f(b) + l3 f(a b c) / f(a b)

    Brants 2000, section 2.2 and figure 1, "deleted interpolation": every n-gram votes, as often as
    it occurs, for the history that would foretell it best if it occurred once less. A history that
    never occurs leaves its share to the shorter one.

    Args:
        numbers: `[M]`, states of all places.
        lengths: of the sentences.
        counts: `[N]`, of the states, those that never occur too.
        order: states of the longest history, 1 or 2.
    """
    n_states = len(counts) + 1
    outer = n_states - 1  # START and END
    c = np.insert(numbers.astype(np.int64), np.cumsum(lengths), outer)
    b = np.concatenate([[outer], c[:-1]])
    a = np.concatenate([[outer], b[:-1]])
    a[b == outer] = outer
    ones = np.append(counts, len(lengths)).astype(float)
    pair_keys, in_pair, pairs = np.unique(b * n_states + c, return_inverse=True, return_counts=True)
    of_b, of_c = np.bincount(b, minlength=n_states), np.bincount(c, minlength=n_states)
    votes = [_once_less(of_c[c], len(c)), _once_less(pairs[in_pair], of_b[b])]
    p_pairs = pairs / of_b[pair_keys // n_states]
    triple_keys, p_triples = np.zeros(0, np.int64), np.zeros(0)
    if order > 1:
        in_ab, of_ab = np.unique(a * n_states + b, return_inverse=True, return_counts=True)[1:]
        keys = (a * n_states + b) * n_states + c
        triple_keys, first, inverse, triples = np.unique(
            keys, return_index=True, return_inverse=True, return_counts=True
        )
        votes.append(_once_less(triples[inverse], of_ab[in_ab]))
        p_triples = triples / of_ab[in_ab][first]
    best = (len(votes) - 1) - np.argmax(np.array(votes[::-1]), axis=0)  # of equals the longest
    shares = np.bincount(best, minlength=3) / len(c)
    shares[: order + 1] = np.maximum(shares[: order + 1], LEAST)
    return Transitions(
        shares / shares.sum(), ones / ones.sum(), pair_keys, p_pairs, triple_keys, p_triples
    )


def _once_less(part: Array, whole: Array | int) -> Array:
    """Return (part - 1) / (whole - 1), 0 if nothing is left."""
    rest = np.broadcast_to(np.asarray(whole) - 1.0, part.shape)
    return np.divide(part - 1.0, rest, out=np.zeros(part.shape), where=rest > 0)


assert PAD == 0  # the word that stands for any
