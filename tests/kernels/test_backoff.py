"""The prefix beam of CTC with a table of n-grams in C finds what numpy and the shaper find."""

import numpy as np
import pytest
import torch

from saccade.flow import SOURCE, State, Step
from saccade.kernels import ctc_prefix
from saccade.kernels.backoff import gains_along, walk_of
from saccade.kernels.library import found
from saccade.models.base import LaidPairs, LaidSide
from saccade.models.ngram import NGram
from saccade.search.base import Task
from saccade.search.ctc_prefix import CtcPrefix
from saccade.shaping.fusion import Fusion
from tests.samples import kernels_off, randn, sides

by_kernels_only = pytest.mark.skipif(found().kernels is None, reason=f"no kernels: {found().told}")
SIZE = 12


def fusion(order: int, insertion: float, *, other: bool = False) -> Fusion:
    """A model of noise in which some symbols often follow others."""
    chance = np.random.Generator(np.random.PCG64(order))
    values = 4 + np.cumsum(chance.integers(0, 3, 400)) % (SIZE - 4)
    model = NGram(*sides(SIZE), order=order)
    model.count(LaidPairs({}, LaidSide(values, np.full(40, 10))), 0)
    ids = [*range(4), *range(SIZE - 1, 3, -1)] if other else []
    return Fusion(model, 0.7, insertion, ids)


def task(shaper: Fusion, rows: int, limit: int) -> Task:
    limits = torch.full((rows,), limit)
    return Task(2, 3, limits, (0, 2), shapers=[shaper], fused=shaper.table())


@by_kernels_only
@pytest.mark.parametrize(
    ("order", "insertion", "width", "limit"),
    [(1, 0.0, 4, 50), (2, 1.5, 10, 50), (3, 0.5, 20, 6), (5, -0.5, 1, 50), (4, 2.0, 200, 50)],
)
def test_it_finds_what_numpy_finds(order: int, insertion: float, width: int, limit: int) -> None:
    frames = (randn(3, 25, SIZE, seed=order) * 2.5).log_softmax(dim=2)
    shaper = fusion(order, insertion, other=order == 3)
    search = CtcPrefix(width=width, n_best=min(width, 8))

    def run() -> list[list[tuple[int, ...]]]:
        state: State = {SOURCE: {"frames": frames}}
        rows = search(lambda *_: Step(frames, {}), state, task(shaper, 3, limit))
        scores.append([h.score for row in rows for h in row.hypotheses])
        tokens.append([h.token_scores for row in rows for h in row.hypotheses])
        return [[h.tokens for h in row.hypotheses] for row in rows]

    scores: list[list[float]] = []
    tokens: list[list[tuple[float, ...]]] = []
    fast = run()
    with kernels_off():
        assert run() == fast
    assert scores[0] == pytest.approx(scores[1], abs=1e-4)
    for one, two in zip(*tokens, strict=True):
        assert one == pytest.approx(two, abs=1e-4)


@by_kernels_only
def test_the_language_model_changes_what_is_found() -> None:
    frames = (randn(4, 20, SIZE) * 1.5).log_softmax(dim=2)
    limits, fused = np.full(4, 20), fusion(3, 0.5).table()
    alone = ctc_prefix.prefix_beam(frames, limits, 5)
    assert alone != ctc_prefix.prefix_beam(frames, limits, 5, fused)


def test_what_kernels_cannot_read_is_left_to_others() -> None:
    fused = fusion(2, 0.0).table()
    assert fused is not None
    double = fused._replace(paid=fused.paid.double())
    labels, lengths = torch.tensor([[5]]), torch.tensor([1])
    assert walk_of(double) is None
    assert gains_along(double, labels, lengths, 3) is None
    frames = randn(1, 5, SIZE + 1).log_softmax(dim=2)
    assert ctc_prefix.prefix_beam(frames, np.full(1, 5), 2, fused) is None
    with kernels_off():
        assert gains_along(fused, labels, lengths, 3) is None


@by_kernels_only
def test_what_is_left_may_be_more_than_all() -> None:
    """A table from elsewhere: no bound on what a symbol gains is taken for granted."""
    fused = fusion(2, 0.0).table()
    assert fused is not None
    table = fused.table._replace(backoffs=fused.table.backoffs.detach() + 3.0)
    walk = walk_of(fused._replace(table=table))
    assert walk is not None
    assert walk.most >= 0.7 * float(table.backoffs.max())
