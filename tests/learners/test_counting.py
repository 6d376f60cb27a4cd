"""A model that is counted is trained, resumed, loaded and used as any other."""

import json
from pathlib import Path
from typing import Any

import pytest

from saccade import recipe as recipes
from saccade import run
from saccade.errors import CheckpointError, RecipeError
from saccade.folders import model as folders
from saccade.learners.base import Learner
from saccade.learners.counting import Counting
from saccade.models.base import CountedPass, LaidPairs, counted_model
from saccade.models.ngram import NGram
from saccade.parts import find, kinds
from saccade.recipe import Recipe
from saccade.train import weights
from saccade.train.checkpoint import Checkpoints
from tests.train import small


def recipe(**top: Any) -> Recipe:
    raw = small.recipe().plain()
    raw["model"] = {"kind": "ngram", "order": 3}
    raw["training"] = {}
    raw["decoding"] = {"search": "greedy", "metrics": []}
    return recipes.from_plain({**raw, **top})


def test_learners_are_found_by_name() -> None:
    assert kinds(Learner) == ["counting", "gradient"]
    assert find(Learner, NGram.learner) is Counting


def test_one_pass_makes_a_whole_run_folder(tmp_path: Path) -> None:
    made = run.train(recipe(), tmp_path / "lm", console=small.quiet())
    assert made.reason == "counted in 1 pass"
    assert made.progress.step == 1
    rows = small.rows(tmp_path / "lm")
    assert [row["kind"] for row in rows] == ["train", "valid"]
    assert rows[0]["3-grams"] > 50
    assert rows[1]["loss"] < 2.2  # ten letters at random: 2.3 and more
    for name in ("report.html", "README.md", "recipe.yaml", "model.safetensors"):
        assert (tmp_path / "lm" / name).is_file()
    assert "FLOPs" not in (tmp_path / "lm" / "README.md").read_text("utf-8")
    loaded, sources = folders.load(tmp_path / "lm"), ["t", "o"]
    assert [a.text for a in loaded.predict(sources)] == [
        b.text for b in made.predictor.predict(sources)
    ]
    found = run.evaluate(tmp_path / "lm", "valid").likelihood
    assert found is not None
    assert -found.log_prob / found.pieces == pytest.approx(rows[1]["loss"], rel=1e-5)


class Twice(NGram):
    """Counts bigrams first, then trigrams: two passes."""

    iterations = 2

    def count(self, corpus: LaidPairs, iteration: int) -> CountedPass:
        whole, self.order = self.order, iteration + 2
        figures = super().count(corpus, iteration)
        self.order = whole
        return figures


def test_it_goes_on_between_two_passes(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("saccade.models.ngram.NGram", Twice)
    monkeypatch.setattr(Twice, "__module__", "saccade.models.ngram")
    whole, parts = tmp_path / "whole", tmp_path / "parts"
    run.train(recipe(), whole, console=small.quiet())
    run.train(recipe(training={"max_steps": 1}), parts, console=small.quiet())
    between = len(Checkpoints(parts).load("step-00000001").model["head.keys"])
    run.train(recipe(training={"max_steps": 2}), parts, resume=True, console=small.quiet())
    small.assert_same(whole, parts)
    assert len(Checkpoints(parts).load("step-00000002").model["head.keys"]) > between
    made = run.train(recipe(), whole, resume=True, console=small.quiet())
    assert made.progress.step == 2
    assert "Nothing was left to train" in (whole / "train.log").read_text("utf-8")


def test_limits_are_passes(tmp_path: Path) -> None:
    made = run.train(recipe(training={"max_steps": 7}), tmp_path / "lm", console=small.quiet())
    assert made.progress.step == 1
    assert Counting.rehearse(recipe(), made.bench) == {"passes over the data": "1"}


def test_what_counting_cannot_do_is_refused(tmp_path: Path) -> None:
    run.train(recipe(), tmp_path / "lm", console=small.quiet())
    with pytest.raises(RecipeError, match=r"--from .*lm: ngram counts its data from nothing"):
        run.train(recipe(), tmp_path / "b", start_from=tmp_path / "lm", console=small.quiet())
    data = {**small.recipe().plain()["data"], "weights": [2.0]}
    with pytest.raises(RecipeError, match=r"data.weights: \[2.0\] cannot be, since ngram counts"):
        run.train(recipe(data=data), tmp_path / "c", console=small.quiet())
    with pytest.raises(RecipeError, match="EncoderDecoder: cannot be fitted by counting"):
        counted_model(folders.build_model(small.recipe(), folders.load(tmp_path / "lm").codecs))


def test_a_damaged_folder_is_named(tmp_path: Path) -> None:
    run.train(recipe(), tmp_path / "lm", console=small.quiet())
    path = tmp_path / "lm" / "model.safetensors"
    found = weights.load(path)
    found["head.suffixes"][40] = 10_000
    weights.save(path, found)
    small.unseal(tmp_path / "lm")
    with pytest.raises(CheckpointError, match=r"model.safetensors: a suffix is no shorter context"):
        folders.load(tmp_path / "lm")


def test_facts_are_written(tmp_path: Path) -> None:
    run.train(recipe(), tmp_path / "lm", console=small.quiet())
    assert "format" in json.loads((tmp_path / "lm" / "saccade.json").read_text("utf-8"))
