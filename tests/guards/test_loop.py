import pytest
from hypothesis import given
from hypothesis import strategies as st

from saccade.guards.loop import loop, runs


def test_a_loop_is_named_with_its_places() -> None:
    (flag,) = loop(["▁hello"], ["▁oh", *["▁ag", "▁og"] * 4])
    assert flag.message == "The output repeats 'ag og' 4 times in a row; the source does not."
    assert flag.places == tuple(range(1, 9))
    assert (flag.kind, flag.side, flag.severity) == ("loop", "target", "warning")


def test_what_the_source_repeats_may_be_repeated() -> None:
    source = ["▁non", ",", "▁non", ",", "▁non"]
    assert loop(["▁non"] * 3, ["▁nein"] * 3) == ()
    (flag,) = loop(["▁non"] * 3, ["▁nein"] * 4)
    assert flag.message.endswith("no unit of the source stands over 3 times.")
    assert loop(source, ["▁nein", ",", "▁nein", ",", "▁nein"]) == ()


@pytest.mark.parametrize(
    "target",
    [
        [],
        ["▁a"],
        ["▁cat", "▁cat"],
        list("1000000"),
        [".", ".", ".", "."],
        ["b", "r", "r", "r"],
        list("abcabd"),
    ],
    ids=repr,
)
def test_ordinary_outputs_pass(target: list[str]) -> None:
    assert loop(["▁x"], target) == ()


def test_scripts_without_spaces() -> None:
    (flag,) = loop(list("你好"), list("我很好" * 3))
    assert "'我很好' 3 times" in flag.message
    (signs,) = loop(["▁x"], [","] * 11)
    assert "',' 11 times" in signs.message
    (letters,) = loop(["▁x"], [*"br", *"a" * 6])
    assert "'a' 6 times" in letters.message


@given(st.lists(st.sampled_from("abc"), max_size=12), st.integers(2, 5))
def test_runs_are_where_they_say(unit: list[str], times: int) -> None:
    pieces = ["<", *unit * times, ">"]
    for run in runs(pieces):
        shown = pieces[run.start : run.start + run.size * run.times]
        assert shown == shown[: run.size] * run.times
        assert run.times >= 2
    if unit:
        assert max(run.size * run.times for run in runs(pieces)) >= len(unit)
