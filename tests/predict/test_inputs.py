"""What is no input is refused before anything is computed, whoever runs the model."""

from pathlib import Path
from typing import Any

import numpy as np
import pytest

import saccade
from saccade.errors import DataError
from saccade.modalities._notation import TextNotation
from saccade.modalities.numbers import NumbersCodec, Scale
from saccade.predict.inputs import read_input, read_inputs, read_path, scoring_vocabulary
from saccade.tokenizers.word import Word
from tests.engines.folders import write_noise

TEXT = TextNotation(Word().fit(["a b"], ["nfc"]))
NUMBERS = NumbersCodec(Scale((0.0,), (1.0,)), 2)

WRONG = [
    (None, r"input 1: found None; expected text \(a str\), or a list of texts"),
    (3, r"input 1: found int 3; expected text"),
    (b"one", r"input 1: found bytes b'one'; expected text"),
    (("one", "two"), r"input 1: found tuple \('one', 'two'\); expected text .*list\(\.\.\.\)"),
    ([None], r"input 1: found None; expected text"),
    (["one", 4.5], r"input 2: found float 4.5; expected text"),
    ([["one"]], r"input 1: found list \['one'\]; expected text"),
    ({"text": "one"}, r"input 1: has text; expected source, the model's sources"),
    ({3: "one"}, r"input 1: has 3; expected source, the model's sources"),
]


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return write_noise(tmp_path_factory.mktemp("noise"))


@pytest.mark.parametrize("engine", [None, "torch", "ctranslate2"])
@pytest.mark.parametrize(("given", "told"), WRONG, ids=[str(given) for given, _ in WRONG])
def test_what_is_no_text_is_refused(
    folder: Path, engine: str | None, given: Any, told: str
) -> None:
    with pytest.raises(DataError, match=told):
        saccade.load(folder, engine=engine).translate(given)


@pytest.mark.parametrize("engine", [None, "torch", "ctranslate2"])
def test_an_empty_list_gives_an_empty_list(folder: Path, engine: str | None) -> None:
    assert saccade.load(folder, engine=engine).translate([]) == []


@pytest.mark.parametrize("given", [None, 3, 2.5, b"1 2"])
def test_what_is_no_series_is_refused(given: Any) -> None:
    with pytest.raises(DataError, match=r"input: found .*; expected an array or its text"):
        read_input(given, {"source": NUMBERS}, "input")


def test_values_are_read_from_text_or_taken_as_they_are() -> None:
    both = {"story": TEXT, "series": NUMBERS}
    (found,) = read_inputs([{"story": "a", "series": "1 2"}], both)
    assert found["story"] == "a"
    assert np.array_equal(found["series"], [[1.0], [2.0]])
    array = np.zeros((3, 1))
    assert read_input(array, {"source": NUMBERS}, "input")["source"] is array


def test_only_text_is_scored() -> None:
    assert scoring_vocabulary(TEXT, ["a", "b"], ["c", "d"]) is TEXT.vocabulary
    with pytest.raises(DataError, match=r"score: 2 sources but 1 targets; expected one target"):
        scoring_vocabulary(TEXT, ["a", "b"], ["c"])


def test_one_pair_is_scored_as_two_lists() -> None:
    with pytest.raises(DataError, match=r"score: found str 'ab' for sources; expected a list of"):
        scoring_vocabulary(TEXT, "ab", "cd")
    with pytest.raises(DataError, match=r"score: found None for targets; expected a list of"):
        scoring_vocabulary(TEXT, ["ab"], None)  # type: ignore[arg-type]
    with pytest.raises(DataError, match=r"score: target 2 is None; expected text \(a str\)"):
        scoring_vocabulary(TEXT, ["a", "b"], ["c", None])


@pytest.mark.parametrize("given", [None, 3, "", ["runs"]])
def test_what_is_no_path_is_refused(given: Any) -> None:
    assert read_path("runs/demo", "load") == Path("runs/demo")
    with pytest.raises(DataError, match=r"load: found .*; expected the path of a file or folder"):
        read_path(given, "load")
