"""Models of word alignment that have counted a little, and listing all their alignments."""

from collections.abc import Callable, Sequence
from itertools import product
from math import log, prod

import numpy as np
import torch

from saccade.models._word_aligner import WordAligner, hazard
from saccade.models.base import LaidPairs, LaidSide, Model
from saccade.parts import find
from tests.samples import sides

SIZE = 12
TEXT = [([4, 5], [6, 7, 7]), ([5, 6], [8, 7]), ([4, 6, 5], [6, 8]), ([6], [8, 9])]
Prior = Callable[[tuple[int, ...], int], float]  # of places, 0 for none, in a source of S words


def laid(rows: Sequence[Sequence[int]]) -> LaidSide:
    return LaidSide(
        np.array([i for row in rows for i in row]), np.array([len(row) for row in rows])
    )


def corpus(pairs: Sequence[tuple[list[int], list[int]]] = TEXT) -> LaidPairs:
    return LaidPairs({"source": laid([x for x, _ in pairs])}, laid([y for _, y in pairs]))


def counted(kind: str, **options: float) -> WordAligner:
    """Build a model and make all its passes."""
    model = find(Model, kind)(*sides(SIZE), **options)
    assert isinstance(model, WordAligner)
    for n in range(model.iterations):
        model.count(corpus(), n)
    return model


def listed(
    model: WordAligner, xs: list[int], ys: list[int], prior: Prior
) -> tuple[float, np.ndarray]:
    """Return log p(y | x) and the posterior of every link `[T, S]`, by listing all alignments."""
    words = torch.tensor([[model.n_source, *xs]])
    said = [model.head.look_up(words, torch.tensor([y]))[0].tolist() for y in ys]
    ways = {
        path: prior(path, len(xs)) * prod(said[j][i] for j, i in enumerate(path))
        for path in product(range(len(xs) + 1), repeat=len(ys))
    }
    whole = sum(ways.values())
    posterior = np.zeros((len(ys), len(xs) + 1))
    for path, way in ways.items():
        posterior[np.arange(len(ys)), list(path)] += way / whole
    return log(whole) + of_length(model, len(xs), len(ys)), posterior[:, 1:]


def of_length(model: WordAligner, S: int, T: int) -> float:
    """Return log p(T | S) by going on T times and ending then."""
    found = 0.0
    for t in range(T + 1):
        there = torch.tensor(float(S)).double(), torch.tensor(float(t)).double()
        going, ending = hazard(*there, model.length)
        found += float(going if t < T else ending)
    return found
