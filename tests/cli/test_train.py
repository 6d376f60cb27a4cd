import sys
from pathlib import Path

import pytest

from saccade import run
from saccade.errors import Interrupted
from tests.cli.conftest import Call


def test_a_dry_run_says_what_would_happen_and_writes_no_folder(
    call: Call, work: Path, tmp_path: Path
) -> None:
    said = call("train", work / "tiny.yaml", "--dry-run")
    assert said.code == 0
    for text in (
        "4 pairs",
        "target 9 symbols",
        "batches an epoch",
        "costs an epoch",
        " FLOPs",
        "90 steps",
        "runs/tiny",
        "s on this machine: 90 updates of ",
        ", 3 validations of ",
        "for weights, gradients and moments; up to",
    ):
        assert text in " ".join(said.out.split())
    assert "Nothing was trained and no run folder was written." in said.err
    assert not (tmp_path / "runs").exists()


def test_a_dry_run_without_data_tells_what_the_recipe_tells(call: Call, tmp_path: Path) -> None:
    base = Path(__file__).parents[2] / "recipes" / "translation" / "transformer-base.yaml"
    said = call("train", base, "--dry-run", "--set", "data.train.source=nowhere.en")
    assert said.code == 1, "nothing could be trained"
    out, err = " ".join(said.out.split()), " ".join(said.err.split())
    for text in ("63,119,496", "1.0 GB for weights", "100,000 updates", "GFLOP/s"):
        assert text in out
    assert "The data is not there: these figures are from the recipe alone." in err
    assert "saccade: nowhere.en: no such file; reader text needs it (data.train.source)." in err
    assert "To get them: WMT 2014 English-German" in err
    assert not (tmp_path / "runs").exists()


def test_a_dry_run_needs_data_to_know_a_vocabulary(call: Call, work: Path) -> None:
    said = call("train", work / "tiny.yaml", "--dry-run", "--set", "data.train.source=nowhere.en")
    assert said.code == 1
    told = "Nothing can be told without the data: the vocabulary of source is as large as the data"
    assert told in " ".join(said.err.split())
    assert "nowhere.en: no such file" in said.err


def test_a_dry_run_of_a_warm_up_that_is_too_long(call: Call, work: Path) -> None:
    sets = ("--set", "training.schedule={kind: inverse_sqrt, warmup: 400}")
    said = call("train", work / "tiny.yaml", "--dry-run", *sets)
    assert said.code == 0, said.err
    assert "Warning: warm-up of 400 steps, but this run has 90:" in " ".join(said.err.split())


def test_a_model_that_learned_nothing_is_the_last_thing_said(call: Call, work: Path) -> None:
    sets = ("--set", "training.max_steps=1", "--set", "training.learning_rate=1.0e-9")
    said = call("train", work / "tiny.yaml", *sets)
    assert said.code == 0
    last = said.err.rstrip("\n").splitlines()[-1]
    assert last.startswith(
        "NO BETTER THAN A CONSTANT ANSWER: on the validation set its exact_match"
    )
    assert "saccade doctor RECIPE." in last


def test_train_then_resume_then_refuse(call: Call, work: Path, tmp_path: Path) -> None:
    short = ("--set", "training.max_steps=2")
    said = call("train", work / "tiny.yaml", *short, "--seed", 3)
    assert said.code == 0
    assert said.out == ""
    folder = tmp_path / "runs" / "tiny"
    assert "seed: 3" in (folder / "recipe.yaml").read_text(encoding="utf-8")
    again = call("train", work / "tiny.yaml", *short)
    assert again.code == 1
    assert "Go on with --resume, or start anew with --overwrite." in again.err
    longer = call("train", folder, "--resume", "--set", "training.max_steps=4")
    assert longer.code == 0
    assert "Going on from step 2." in longer.err
    changed = call("train", folder, "--resume", "--set", "model.embedding=8")
    assert changed.code == 2
    assert "model.embedding: was 16, is 8" in changed.err
    assert call("train", work / "tiny.yaml", *short, "--overwrite").code == 0


def test_train_from_a_model_uses_its_vocabularies(call: Call, work: Path, tmp_path: Path) -> None:
    arguments = ("train", work / "tiny.yaml", "-o", "again", "--set", "training.max_steps=1")
    assert call(*arguments, "--from", work / "model").code == 0
    old, new = work / "model" / "source.json", tmp_path / "again" / "source.json"
    assert old.read_bytes() == new.read_bytes()


def test_resume_with_overwrite_is_wrong_use(call: Call, work: Path) -> None:
    said = call("train", work / "tiny.yaml", "--resume", "--overwrite")
    assert said.code == 2
    assert "--resume: goes on with a run; do not give --overwrite or --from too." in said.err


