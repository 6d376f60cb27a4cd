"""Lines of print from files to text: learned, evaluated, read from the command line."""

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from safetensors.numpy import load_file

from saccade import recipe as recipes
from saccade import run
from saccade.engines._open import load
from tests import lines
from tests.cli.conftest import Call
from tests.train.small import quiet

WORDS = lines.words(8, seed=3)


def recipe(**more: Any) -> dict[str, Any]:
    reader = {"kind": "captions", "images": "lines", "format": "beside"}
    model = {
        "kind": "ctc",
        "embedding": 32,
        "dropout": 0.0,
        "embedder": {"kind": "columns", "width": 32, "stride": 2},
        "encoder": {"kind": "rnn", "cell": "lstm", "hidden": 32, "dropout": 0.0},
    }
    return {
        "data": {
            "train": reader,
            "valid": reader,
            "source": {"kind": "line", "height": lines.HEIGHT},
            "target": {"tokenizer": "character"},
        },
        "model": model,
        "training": {
            "objective": "ctc",
            "learning_rate": 0.01,
            "schedule": "constant",
            "batch_tokens": 300,
            "max_steps": 120,
            "validate_every": 120,
            **more,
        },
        "decoding": {"search": "ctc_greedy", "max_ratio": 0.5, "metrics": ["cer", "wer"]},
    }


@pytest.fixture
def work(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    lines.save(Path("lines"), {f"{n}.png": word for n, word in enumerate(WORDS)})
    for n, word in enumerate(WORDS):
        Path("lines", f"{n}.gt.txt").write_text(word, encoding="utf-8")
    return tmp_path


def test_lines_are_learned_and_read_back(work: Path, call: Call) -> None:
    run.train(recipes.from_plain(recipe()), work / "model", console=quiet())
    said = call("predict", work / "model", *(f"lines/{n}.png" for n in range(8)))
    assert said.out.split() == WORDS
    found = call("evaluate", work / "model", "--split", "valid", "--confusion", "characters")
    assert "CER" in found.out
    assert "WER" in found.out
    assert "wanted  written  times" in found.out


def test_the_report_shows_what_was_read_as_what(work: Path) -> None:
    plan = recipe(max_steps=2, metrics=["cer"], validate_every=2)
    run.train(recipes.from_plain(plan), work / "model", console=quiet())
    report = (work / "model" / "report.html").read_text(encoding="utf-8")
    assert "Characters taken for others" in report
    assert "The most confused: wanted (rows) and written (columns)" in report


def test_resuming_with_changed_lines_is_bit_for_bit(work: Path) -> None:
    changes = {"random_shear": 0.2, "random_scale": 0.2, "random_stretch": 0.2, "random_blur": 1.0}

    def plan(steps: int) -> recipes.Recipe:
        raw = recipe(max_steps=steps, batch_tokens=100, validate_every=3)
        raw["data"]["source"] |= changes
        return recipes.from_plain(raw)

    run.train(plan(9), work / "whole", console=quiet())
    run.train(plan(5), work / "parts", console=quiet())  # in the midst of an epoch
    run.train(plan(9), work / "parts", resume=True, console=quiet())
    run.train(
        recipes.from_plain(recipe(max_steps=9, batch_tokens=100)), work / "still", console=quiet()
    )
    one, other, still = (
        load_file(work / name / "model.safetensors") for name in ("whole", "parts", "still")
    )
    assert all(np.array_equal(one[name], other[name]) for name in one)
    assert not all(np.array_equal(one[name], still[name]) for name in one)


def test_a_line_alone_is_the_line_in_a_batch(work: Path) -> None:
    run.train(recipes.from_plain(recipe(max_steps=10)), work / "model", console=quiet())
    predictor = load(work / "model")
    pictures = [lines.printed(word) for word in WORDS]
    together = predictor.predict(pictures)
    for picture, one in zip(pictures, together, strict=True):
        (alone,) = predictor.predict([picture])
        assert alone.text == one.text
        assert alone.score == pytest.approx(one.score, abs=1e-5)
        assert one.attention is None or one.attention.shape[1] == -(-picture.shape[1] // 2)
