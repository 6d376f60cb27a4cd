import itertools
import math
from pathlib import Path

import pytest
import torch

from saccade import recipe as recipes
from saccade import run
from saccade.errors import CheckpointError, DataError, RecipeError
from saccade.export.base import export
from saccade.folders import model as folders
from saccade.folders.facts import read_lexicon
from saccade.folders.identity import write_lexicon
from saccade.parts import Part
from saccade.predict.decode import DecodeOptions
from saccade.predict.predictor import Predictor
from saccade.readers.base import Reader
from saccade.shaping.lexicon import Lexicon, gather
from saccade.tokenizers._vocabulary import END
from tests.samples import PAIRS, codecs, trained, vocabulary

COUNTS = {"un": 3, "une": 1, "été": 5}  # of which é is not in the vocabulary


def ids(text: str) -> list[int]:
    return vocabulary().encode(text)


def continuations(prefix: str, weight: float = 0.0) -> dict[int, float]:
    """What may follow, and what is added to its log-probability, which is -1."""
    shaper = Lexicon({**COUNTS, "deux": 2}, vocabulary(), weight)
    prefixes = torch.tensor([ids(prefix)], dtype=torch.long).view(1, -1)
    edited = shaper(prefixes, torch.full((1, len(vocabulary())), -1.0))[0]
    return {i: x + 1 for i, x in enumerate(edited.tolist()) if x > -math.inf}


def test_only_what_the_list_goes_on_with_may_follow() -> None:
    assert set(continuations("")) == {ids("u")[0], ids("d")[0]}
    assert set(continuations("un")) == {ids("e")[0], END}
    assert set(continuations("une")) == {END}
    assert continuations("x") == {}


def test_ending_with_what_is_frequent_adds_more() -> None:
    total = sum(COUNTS.values()) + 2
    assert continuations("un", 0.5)[END] == pytest.approx(0.5 * math.log(3 / total))
    assert continuations("une", 0.5)[END] == pytest.approx(0.5 * math.log(1 / total))
    assert continuations("un", 0.5)[ids("e")[0]] == 0.0


@pytest.mark.parametrize("options", [{}, {"beam": 1}, {"sample": {"seed": 1}}])
def test_every_search_keeps_to_the_list(options: DecodeOptions) -> None:
    decoding = recipes.Decoding()
    allowed = {"un": 1, "quatre": 1, "chat": 1}
    translator = Predictor(trained("luong"), codecs(), decoding, lexicon=allowed)
    found = translator.translate([source for source, _ in PAIRS], **options)
    assert {t.text for t in found} <= set(allowed)
    assert found[0].text == "un" or "sample" in options


def test_the_best_of_the_list_is_found() -> None:
    allowed = {"".join(word): 1 for word in itertools.product("un", repeat=3)}
    decoding = recipes.Decoding()
    translator = Predictor(trained("luong"), codecs(), decoding, lexicon=allowed)
    found = translator.translate("one", beam=8, length_penalty=0.0)
    scores = {word: translator.score(["one"], [word])[0].score for word in allowed}
    assert found.text == max(scores, key=lambda word: scores[word])
    assert found.score == pytest.approx(max(scores.values()), abs=1e-4)


def test_targets_of_readers_are_counted() -> None:
    reader = Part(Reader, "pairs", {"pairs": [["a", "x"], ["b", "x"], ["c", "y"]]}).build(Path())
    assert gather([reader]) == {"x": 2, "y": 1}


def test_a_tab_is_refused() -> None:
    reader = Part(Reader, "pairs", {"pairs": [["a", "x\ty"]]}).build(Path())
    with pytest.raises(DataError, match="a text has a tab in it"):
        gather([reader])


def test_a_list_survives_a_folder(tmp_path: Path) -> None:
    assert read_lexicon(tmp_path) is None
    write_lexicon(tmp_path, COUNTS)
    assert read_lexicon(tmp_path) == COUNTS


@pytest.mark.parametrize("line", ["un", "un\tmany", "\t3", "un\t0"])
def test_a_damaged_list_is_refused(tmp_path: Path, line: str) -> None:
    (tmp_path / "lexicon.tsv").write_text(f"deux\t1\n{line}\n", encoding="utf-8")
    with pytest.raises(CheckpointError, match=r"lexicon.tsv:2: found .*; expected a text, a tab"):
        read_lexicon(tmp_path)


def test_a_recipe_with_a_list_trains_a_folder_that_keeps_to_it(tmp_path: Path) -> None:
    pairs = {"kind": "pairs", "pairs": [["a", "un"], ["b", "deux"], ["c", "un"]]}
    small = {"kind": "rnn", "hidden": 8}
    recipe = recipes.from_plain(
        {
            "data": {
                "train": pairs,
                "valid": pairs,
                "source": {"tokenizer": "character"},
                "target": {"tokenizer": "character"},
            },
            "model": {"embedding": 8, "encoder": small, "decoder": small},
            "training": {"max_steps": 2, "keep_last": 2, "validate_every": 1},
            "decoding": {"lexicon": [pairs]},
        }
    )
    made = run.train(recipe, tmp_path / "run")
    assert read_lexicon(tmp_path / "run") == {"un": 2, "deux": 1}
    run.average(tmp_path / "run", tmp_path / "mean", last=2)
    for translator in (made.predictor, folders.load(tmp_path / "mean")):
        assert {t.text for t in translator.translate(["a", "b", "zzz"])} <= {"un", "deux"}
    with pytest.raises(RecipeError, match=r"has a lexicon\.tsv, and onnx writes what it likes"):
        export("onnx", tmp_path / "run", tmp_path / "onnx")


def test_texts_may_follow_each_other_behind_a_separator() -> None:
    shaper = Lexicon(COUNTS, vocabulary(), 0.5, " ")
    (space,) = ids(" ")

    def follows(text: str) -> dict[int, float]:
        prefixes = torch.tensor([ids(text)], dtype=torch.long).view(1, -1)
        edited = shaper(prefixes, torch.zeros(1, len(vocabulary())))[0]
        return {i: x for i, x in enumerate(edited.tolist()) if x > -math.inf}

    bonus = 0.5 * math.log(3 / sum(COUNTS.values()))
    assert follows("un") == pytest.approx({ids("e")[0]: 0.0, END: bonus, space: bonus})
    assert set(follows("un ")) == {ids("u")[0]}
    assert follows("un une un") == follows("un")
    assert follows("un  ") == {}


def test_a_separator_is_one_symbol() -> None:
    with pytest.raises(RecipeError, match=r"lexicon_separator: 'un' is not one symbol of the tar"):
        Lexicon(COUNTS, vocabulary(), separator="un")
