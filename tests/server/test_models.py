"""What a server knows of its models."""

from pathlib import Path

import pytest

from saccade import recipe as recipes
from saccade.errors import CheckpointError
from saccade.server.models import Served, language_name, languages, open_models
from tests.cli.conftest import SOURCES

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


def test_a_model_far_from_its_data_has_no_examples(tiny: Served, tmp_path: Path) -> None:
    assert [example.source for example in tiny.examples] == SOURCES
    recipe = (tiny.folder / "recipe.yaml").read_text(encoding="utf-8")
    copy = tmp_path / "moved"
    copy.mkdir()
    for path in tiny.folder.iterdir():
        if path.is_file():
            (copy / path.name).write_bytes(path.read_bytes())
    moved = recipe.replace("train.source", "gone.source")
    (copy / "recipe.yaml").write_text(moved, encoding="utf-8")
    (served,) = open_models([str(copy)], source="fr", target="en")
    assert served.name == "moved"
    assert served.examples == ()
    assert (served.source, served.target) == ("fr", "en")


def test_a_folder_that_is_no_model(tmp_path: Path) -> None:
    with pytest.raises(CheckpointError, match="no such model folder"):
        open_models([str(tmp_path / "none")])
