"""A run that stopped and went on is the run that did not stop, bit for bit."""

import random
import signal
from pathlib import Path
from typing import Any

import pytest

from saccade.data.prepare import batches_of, prepare
from saccade.errors import DataError, RecipeError
from saccade.folders import model as folders
from saccade.folders.identity import read_identity
from saccade.run import train
from saccade.train.checkpoint import Checkpoints
from tests.train import small, workers

KILLS = 15

VARIANTS: dict[str, dict[str, Any]] = {
    "plain": {},
    "accumulate": {"accumulate": 2},
    "average": {"ema": 0.9},
    "descent": {"optimiser": "sgd"},
    "plateau": {"schedule": {"kind": "plateau", "patience": 1}, "validate_every": 2},
    "often": {"validate_every": 3, "keep_last": 2, "average": 2},
    "weights": {"metrics": ["exact_match"], "select": "exact_match", "keep_best": 2},
    "ties": {
        "metrics": ["exact_match"],
        "select": "exact_match",
        "schedule": {"kind": "plateau", "patience": 1},
        "validate_every": 1,
        "keep_best": 2,
    },
    "ctc": {"model": {"kind": "ctc", "embedding": 16, "encoder": {"kind": "rnn", "hidden": 16}}},
}


def edge() -> int:
    """Return how many batches an epoch has."""
    recipe = small.recipe()
    prepared = prepare(recipe, Path())
    size = recipe.training.batch_tokens
    return len(batches_of(recipe, prepared.train, prepared.codecs, size).epoch(0))


@pytest.mark.parametrize("variant", VARIANTS)
@pytest.mark.parametrize("stop", [5, 0])
def test_a_resumed_run_is_the_same_run(tmp_path: Path, variant: str, stop: int) -> None:
    options = VARIANTS[variant]
    stop = stop or edge() // options.get("accumulate", 1)
    whole = stop + 5
    small.run(tmp_path / "whole", **options, max_steps=whole)
    small.run(tmp_path / "parts", **options, max_steps=stop)
    small.run(tmp_path / "parts", resume=True, **options, max_steps=whole)
    small.assert_same(tmp_path / "whole", tmp_path / "parts")


def test_the_checkpoint_of_a_stop_between_validations_does_not_push_out_the_best(
    tmp_path: Path,
) -> None:
    options: dict[str, Any] = {"validate_every": 4, "keep_best": 1, "keep_last": 1}
    small.run(tmp_path, **options, max_steps=6)
    assert Checkpoints(tmp_path).index().names == ["step-00000004", "step-00000006"]
    assert Checkpoints(tmp_path).index().passing == ["step-00000006"]


def test_a_signal_stops_the_run_which_then_goes_on_as_if_nothing_was(tmp_path: Path) -> None:
    folder = tmp_path / "parts"
    options: dict[str, Any] = {"max_steps": 100_000, "ema": 0.9}
    with workers.running(folder, options) as worker:
        while len(small.rows(folder)) < 5 if (folder / "metrics.jsonl").exists() else True:
            worker.join(0.02)
            assert worker.is_alive()
        worker.terminate()
        worker.join(60)
        assert worker.exitcode == 128 + signal.SIGTERM
    index = Checkpoints(folder).index()
    stopped = Checkpoints(folder).progress(index.last).step
    assert stopped >= 5
    assert folders.load(folder).translate("123").text is not None
    options["max_steps"] = stopped + 4
    small.run(folder, resume=True, **options)
    small.run(tmp_path / "whole", **options)
    small.assert_same(tmp_path / "whole", folder)


def test_killed_at_random_moments_many_times(tmp_path: Path) -> None:
    options: dict[str, Any] = {"max_steps": 60, "validate_every": 1, "keep_last": 2, "average": 2}
    folder, chance, loads = tmp_path / "parts", random.Random(0), 0
    for kill in range(KILLS):
        size = _size(folder)
        with workers.running(folder, options) as worker:
            while kill > 2 and worker.is_alive() and _size(folder) == size:
                worker.join(0.005)  # let it take a step: a busy machine must not stop the test
            worker.join(chance.uniform(0.0, 0.1))
            worker.kill()
            worker.join(60)
        if workers.is_whole(folder):
            folders.load(folder)
            loads += 1
    assert loads > 0
    small.run(folder, resume=workers.is_whole(folder), **options)
    small.run(tmp_path / "whole", **options)
    small.assert_same(tmp_path / "whole", folder)
    assert list(folder.rglob("*.part")) == []


def _size(folder: Path) -> int:
    path = folder / "metrics.jsonl"
    return path.stat().st_size if path.exists() else 0


def test_a_resume_with_nothing_to_do_says_so(tmp_path: Path) -> None:
    small.run(tmp_path, max_steps=3)
    told = small.quiet()
    run = train(small.recipe(max_steps=3), tmp_path, resume=True, console=told)
    assert run.reason == "reached max_steps 3"
    assert "Nothing was left to train: reached max_steps 3." in told.file.getvalue()  # type: ignore[attr-defined]
    assert (tmp_path / "model.safetensors").exists()


def test_a_changed_recipe_is_refused_with_every_change(tmp_path: Path) -> None:
    small.run(tmp_path, max_steps=2)
    with pytest.raises(RecipeError) as caught:
        small.run(tmp_path, resume=True, max_steps=3, seed=2, clip=0.5)
    assert caught.value.problems == [
        "--resume: the recipe is not the one this run was begun with.",
        "seed: was 1, is 2",
        "training.clip: was 1.0, is 0.5",
        "Undo the change, or begin a new run with --from this folder.",
    ]


def test_what_does_not_decide_the_weights_may_change(tmp_path: Path) -> None:
    small.run(tmp_path, max_steps=2)
    free = {"report_every": 2, "keep_best": 2, "keep_last": 3, "threads": 1, "patience": 9}
    free["min_steps"] = 7
    assert small.run(tmp_path, resume=True, max_steps=3, max_epochs=50, **free).progress.step == 3
    assert read_identity(tmp_path).recipe.training.max_epochs == 50


def test_changed_data_is_refused(tmp_path: Path) -> None:
    for name, lines in (("a", "12\n34\n"), ("b", "ot\ntf\n")):
        (tmp_path / name).write_text(lines, encoding="utf-8")
    files = {"kind": "text", "source": "a", "target": "b"}
    side = {"tokenizer": "character"}
    data = {"train": files, "valid": files, "source": side, "target": side}
    recipe, folder = small.recipe(data=data, max_steps=2), tmp_path / "run"
    train(recipe, folder, root=tmp_path, console=small.quiet())
    (tmp_path / "a").write_text("12\n43\n", encoding="utf-8")
    with pytest.raises(DataError) as caught:
        train(recipe, folder, resume=True, root=tmp_path, console=small.quiet())
    assert str(caught.value) == (
        "--resume: the data has changed since this run was begun: train 1, valid. Put the old files"
        " back, or begin a new run with --from this folder."
    )


def test_metrics_of_steps_to_be_made_again_are_forgotten(tmp_path: Path) -> None:
    small.run(tmp_path, max_steps=4)
    before = [row for row in small.rows(tmp_path) if row["kind"] == "train"]
    with (tmp_path / "metrics.jsonl").open("a", encoding="utf-8") as file:
        file.write('{"kind": "train", "step": 5, "loss": 1.0}\n{"kind": "valid", "st')
    small.run(tmp_path, resume=True, max_steps=4)
    assert [row for row in small.rows(tmp_path) if row["kind"] == "train"] == before
