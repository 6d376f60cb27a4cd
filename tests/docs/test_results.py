"""Every command of docs/results runs, in order, on small copies of the recipes."""

import importlib.util
import re
import shlex
from itertools import pairwise
from pathlib import Path

import pytest
from typer.testing import CliRunner

from saccade import starters
from saccade.cli import app
from saccade.experiments import comparison
from tests.docs.miniature import copy_recipe

ROOT = Path(__file__).parents[2]
PAGES = sorted((ROOT / "docs" / "results").glob("*.md"))
BLOCK = re.compile(r"```sh\n(.*?)```", re.DOTALL)
OUTER_COMMA = re.compile(r",(?![^{\[]*[}\]])")  # not one inside of {} or []
SHORT = ["--set", "training.max_steps=2"]


def commands(page: Path) -> list[list[str]]:
    """Return the commands of a page's blocks, as words; wildcards name the files of the root."""
    blocks = BLOCK.findall(page.read_text(encoding="utf-8"))
    lines = "".join(blocks).replace("\\\n", " ").splitlines()
    return [_expand(words) for line in lines if (words := shlex.split(line, comments=True))]


def _expand(words: list[str]) -> list[str]:
    return [
        found
        for word in words
        for found in (
            sorted(str(path.relative_to(ROOT)) for path in ROOT.glob(word))
            if word.endswith("*.yaml")
            else [word]
        )
    ]


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.stem)
def test_commands_run(page: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    desk = tmp_path / "desk"  # data lies beside it, in ../shared
    desk.mkdir()
    monkeypatch.chdir(desk)
    for words in commands(page):
        assert words[0] == "saccade", words
        for word in words:
            if word.endswith(".yaml"):
                copy_recipe(Path(word), desk)
        _run(words[1:])


def _run(words: list[str]) -> None:
    """Run one command; a demo, which takes minutes, must only be there."""
    if words[0] == "demo":
        starters.text_of(words[1] if words[1:] else "demo")
        words = ["demo", "--help"]
    elif words[0] == "compare" and any(word.endswith(".yaml") for word in words):
        _check_variants(words)
        words = [*_fewer(words), *SHORT]
    elif words[0] == "train":
        words = [*words, *SHORT]
    result = CliRunner().invoke(app, words)
    assert result.exit_code == 0, (words, result.output, result.exception)


def _check_variants(words: list[str]) -> None:
    """See that every variant of a comparison is a recipe that can be built, at its full size."""
    options: dict[str, list[str]] = {"--over": [], "--set": []}
    for name, value in pairwise(words):
        options.get(name, []).append(value)
    paths = [ROOT / word for word in words if word.endswith(".yaml")]
    assert comparison.variants(paths, options["--over"], options["--set"])


def _fewer(words: list[str]) -> list[str]:
    """Compare two values of an option, or two recipes, and train one seed."""
    recipes = [word for word in words if word.endswith(".yaml")]
    kept = [word for word in words if word not in recipes[2:]]
    for i, name in enumerate(kept):
        if name == "--over":
            option, _, values = kept[i + 1].partition("=")
            kept[i + 1] = f"{option}={','.join(OUTER_COMMA.split(values)[:2])}"
        elif name == "--seeds":
            kept[i + 1] = kept[i + 1].partition(",")[0]
    return kept


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.stem)
def test_modules_to_run_are_there(page: Path) -> None:
    for name in re.findall(r"python -m ([\w.]+)", page.read_text(encoding="utf-8")):
        assert importlib.util.find_spec(name), name


def test_there_is_something_to_run() -> None:
    assert sum(len(commands(page)) for page in PAGES) >= 30
