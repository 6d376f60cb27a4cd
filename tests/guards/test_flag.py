import json

from saccade.guards.flag import KINDS, Flag, quote, spell


def test_a_flag_is_plain_in_json() -> None:
    flag = Flag("loop", "It repeats.", "note", (1, 2), "source")
    assert json.loads(json.dumps(flag.plain())) == {
        "kind": "loop",
        "message": "It repeats.",
        "severity": "note",
        "places": [1, 2],
        "side": "source",
    }
    assert set(KINDS) >= {"loop", "coverage", "length", "confidence", "unknown", "unfamiliar"}


def test_spelling() -> None:
    assert spell(["▁the", "▁c", "at"]) == "the cat"
    assert spell(["a", "▁", "b"]) == "a b"
    assert spell([]) == ""


def test_long_quotes_lose_their_middle() -> None:
    assert quote("x") == "'x'"
    assert len(quote("x" * 100)) <= 42
