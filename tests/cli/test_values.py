"""What is read without typer is what typer reads."""

from pathlib import Path
from typing import Any

import pytest

from saccade.cli import RECIPE_VERBS, VERBS, _imported
from saccade.cli.values import spare

GIVEN = [
    *(None, "", "x", "ß", "-", ".", "no/such/file", "half\ud800", "two\nlines", "true"),
    *("3", "0", "1", "-1", "007", "3.0", " 3", "1_000", "٣", "9" * 12, "0.5", "1e3", "inf"),
    *("text", "TEXT", "tsv", "cpu", "svg", "html"),
]
PLACES = {**VERBS, **RECIPE_VERBS}


def outcome(parameter: Any, context: Any, value: object, *, alone: bool) -> object:
    """Return what is read, or what is said instead; `alone`: by typer."""
    try:
        if alone:
            return type(parameter).process_value(parameter, context, value)
        return parameter.process_value(context, value)
    except Exception as error:
        return type(error), str(error)


@pytest.mark.parametrize("name", PLACES)
def test_every_value_is_what_typer_makes_of_it(name: str) -> None:
    command = _imported(name, PLACES[name])
    context = command.context_class(command, info_name=name)
    spare(command, context)
    parameters = [p for p in command.get_params(context) if p.name != "help"]
    assert parameters
    for parameter in parameters:
        for value in [*GIVEN, parameter.default]:
            spared = outcome(parameter, context, value, alone=False)
            expected = outcome(parameter, context, value, alone=True)
            assert (spared, type(spared)) == (expected, type(expected)), (parameter.name, value)


def test_a_path_that_may_not_be_read_is_left_to_typer(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("os.access", lambda *_: False)
    command = _imported("translate", VERBS["translate"])
    context = command.context_class(command, info_name="translate")
    spare(command, context)
    (model,) = [p for p in command.get_params(context) if p.name == "model"]
    found = outcome(model, context, str(tmp_path), alone=False)
    assert found == outcome(model, context, str(tmp_path), alone=True)
    assert "is not readable" in str(found)
