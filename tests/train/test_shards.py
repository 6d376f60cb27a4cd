"""A model in shards over gloo processes: the updates of one, and checkpoints for any number."""

import json
import math
import os
import signal
import sys
from dataclasses import replace
from pathlib import Path
from typing import Any, cast

import pytest
import torch
from safetensors import safe_open
from safetensors.torch import save_file
from torch import nn

from saccade.data.batching import Batches
from saccade.errors import CheckpointError, RecipeError, TrainingError
from saccade.flow import Batch, Loss
from saccade.kernels.allocator import kept_memory
from saccade.models.base import Model
from saccade.objectives.base import Moment, Objective
from saccade.objectives.cross_entropy import CrossEntropy
from saccade.train import weights
from saccade.train.checkpoint import Checkpoints
from saccade.train.loop import Loop
from saccade.train.processes import Processes, joined
from saccade.train.shard_files import read_parts
from saccade.train.shards import Sharded
from tests.train import small
from tests.train.test_loop import make
from tests.train.test_processes import MODEL
from tests.train.workers import Raised, together

LAYERS = {
    "kind": "transformer",
    "layers": 2,
    "feed_forward": 20,
    "dropout": 0.0,
    "attention": {"kind": "multihead", "heads": 2},
}
TRANSFORMER = {**MODEL, "encoder": LAYERS, "decoder": LAYERS, "embedding": 10}
CTC = {"kind": "ctc", "embedding": 8, "dropout": 0.0, "encoder": {**LAYERS, "layers": 1}}
CASES: dict[str, dict[str, Any]] = {
    "recurrent": {"model": MODEL, "accumulate": 3, "batch_tokens": 40, "ema": 0.9},
    "transformer": {"model": TRANSFORMER, "accumulate": 2, "batch_tokens": 40},
    "empty shares": {"model": TRANSFORMER, "batch_tokens": 4},
    "sampling": {
        "model": TRANSFORMER,
        "objective": {
            "kind": "scheduled_sampling",
            "form": "sequential",
            "choice": "argmax",
            "p": 1.0,
        },
    },
    "two passes": {"model": TRANSFORMER, "objective": "r_drop", "optimiser": "sgd"},
    "ctc": {"model": CTC, "objective": "ctc", "batch_tokens": 60},
}


def updates(settings: dict[str, Any], *, shard: bool = True) -> dict[str, Any]:
    """Make three updates in float64; return what they were, and the weights after them."""
    with joined() as (processes, _):
        whole = make(**{"learning_rate": 1e-2, "batch_tokens": 64, "clip": 0.5, **settings})
        made = replace(whole.settings, shard=shard)
        model = whole.model.double()
        loop = Loop(model, whole.objective, whole.batches, made, 1, processes)
        done = [loop.update() for _ in range(3)]
        loop.show()
        shown = dict[str, Any]()
        if processes.leads:
            with loop.averaged():
                shown = {name: one.numpy().copy() for name, one in weights.of(model).items()}
        return {
            "updates": [(u.loss, u.nll, u.gradient_norm, u.tokens) for u in done],
            "weights": shown,
            "held": sum(p.numel() for p in loop.holding.own.parameters()),
            "moments": sum(
                one["exp_avg"].numel() for one in loop.optimiser.state.values() if "exp_avg" in one
            ),
        }


@pytest.mark.parametrize("case", CASES)
def test_shards_make_the_updates_of_one_process(case: str) -> None:
    settings = CASES[case]
    alone = updates(settings, shard=False)
    for n in (2, 3):
        found = together(n, updates, settings)
        assert sum(one["held"] for one in found) == alone["held"]
        assert sum(one["moments"] for one in found) == alone["moments"]
        assert max(one["held"] for one in found) < alone["held"] / n * 1.4
        for one in found:
            for mine, expected in zip(one["updates"], alone["updates"], strict=True):
                assert mine == pytest.approx(expected, rel=1e-6)
        for name, expected in alone["weights"].items():
            assert abs(found[0]["weights"][name] - expected).max() < 1e-6, name


def trained(folder: Path, resume: bool, settings: dict[str, Any]) -> int:
    return small.run(folder, resume=resume, **settings).progress.step


