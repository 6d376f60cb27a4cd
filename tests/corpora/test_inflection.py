"""The made-up language: its rules, its splits, and that a small model learns them."""

import pytest

from saccade.corpora._split import split_of
from saccade.corpora.inflection import Inflection, attach, inflect


@pytest.mark.parametrize(
    ("stem", "suffixes", "form"),
    [
        ("ev", ("lEr", "DE"), "evlerde"),
        ("kol", ("lEr", "DEn"), "kollardan"),
        ("göz", ("+I",), "gözü"),
        ("kız", ("+Im", "+E"), "kızıma"),
        ("oda", ("+I",), "odayı"),
        ("oda", ("+ImIz", "DE"), "odamızda"),
        ("kitap", ("DE",), "kitapta"),
        ("kitap", ("+In",), "kitabın"),
        ("top", ("+I",), "topu"),  # one syllable does not turn soft
        ("ağaç", ("", "", "+E"), "ağaca"),
    ],
)
def test_nouns_follow_the_rules(stem: str, suffixes: tuple[str, ...], form: str) -> None:
    assert inflect(stem, suffixes, soft=True) == form


@pytest.mark.parametrize(
    ("stem", "suffixes", "form"),
    [
        ("gel", ("DI", "+Im"), "geldim"),
        ("kaç", ("DI", "lEr"), "kaçtılar"),
        ("oku", ("+Iyor", "+Im"), "okuyorum"),
        ("gör", ("+EcEk", "sIn"), "göreceksin"),
        ("unut", ("+EcEk",), "unutacak"),  # verbs do not turn soft
        ("bul", ("sE", "+Iz"), "bulsaz"),
    ],
)
def test_verbs_follow_the_rules(stem: str, suffixes: tuple[str, ...], form: str) -> None:
    assert inflect(stem, suffixes, soft=False) == form


def test_verbs_are_cited_with_an_ending() -> None:
    assert (attach("gel", "mEk"), attach("oku", "mEk")) == ("gelmek", "okumak")


def test_a_lemma_is_in_one_split() -> None:
    for split in ("train", "valid", "test"):
        lemmas = {source.partition("\t")[0] for source, _ in Inflection(size=1000).pairs(split)}
        assert {split_of(lemma) for lemma in lemmas} == {split}
        assert len(lemmas) > 500


def test_all_features_are_asked_for() -> None:
    asked = {source.partition("\t")[2] for source, _ in Inflection(size=2000).pairs("train")}
    assert len(asked) == 2 * 4 * 6 + 4 * 6
    assert {"N;SG;NOM", "N;PL;PSS1P;ABL", "V;PST;3;SG"} <= asked
