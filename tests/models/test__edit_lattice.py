"""Sums over all alignments of a pair."""

import torch
from torch.testing import assert_close

from saccade.models._edit_channel import EditChannel
from saccade.models._edit_lattice import EditScores, edit_posteriors, edit_sums
from tests.models.edits import LENGTHS, PAIRS, channel


def scores() -> EditScores:
    source, target = PAIRS
    return channel().scores(source, target, *LENGTHS)


def test_both_directions_sum_to_the_same() -> None:
    sums = edit_sums(scores())
    assert_close(sums.backward[:, 0, 0], sums.total)


def test_posteriors_are_the_gradient_of_the_sum() -> None:
    given = scores()
    names = ("emitted", "dropped", "inserted")
    leaves = {name: getattr(given, name).detach().requires_grad_() for name in names}
    given = given._replace(**leaves)
    sums = edit_sums(given)
    gradient = torch.autograd.grad(sums.total.sum(), list(leaves.values()))
    found = edit_posteriors(given, sums)
    for expected, one in zip(gradient, found, strict=True):
        assert_close(one.detach(), expected)


def test_every_place_is_made_once_and_every_symbol_used_once() -> None:
    given = scores()
    found = edit_posteriors(given, edit_sums(given))
    made = found.emitted.sum(dim=1) + found.inserted.sum(dim=1)  # [B, S]
    used = found.emitted.sum(dim=2) + found.dropped  # [B, T]
    places = [torch.arange(n) < length[:, None] for n, length in zip((5, 4), LENGTHS, strict=True)]
    assert_close(made, places[0].double())
    assert_close(used, places[1].double())


def test_long_lines_do_not_underflow() -> None:
    line = torch.full((1, 400), 4)
    model = EditChannel(8, neighbours=True, smoothing=1.0)
    lengths = torch.tensor([400])
    given = model.scores(line, torch.full((1, 300), 5), lengths, torch.tensor([300]))
    sums = edit_sums(given)
    assert sums.total.isfinite().all()
    assert_close(sums.backward[:, 0, 0], sums.total)