def test_a_run_goes_on_with_any_number_of_processes_in_shards_or_not(tmp_path: Path) -> None:
    dry = {"kind": "rnn", "hidden": 16, "dropout": 0.0}
    model = {"kind": "encoder_decoder", "embedding": 16, "dropout": 0.0}
    settings: dict[str, Any] = {
        "model": {**model, "encoder": dry, "decoder": dry},
        "validate_every": 2,
        "batch_tokens": 64,
        "keep_last": 9,
        "ema": 0.9,
    }
    whole, parts = tmp_path / "whole", tmp_path / "parts"
    assert small.run(whole, max_steps=8, **settings).progress.step == 8
    shards = {**settings, "shard": True}
    assert together(2, trained, parts, False, {**shards, "max_steps": 2}) == [2, 2]
    files = {path.name for path in (parts / "checkpoints/step-00000002").iterdir()}
    kinds = ("model", "training")
    names = {f"{kind}-{rank:05d}-of-00002.safetensors" for kind in kinds for rank in (1, 2)}
    assert files == {"state.json", *names}
    assert together(3, trained, parts, True, {**shards, "max_steps": 4}) == [4] * 3
    assert trained(parts, True, {**shards, "max_steps": 6}) == 6  # shards for one: whole
    assert together(2, trained, parts, True, {**shards, "max_steps": 8}) == [8, 8]
    for step in (2, 4, 6, 8):
        one, two = (Checkpoints(run).load(f"step-{step:08d}") for run in (whole, parts))
        assert one.training.keys() == two.training.keys()
        for mine, other in ((one.model, two.model), (one.training, two.training)):
            for name, tensor in mine.items():
                torch.testing.assert_close(other[name], tensor, atol=1e-4, rtol=1e-3)
        pairs = zip(one.progress.validations, two.progress.validations, strict=True)
        assert all(a.loss == pytest.approx(b.loss, rel=1e-4) for a, b in pairs)
    final = Checkpoints(whole).load("step-00000008")
    assert weights.load(parts / "model.safetensors").keys() == final.model.keys()


def test_a_run_in_shards_stops_and_goes_on_bit_for_bit(tmp_path: Path) -> None:
    settings = {"shard": True, "validate_every": 2, "batch_tokens": 64, "max_steps": 4}
    whole, parts = tmp_path / "whole", tmp_path / "parts"
    assert together(2, trained, whole, False, settings) == [4, 4]
    assert together(2, trained, parts, False, settings | {"max_steps": 3}) == [3, 3]
    assert together(2, trained, parts, True, settings) == [4, 4]
    small.assert_same(whole, parts)


def failing(folder: Path, how: str) -> int:
    """Train in shards, and let rank 1 fail in its second update."""
    read, real = Batches.batch, CrossEntropy.__call__

    def batch(self: Batches, *given: Any) -> Any:
        if calls and os.environ["RANK"] == "1":
            raise TrainingError("nobody can read this")
        return read(self, *given)

    def called(self: CrossEntropy, *given: Any) -> Loss:
        if given[-1].step == 1 and os.environ["RANK"] == "1" and how != "reading":
            if how == "killed":
                os.kill(os.getpid(), signal.SIGKILL)
            raise TrainingError("nobody can compute this")
        calls.append(how)
        loss = real(self, *given)
        number = how == "no number" and os.environ["RANK"] == "1"
        return replace(loss, total=loss.total * math.nan) if number else loss

    calls: list[str] = []
    if how == "reading":
        setattr(Batches, "batch", batch)  # noqa: B010 - in a process of its own
    setattr(CrossEntropy, "__call__", called)  # noqa: B010 - as above
    return trained(folder, False, {"shard": True, "max_steps": 3})


def test_what_fails_beside_a_pass_is_told_to_all(tmp_path: Path) -> None:
    found = together(2, failing, tmp_path / "a", "reading")
    assert found == [
        Raised("WorkerError", "rank 1: nobody can read this"),
        Raised("TrainingError", "nobody can read this"),
    ]
    for one in together(2, failing, tmp_path / "b", "no number"):
        assert "step 0: the loss is nan on the batch of " in one.text


def test_one_that_ends_within_a_pass_is_named(tmp_path: Path) -> None:
    for how, last in (
        ("killed", "was killed"),
        ("within", Raised("TrainingError", "nobody can compute this")),
    ):
        found = together(2, failing, tmp_path / how, how)
        assert found[1] == last
        assert found[0].kind == "WorkerError"
        assert found[0].text.startswith("step 1: rank 1 (pid ")
        assert "has ended; expected all 2 processes to go on" in found[0].text


