"""Baum-Welch: a hidden Markov model of words alone, by expectation and maximisation."""

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from saccade.models._hmm_counts import LEAST, Emissions, Transitions
from saccade.tokenizers._vocabulary import END

Array = NDArray[Any]
_ROWS = 256  # sentences at once


class MarkovChain(NamedTuple):
    """A model of K states and V words.

    start: `[K]`, p(first state).  follow: `[K, K + 1]`, p(next state | state), END last.
    emit: `[V, K]`, p(word | state).
    """

    start: Array
    follow: Array
    emit: Array


class ExpectedPaths(NamedTuple):
    """What a model expects of sentences, in numbers of places; `log_prob` is that of all words.

    start: `[K]`.  follow: `[K, K + 1]`.  places: `[M, K]`, how likely each state is at each place.
    """

    start: Array
    follow: Array
    places: Array
    log_prob: float


def first_guess(words: Array, size: int, n_states: int, seed: int) -> MarkovChain:
    """Return a model that knows how frequent words are, and nothing of states but some noise."""
    chance = np.random.Generator(np.random.PCG64(seed))
    share = np.bincount(words, minlength=size)[:, None] * chance.uniform(0.5, 1.5, (size, n_states))
    follow = chance.uniform(0.5, 1.5, (n_states + 1, n_states + 1))
    follow /= follow.sum(axis=1, keepdims=True)
    start = follow[-1, :-1] / follow[-1, :-1].sum()
    return MarkovChain(start, follow[:-1], share / share.sum(axis=0))


def expect(chain: MarkovChain, words: Array, lengths: Array) -> ExpectedPaths:
    """Sum over all paths of every sentence.

        alpha[t, j] = e[t, j] sum_i alpha[t-1, i] p(j | i)      divided by its sum, c[t]
        beta[t, i] = sum_j p(j | i) e[t+1, j] beta[t+1, j] / c[t+1]
        p(s[t] = i | x) = alpha[t, i] beta[t, i]                log p(x) = sum log c

    Rabiner 1989, sections III C and V A. Sentences of like lengths go together.

    Args:
        chain: the model.
        words: `[M]`, all sentences end to end.
        lengths: `[n]`.
    """
    n_states = len(chain.start)
    begins = np.cumsum(lengths) - lengths
    order = np.argsort(-lengths, kind="stable")
    order = order[lengths[order] > 0]
    start, follow = np.zeros(n_states), np.zeros((n_states, n_states + 1))
    places, log_prob = np.zeros((len(words), n_states)), 0.0
    for first in range(0, len(order), _ROWS):
        rows = order[first : first + _ROWS]
        at = begins[rows][:, None] + np.arange(int(lengths[rows[0]]))  # [B, S]
        inside = np.arange(at.shape[1]) < lengths[rows][:, None]
        at = np.where(inside, at, 0)
        found = _sentences(chain, chain.emit[words[at]], lengths[rows])
        start += found.start
        follow += found.follow
        places[at[inside]] = found.places[inside]
        log_prob += found.log_prob
    return ExpectedPaths(start, follow, places, log_prob)


def _sentences(chain: MarkovChain, emitted: Array, lengths: Array) -> ExpectedPaths:
    """Sum over the paths of sentences, longest first, that emit `[B, S, K]`."""
    inner, end = chain.follow[:, :-1], chain.follow[:, -1]
    alpha, beta = np.zeros(emitted.shape), np.zeros(emitted.shape)
    scale = np.ones(emitted.shape[:2])
    last = (np.arange(len(lengths)), lengths - 1)
    going = [int((lengths > t).sum()) for t in range(emitted.shape[1])]  # rows that have place t
    for t, n in enumerate(going):
        here = alpha[:n, t - 1] @ inner if t else chain.start[None]
        here = here * emitted[:n, t]
        scale[:n, t] = here.sum(axis=1)
        alpha[:n, t] = here / scale[:n, t, None]
    ending = alpha[last] @ end  # [B]
    beta[last] = end / ending[:, None]
    follow = np.zeros_like(chain.follow)
    for t in range(len(going) - 1, 0, -1):
        n = going[t]
        ahead = emitted[:n, t] * beta[:n, t] / scale[:n, t, None]  # [n, K]
        follow[:, :-1] += alpha[:n, t - 1].T @ ahead
        stays = lengths[:n] > t
        beta[:n, t - 1] = np.where(stays[:, None], ahead @ inner.T, beta[:n, t - 1])
    follow[:, :-1] *= inner
    places = alpha * beta
    follow[:, -1] = places[last].sum(axis=0)
    return ExpectedPaths(
        places[:, 0].sum(axis=0), follow, places, float(np.log(scale).sum() + np.log(ending).sum())
    )


def maximise(chain: MarkovChain, expected: ExpectedPaths, words: Array) -> MarkovChain:
    """Make what was expected as likely as can be; a state that never is stays as it was."""
    emit = np.zeros_like(chain.emit)
    np.add.at(emit, words, expected.places)
    n = expected.places.sum(axis=0)  # [K]
    lives = n > 0
    follow = np.where(lives[:, None], expected.follow, chain.follow)
    emit = np.where(lives, emit / np.where(lives, n, 1.0), chain.emit)
    return MarkovChain(
        expected.start / expected.start.sum(), follow / follow.sum(axis=1, keepdims=True), emit
    )


def named(places: Array, tags: Array, size: int) -> Array:
    """Name every state after the tag that it agrees with most often.

    Args:
        places: `[M, K]`, how likely each state is at each place.
        tags: `[M]`, what stands there.
        size: symbols of the tags.
    """
    agreed = np.zeros((size, places.shape[1]))  # [tag, state]
    np.add.at(agreed, tags, places)
    return np.asarray(agreed.argmax(axis=0))


def tables_of(chain: MarkovChain, names: Array) -> tuple[Emissions, Transitions]:
    """Lay a model out as tables; a word that was never seen can be anything."""
    size, n = chain.emit.shape
    seen = chain.emit.sum(axis=1, keepdims=True) > 0
    candidates = np.stack([np.arange(n), np.full(n, -1)])
    candidates[1, 0] = n
    emissions = Emissions(
        np.arange(size),
        np.zeros(size),
        np.where(seen, chain.emit, 1.0),
        candidates,
        np.append(names, END),
    )
    outer = np.append(chain.start, 0.0)
    pairs = np.concatenate([chain.follow, outer[None]])  # [K + 1, K + 1]
    none = np.zeros(0)
    shares = np.array([LEAST, 1 - LEAST, 0.0])
    even = np.full(n + 1, 1 / (n + 1))
    return emissions, Transitions(shares, even, np.arange(pairs.size), pairs.flatten(), none, none)


def chain_of(scores: Array, pairs: Array, seen: Array) -> MarkovChain:
    """Read a model from its tables.

    Args:
        scores: `[V, K]`, as in `Emissions`.
        pairs: `[(K + 1) (K + 1)]`, as in `Transitions`.
        seen: `[V]`, whether a word was.
    """
    n = scores.shape[1]
    square = pairs.reshape(n + 1, n + 1)
    return MarkovChain(square[-1, :-1], square[:-1], np.where(seen[:, None], scores, 0.0))
