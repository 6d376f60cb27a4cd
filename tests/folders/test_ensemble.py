"""Several models in one folder write together."""

from pathlib import Path

import pytest
import torch

import saccade
from saccade.engines._open import load
from saccade.errors import CheckpointError, RecipeError
from saccade.folders.ensemble import ensemble
from saccade.folders.examples import read_examples
from saccade.folders.identity import read_plan
from saccade.parts import Part
from saccade.predict.predictor import Predictor
from saccade.search.base import Search
from tests.engines.folders import SOURCES, TARGETS, write_noise

RNN = {"encoder": {"kind": "rnn", "hidden": 8}, "decoder": {"kind": "rnn", "hidden": 8}}


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A Transformer `a`, another `b`, a recurrent model `c`, and ensembles of them."""
    place = tmp_path_factory.mktemp("members")
    for name, model, seed in (("a", None, 1), ("b", None, 2), ("c", RNN, 3)):
        write_noise(place / name, model, seed=seed)
    ensemble([place / "a", place / "a"], place / "aa")
    ensemble([place / name for name in "abc"], place / "abc")
    return place


@pytest.mark.parametrize("engine", ["torch", "native"])
def test_two_copies_of_a_model_write_what_it_writes(folder: Path, engine: str) -> None:
    one, two = (load(folder / name, engine=engine) for name in ("a", "aa"))
    for found, expected in zip(
        two.predict(SOURCES, nbest=3), one.predict(SOURCES, nbest=3), strict=True
    ):
        assert [n.text for n in found.nbest] == [n.text for n in expected.nbest]
        assert [n.score for n in found.nbest] == pytest.approx(
            [n.score for n in expected.nbest], abs=1e-5
        )


@pytest.mark.parametrize(
    "search", [Part(Search, "greedy"), Part(Search, "sample", {"seed": 3}), Part(Search, "beam")]
)
def test_an_output_does_not_depend_on_the_batch(folder: Path, search: Part[Search]) -> None:
    model = saccade.load(folder / "abc")
    together = model.predict(SOURCES, search=search)
    for source, one in zip(SOURCES, together, strict=True):
        alone = model.predict(source, search=search)
        assert alone.text == one.text
        assert alone.token_scores == pytest.approx(one.token_scores, abs=1e-5)


def test_scores_are_of_the_mean_of_probabilities(folder: Path) -> None:
    models = [saccade.load(folder / name) for name in (*"abc", "abc")]
    *members, found = (
        [torch.tensor(s.token_scores).exp() for s in m.score(SOURCES, TARGETS)] for m in models
    )
    for row, *parts in zip(found, *members, strict=True):
        torch.testing.assert_close(row, torch.stack(parts).mean(dim=0), atol=1e-6, rtol=1e-4)


def test_prefixes_and_maps_and_the_rest_work(folder: Path, tmp_path: Path) -> None:
    model = saccade.load(folder / "abc")
    assert model.predict("two", prefix="de").text.startswith("de")
    found = model.predict("one two")
    names = list(found.attention_maps)
    assert names[0].startswith("model 1 ")
    assert names[-1] == "model 3"
    assert all(m.shape == (len(found.tokens), 8) for m in found.attention_maps.values())
    assert model.evaluate(list(zip(SOURCES, TARGETS, strict=True)), metrics="chrf").figures
    again = saccade.load(model.save(tmp_path / "copy"))
    assert again.predict(SOURCES[0]).text == model.predict(SOURCES[0]).text


def test_the_folder_needs_no_other(tmp_path: Path) -> None:
    for name in "ab":
        write_noise(tmp_path / name, seed=ord(name))
    recipe = ensemble([tmp_path / "a", tmp_path / "b"], tmp_path / "ab")
    before = saccade.load(tmp_path / "ab").predict(SOURCES[0]).text
    for name in "ab":
        (tmp_path / name).rename(tmp_path / f"gone-{name}")
    assert saccade.load(tmp_path / "ab").predict(SOURCES[0]).text == before
    assert read_plan(tmp_path / "ab").recipe.same(recipe)
    assert [p.kind for p in recipe.model.options["members"]] == ["encoder_decoder"] * 2
    assert recipe.name == "noise-ensemble"
    assert len(read_examples(tmp_path / "ab")) == len(SOURCES)


def test_other_symbols_are_refused(folder: Path, tmp_path: Path) -> None:
    write_noise(tmp_path / "words", words=True)
    text = (
        r"ensemble: source of .*words has \d+ symbols, and that of .*a \d+ symbols, which are not"
        r" the same; expected one vocabulary for all. Train the models on the same data"
    )
    with pytest.raises(RecipeError, match=text):
        ensemble([folder / "a", tmp_path / "words"], tmp_path / "both")
    write_noise(tmp_path / "language", {"kind": "language_model"})
    with pytest.raises(RecipeError, match="language_model reads no source"):
        ensemble([tmp_path / "language", tmp_path / "language"], tmp_path / "both")
    with pytest.raises(RecipeError, match="ensemble: found 1 model; expected two or more"):
        ensemble([folder / "a"], tmp_path / "both")
    with pytest.raises(CheckpointError, match="already holds files"):
        ensemble([folder / "a", folder / "b"], folder / "c")
    assert not (tmp_path / "both").exists()


def test_steps_of_the_members_are_laid_out(folder: Path) -> None:
    fast, clear = (load(folder / "abc", engine=name) for name in ("native", "torch"))
    assert isinstance(fast, Predictor)
    told = [(m.predict(SOURCES, beam=4), m.predict(SOURCES, beam=1)) for m in (fast, clear)]
    for found, expected in zip(*told, strict=True):
        assert [one.text for one in found] == [one.text for one in expected]
