"""What a server knows of its models."""

import shutil
from pathlib import Path

import pytest
import yaml

from saccade import recipe as recipes
from saccade.errors import CheckpointError
from saccade.server.models import Served, language_name, languages, open_models
from tests.cli.conftest import SOURCES
from tests.server.conftest import Serve

SECRET = "correct horse battery staple"
_PIECES = "valid: {kind: pairs, pairs: [[a, b]]}}\ntraining: {max_steps: 1}"


@pytest.mark.parametrize(
    ("name", "train", "codes"),
    [
        ("x", "{kind: text, source: d/train.en, target: d/train.de.gz}", ("en", "de")),
        ("x", "{kind: text, source: train.source, target: train.target}", ("src", "tgt")),
        ("x", "{kind: split, corpus: {kind: text, source: a.fr, target: a.en}}", ("fr", "en")),
        ("x", "{kind: embedded, corpus: english_french}", ("en", "fr")),
        ("x", "{kind: embedded, corpus: dates}", ("src", "tgt")),
        ("tatoeba-en-fr", "{kind: tsv, path: fra.txt}", ("en", "fr")),
        ("m-qq-fr-2", "{kind: tsv, path: fra.txt}", ("src", "tgt")),
    ],
)
def test_languages_are_guessed(name: str, train: str, codes: tuple[str, str]) -> None:
    recipe = recipes.parse(f"name: {name}\ndata: {{train: {train}, {_PIECES}")
    assert languages(recipe) == codes


def test_languages_have_names() -> None:
    assert [language_name(code) for code in ("de", "src", "tgt", "xx-y")] == [
        *("German", "Source", "Target", "xx-y"),
    ]


def copied(model: Served, folder: Path) -> Path:
    """Copy a model folder, but let its recipe name a secret file instead of its data."""
    shutil.copytree(model.folder, folder)
    secret = folder.parent / "secret.txt"
    secret.write_text(f"{SECRET}\n", encoding="utf-8")
    path = folder / "recipe.yaml"
    recipe = yaml.safe_load(path.read_text(encoding="utf-8"))
    reader = {"kind": "text", "source": str(secret), "target": str(secret)}
    recipe["data"] |= {"train": [reader], "valid": reader, "test": {"test": reader}}
    path.write_text(yaml.safe_dump(recipe), encoding="utf-8")
    return folder


def test_examples_are_those_of_the_folder(tiny: Served, serve: Serve, tmp_path: Path) -> None:
    folder = copied(tiny, tmp_path / "moved")
    (served,) = open_models([str(folder)], source="fr", target="en")
    assert served.name == "moved"
    assert [example.source for example in served.examples] == SOURCES
    assert (served.source, served.target) == ("fr", "en")
    told = serve(served).get("/v1/models")
    assert SECRET not in told.text
    assert [one["source"] for one in told.json()["models"][0]["examples"]] == SOURCES


def test_a_folder_that_carries_none_has_none(tiny: Served, serve: Serve, tmp_path: Path) -> None:
    folder = copied(tiny, tmp_path / "moved")
    (folder / "examples.json").unlink()
    (served,) = open_models([str(folder)])
    assert served.examples == ()
    told = serve(served).get("/v1/models")
    assert told.json()["models"][0]["examples"] == []
    assert SECRET not in told.text


def test_a_folder_that_is_no_model(tmp_path: Path) -> None:
    with pytest.raises(CheckpointError, match="no such model folder"):
        open_models([str(tmp_path / "none")])
