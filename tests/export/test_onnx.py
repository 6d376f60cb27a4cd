"""The folder that an export writes: its graphs, rounded or not, and the program in its README."""

import re
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import onnx
import pytest
import torch

from saccade import recipe as recipes
from saccade.engines._open import load
from saccade.engines._sessions import Sessions
from saccade.errors import RecipeError
from saccade.experiments.agreement import compare
from saccade.export.base import export, read_export
from saccade.export.onnx import _round
from saccade.flow import padded as pad
from saccade.folders import model as folders
from saccade.run import train
from saccade.train.files import write_text
from tests.export.graphs import small_run, steps
from tests.train import small

NUMBERS = ["12", "7", "0", "365", "99"]


@pytest.fixture
def run() -> Path:
    return small_run()


@pytest.fixture
def exported() -> Path:
    return small_run() / "engines" / "onnx-float32"


def test_the_folder_is_whole(exported: Path) -> None:
    assert read_export(exported).engine == "onnx"
    assert {path.name for path in exported.iterdir()} >= {
        *("README.md", "encode.onnx", "step.onnx", "source.json", "target.json", "recipe.yaml"),
    }
    onnx.checker.check_model(exported / "step.onnx")


def test_the_text_is_that_of_torch(run: Path, exported: Path) -> None:
    ours, theirs = folders.load(run), load(exported, engine="auto")
    options: list[dict[str, Any]] = [
        {},
        {"beam": 4, "nbest": 3},
        {"prefix": "t"},
        {"sample": {"seed": 3}},
    ]
    for one in options:
        pairs = zip(ours.translate(NUMBERS, **one), theirs.translate(NUMBERS, **one), strict=True)
        for a, b in pairs:
            assert [n.text for n in a.nbest] == [n.text for n in b.nbest]
            assert a.score == pytest.approx(b.score, abs=1e-5)


def test_the_check_of_an_export_finds_the_same(run: Path, exported: Path) -> None:
    found = compare(run, exported, 6)
    assert (found.origin, found.lines, found.equal) == ("its examples", 6, 6)
    assert found.apart <= found.furthest < 1e-5
    assert found.rows()[0] == ["same text", "6 of 6 (100.0%)"]


def test_the_program_in_the_readme_writes_the_same(run: Path, exported: Path) -> None:
    text = (exported / "README.md").read_text(encoding="utf-8")
    assert "`next.cells.0.h` | float | [batch, 16]" in text
    expected = [found.text for found in folders.load(run).translate(NUMBERS)]
    assert program_of(exported, NUMBERS) == expected


@pytest.mark.slow
def test_a_language_model_goes_on_from_each_line(tmp_path: Path) -> None:
    texts = ["a cat sleeps", "a dog sleeps", "a cat runs", "a dog runs"]
    (tmp_path / "texts").write_text("".join(f"{text}\n" for text in texts), encoding="utf-8")
    reader = {"kind": "plain", "path": str(tmp_path / "texts")}
    plain = {
        "data": {"train": reader, "valid": reader, "target": {"tokenizer": "character"}},
        "model": {"kind": "language_model", "embedding": 16, "decoder": {"hidden": 24}},
        "training": {"max_steps": 60, "learning_rate": 0.02, "schedule": "constant"},
        "decoding": {"search": "greedy", "metrics": []},
    }
    trained = train(recipes.from_plain(plain), tmp_path / "model", console=small.quiet())
    export("onnx", tmp_path / "model", tmp_path / "exported")
    begun = ["a c", "a d", "a dog s"]
    expected = [found.text for found in trained.predictor.translate(begun)]
    found = load(tmp_path / "exported", engine="onnx").translate(begun)
    assert [one.text for one in found] == expected
    assert program_of(tmp_path / "exported", begun) == expected


def program_of(folder: Path, lines: list[str]) -> list[str]:
    """Run the program in a folder's README, which is to need no torch and nothing of ours."""
    text = (folder / "README.md").read_text(encoding="utf-8")
    (program,) = re.findall(r"```python\n(.*?)```", text, re.DOTALL)
    without = "import sys\nsys.modules['torch'] = sys.modules['saccade'] = None\n"
    done = subprocess.run(
        [sys.executable, "-c", without + program],
        input="\n".join(lines),
        cwd=folder,
        capture_output=True,
        text=True,
        check=True,
    )
    return done.stdout.splitlines()


def test_rounded_weights_stay_near(exported: Path, tmp_path: Path) -> None:
    """Even those that are an embedding too, which the quantiser would turn around."""
    for name in ("encode.onnx", "step.onnx"):
        shutil.copyfile(exported / name, tmp_path / name)
        _round(tmp_path / name)
    source, tokens = pad([[4, 5, 3], [6, 3]]), torch.tensor([[2, 2], [5, 6], [7, 8]])
    whole, rounded = (steps(Sessions(folder), source, tokens) for folder in (exported, tmp_path))
    for one, other in zip(whole, rounded, strict=True):
        assert 0 < (one.exp() - other.exp()).abs().max() < 0.05


def test_what_cannot_be_exported_names_the_option(run: Path, tmp_path: Path) -> None:
    folder = Path(shutil.copytree(run, tmp_path / "run"))
    recipe = (folder / "recipe.yaml").read_text(encoding="utf-8")
    changed = recipe.replace("kind: additive\n", "kind: hard\n      choose: sample\n")
    changed = re.sub(r"(choose: sample\n) +hidden: \d+\n", r"\1", changed)
    write_text(folder / "recipe.yaml", changed)
    with pytest.raises(RecipeError, match=r"attention hard: choose: sample: .* Use choose: argmax"):
        export("onnx", folder, tmp_path / "exported")
    assert not (tmp_path / "exported").exists()
