"""The layers between a gated unit and attention, by their equations."""

import math

import pytest
import torch
from torch.testing import assert_close

from saccade.attention.scaled_dot import ScaledDot
from saccade.explanations.base import explain
from saccade.explanations.unrolled_gru import UnrolledGru, _FreeCandidates, _FreeWeights
from tests.samples import randn, scramble

X = randn(2, 5, 4)


def test_free_weights_are_a_softmax_over_recurrent_candidates() -> None:
    layer = scramble(_FreeWeights(4))
    cell, h, found, states = layer.cell, torch.zeros(2, 4), [], []
    for x in X.unbind(dim=1):
        found.append(torch.tanh(x @ cell.W.T + cell.b + h @ cell.U.T))
        n = torch.stack(found, dim=1)  # [B, t, D]
        a = ((n @ x[:, :, None])[:, :, 0] / math.sqrt(4)).softmax(dim=1)  # [B, t]
        h = (a[:, :, None] * n).sum(dim=1)
        states.append(h)
    assert_close(layer(X), torch.stack(states, dim=1))


def test_free_candidates_see_their_own_place_and_are_read_up_to_now() -> None:
    layer = scramble(_FreeCandidates(4, ScaledDot(4, 4)))
    f = torch.tanh(layer.f(X))
    for t in range(5):
        a = ((f[:, : t + 1] @ X[:, t, :, None])[:, :, 0] / math.sqrt(4)).softmax(dim=1)
        assert_close(layer(X)[:, t], (a[:, :, None] * f[:, : t + 1]).sum(dim=1))


def test_what_is_asked_for_was_told() -> None:
    pairs, asked, wanted = UnrolledGru(places=4)._draw(50, 0)
    for told, keys, values in zip(pairs.tolist(), asked.tolist(), wanted.tolist(), strict=True):
        assert len({key for key, _ in told}) == 4
        assert [dict(map(tuple, told))[key] for key in keys] == values
        assert keys[0] != keys[1]


@pytest.mark.slow
def test_heads_are_what_two_questions_need() -> None:
    found = explain("unrolled_gru").figures
    assert found["right, 4"] > 0.95
    assert max(found["right, GRU"], found["right, 3"]) < 0.8
