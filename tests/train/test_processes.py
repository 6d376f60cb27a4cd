"""Several gloo processes: the sums of one, the same run twice, and nobody waits for the dead."""

import os
import signal
from pathlib import Path
from typing import Any

import pytest
import torch

from saccade.errors import RecipeError, TrainingError
from saccade.objectives.cross_entropy import CrossEntropy
from saccade.run import _learner
from saccade.train.checkpoint import Checkpoints
from saccade.train.loop import Loop
from saccade.train.processes import Peer, Processes, ending, joined, restarted, steps_of
from tests.train import small
from tests.train.test_loop import make
from tests.train.workers import Raised, together

DRY = {"kind": "rnn", "hidden": 8, "dropout": 0.0}
MODEL = {
    "kind": "encoder_decoder",
    "embedding": 8,
    "dropout": 0.0,
    "encoder": DRY,
    "decoder": DRY,
}


def updates(settings: dict[str, Any]) -> dict[str, Any]:
    """Make three updates in float64; return what they were, and the gradients of the last."""
    with joined() as (processes, _):
        loop = make(model=MODEL, **settings)
        loop.model.double()
        loop.processes = processes
        seen: list[list[int]] = []
        batch = loop.batches.batch

        def noted(rows: Any, epoch: int | None = None) -> Any:
            seen.append([int(row) for row in rows])
            return batch(rows, epoch)

        setattr(loop.batches, "batch", noted)  # noqa: B010
        made = [loop.update() for _ in range(3)]
        return {
            "updates": made,
            "seen": seen,
            "progress": loop.progress.plain(),
            "gradients": [p.grad.numpy() for p in loop.trained if p.grad is not None],
            "weights": [p.detach().numpy() for p in loop.trained],
        }


def test_one_two_and_three_processes_make_the_same_updates_of_the_same_pairs() -> None:
    # 3 uneven batches of an update: 2 processes share rows, 3 take one batch each, by turns
    settings = {"accumulate": 3, "batch_tokens": 40, "learning_rate": 1e-3}
    alone = updates(settings)
    for n in (2, 3):
        found = together(n, updates, settings)
        rows = sorted(row for one in found for batch in one["seen"] for row in batch)
        assert rows == sorted(row for batch in alone["seen"] for row in batch)
        assert all(one["seen"] for one in found)
        for one in found:
            assert [u.tokens for u in one["updates"]] == [u.tokens for u in alone["updates"]]
            for name in ("loss", "nll", "gradient_norm"):
                pairs = zip(one["updates"], alone["updates"], strict=True)
                for mine, whole in pairs:
                    assert getattr(mine, name) == pytest.approx(getattr(whole, name), rel=1e-9)
            progress = one["progress"] | {"first_loss": alone["progress"]["first_loss"]}
            assert progress == alone["progress"]
            for mine, whole in zip(one["gradients"], alone["gradients"], strict=True):
                assert abs(mine - whole).max() < 1e-6 * max(abs(whole).max(), 1.0)
            for mine, first in zip(one["weights"], found[0]["weights"], strict=True):
                assert (mine == first).all(), "all processes have the same weights, bit for bit"


def test_a_share_may_be_empty() -> None:
    settings = {"batch_tokens": 4}  # one pair a batch, and two processes
    (whole,) = [updates(settings)]
    found = together(2, updates, settings)
    assert found[1]["seen"] == []
    assert found[0]["updates"][0].loss == pytest.approx(whole["updates"][0].loss, rel=1e-9)
    assert (found[1]["weights"][0] == found[0]["weights"][0]).all()


def trained(folder: Path, resume: bool, settings: dict[str, Any]) -> int:
    return small.run(folder, resume=resume, **settings).progress.step


def test_a_run_stops_and_goes_on_bit_for_bit_and_on_another_number(tmp_path: Path) -> None:
    settings = {"validate_every": 2, "batch_tokens": 64, "keep_last": 9, "max_steps": 6}
    whole, parts = tmp_path / "whole", tmp_path / "parts"
    assert together(2, trained, whole, False, settings) == [6, 6]
    assert together(2, trained, parts, False, settings | {"max_steps": 3}) == [3, 3]
    assert together(2, trained, parts, True, settings) == [6, 6]
    small.assert_same(whole, parts)
    said = (whole / "train.log").read_text(encoding="utf-8")
    assert said.count(" batches an epoch, on 2 processes.") == 1, "one of them speaks"

    longer = settings | {"max_steps": 8}
    assert small.run(parts, resume=True, **longer).progress.step == 8
    assert together(3, trained, parts, True, settings | {"max_steps": 9}) == [9] * 3
    progress = Checkpoints(parts).load("step-00000009").progress
    assert [v.step for v in progress.validations] == [2, 4, 6, 8, 9]


def dropped(settings: dict[str, Any]) -> list[float]:
    with joined() as (processes, _):
        loop = make(**settings)
        made = Loop(loop.model, loop.objective, loop.batches, loop.settings, 1, processes)
        made._backward()
        return [float(torch.rand(())), float(made.seed)]


