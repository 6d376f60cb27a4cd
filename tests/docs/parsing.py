"""Commands of the pages, read as the command line reads them but not run."""

import re
import shlex
from pathlib import Path
from typing import Any

from saccade import recipe as recipes
from saccade import starters
from saccade.cli import RECIPE_VERBS, VERBS, _imported

ROOT = Path(__file__).parents[2]
BLOCK = re.compile(r"```sh\n(.*?)```", re.DOTALL)
FIT = ("--within", "--task", "--valid", "--test", "--source", "--target", "--features", "-o")


def commands(page: Path) -> list[list[str]]:
    """Return the words of every command of saccade in the blocks of a page; `make` stays whole."""
    lines = "".join(BLOCK.findall(page.read_text(encoding="utf-8"))).replace("\\\n", " ")
    rows = [shlex.split(line.rpartition(" | ")[2], comments=True) for line in lines.splitlines()]
    return [row for row in rows if row]


def parse(words: list[str]) -> dict[str, Any]:
    """Parse a command without running it; return its parameters. Recipes it names must be good."""
    assert words[0] == "saccade", words
    for word in words:
        if word.startswith("recipes/") and word.endswith(".yaml"):
            recipes.load(ROOT / word)
    verb, rest = words[1], words[2:]
    if verb == "demo":
        starters.demo_named(rest[0] if rest else "english_french")
    if verb == "recipe":
        return _parsed(rest[0], RECIPE_VERBS[rest[0]], rest[1:])
    if verb == "fit" and verb not in VERBS:
        unknown = [w for w in rest if w.startswith("-") and w not in FIT]
        assert not unknown, words
        return {}
    return _parsed(verb, VERBS[verb], rest)


def _parsed(verb: str, place: str, rest: list[str]) -> dict[str, Any]:
    return dict(_imported(verb, place).make_context(verb, list(rest)).params)
