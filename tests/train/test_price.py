"""Operations of a training, against counts by hand and torch's own counter."""

import copy
from pathlib import Path
from typing import Any

import pytest
import torch
from torch import nn
from torch.nn.attention import SDPBackend, sdpa_kernel
from torch.utils.flop_counter import FlopCounterMode

from saccade.data.batching import Batches
from saccade.data.prepare import batches_of, prepare
from saccade.flow import Batch
from saccade.folders.model import build_model
from saccade.kernels.library import without_kernels
from saccade.models.base import Model
from saccade.objectives.base import Moment, Objective
from saccade.train.price import _without_onednn, added, counted, priced
from saccade.train.progress import Progress
from tests.train import small

D, F, H = 16, 24, 8  # widths: of the model, of the feed-forward layer, of additive attention
RNN = {"kind": "rnn", "cell": "lstm", "hidden": D, "dropout": 0.0}
ATTENTION = {"kind": "additive", "hidden": H}
STACK = {"kind": "transformer", "layers": 1, "feed_forward": F}
CONV = {"kind": "conv_s2s", "layers": 1, "kernel": 3, "hidden": D}
MODELS: dict[str, dict[str, Any]] = {
    "rnn": {"encoder": {**RNN, "bidirectional": False}, "decoder": {**RNN, "attention": ATTENTION}},
    "transformer": {"encoder": STACK, "decoder": STACK},
    "conv": {"encoder": CONV, "decoder": CONV},
}


def uneven(n: int) -> list[list[str]]:
    """Pairs whose sides differ in length, so that all six terms can be told apart."""
    return [["12345678"[: 1 + i % 7], "abcdefgh"[: 1 + (i * i) % 8]] for i in range(n)]


def parts(sort: str) -> tuple[Model, Objective, Batches]:
    data = {
        "train": {"kind": "pairs", "pairs": uneven(40)},
        "valid": {"kind": "pairs", "pairs": uneven(4)},
        "source": {"tokenizer": "character"},
        "target": {"tokenizer": "character"},
    }
    model = {"kind": "encoder_decoder", "embedding": D, "dropout": 0.0, **MODELS[sort]}
    recipe = small.recipe(model=model, data=data)
    ready = prepare(recipe, Path())
    batches = batches_of(recipe, ready.train, ready.codecs, 64)
    objective = recipe.training.objective.build(ready.codecs.target.decode)
    return build_model(recipe, ready.codecs), objective, batches


def by_torch(model: Model, objective: Objective, batch: Batch) -> int:
    """Count forward and back with torch's own counter."""
    with (
        without_kernels(),
        _without_onednn(),  # torch does not see into the LSTM of oneDNN
        sdpa_kernel(SDPBackend.MATH),
        FlopCounterMode(display=False) as counter,
    ):
        objective(model, batch, Moment(0, torch.Generator())).total.backward()  # type: ignore[no-untyped-call]
    return int(counter.get_total_flops())


def by_hand(sort: str, V: int, s: int, t: int) -> int:
    """Write the products of one pair out, forward: two operations each."""
    if sort == "transformer":
        of_source = s * (4 * D * D + 2 * D * F) + 2 * s * s * D + 2 * s * D * D
        of_target = t * (4 * D * D + 2 * D * D + 2 * D * F) + 2 * t * t * D + 2 * s * t * D
    elif sort == "rnn":
        of_source = s * 4 * D * 2 * D + s * D * H  # cell, keys
        of_target = t * (4 * D * 3 * D + D * H + 3 * D * D)  # cell, query, read-out
        of_target += t * s * (H + D) + 2 * D * D  # scores, what is read; first h and c
    else:
        of_source = s * (D * D + 3 * D * 2 * D + D * D)
        of_target = t * (D * D + 3 * D * 2 * D + D * D + 2 * D * D) + 2 * s * t * D
    return 2 * (of_source + of_target + t * V * D)


@pytest.mark.parametrize("sort", MODELS)
def test_a_pair_costs_what_is_counted_by_hand_and_by_torch(sort: str) -> None:
    model, objective, batches = parts(sort)
    model.eval()
    price = priced(model, objective, batches)
    for i in (3, 17, 30):
        batch = batches.batch([i])
        found = Progress(lengths=added([0.0] * 6, batch), price=price).flops
        assert found == pytest.approx(by_torch(model, objective, batch), rel=1e-6)
        s, t = int(batch.source.lengths), int(batch.target.lengths)
        with torch.no_grad():
            forward = counted(lambda batch=batch: objective(model, batch, _moment()))  # type: ignore[misc]
        assert forward == by_hand(sort, model.head.log_probs(torch.zeros(1, D)).shape[1], s, t)


def _moment() -> Moment:
    return Moment(0, torch.Generator())


def test_self_attention_has_squares_and_attention_over_the_source_has_none() -> None:
    stack, recurrent = (priced(*parts(sort)) for sort in ("transformer", "rnn"))
    assert stack[3] == pytest.approx(3 * 2 * 2 * D, rel=1e-6)  # forward and twice back
    assert stack[5] == pytest.approx(3 * 2 * 2 * D, rel=1e-6)
    assert recurrent[3] == pytest.approx(0, abs=1e-3)
    assert recurrent[4] == pytest.approx(3 * 2 * (H + D), rel=1e-6)


def test_a_batch_is_the_sum_of_its_pairs() -> None:
    model, objective, batches = parts("transformer")
    price = priced(model, objective, batches)
    whole = Progress(lengths=added([0.0] * 6, batches.batch([1, 5, 9])), price=price).flops
    sums = [0.0] * 6
    for i in (1, 5, 9):
        sums = added(sums, batches.batch([i]))
    assert Progress(lengths=sums, price=price).flops == whole
    assert batches.powers() == added([0.0] * 6, batches.batch(list(range(40))))


def test_counting_changes_nothing() -> None:
    model, objective, batches = parts("rnn")
    before, chance = copy.deepcopy(model.state_dict()), torch.get_rng_state()
    model.train()
    priced(model, objective, batches)
    small.equal(before, model.state_dict())
    assert torch.equal(chance, torch.get_rng_state())
    assert model.training
    assert all(one.grad is None for one in model.parameters())


@pytest.mark.parametrize("sort", [nn.LSTM, nn.GRU, nn.RNN])
def test_layers_of_torch_are_taken_apart(sort: type[nn.Module]) -> None:
    layer, x = sort(8, 8, batch_first=True), torch.zeros(1, 5, 8)
    gates = {nn.LSTM: 4, nn.GRU: 3, nn.RNN: 1}[sort]
    with torch.no_grad():
        assert counted(lambda: layer(x)) == gates * 5 * 2 * (8 * 8 + 8 * 8)


def test_a_run_counts_and_goes_on_counting(tmp_path: Path) -> None:
    whole = small.run(tmp_path / "whole", max_steps=6).progress
    small.run(tmp_path / "half", max_steps=3)
    resumed = small.run(tmp_path / "half", max_steps=6, resume=True).progress
    assert resumed.flops == whole.flops > 0
    assert small.rows(tmp_path / "whole")[-1].get("flops", whole.flops) == whole.flops


def test_older_checkpoints_have_counted_nothing() -> None:
    raw = Progress(step=3).plain()
    del raw["lengths"], raw["price"]
    assert str(Progress.from_plain(raw).flops) == "nan"
    raw["price"] = [1.0] * 6  # what a run that goes on finds out
    assert str(Progress.from_plain(raw).flops) == "nan"
