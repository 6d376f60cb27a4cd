"""The dictionary translator writes what its rules say, from a folder that needs no other file."""

from pathlib import Path

import numpy as np
import pytest
import torch

from saccade.data.codecs import Codecs
from saccade.errors import CheckpointError, RecipeError
from saccade.folders.model import put_weights
from saccade.models.base import LaidPairs, LaidSide
from saccade.models.rules import RuleTranslator
from saccade.parts import Part
from saccade.predict.predictor import Predictor
from saccade.recipe import Decoding
from saccade.tokenizers._vocabulary import Vocabulary
from saccade.tokenizers.base import Tokenizer
from saccade.train import weights
from tests.models.test__rule_engine import SMALL
from tests.samples import sides, text_codecs

ENGLISH = ["the black horse", "the horses of the island", "look at the sea play"]
FRENCH = [
    "le cheval noir",
    "les chevaux de l'ile",
    "regarder la mer noire drame noirs",
    "du cheval",
]
NOTHING = LaidSide(np.zeros(0, np.int64), np.zeros(0, np.int64))


def vocabulary(kind: str, lines: list[str]) -> Vocabulary:
    return Part(Tokenizer, kind).build().fit(lines, ["nfc"])


def counted(both: Codecs, tmp_path: Path, **options: object) -> RuleTranslator:
    (tmp_path / "small.yaml").write_text(SMALL, encoding="utf-8")
    model = RuleTranslator(*both.shape, rules="small.yaml", **options)  # type: ignore[arg-type]
    model.count(LaidPairs({"source": NOTHING}, NOTHING, root=tmp_path), 0)
    return model


@pytest.mark.parametrize("kind", ["word", "character"])
def test_it_translates_whatever_the_pieces(kind: str, tmp_path: Path) -> None:
    both = text_codecs(vocabulary(kind, ENGLISH), vocabulary(kind, FRENCH))
    predictor = Predictor(counted(both, tmp_path), both, Decoding(metrics=[]))
    found = predictor.predict(["the black horses", "of the island", "of the horse"])
    assert [one.text for one in found] == ["les chevaux noirs", "de l'ile", "du cheval"]
    assert found[0].score == pytest.approx(0, abs=0.5)


def test_weights_show_which_word_each_came_from(tmp_path: Path) -> None:
    both = text_codecs(vocabulary("word", ENGLISH), vocabulary("word", FRENCH))
    predictor = Predictor(counted(both, tmp_path), both, Decoding(metrics=[]))
    assert predictor.attention_names == ("origin",)
    weights_of = predictor.predict("the black horse").attention
    assert weights_of is not None
    assert weights_of[:3, :3].tolist() == [[1, 0, 0], [0, 0, 1], [0, 1, 0]]


def test_unknown_words_are_replaced_by_the_source(tmp_path: Path) -> None:
    both = text_codecs(vocabulary("word", ENGLISH), vocabulary("word", FRENCH))
    model = counted(both, tmp_path)
    predictor = Predictor(model, both, Decoding(metrics=[], replace_unknown=True))
    assert predictor.predict("the black zog").text == "le noir zog"


def test_the_rules_are_in_the_weights(tmp_path: Path) -> None:
    both = text_codecs(vocabulary("word", ENGLISH), vocabulary("word", FRENCH))
    model, other = counted(both, tmp_path), RuleTranslator(*both.shape, rules="not/there.yaml")
    put_weights(other, {name: one.clone() for name, one in weights.of(model).items()}, "saved")
    assert Predictor(other, both, Decoding(metrics=[])).predict("the sea").text == "la mer"
    assert other.plain["words"]["sea"] == {"to": "mer", "class": "noun", "gender": "f"}


def test_words_are_induced_and_those_of_the_file_stay(tmp_path: Path) -> None:
    source, target = vocabulary("word", ["sea sun"] * 3), vocabulary("word", ["mer soleil"] * 3)
    both = text_codecs(source, target)
    (tmp_path / "small.yaml").write_text(SMALL.replace("to: mer", "to: océan"), encoding="utf-8")
    model = RuleTranslator(*both.shape, rules="small.yaml", induce=True)
    sides_of = [
        LaidSide(np.array((v.encode(a) + v.encode(b)) * 5), np.ones(10, np.int64))
        for v, a, b in ((source, "sea", "sun"), (target, "mer", "soleil"))
    ]
    _, told = model.count(LaidPairs({"source": sides_of[0]}, sides_of[1], root=tmp_path), 0)
    assert told.startswith("1 words were induced. 9 words, 1 rules of order.")
    assert model.plain["words"]["sun"] == "soleil"
    assert model.plain["words"]["sea"]["to"] == "océan"


def test_a_damaged_folder_is_refused() -> None:
    model = RuleTranslator(*sides(8))
    for text in (b"{", b"[]", b'{"wrods": {}}', b'{"words": {"a": {"like": "a"}}}', b"\xff"):
        book = torch.tensor(list(text), dtype=torch.uint8)
        with pytest.raises(CheckpointError, match="here: its rules cannot be followed"):
            put_weights(model, {"book": book}, "here")
    with pytest.raises(CheckpointError, match="here: book is of type float32; expected uint8"):
        put_weights(model, {"book": torch.zeros(3)}, "here")


def test_what_cannot_be_is_refused(tmp_path: Path) -> None:
    with pytest.raises(RecipeError, match=r"rules.doubt: 1 is not between 0 and 1; 0.01 is usual."):
        RuleTranslator(*sides(8), doubt=1.0)
    model = RuleTranslator(*sides(8), rules="none.yaml")
    with pytest.raises(RecipeError, match=r"model.rules: .*none.yaml: no such file"):
        model.count(LaidPairs({"source": NOTHING}, NOTHING, root=tmp_path), 0)
