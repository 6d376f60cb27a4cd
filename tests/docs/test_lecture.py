"""Every page of the course can be followed: its commands run, in order, on small models."""

import re
import shlex
from functools import cache
from itertools import pairwise
from pathlib import Path
from xml.etree import ElementTree

import pytest
import yaml

from saccade.cli.parts import part_of
from saccade.explanations.base import Explanation, file_of, questions
from saccade.parts import find, schema
from tests.docs.desk import ROOT, SHORT, furnish, run
from tests.docs.miniature import copy_recipe
from tests.docs.parsing import BLOCK, parse
from tests.explanations.small import SMALL

LECTURE = ROOT / "docs" / "lecture"
FRONT = LECTURE / "README.md"
PAGES = sorted(LECTURE.glob("[!R]*.md"))
PICTURES = ROOT / "docs" / "pictures" / "lecture"
LONGEST = 80  # lines: short enough to read
ROW = re.compile(r"^\| \[[^\]]+\]\(([\w-]+)\.md\) \| (.+) \| `(saccade .+)` \|$", re.MULTILINE)
GIVEN = "runs/demo"  # the one model that a page may use without making it
NAMED = pytest.mark.parametrize("page", PAGES, ids=lambda page: page.stem)


def lines(page: Path) -> list[str]:
    """Return the commands of a page's blocks."""
    text = "".join(BLOCK.findall(page.read_text(encoding="utf-8"))).replace("\\\n", " ")
    return [plain for line in text.splitlines() if (plain := line.partition("  #")[0].strip())]


@pytest.fixture(scope="module")
def desk(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder that all pages share, so that a model is trained once; data lies in ../shared."""
    folder = tmp_path_factory.mktemp("lecture") / "desk"
    folder.mkdir()
    furnish(folder)
    return folder


@cache
def follow(line: str) -> None:
    """Run a line once; a page that repeats the line of another finds what that one made."""
    echo, _, line = line.rpartition(" | ")
    words = shlex.split(line)
    assert words[0] == "saccade", line
    verb = words[1]
    if verb in ("demo", "fit", "serve"):  # two take long, the last does not end
        parse(words)
    else:
        text = " ".join(shlex.split(echo)[1:]) + "\n" if echo else None
        run(smaller(words[1:]), text)
        for option, file in pairwise(words):
            assert option != "-o" or Path(file).exists(), line


def smaller(words: list[str]) -> list[str]:
    """Shorten what a command computes, but not what it does."""
    for word in words:
        if word.startswith("recipes/") and word.endswith(".yaml") and not Path(word).exists():
            copy_recipe(Path(word), Path())
    if words[0] == "explain" and words[1:]:
        return [words[0], small_topic(words[1]), *words[2:]]
    recipes = any(word.endswith(".yaml") for word in words)
    trains = words[0] in ("train", "compare") and recipes and "--dry-run" not in words
    return [*words, *SHORT] if trains else words


def small_topic(given: str) -> str:
    """Put the small options of a topic in place of those that a page gives, if they are good."""
    topic, _, options = given.partition(":")
    part_of(Explanation, f"{file_of(topic)}:{options}")
    small = SMALL[file_of(topic)]
    kept = [one for one in filter(None, options.split(",")) if one.partition("=")[0] not in small]
    return f"{topic}:{','.join([*kept, *(f'{key}={value}' for key, value in small.items())])}"


@NAMED
def test_its_commands_run(page: Path, desk: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(desk)
    assert lines(page)
    for line in lines(page):
        follow(line)


def test_the_commands_of_the_front_page_can_be_typed() -> None:
    assert lines(FRONT)
    for line in lines(FRONT):
        parse(shlex.split(line))


@NAMED
def test_it_makes_the_models_that_it_uses(page: Path) -> None:
    made = {GIVEN}
    for line in lines(page):
        folders = {word for word in shlex.split(line) if word.startswith("runs/")}
        used = {"/".join(folder.split("/")[:2]) for folder in folders}
        if re.search(r"saccade (train|fit|compare|average|demo|export)\b", line):
            made |= used | {f"runs/{name}" for name in names_of(line)}
        if "saccade ensemble " in line:
            made.add(line.rpartition(" -o ")[2])
        assert used <= made, line


def names_of(line: str) -> list[str]:
    """Return what the recipes of a command are called, and so their runs."""
    paths = [ROOT / word for word in shlex.split(line) if word.endswith(".yaml")]
    return [yaml.safe_load(path.read_text(encoding="utf-8"))["name"] for path in paths]


@NAMED
def test_it_is_short_and_shows_something(page: Path) -> None:
    text = page.read_text(encoding="utf-8")
    assert len(text.splitlines()) <= LONGEST
    assert max(len(line) for line in text.splitlines() if not line.startswith("|")) <= 140
    assert "![" in text or "\n|---" in text


def test_the_front_page_has_a_row_for_every_page() -> None:
    text = FRONT.read_text(encoding="utf-8")
    rows = ROW.findall(text)
    assert len(rows) == len(re.findall(r"^\| \[", text, re.MULTILINE))  # every row is of this form
    assert {page for page, _, _ in rows} == {page.stem for page in PAGES}
    for page, question, command in rows:
        assert question.endswith("?"), question
        assert command in lines(LECTURE / f"{page}.md"), command


def test_every_topic_is_run_on_a_page() -> None:
    found = {line for page in PAGES for line in lines(page) if "saccade explain" in line}
    run_here = {file_of(shlex.split(line)[2].partition(":")[0]) for line in found}
    assert run_here == {file_of(topic) for topic in questions()}


def test_small_options_are_those_of_the_topic() -> None:
    assert set(SMALL) == {file_of(topic) for topic in questions()}
    for topic, options in SMALL.items():
        assert set(options) <= set(schema(find(Explanation, topic)))


def test_pictures_are_shown_small_and_sound() -> None:
    shown = {
        name
        for page in PAGES
        for name in re.findall(r"\]\(\.\./pictures/lecture/([^)]+)\)", page.read_text("utf-8"))
    }
    assert {path.name for path in PICTURES.iterdir()} == shown
    for name in shown:
        picture = (PICTURES / name).read_bytes()
        assert len(picture) < 150_000, name
        if name.endswith(".png"):
            assert picture.startswith(b"\x89PNG")
            continue
        text = picture.decode()
        assert ElementTree.fromstring(text).tag == "{http://www.w3.org/2000/svg}svg"
        assert not re.search(r"(?<![\w.])/(home|tmp|work)/", text), name