def test_a_file_of_shards_has_no_pickle_and_must_be_whole(tmp_path: Path) -> None:
    settings = {"shard": True, "max_steps": 1, "batch_tokens": 64}
    assert together(2, trained, tmp_path, False, settings) == [1, 1]
    checkpoints = Checkpoints(tmp_path)
    folder = checkpoints.folder / checkpoints.index().last
    files = sorted(folder.glob("*.safetensors"))
    for path in files:
        with safe_open(path, framework="pt") as file:
            assert set(file.metadata()) == {"DCP_SHARDING_INFO"}
    whole = checkpoints.load(folder.name)
    header = checkpoints.header(folder.name)
    assert {k: v.shape for k, v in header.items()} == {k: v.shape for k, v in whole.model.items()}
    first = files[0].read_bytes()
    files[0].write_bytes(first[:-1] + bytes([first[-1] ^ 1]))
    with pytest.raises(CheckpointError, match=r"model-00001-of-00002\.safetensors: damaged or"):
        checkpoints.load(folder.name)
    files[0].unlink()
    with pytest.raises(CheckpointError, match=r"missing; this checkpoint is not whole"):
        checkpoints.model_weights(folder.name)


def test_rows_that_are_missing_are_noticed(tmp_path: Path) -> None:
    for rank, rows in ((0, [0, 1]), (1, [3])):
        places = {"DCP_SHARDING_INFO": json.dumps({"w": {"saved_offsets": [rows[0]]}})}
        save_file({"w": torch.zeros(len(rows))}, tmp_path / f"{rank}.safetensors", places)
    with pytest.raises(CheckpointError) as caught:
        read_parts(tmp_path, ["0.safetensors", "1.safetensors"], _room, "Copy it again.")
    assert str(caught.value) == (
        f"{tmp_path}: its shards hold 3 numbers of w; expected 4. Copy it again."
    )
    with pytest.raises(CheckpointError, match=r"cannot be put together"):
        read_parts(tmp_path, ["2.safetensors"], _room, "Copy it again.")


def _room(_: str, size: torch.Size, dtype: torch.dtype) -> torch.Tensor:
    return torch.empty(size, dtype=dtype)


class Toy(nn.Module):
    """Three numbers, of which a question may use some."""

    def __init__(self) -> None:
        super().__init__()
        self.a, self.b, self.c = (nn.Parameter(torch.ones(3) * n) for n in range(3))


class Uses(Objective):
    """Asks rank 0 for `a`, and rank 1 for `a` and `b`."""

    def __init__(self, rank: int) -> None:
        super().__init__(str)
        self.rank = rank

    def __call__(self, model: Model, batch: Batch, moment: Moment) -> Loss:
        toy = cast(Toy, model)
        total = (toy.a * 2).sum()
        return Loss(total + (toy.b * 3).sum() if self.rank else total, 1)


def using() -> list[Any]:
    with joined() as (processes, _):
        held = Sharded(cast(Model, Toy()), processes, apart=False)
        found: list[Any] = []
        for _ in range(2):
            loss = held.loss(Uses(processes.rank), cast(Batch, None), cast(Moment, None))
            torch.autograd.backward(loss.total)
            held.collect(processes)
            grads = {name: one.grad for name, one in held.own.named_parameters()}
            found = [None if one is None else one.tolist() for one in grads.values()]
            held.own.zero_grad(set_to_none=True)
        return found


def test_a_weight_that_nobody_uses_has_no_gradient() -> None:
    assert together(2, using) == [[[4.0, 4.0], [3.0, 3.0], None], [[4.0], [3.0], None]]


def test_single_numbers_are_refused() -> None:
    class Odd(Toy):
        def __init__(self) -> None:
            super().__init__()
            self.scale = nn.Parameter(torch.tensor(1.0))

    with pytest.raises(RecipeError) as caught:
        Sharded(cast(Model, Odd()), Processes(), apart=False)
    assert str(caught.value) == (
        "training.shard: scale is a single number without rows; expected weights with rows to"
        " share out. Leave out training.shard."
    )


def grown(shard: bool) -> float:
    """Train a model of 8 M weights for three updates; return by how many MiB a process grew."""
    with joined() as (processes, _):
        before = own_pages()
        layers = {**LAYERS, "layers": 4, "feed_forward": 1024}
        model = {**MODEL, "encoder": layers, "decoder": layers, "embedding": 256}
        whole = make(batch_tokens=64, model=model)
        settings = replace(whole.settings, shard=shard)
        loop = Loop(whole.model, whole.objective, whole.batches, settings, 1, processes)
        del whole
        with kept_memory(loop.holding.kept):  # as in Loop.run
            for _ in range(3):
                loop.update()
        return own_pages() - before


def own_pages() -> float:
    text = Path("/proc/self/status").read_text(encoding="utf-8")
    return int(text.partition("RssAnon:")[2].split()[0]) / 1024


@pytest.mark.slow
@pytest.mark.skipif(sys.platform != "linux", reason="pages are counted in /proc")
def test_the_memory_of_a_process_falls() -> None:
    alone = together(1, grown, False)[0]
    _, *others = together(4, grown, True)  # process 0 has the whole weights besides
    assert max(others) < 0.6 * alone