def test_all_errors_of_a_recipe_at_once(call: Call, work: Path) -> None:
    sets = ("--set", "model.embeding=8", "--set", "training.max_steps=many")
    said = call("train", work / "tiny.yaml", *sets)
    assert said.code == 2
    assert "encoder_decoder has no option 'embeding'. Did you mean 'embedding'?" in said.err
    assert "training.max_steps: expected a whole number, found 'many'." in said.err


def test_an_unknown_device_is_refused(call: Call, work: Path) -> None:
    said = call("train", work / "tiny.yaml", "--device", "abacus")
    assert said.code == 2
    assert "--device abacus: cannot be used here:" in said.err
    assert "Use --device cpu." in said.err


def test_the_device_comes_from_the_environment(
    call: Call, work: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("SACCADE_DEVICE", "abacus")
    assert "--device abacus" in call("translate", work / "model").err


@pytest.mark.parametrize(("signal", "code"), [(2, 130), (15, 143)])
def test_a_signal_decides_the_exit_code(
    call: Call, work: Path, monkeypatch: pytest.MonkeyPatch, signal: int, code: int
) -> None:
    def stopped(*_: object, **__: object) -> None:
        raise Interrupted(signal, "stopped by a signal at step 7; the checkpoint is written.")

    monkeypatch.setattr(run, "train", stopped)
    said = call("train", work / "tiny.yaml")
    assert said.code == code
    assert "stopped by a signal at step 7; the checkpoint is written." in said.err


def test_average_writes_a_model(call: Call, work: Path) -> None:
    said = call("average", work / "model", "-o", "mean", "--last", 2)
    assert said.code == 0
    assert "Averaged 2 checkpoints" in said.err
    assert call("translate", "mean", stdin=b"un chat dort\n").code == 0
    again = call("average", work / "model", "-o", "mean", "--last", 2)
    assert again.code == 1
    assert again.err == (
        "saccade: mean: already holds files. Choose a new folder with --output, or delete this"
        " one.\n"
    )
    both = call("average", work / "model", "-o", "mean2", "--last", 2, "--best", 1)
    assert both.code == 2
    assert "average: give either --last N or --best N." in both.err


def test_going_on_with_unknown_words_is_warned_of(call: Call, work: Path, tmp_path: Path) -> None:
    (tmp_path / "new.tsv").write_text("un chat dort\ta cat sleeps\nun loup dort\ta wolf sleeps\n")
    new = "{kind: tsv, path: new.tsv}"
    sets = [f"data.{split}={new}" for split in ("train", "valid", "test")]
    options = [word for text in [*sets, "training.max_steps=1"] for word in ("--set", text)]
    command = ("train", work / "tiny.yaml", "--from", work / "model", "-o", "tuned", *options)
    for more in (("--dry-run",), ()):
        said = call(*command, *more)
        assert said.code == 0, said.err
        flat = " ".join(said.err.split())
        assert flat.count("Warning: ") == 2
        assert "Warning: source: 1 of 6 words (16.67%) of the training data are not in" in flat
        assert "Most frequent: 'wolf' (1)." in flat
    log = (tmp_path / "tuned" / "train.log").read_text(encoding="utf-8")
    assert "Warning: target: 1 of 6 words" in log
    gone_on = call("train", "tuned", "--resume", "--set", "training.max_steps=2")
    assert gone_on.code == 0, gone_on.err
    assert "Warning" not in gone_on.err
    again = call("train", work / "tiny.yaml", "--from", work / "model", "-o", "same", *options[-2:])
    assert again.code == 0
    assert "Warning" not in again.err


def test_processes_are_begun_by_one(
    call: Call, work: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("WORLD_SIZE", "4")
    said = call("train", work / "tiny.yaml", "--processes", 2)
    assert said.code == 2
    assert (
        "--processes 2: this is already one of 4 processes of torchrun; expected it to say how"
        " many. Leave out --processes."
    ) in " ".join(said.err.split())


def test_what_the_processes_are_told(
    call: Call, work: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    begun: list[tuple[list[str], int]] = []

    def launched(command: list[str], n: int) -> int:
        begun.append((command, n))
        return 130

    monkeypatch.setattr(sys.modules["saccade.cli.train"], "launch", launched)
    more = ("--seed", 7, "--set", "training.max_steps=2", "--overwrite", "--processes", 3)
    assert call("train", work / "tiny.yaml", "-o", tmp_path / "run", *more).code == 130
    ((command, n),) = begun
    assert n == 3
    assert command[:4] == [sys.executable, "-m", "saccade", "train"]
    assert command[4:] == [
        *(str(work / "tiny.yaml"), "--output", str(tmp_path / "run"), "--seed", "7"),
        *("--device", "cpu", "--set", "training.max_steps=2", "--overwrite"),
    ]
