"""What EM expects of pairs of sentences by Models 1 and 2 and the HMM: in C, or here by numpy."""

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from saccade.kernels.aligner import Expected, Given, run_pass
from saccade.models._lexicon import runs

Array = NDArray[Any]
_MOST_NUMBERS = 4_000_000  # of the arrays of pairs that are padded together


def expect(given: Given, expected: Expected, *, jumping: bool) -> None:
    """Add what is expected of pairs to `expected`.

    Args:
        given: pairs and what to go by.
        expected: what is added to; it has room for these pairs.
        jumping: True for the HMM, False for Models 1 and 2.
    """
    if run_pass(given, expected, jumping=jumping):
        return
    if jumping:
        _jump(given, expected)
    else:
        _mix(given, expected)


def diagonal(S: Array, T: Array, j: Array, i: Array) -> Array:
    """Return how far place i of S is from place j of T, both from 1: |i/S - j/T|."""
    return np.abs(i / S - j / T)


def _mix(given: Given, expected: Expected) -> None:
    """Do as `aligner_mixture`, for all cells at once."""
    S, T = given.shapes
    words_S, words_T = np.repeat(S, T), np.repeat(T, T)  # of every target word
    first = np.cumsum(T) - T
    j = np.arange(len(words_T)) - np.repeat(first, T) + 1
    wide = words_S + 1
    word = np.repeat(np.arange(len(wide)), wide)  # of every cell
    begins = np.cumsum(wide) - wide
    i = np.arange(len(word)) - begins[word]
    away = np.where(i > 0, diagonal(np.maximum(words_S, 1)[word], words_T[word], j[word], i), 0.0)
    prior = np.where(i > 0, np.exp(-given.tension * away), 0.0)
    whole = np.add.reduceat(prior, begins) if len(begins) else prior
    null = np.full(len(wide), given.null) if given.null >= 0 else 1 / wide
    null = np.where(words_S == 0, 1.0, null)
    with np.errstate(divide="ignore", invalid="ignore"):
        prior = np.where(i > 0, prior * ((1 - null) / whole)[word], null[word])
        joint = prior * given.t[given.cells].astype(np.float64)
        sums = np.add.reduceat(joint, begins) if len(begins) else joint
        share = np.where(sums[word] > 0, joint / sums[word], 0.0)
        np.add.at(expected.likelihoods, np.repeat(np.arange(len(T)), T), np.log(sums))
    np.add.at(expected.counts, given.cells, share)
    expected.distance[0] += float((share * away).sum())
    if len(begins):
        expected.linked[:] = 1 - share[begins]
        top = np.maximum.reduceat(share, begins)
        hits = np.flatnonzero(share == top[word])
        expected.best[:] = i[hits[np.unique(word[hits], return_index=True)[1]]] - 1


def jump_rows(jumps: Array, longest: int) -> Array:
    """Return the number of each jump, `[L + 1, L]`, those from the start first."""
    reach = len(jumps) // 2
    step = np.arange(1, longest + 1)[None, :] - np.arange(longest + 1)[:, None]
    return np.asarray(jumps[np.clip(step, -reach, reach) + reach])


def _jump(given: Given, expected: Expected) -> None:
    """Do as `aligner_hmm`, for many pairs in step."""
    S, T = given.shapes
    sizes = T * (S + 1)
    begins, words = np.cumsum(sizes) - sizes, np.cumsum(T) - T
    order = np.argsort(S * 100_000 + T, kind="stable")
    wide, high = int(S.max(initial=0)) + 1, int(T.max(initial=0)) + 1
    cost = np.arange(1, len(S) + 1) * wide * (wide + high)
    for first, end in runs(cost, _MOST_NUMBERS):
        some = order[first:end]
        _jump_some(given, expected, some, (begins[some], words[some]))


class _Padded(NamedTuple):
    """Pairs padded together: B of them, at most L source words and H target words.

    cells: `[B, H, L + 1]`.  inside: where there are words.  t: of the cells.  null: `[B, 1]`.
    q: `[B, L + 1, L]`, jumps from the start and from every place.
    """

    cells: Array
    inside: Array
    t: Array
    null: Array
    q: Array


