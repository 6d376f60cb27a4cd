"""Inflection from a table with features to forms on the command line, on a set learned by heart."""

from pathlib import Path

import pytest
from typer.testing import CliRunner

import saccade
from saccade import recipe, run, starters
from saccade.cli import app
from saccade.corpora.inflection import Inflection

SMALL = [
    *("model.embedding=48", "model.encoder.hidden=48", "model.decoder.hidden=96"),
    *("model.dropout=0.0", "training.objective.smoothing=0.0", "training.threads=1"),
    *("training.max_epochs=40", "training.batch_tokens=256", "training.learning_rate=0.005"),
    *("training.validate_every=100", "decoding.search.width=2"),
]


def rows(n: int) -> list[tuple[str, str, str]]:
    found = []
    for (source, form), _ in zip(Inflection(size=n).pairs("train"), range(n), strict=True):
        lemma, _, features = source.partition("\t")
        found.append((lemma, form, features))
    return found


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Train the starter, made small, on thirty forms that it is tested on too."""
    place = tmp_path_factory.mktemp("inflection")
    text = starters.text_of("inflection")
    (place / "data").mkdir()
    for name in ("train", "valid", "test"):
        lines = "".join("\t".join(row) + "\n" for row in rows(30))
        (place / "data" / f"{name}.tsv").write_text(lines, encoding="utf-8")
        text = text.replace(f"data/{name}.tsv", str(place / "data" / f"{name}.tsv"))
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("SACCADE_HOME", str(place / "home"))
        run.train(recipe.parse(text, overrides=SMALL), place / "run")
    return place


def test_forms_are_learned_and_written_from_lines_of_a_table(folder: Path) -> None:
    wanted = rows(30)
    lines = "".join(f"{lemma}\t{features}\n" for lemma, _, features in wanted)
    said = CliRunner().invoke(app, ["translate", str(folder / "run")], input=lines)
    assert said.exit_code == 0, said.output
    written = said.stdout.splitlines()
    right = sum(form == one for (_, form, _), one in zip(wanted, written, strict=True))
    assert right >= 27
    assert run.evaluate(folder / "run", "test").figures["error_rate"].score.value <= 10


def test_the_axis_of_the_attention_shows_features_whole(folder: Path) -> None:
    found = saccade.load(folder / "run").predict("kitap\tN;PL;ACC")
    assert found.source_tokens == (*"kitap", "▁N", "▁PL", "▁ACC", "</s>")
    assert found.attention is not None
    assert found.attention.shape == (len(found.tokens), len(found.source_tokens))
    assert "PL" in found._repr_html_()


def test_no_form_holds_a_feature(folder: Path) -> None:
    model = saccade.load(folder / "run")
    found = model.predict([f"{lemma}\t{features}" for lemma, _, features in rows(30)])
    assert not [one.text for one in found if "▁" in one.text]
