"""How a part is named on the command line."""

from typing import Any

import yaml

from saccade.errors import RecipeError
from saccade.parts import Part, check_part, find


def part_of(family: type[Any], text: str) -> Part[Any]:
    """Read a part from the command line: `bleu` or `bleu:lowercase=true,tokenize=char`."""
    kind, _, rest = text.partition(":")
    find(family, kind)  # refuses what is none, in plain words
    raw: dict[str, Any] = {"kind": kind}
    for item in filter(None, rest.split(",")):
        name, equals, value = item.partition("=")
        if not equals:
            raise RecipeError(f"{text}: '{item}' is not name=value; write bleu:lowercase=true.")
        raw[name] = yaml.safe_load(value)
    problems: list[str] = []
    part = check_part(family, raw, text, problems)
    if part is None or problems:
        raise RecipeError(problems)
    return part