def _padded(given: Given, some: Array, begins: Array) -> _Padded:
    S, T = given.shapes.sources[some], given.shapes.targets[some]
    L, H = int(S.max()), int(T.max())
    place, word = np.arange(L + 1), np.arange(H)
    inside = (place[None, :] <= S[:, None])[:, None, :] & (word[None, :] < T[:, None])[:, :, None]
    at = begins[:, None, None] + word[:, None] * (S + 1)[:, None, None] + place
    cells = np.where(inside, given.cells[np.where(inside, at, 0)], 0)
    t = np.where(inside, given.t[cells].astype(np.float64), 0.0)
    null = np.where(S > 0, given.null, 1.0)[:, None]
    fits = (place[None, :L] < S[:, None])[:, None, :] & (place[None, :] <= S[:, None])[:, :, None]
    q = jump_rows(given.jumps, L) * fits
    whole = q.sum(axis=2, keepdims=True)
    even = fits / np.maximum(S, 1)[:, None, None]
    q = (1 - null[:, :, None]) * np.where(whole > 0, q / np.where(whole > 0, whole, 1), even)
    return _Padded(cells, inside, t, null, q)


class _Messages(NamedTuple):
    """What went forward. last: `[H + 1, B, L + 1]`, how likely each place is the last looked at.

    skipped, seen: `[H, B, L + 1]`, its parts before scaling: the word is linked to none, or to it.
    over: `[H, B]`, scales.  logs: `[B]`, log-likelihoods.
    """

    last: Array
    skipped: Array
    seen: Array
    over: Array
    logs: Array


def _forward(pairs: _Padded) -> _Messages:
    B, H, wide = pairs.t.shape
    last, over, logs = np.zeros((H + 1, B, wide)), np.zeros((H, B)), np.zeros(B)
    skipped, seen = np.zeros((H, B, wide)), np.zeros((H, B, wide))
    last[0, :, 0] = 1
    for j in range(H):
        skipped[j] = last[j] * pairs.null * pairs.t[:, j, :1]
        seen[j, :, 1:] = np.einsum("bf,bfi->bi", last[j], pairs.q) * pairs.t[:, j, 1:]
        total, here = (skipped[j] + seen[j]).sum(axis=1), pairs.inside[:, j, 0]
        with np.errstate(divide="ignore"):
            logs += np.log(np.where(here, total, 1.0))
        over[j] = np.where(total > 0, 1 / np.where(total > 0, total, 1), 0.0) * here
        last[j + 1] = np.where(here[:, None], (skipped[j] + seen[j]) * over[j][:, None], last[j])
    return _Messages(last, skipped, seen, over, logs)


def _jump_some(given: Given, expected: Expected, some: Array, begins: tuple[Array, Array]) -> None:
    pairs = _padded(given, some, begins[0])
    sent = _forward(pairs)
    expected.likelihoods[some] += sent.logs
    B, H, wide = pairs.t.shape
    back, xi = np.ones((B, wide)), np.zeros((B, wide, wide - 1))
    for j in range(H - 1, -1, -1):
        inside = pairs.inside[:, j]
        here = inside[:, 0]
        scaled = back * sent.over[j][:, None]
        share = sent.seen[j] * scaled
        share[:, 0] = (sent.skipped[j] * scaled).sum(axis=1)
        np.add.at(expected.counts, pairs.cells[:, j][inside], share[inside])
        expected.best[(begins[1] + j)[here]] = (np.argmax(share, axis=1) - 1)[here]
        onward = pairs.t[:, j] * scaled
        xi += sent.last[j][:, :, None] * onward[:, None, 1:]
        fresh = np.einsum("bfi,bi->bf", pairs.q, onward[:, 1:])
        fresh += pairs.null * pairs.t[:, j, :1] * scaled
        back = np.where(here[:, None], fresh, back)
    xi *= pairs.q
    reach, place = len(given.jumps) // 2, np.arange(wide)
    step = np.clip(np.arange(1, wide)[None, :] - place[:, None], -reach, reach) + reach
    np.add.at(expected.jumps, np.broadcast_to(step, xi.shape), xi)
    np.add.at(expected.origins, (given.shapes.sources[some][:, None], place), xi.sum(axis=2))