def test_ranks_draw_other_numbers_and_the_first_those_of_a_lone_process() -> None:
    alone, found = dropped({}), together(2, dropped, {})
    assert found[0][1] == alone[1]
    assert found[1] != found[0]


def mistaken(folder: Path, how: str) -> int:
    """Train, and let rank 1 meet something at its third update."""
    real = CrossEntropy.__call__

    def called(self: CrossEntropy, *given: Any) -> Any:
        if given[-1].step == 2 and os.environ["RANK"] == "1":
            if how == "signal":
                os.kill(os.getpid(), signal.SIGTERM)
            elif how == "killed":
                os.kill(os.getpid(), signal.SIGKILL)
            else:
                raise TrainingError("this share is no good")
        return real(self, *given)

    setattr(CrossEntropy, "__call__", called)  # noqa: B010 - in a process of its own
    return trained(folder, False, {"max_steps": 9})


def test_all_end_when_one_meets_a_mistake_a_signal_or_its_end(tmp_path: Path) -> None:
    found = together(2, mistaken, tmp_path / "a", "mistake")
    assert found == [
        Raised("WorkerError", "rank 1: this share is no good"),
        Raised("TrainingError", "this share is no good"),
    ]

    found = together(2, mistaken, tmp_path / "b", "signal")
    for one in found:
        assert one.kind == "Interrupted"
        assert one.text == (
            "stopped by a signal at step 3; the checkpoint is written. Go on with --resume."
        )
    assert Checkpoints(tmp_path / "b").index().last == "step-00000003"

    first, last = together(2, mistaken, tmp_path / "c", "killed")
    assert last == "was killed"
    assert first.text.startswith("step 2: rank 1 (pid ")
    assert first.text.endswith(
        ") has ended; expected all 2 processes to go on. The last checkpoint is kept; go on with"
        " --resume."
    )
    assert together(2, trained, tmp_path / "c", True, {"max_steps": 4}) == [4, 4]


def disagreeing() -> Any:
    with joined() as (processes, _):
        long = "long " * 1000
        assert processes.tell({"a": long * (processes.rank + 1)})[1] == {"a": long * 2}
        processes.agree({"train": f"hash {processes.rank}", "valid": "x"}, "data")


def adding() -> list[Any]:
    """Rank 0 has a gradient of the first of three numbers, rank 1 of the first two."""
    with joined() as (processes, _):
        three = [torch.nn.Parameter(torch.zeros(2)) for _ in range(3)]
        for n, parameter in enumerate(three[: processes.rank + 1]):
            parameter.grad = torch.full((2,), n + 1.0)
        processes.add_gradients(three)
        learned = {"average": torch.tensor([float(processes.rank)])}
        processes.average(learned)
        grads = [None if p.grad is None else p.grad.tolist() for p in three]
        return [*grads, learned["average"].item()]


def test_gradients_add_up_and_what_nobody_has_stays_away() -> None:
    assert together(2, adding) == [[[2.0, 2.0], [2.0, 2.0], None, 0.5]] * 2


def test_other_data_is_refused_by_rank() -> None:
    for one in together(2, disagreeing):
        assert one.kind == "WorkerError"
        assert one.text == (
            "rank 1: has other data than rank 0: train; expected the same for all. Give every"
            " machine the same files and versions."
        )


def test_one_process_asks_nobody() -> None:
    alone = Processes()
    assert alone.leads
    assert alone.tell({"a": 1}) == [{"a": 1}]
    assert alone.lead(lambda: {"b": 2}) == {"b": 2}
    with joined("cuda:3") as (processes, device):
        assert (processes.size, device) == (1, "cuda:3")


def test_a_model_that_counts_is_for_one_process() -> None:
    recipe = small.recipe(model={"kind": "ngram"}, data=_texts())
    with pytest.raises(RecipeError) as caught:
        _learner(recipe, None, 2)
    assert str(caught.value) == (
        "2 processes: ngram counts its data in one; expected one. Leave out --processes, or"
        " torchrun."
    )


def _texts() -> dict[str, Any]:
    return {
        "train": {"kind": "pairs", "pairs": [["", "ab"]]},
        "valid": {"kind": "pairs", "pairs": [["", "ab"]]},
    }


def test_a_launcher_reads_how_far_each_is(tmp_path: Path) -> None:
    steps = tmp_path / "steps"
    steps.write_bytes((7).to_bytes(8, "big"))
    assert steps_of(steps, 2) == [7, 0]
    assert ending(0, 5, 1, 3) == "rank 0 (pid 5) ended with code 1 at step 3"


def test_torchrun_says_that_it_begins_again(monkeypatch: pytest.MonkeyPatch) -> None:
    assert not restarted()
    monkeypatch.setenv("TORCHELASTIC_RESTART_COUNT", "1")
    assert restarted()


def test_a_peer_elsewhere_is_not_known_to_be_gone() -> None:
    assert not Peer("elsewhere", 1).gone
    assert not Peer(os.uname().nodename, os.getpid()).gone
