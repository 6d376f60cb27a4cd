"""How a part is named on the command line."""

from typing import Any

from saccade.errors import RecipeError
from saccade.intake.yaml_text import parse_yaml
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
        try:
            raw[name] = parse_yaml(value)
        except ValueError as error:
            raise RecipeError(f"{text}: '{item}': {error}; write bleu:lowercase=true.") from None
    problems: list[str] = []
    part = check_part(family, raw, text, problems)
    if part is None or problems:
        raise RecipeError(problems)
    return part
