"""The cookbook: a page per job, each of one form, and every command can be typed as it stands."""

import re
from pathlib import Path

import pytest

from tests.docs.parsing import ROOT, commands, parse

COOKBOOK = ROOT / "docs" / "cookbook"
PAGES = sorted(COOKBOOK.glob("[!R]*.md"))
JOBS = (
    *("translation", "spelling", "pronunciation", "inflection", "transliteration", "dates"),
    *("chat", "titles", "code", "labels", "answers", "tags", "completion", "forecasting"),
    *("captions", "video", "print", "speech", "handwriting"),
)
PARTS = ["**Data.**", "**Train.**", "**Use.**", "![", "**Public data.**", "**When it does not"]
LONGEST = 80  # lines: short enough to read


def test_every_job_has_a_page() -> None:
    assert {page.stem for page in PAGES} == set(JOBS)
    front = (COOKBOOK / "README.md").read_text(encoding="utf-8")
    assert re.findall(r"\]\((\w+)\.md\)", front) == list(JOBS)


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.stem)
def test_a_page_has_its_parts_in_order(page: Path) -> None:
    text = page.read_text(encoding="utf-8")
    places = [text.find(part) for part in PARTS]
    assert -1 not in places, page.stem
    order = [place for part, place in zip(PARTS, places, strict=True) if part != "!["]
    assert order == sorted(order)
    assert len(text.splitlines()) <= LONGEST
    assert max(map(len, text.splitlines())) <= 140


@pytest.mark.parametrize("page", [*PAGES, COOKBOOK / "README.md"], ids=lambda page: page.stem)
def test_commands_can_be_typed(page: Path) -> None:
    found = commands(page)
    assert len(found) >= 2
    for words in found:
        parse(words)


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.stem)
def test_figures_stand_in_the_results(page: Path) -> None:
    """Whatever figure a page states is on a page of results that it links."""
    text = page.read_text(encoding="utf-8").partition("**Public data.**")[2]
    stated = text.partition("```")[0].partition("**When")[0]
    figures = re.findall(r"\d+\.\d+", stated)
    links = re.findall(r"\((\.\./results/[\w-]+\.md)\)", stated)
    results = "".join((page.parent / link).read_text(encoding="utf-8") for link in links)
    assert not [figure for figure in figures if figure not in results]
    assert figures or "no figure" in stated or "%" in stated


def test_the_names_to_transliterate_are_there(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    page = (COOKBOOK / "transliteration.md").read_text(encoding="utf-8")
    (block,) = re.findall(r"```python\n(.*?)```", page, re.DOTALL)
    exec(compile(block, "transliteration.md", "exec"), {})  # noqa: S102 - our own page
    rows = Path("names.tsv").read_text(encoding="utf-8").splitlines()
    assert "Шведска\tŠvedska" in rows
    assert 700 < len(rows) < 1100
