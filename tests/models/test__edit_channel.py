"""Probabilities of edits, learned by EM."""

from itertools import pairwise, product
from math import exp

import pytest
import torch
from torch import Tensor

from saccade.errors import CheckpointError, RecipeError
from saccade.models._edit_channel import EditChannel
from tests.models.edits import LENGTHS, PAIRS, SIZE, channel, listed, pair


@pytest.mark.parametrize("neighbours", [True, False])
def test_sums_are_those_of_listing_all_alignments(*, neighbours: bool) -> None:
    model = channel(neighbours=neighbours)
    found, _ = model.expect(*PAIRS, *LENGTHS)
    for row in range(6):
        assert float(found[row]) == pytest.approx(listed(model, *pair(row)), abs=1e-9)


@pytest.mark.parametrize("neighbours", [True, False])
def test_the_likelihood_never_falls(*, neighbours: bool) -> None:
    model = channel(neighbours=neighbours, smoothing=0.0, passes=0)
    totals = list[float]()
    for _ in range(25):
        found, counts = model.expect(*PAIRS, *LENGTHS)
        totals.append(float(found.sum()))
        model.learn(counts)
    assert all(b >= a - 1e-9 for a, b in pairwise(totals))
    assert totals[-1] > totals[0] + 20


def test_sources_of_a_target_add_up_to_one() -> None:
    model = channel(smoothing=20.0)  # so that long sources are rare
    every = [x for n in range(6) for x in product(range(SIZE), repeat=n)]
    assert sum(exp(listed(model, x, [4])) for x in every[: 1 + 8 + 64 + 512]) == pytest.approx(
        1.0, abs=0.02
    )


def test_edits_are_counted_once_each() -> None:
    _, counts = channel().expect(*PAIRS, *LENGTHS)
    n_source, n_target = (int(one.sum()) for one in LENGTHS)
    assert float(counts.taken.sum() + counts.inserted.sum()) == pytest.approx(n_source)
    assert float(counts.taken.sum() + counts.dropped.sum()) == pytest.approx(n_target)
    assert float(counts.met.sum()) == n_target
    assert float(counts.gaps.sum()) == n_target + len(PAIRS[0])


def test_without_neighbours_all_rows_are_one() -> None:
    model = channel(neighbours=False)
    for table in (model.inserted, model.dropped):
        assert torch.equal(table, table[:1].expand_as(table))


def test_too_many_symbols_are_refused() -> None:
    with pytest.raises(RecipeError, match=r"30,000 symbols; its tables have room for 500. Use"):
        EditChannel(30_000, neighbours=True, smoothing=1.0)


def test_damaged_tables_are_refused() -> None:
    model = channel()
    whole = dict(model.state_dict())
    model.accept(whole, "x")
    faults: dict[str, tuple[dict[str, Tensor], str]] = {
        "missing": ({k: v for k, v in whole.items() if k != "taken"}, "taken of edits is missing"),
        "shape": ({**whole, "dropped": torch.zeros(3, 3)}, r"has the shape \[3, 3\]; expected"),
        "nan": ({**whole, "taken": whole["taken"] * torch.nan}, "holds no probabilities"),
        "sum": ({**whole, "inserted": whole["inserted"] * 0.0}, "inserted of edits holds no"),
        "above": ({**whole, "dropped": whole["dropped"] + 9}, "dropped of edits holds no"),
    }
    for given, told in faults.values():
        with pytest.raises(CheckpointError, match=told):
            model.accept(given, "x")
