"""Opening a model reads its folder and nothing else, whatever its recipe names."""

import shutil
from pathlib import Path
from typing import Any

import pytest
import yaml

import saccade
from saccade import run
from saccade.readers import _lines
from tests.cli.conftest import Call
from tests.engines.folders import write_noise
from tests.train import small

ENDLESS = "/dev/zero"  # whoever reads it, waits
LINE = b"un chat dort\n"


@pytest.fixture(autouse=True)
def opened(monkeypatch: pytest.MonkeyPatch) -> list[Path]:
    """Refuse to open the endless file; return what else readers open."""
    found: list[Path] = []
    real = _lines.open_bytes

    def watched(path: Path, *, unpack: bool = True) -> Any:
        assert str(path) != ENDLESS, f"{path} was opened"
        found.append(path)
        return real(path, unpack=unpack)

    monkeypatch.setattr(_lines, "open_bytes", watched)
    return found


def hostile(folder: Path) -> Path:
    """Let every reader of a folder's recipe name the endless file."""
    path = folder / "recipe.yaml"
    recipe = yaml.safe_load(path.read_text(encoding="utf-8"))
    reader = {"kind": "text", "source": ENDLESS, "target": ENDLESS}
    recipe["data"] |= {"train": [reader], "valid": reader, "test": {"test": reader}}
    recipe["decoding"]["lexicon"] = [{"kind": "plain", "path": ENDLESS}]
    path.write_text(yaml.safe_dump(recipe), encoding="utf-8")
    return folder


@pytest.fixture
def model(work: Path, tmp_path: Path) -> Path:
    shutil.copytree(work / "model", tmp_path / "model")
    return hostile(tmp_path / "model")


@pytest.mark.parametrize(
    "verb",
    [
        ("translate", "MODEL", "--engine", "torch"),
        ("translate", "MODEL"),
        ("predict", "MODEL"),
        ("inspect", "MODEL", "un chat dort"),
        ("gradients", "MODEL", "--length", "5"),
        ("doctor", "MODEL"),
        ("bias", "MODEL", "probes.yaml"),
        ("score", "MODEL", "s.txt", "s.txt"),
        ("average", "MODEL", "-o", "mean", "--last", "2"),
        ("recipe", "show", "MODEL"),
    ],
    ids=lambda verb: "-".join(verb[:1] + verb[2:4]).replace(" ", "_"),
)
def test_verbs_read_the_folder_alone(
    call: Call, model: Path, tmp_path: Path, verb: tuple[str, ...], opened: list[Path]
) -> None:
    (tmp_path / "s.txt").write_bytes(LINE)
    (tmp_path / "probes.yaml").write_text('- template: "un {x} dort"\n  swap: {x: [chat, chien]}\n')
    said = call(*(str(model) if word == "MODEL" else word for word in verb), stdin=LINE)
    assert said.code == 0, said.err
    assert {path.name for path in opened} <= {"s.txt"}


def test_an_export_reads_the_folder_alone(call: Call, tmp_path: Path, opened: list[Path]) -> None:
    folder = hostile(write_noise(tmp_path / "model"))
    said = call("export", folder, "--to", "ctranslate2", "-o", "out")
    assert said.code == 0, said.err
    assert "ctranslate2 beside torch, on its examples" in said.out
    assert "8 of 8 (100.0%)" in said.out
    assert call("translate", "out", stdin=b"four\n").code == 0
    assert opened == []


def test_so_does_python_and_who_starts_from_a_model(model: Path, tmp_path: Path) -> None:
    assert saccade.load(model).translate("un chat dort").text == "a cat sleeps"
    data = {"kind": "pairs", "pairs": [["un chat", "a cat"]]}
    plain = run.read_recipe(model / "recipe.yaml").plain()
    plain["data"] |= {"train": [data], "valid": data, "test": {}}
    plain["decoding"]["lexicon"] = []
    plain["training"]["max_steps"] = 1
    recipe = saccade.recipe.from_plain(plain)
    run.train(recipe, tmp_path / "tuned", start_from=model, console=small.quiet())


@pytest.mark.parametrize("verb", ["evaluate", "report"])
def test_those_that_read_data_say_which(call: Call, work: Path, model: Path, verb: str) -> None:
    said = call(verb, work / "model")
    assert said.code == 0
    names = f"{work}/train.source, {work}/train.target"
    assert f"Reading {names}, as the recipe in {work}/model says.\n" in said.err
    told = call(verb, model)
    assert f"Reading {ENDLESS}, as the recipe in {model} says." in told.err
    assert f"{ENDLESS} was opened" in told.err


def test_no_line_where_there_are_no_files(call: Call, tmp_path: Path) -> None:
    folder = write_noise(tmp_path / "model")
    assert "Reading" not in call("evaluate", folder).err
