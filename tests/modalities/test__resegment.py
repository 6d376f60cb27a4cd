"""Dropout of joins: other pieces, the same text, and the same again for the same seed."""

import random
import re
from collections import Counter
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from saccade.data.batching import Batches
from saccade.data.codecs import Codecs
from saccade.data.prepare import prepare
from saccade.data.store import build
from saccade.errors import RecipeError
from saccade.modalities._resegment import BpeDropout
from saccade.modalities.text import TextCodec
from saccade.readers.pairs import Pairs
from saccade.recipe import Recipe
from saccade.tokenizers._vocabulary import UNK
from saccade.tokenizers.bpe import Bpe
from saccade.tokenizers.word import Word
from tests.train import small

LINES = ["the cat sat on the mat.", "l'homme dort, l'homme mange", "the 3.5 (cats) sat!"] * 3
MARKED = Bpe(size=80).fit(LINES, ["nfc"])
WHOLE = Bpe(size=80, punctuation=False).fit(LINES, ["nfc"])
vocabularies = pytest.mark.parametrize("vocabulary", [MARKED, WHOLE], ids=["marks", "whole"])
texts = st.text("thecasonm.'l, 35()!dr▁zü<", max_size=40)


@vocabularies
@given(text=texts)
@settings(max_examples=150, deadline=None)
def test_nothing_left_out_changes_nothing(vocabulary: Any, text: str) -> None:
    ids = vocabulary.encode(text)
    assert BpeDropout(vocabulary, 0.0)(ids, random.Random(1)) == ids


@vocabularies
@pytest.mark.parametrize("text", ["l'", "l'homme", "l'Ω", "l'Ω'homme", "l'homme'", "d'ΩΩ l'Ω."])
def test_pieces_do_not_reach_where_the_vocabulary_cuts(vocabulary: Any, text: str) -> None:
    ids = vocabulary.encode(text)
    assert BpeDropout(vocabulary, 0.0)(ids, random.Random(1)) == ids


@vocabularies
@given(text=texts, p=st.floats(0, 1), seed=st.integers(0, 99))
@settings(max_examples=150, deadline=None)
def test_the_text_stays_the_same(vocabulary: Any, text: str, p: float, seed: int) -> None:
    ids = vocabulary.encode(text)
    again = BpeDropout(vocabulary, p)(np.array(ids, dtype=np.uint16), random.Random(seed))
    assert vocabulary.decode(again) == vocabulary.decode(ids)
    assert again.count(UNK) == ids.count(UNK)


@vocabularies
def test_all_left_out_gives_characters(vocabulary: Any) -> None:
    ids = BpeDropout(vocabulary, 1.0)(vocabulary.encode("the cat."), random.Random(1))
    assert vocabulary.pieces(ids) == tuple("▁the▁cat.")


def test_each_cut_comes_as_often_as_it_should() -> None:
    """Joins a+b, then ▁+ab: both with chance (1 - p)^2, characters with the chance p.

    Only one join is allowed at first, so with p it ends there; then again for the second.
    """
    vocabulary = Bpe(size=9).fit(["ab ab ab"], [])
    assert len(vocabulary.joins) == 2
    dropout, chance = BpeDropout(vocabulary, 0.3), random.Random(1)
    found = Counter(len(dropout(vocabulary.encode("ab"), chance)) for _ in range(4000))
    first = vocabulary.joins[0]
    assert len(first[0] + first[1]) == 2
    assert found[3] / 4000 == pytest.approx(0.3, abs=0.03)
    assert found[2] / 4000 == pytest.approx(0.7 * 0.3, abs=0.03)
    assert found[1] / 4000 == pytest.approx(0.7 * 0.7, abs=0.03)


def cutter(folder: Path, seed: int) -> Batches:
    """Three pairs of one line; only joins of the source are left out."""
    codecs = Codecs({"source": TextCodec(MARKED, dropout=0.5)}, TextCodec(MARKED))
    store = build(Pairs(folder, pairs=[[LINES[0], LINES[0]]] * 3), codecs, folder)
    limits = {"source": 99, "target": 99}
    return Batches([store], codecs, batch_tokens=200, limits=limits, seed=seed)


def test_the_same_pair_is_cut_alike_in_its_epoch_and_otherwise_in_the_next(tmp_path: Path) -> None:
    one, two, other = (cutter(tmp_path / str(n), seed) for n, seed in enumerate((1, 1, 2)))

    def cut(batches: Batches, epoch: int | None, pair: int) -> list[int]:
        found = batches.batch([pair], epoch)
        assert found.target.values[0, :-1].tolist() == MARKED.encode(LINES[0])
        return found.source.values[0, :-1].tolist()

    assert cut(one, 0, 2) == cut(two, 0, 2)
    cuts = {tuple(cut(one, epoch, pair)) for epoch in range(3) for pair in range(3)}
    assert len(cuts) > 6
    assert cut(other, 0, 2) != cut(one, 0, 2)
    assert cut(one, None, 2) == MARKED.encode(LINES[0])  # validation


def test_a_vocabulary_without_joins_is_refused() -> None:
    text = (
        "tokenizer.dropout: 0.1 of the joins of a vocabulary without joins; expected one of"
        " byte-pair encoding. Set dropout to 0, or start from another folder."
    )
    with pytest.raises(RecipeError, match=re.escape(text)):
        BpeDropout(Word().fit(["a b"], []), 0.1)


@pytest.mark.parametrize("p", [-0.1, 1.5])
def test_a_chance_is_a_chance(p: float) -> None:
    text = f"bpe.dropout: {p} is not in [0, 1]; 0 is off, 0.1 is usual, 1 leaves characters."
    with pytest.raises(RecipeError, match=re.escape(text)):
        Bpe(dropout=p)


def data(source: float, target: float, *, joint: bool = False) -> dict[str, Any]:
    def side(p: float) -> dict[str, Any]:
        return {"tokenizer": {"kind": "bpe", "size": 40, "dropout": p}}

    return {
        "train": {"kind": "pairs", "pairs": small.pairs(0, 40)},
        "valid": {"kind": "pairs", "pairs": small.pairs(100, 108)},
        "source": side(source),
        "target": side(target),
        "joint": joint,
    }


def test_each_side_has_its_own() -> None:
    def varies(**options: Any) -> tuple[bool, bool]:
        recipe: Recipe = small.recipe(data=data(**options))
        codecs = prepare(recipe, Path()).codecs
        return codecs.source.varies, codecs.target.varies

    assert varies(source=0.0, target=0.0) == (False, False)
    assert varies(source=0.5, target=0.0) == (True, False)
    assert varies(source=0.0, target=0.5) == (False, True)
    assert varies(source=0.5, target=0.0, joint=True) == (True, True)


def test_the_vocabulary_does_not_know_of_it() -> None:
    assert (
        Bpe(size=60, dropout=0.5).fit(LINES, []).fingerprint
        == Bpe(size=60).fit(LINES, []).fingerprint
    )


def test_a_resumed_run_cuts_as_if_it_had_not_stopped(tmp_path: Path) -> None:
    options: dict[str, Any] = {"data": data(0.3, 0.3)}
    small.run(tmp_path / "whole", **options, max_steps=9)
    small.run(tmp_path / "parts", **options, max_steps=4)
    small.run(tmp_path / "parts", resume=True, **options, max_steps=9)
    small.assert_same(tmp_path / "whole", tmp_path / "parts")
    small.run(tmp_path / "plain", data=data(0.0, 0.0), max_steps=9)
    losses = [[row.get("loss") for row in small.rows(tmp_path / n)] for n in ("whole", "plain")]
    assert losses[0] != losses[1]
