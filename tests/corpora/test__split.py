"""A text decides by itself which split it belongs to."""

from collections import Counter

from saccade.corpora._split import split_of


def test_shares_are_ten_one_one() -> None:
    counts = Counter(split_of(f"sentence {i}") for i in range(12_000))
    assert set(counts) == {"train", "valid", "test"}
    assert all(abs(counts[name] - 1000) < 120 for name in ("valid", "test"))


def test_case_does_not_part_a_text_from_itself() -> None:
    for i in range(100):
        assert split_of(f"Straße Nummer {i}") == split_of(f"STRASSE NUMMER {i}")
