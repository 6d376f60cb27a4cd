import re

import pytest

from saccade import recipe as recipes
from saccade.cli import RECIPE_VERBS, VERBS, _imported, app, main
from tests.cli.conftest import Call


def test_version(call: Call) -> None:
    assert re.fullmatch(r"saccade \d+\.\d+\.\d+.*\n", call("--version").out)


@pytest.mark.parametrize(
    "verb", [c.name for c in app.registered_commands if not c.hidden] + ["recipe show"]
)
def test_every_verb_explains_itself_with_an_example(call: Call, verb: str | None) -> None:
    assert verb
    said = call(*verb.split(), "--help")
    assert said.code == 0
    assert "Example" in said.out
    assert f"saccade {verb}" in said.out


@pytest.mark.parametrize(("name", "place"), [*VERBS.items(), *RECIPE_VERBS.items()])
def test_every_option_is_explained(name: str, place: str) -> None:
    unsaid = [one.name for one in _imported(name, place).params if not getattr(one, "help", None)]
    assert unsaid == []


def test_help_says_which_way_a_temperature_goes_and_who_rounds(call: Call) -> None:
    said = " ".join(re.sub(r"[│\s]+", " ", call("translate", "--help").out).split())
    assert "above 1 is bolder, below 1 keeps to the likely" in said
    assert "with any engine (torch needs its C kernels)" in said


def test_wrong_use_is_2(call: Call) -> None:
    said = call("translate", "model", "--beam", "0")
    assert said.code == 2
    assert said.out == ""
    assert "Invalid value for '--beam'" in said.err


def test_a_bug_is_one_line_and_debug_shows_the_trace(
    call: Call, monkeypatch: pytest.MonkeyPatch
) -> None:
    def broken(*_: object) -> None:
        raise ZeroDivisionError("nought")

    monkeypatch.setattr(recipes, "load", broken)
    said = call("recipe", "show", "x.yaml")
    assert said.code == 1
    assert said.err.startswith("saccade: unexpected ZeroDivisionError: nought.")
    assert "set SACCADE_LOG=debug to see where." in said.err
    assert "Traceback" not in said.err
    monkeypatch.setenv("SACCADE_LOG", "debug")
    assert "Traceback" in call("recipe", "show", "x.yaml").err


def test_ctrl_c_is_130(call: Call, monkeypatch: pytest.MonkeyPatch) -> None:
    def interrupted(*_: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(recipes, "load", interrupted)
    assert call("recipe", "show", "x.yaml").code == 130


def test_main_takes_the_arguments_of_the_process(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("sys.argv", ["saccade", "--version"])
    with pytest.raises(SystemExit) as left:
        main()
    assert left.value.code == 0


def test_help_names_what_to_give_and_not_its_type(call: Call) -> None:
    assert "predict" in call("--help").out
    for verb in VERBS:
        rows = call(verb, "--help").out.splitlines()
        assert not [row for row in rows if "--" in row and "list[" in row], verb
