from pathlib import Path
from xml.etree import ElementTree

import pytest

from saccade import run
from tests.cli.conftest import Call
from tests.train import small

PLAIN = ["attention", "heads", "lines", "beam", "alignment", "distribution", "gradients", "cells"]


@pytest.fixture(scope="module")
def blind(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A model without attention."""
    folder = tmp_path_factory.mktemp("blind")
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("SACCADE_HOME", str(folder / "home"))
        raw = small.recipe(max_steps=1).to_yaml()
        path = folder / "blind.yaml"
        path.write_text(raw, encoding="utf-8")
        changed = run.read_recipe(path, ["model.decoder.attention=none"])
        run.train(changed, folder / "model", console=small.quiet())
    return folder / "model"


def test_the_terminal_shows_where_the_model_looked(call: Call, work: Path) -> None:
    said = call("inspect", work / "model", "un chat dort")
    assert said.code == 0
    assert "sleeps" in said.out
    assert "·░▒▓█" in said.out
    assert said.err == "un chat dort → a cat sleeps\n"


@pytest.mark.parametrize("view", [*PLAIN, "spikes"])
def test_every_view_is_drawn_in_three_forms(
    call: Call, work: Path, tmp_path: Path, view: str
) -> None:
    shown = call("inspect", work / "model", "un chat dort", "--view", view)
    assert shown.code == 0
    assert len(shown.out.splitlines()) >= 3
    said = call("inspect", work / "model", "un chat dort", "--view", view, "-o", "x.svg")
    assert (said.code, said.out) == (0, "")
    assert "The picture is x.svg." in said.err
    root = ElementTree.parse(tmp_path / "x.svg").getroot()
    assert root.tag == "{http://www.w3.org/2000/svg}svg"
    assert call("inspect", work / "model", "un chat dort", "-v", view, "-o", "x.HTML").code == 0
    page = (tmp_path / "x.HTML").read_text(encoding="utf-8")
    assert page.startswith("<!DOCTYPE html>")
    assert "<svg" in page
    assert '<p dir="auto">un chat dort' in page


def test_the_beam_is_as_wide_as_asked_for(call: Call, work: Path) -> None:
    def kept(width: int) -> int:
        drawn = call("inspect", work / "model", "un chat", "--view", "beam", "--beam", width).out
        return sum(line.startswith("   1 ") and "■" not in line for line in drawn.splitlines())

    assert kept(1) == 1
    assert kept(4) == 4


def test_positions_of_a_model_that_has_none(call: Call, work: Path) -> None:
    said = call("inspect", work / "model", "un chat", "--view", "positions")
    assert said.code == 2
    assert "this model adds no positions" in said.err


@pytest.mark.parametrize("view", ["attention", "heads", "lines", "alignment"])
def test_a_model_without_attention_says_so(call: Call, blind: Path, view: str) -> None:
    said = call("inspect", blind, "12", "--view", view)
    assert said.code == 2
    assert "this model has no attention, so it cannot show where it looked" in said.err


@pytest.mark.parametrize("view", ["beam", "distribution"])
def test_a_model_without_attention_shows_the_rest(call: Call, blind: Path, view: str) -> None:
    assert call("inspect", blind, "12", "--view", view).code == 0


def test_a_map_that_is_not_there(call: Call, work: Path) -> None:
    said = call("inspect", work / "model", "un chat", "--head", "maxx")
    assert said.code == 2
    assert "--head: no map 'maxx'. Did you mean 'max'? There are: mean, max" in said.err


def test_attention_by_hand(call: Call, work: Path, tmp_path: Path) -> None:
    command = ["inspect", work / "model", "un chat dort", "--view", "steps", "--word"]
    said = call(*command, "cat")
    assert said.code == 0
    assert "cat, attention" in said.out
    assert "e = v·tanh(W q + U h + b)" in said.out
    for name in ("s.svg", "s.html"):
        assert call(*command, "cat", "-o", tmp_path / name).code == 0
        assert "cat, attention" in (tmp_path / name).read_text(encoding="utf-8")
    said = call(*command, "dog")
    assert said.code == 2
    assert "--word: 'dog' is not there, or not that often." in said.err
    assert "Expected one of: a, cat, sleeps, </s>" in said.err


def test_another_suffix_is_refused_before_the_model_is_read(call: Call) -> None:
    said = call("inspect", "nowhere", "un chat", "-o", "x.jpg")
    assert said.code == 2
    assert (
        "--output x.jpg: ends in '.jpg'; expected .svg, .html, .png or .pdf. Rename it." in said.err
    )


def test_an_empty_sentence_is_refused(call: Call, work: Path) -> None:
    said = call("inspect", work / "model", "")
    assert said.code == 1
    assert "the sentence '' is empty" in said.err


def test_markup_in_a_sentence_is_only_text(call: Call, work: Path, tmp_path: Path) -> None:
    call("inspect", work / "model", "un <script>alert(1)</script>", "-o", "x.html")
    assert "<script" not in (tmp_path / "x.html").read_text(encoding="utf-8")


def test_a_report_is_written_anew(call: Call, work: Path) -> None:
    path = work / "model" / "report.html"
    before = path.read_text(encoding="utf-8")
    path.unlink()
    said = call("report", work / "model")
    assert (said.code, said.out) == (0, f"{path}\n")
    assert path.read_text(encoding="utf-8") == before


def test_gradients_of_untrained_cells(call: Call, tmp_path: Path) -> None:
    said = call("gradients", "--cell", "elman", "-c", "lstm:forget_bias=2", "--length", 20)
    assert said.code == 0
    assert said.out.splitlines()[0] == "Gradient through untrained cells"
    assert [line.split()[0] for line in said.out.splitlines()[1:3]] == ["elman", "lstm"]
    assert call("gradients", "--length", 5, "--hidden", 4, "-o", "x.svg").code == 0
    assert "mut1" in (tmp_path / "x.svg").read_text(encoding="utf-8")


def test_gradients_of_a_model(call: Call, work: Path) -> None:
    said = call("gradients", work / "model", "--length", 20)
    assert said.code == 0
    assert "encoder 1 backward" in said.out
    said = call("gradients", work / "model", "--cell", "gru")
    assert said.code == 2
    assert "both a model and --cell were given; expected one of them. Leave one out." in said.err


def test_a_picture_for_print_and_whole_words(call: Call, work: Path, tmp_path: Path) -> None:
    said = call("inspect", work / "model", "un chat dort", "--words", "-o", "x.png")
    assert said.code == 0
    assert (tmp_path / "x.png").read_bytes().startswith(b"\x89PNG")


def test_a_report_with_the_score_by_length(call: Call, work: Path) -> None:
    assert call("report", work / "model", "--by-length").code == 0
    page = (work / "model" / "report.html").read_text(encoding="utf-8")
    assert "Score by source length" in page
    assert call("report", work / "model").code == 0


def test_gold_points_stand_beside_the_predicted_ones(call: Call, work: Path) -> None:
    command = ("inspect", work / "model", "un chat dort", "--view", "alignment", "--gold")
    said = call(*command, "0-0 1-1 2p2")
    assert said.code == 0, said.err
    assert "[" in said.out
    assert "(" in said.out
    wrong = call(*command, "0-0 1:1")
    assert wrong.code == 1
    assert "gold: '1:1' is not a point; expected source-target from 0, as 0-0" in wrong.err
    beyond = call(*command, "0-9")
    assert beyond.code == 1
    assert "9" in beyond.err
