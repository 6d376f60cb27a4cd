"""A model measures itself and is saved elsewhere."""

from pathlib import Path

import pytest

import saccade
from saccade.errors import CheckpointError, DataError, RecipeError
from saccade.folders import home
from saccade.metrics.base import Metric
from saccade.parts import Part
from tests.engines.folders import SOURCES, TARGETS, write_noise

PAIRS = list(zip(SOURCES, TARGETS, strict=True))


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    made = write_noise(tmp_path_factory.mktemp("noise") / "model")
    (made / "README.md").write_text("# noise\n", encoding="utf-8")
    (made / "checkpoints").mkdir()
    (made / "checkpoints" / "index.json").write_text("{}", encoding="utf-8")
    return made


def test_given_pairs_are_measured_as_the_split_is(folder: Path) -> None:
    model = saccade.load(folder)
    split = model.evaluate()
    given = model.evaluate(PAIRS)
    assert split.split == "valid"  # there is no test set
    assert given.split == ""
    assert given.figures == split.figures
    assert list(given.figures) == ["chrf"]
    assert [one.text for one in given.predictions] == [model.translate(s).text for s in SOURCES]
    assert given.likelihood == split.likelihood


def test_metrics_are_named_or_parts(folder: Path) -> None:
    model = saccade.load(folder)
    parts: list[str | Part[Metric]] = ["exact_match", Part(Metric, "bleu", {"lowercase": True})]
    assert list(model.evaluate(PAIRS, metrics=parts).figures) == ["exact_match", "bleu"]
    assert list(model.evaluate(PAIRS, metrics="cer").figures) == ["cer"]
    with pytest.raises(RecipeError, match=r"evaluate: metrics.kind: .*'blue'.*Did you mean 'bleu'"):
        model.evaluate(PAIRS, metrics="blue")


def test_a_metric_that_does_not_fit_is_refused(folder: Path) -> None:
    with pytest.raises(RecipeError, match=r"evaluate: mae cannot measure a target of kind text"):
        saccade.load(folder).evaluate(PAIRS, metrics="mae")


def test_a_constant_answer_is_measured_and_saved(tmp_path: Path) -> None:
    pairs = [("a b", "x"), ("b a", "x"), ("a a", "y"), ("b b", "x")]
    model = saccade.train(pairs=pairs, folder=tmp_path / "run", max_steps=1)
    found = model.evaluate(pairs, metrics="exact_match")
    assert found.constant is not None
    assert found.constant.figures == {"exact_match": 75.0}
    assert ">75.00<" in found._repr_html_()
    again = saccade.load(model.save(tmp_path / "saved")).evaluate(pairs, metrics="exact_match")
    assert again.constant == found.constant


def test_several_references_count(folder: Path) -> None:
    model = saccade.load(folder)
    written = model.translate(SOURCES[0]).text
    found = model.evaluate([(SOURCES[0], ["something else", written])], metrics="exact_match")
    assert found.figures["exact_match"].score.value == 100.0


def test_what_cannot_be_measured_is_refused(folder: Path) -> None:
    model = saccade.load(folder)
    with pytest.raises(RecipeError, match=r"no split 'tset'; there are valid"):
        model.evaluate(split="tset")
    with pytest.raises(RecipeError, match=r"found data and the split 'valid'; expected one"):
        model.evaluate(PAIRS, "valid")
    with pytest.raises(DataError, match=r"evaluate: found no examples; expected one or more"):
        model.evaluate([])
    with pytest.raises(DataError, match=r"data: found int 3; expected a list of"):
        model.evaluate(3)
    with pytest.raises(DataError, match=r"found int 7; expected text"):
        model.evaluate([(7, "seven")])


@pytest.mark.parametrize("engine", [None, "onnx", "ctranslate2"])
def test_a_saved_model_is_the_model(folder: Path, engine: str | None, tmp_path: Path) -> None:
    place = saccade.load(folder, engine=engine).save(tmp_path / "deep" / "saved")
    assert place == tmp_path / "deep" / "saved"
    names = {path.name for path in place.iterdir()}
    assert names == {path.name for path in folder.iterdir()} - {"checkpoints", "engines"}
    again, model = saccade.load(place), saccade.load(folder)
    assert again.describe() == {**model.describe(), "folder": str(place)}
    ours, theirs = model.translate(SOURCES, nbest=2), again.translate(SOURCES, nbest=2)
    assert [one.nbest[1].text for one in ours] == [one.nbest[1].text for one in theirs]
    assert [one.score for one in ours] == [one.score for one in theirs]
    assert again.evaluate().figures == model.evaluate().figures


def test_nothing_is_overwritten(folder: Path, tmp_path: Path) -> None:
    (tmp_path / "mine.txt").write_text("mine", encoding="utf-8")
    with pytest.raises(CheckpointError, match=r"already holds files. Choose a new folder, or del"):
        saccade.load(folder).save(tmp_path)
    with pytest.raises(CheckpointError, match=r"already holds files"):
        saccade.load(folder).save(folder)
    assert [path.name for path in tmp_path.iterdir()] == ["mine.txt"]


def test_a_copy_is_whole_only_once_all_of_it_is_there(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    pairs = [("a b", "x"), ("b a", "x"), ("a a", "y")]
    saccade.train(pairs=pairs, folder=tmp_path / "run", max_steps=1)
    model, target = saccade.load(tmp_path / "run"), tmp_path / "copy"
    with monkeypatch.context() as patch:  # as a kill just before the last file
        patch.setattr(home, "write_identity", _interrupted)
        with pytest.raises(KeyboardInterrupt):
            model.save(target)
    there = {path.name for path in target.iterdir()}
    assert there >= {"model.safetensors", "rivals.json", "README.md", "report.html"}
    model.save(target)  # begins again
    saccade.load(target)


def _interrupted(*_: object) -> None:
    raise KeyboardInterrupt
