"""Tokenizer files from elsewhere: what we never write is refused before it is run."""

import json
import time
from collections.abc import Callable
from typing import Any

import pytest

from saccade.errors import CheckpointError
from saccade.tokenizers._build import _NORMALISERS
from saccade.tokenizers._vocabulary import Vocabulary
from saccade.tokenizers.bpe import Bpe
from saccade.tokenizers.character import Character
from saccade.tokenizers.featured import Featured
from saccade.tokenizers.line import Line
from saccade.tokenizers.unigram import Unigram
from saccade.tokenizers.word import Word

LINES = ["the red house", "the green tree", "a house"]
Change = Callable[[dict[str, Any]], object]


@pytest.mark.parametrize(
    "tokenizer",
    [Word(), Word(punctuation=False), Bpe(size=40), Unigram(size=30), Character(), Line()],
)
def test_what_we_write_is_read(tokenizer: Any) -> None:
    names = list(_NORMALISERS)
    vocabulary = tokenizer.fit(LINES, names)
    assert Vocabulary(vocabulary._saved).encode("the house") == vocabulary.encode("the house")


@pytest.mark.parametrize("separator", [";", ".", "\\", "a)", "|-|", "(?:\\s|", " ", "\\\\)(?:x"])
def test_whatever_parts_features(separator: str) -> None:
    Featured(separator=separator).fit(["sing\tV", "ring\tN"], ["nfc", "strip", "squeeze"])


def step(**what: Any) -> Change:
    """Put a step before those of the normaliser."""
    return lambda facts: facts.update(normalizer={"normalizers": [what], "type": "Sequence"})


HOSTILE: list[tuple[Change, str]] = [
    (
        step(type="Replace", pattern={"Regex": "(a+)+$"}, content=""),
        r"its normalizer has the pattern '\(a\+\)\+\$'",
    ),
    (
        step(type="Replace", pattern={"String": "e"}, content="x" * 10**5),
        "its normalizer has the pattern 'xxx",
    ),
    (step(type="Precompiled", precompiled_charsmap="AAAA"), "has a step 'Precompiled'"),
    (
        lambda facts: facts.update(
            pre_tokenizer={"type": "Split", "pattern": {"Regex": "(a|a)*b"}, "behavior": "Isolated"}
        ),
        "its pre_tokenizer has the pattern",
    ),
    (
        lambda facts: facts.update(pre_tokenizer={"type": "ByteLevel"}),
        "its pre_tokenizer has a step 'ByteLevel'",
    ),
    (lambda facts: facts.update(post_processor={"type": "ByteLevel"}), "it has post_processor"),
    (lambda facts: facts.update(added_tokens=[{"id": 0, "content": "x"}]), "it has added_tokens"),
    (lambda facts: facts["model"].update(type="WordPiece"), "its model is 'WordPiece'"),
    (lambda facts: facts["model"]["vocab"].update(the=10**9), r"pieces and the id 1000000000"),
    (lambda facts: facts["model"]["vocab"].update(the=-1), r"pieces and the id -1"),
    (lambda facts: facts["model"]["vocab"].update(the=4.5), r"pieces and the id 4\.5"),
    (lambda facts: facts["model"]["vocab"].update(the=4), r"pieces, but \d+ ids"),
    (lambda facts: facts["model"].update(vocab=3), "not a tokenizer's JSON file"),
    (lambda facts: facts.update(normalizer=[1]), "not a tokenizer's JSON file"),
    (lambda facts: facts.update(decoder=None), "not a tokenizer's JSON file"),
]


@pytest.mark.parametrize(("change", "said"), HOSTILE)
def test_what_we_never_write_is_refused(change: Change, said: str) -> None:
    facts = json.loads(Word().fit(LINES, ["nfc"])._saved)
    change(facts)
    begun = time.process_time()
    with pytest.raises(CheckpointError, match=said):
        Vocabulary(json.dumps(facts), "v.json")
    assert time.process_time() - begun < 1


@pytest.mark.parametrize(
    "change", [{"unk_id": 10**6}, {"unk_id": None}, {"vocab": []}, {"vocab": [["<pad>", 1, 2]]}]
)
def test_odd_unigrams_are_refused(change: dict[str, Any]) -> None:
    facts = json.loads(Unigram(size=30).fit(LINES, [])._saved)
    facts["model"].update(change)
    with pytest.raises(CheckpointError, match=r"not a tokenizer's JSON file|expected '<pad>'"):
        Vocabulary(json.dumps(facts))


def test_joins_of_pieces_that_are_not_there_are_refused() -> None:
    facts = json.loads(Bpe(size=40).fit(LINES, [])._saved)
    facts["model"]["merges"].append(["zz", "qq"])
    with pytest.raises(CheckpointError, match="not a tokenizer's JSON file"):
        Vocabulary(json.dumps(facts))
