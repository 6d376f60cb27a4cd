"""Every relative link and picture of the docs leads to a file that is there."""

import re
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
PAGES = sorted([*ROOT.glob("*.md"), *(ROOT / "docs").rglob("*.md")])
LINK = re.compile(r"\]\(([^)\s]+)\)")
NAMED = re.compile(r"`?((?:docs|recipes)/[\w./-]+\.(?:md|yaml|svg))`?")


@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(ROOT)))
def test_links_lead_somewhere(page: Path) -> None:
    text = page.read_text(encoding="utf-8")
    links = [link.partition("#")[0] for link in LINK.findall(text) if "://" not in link]
    dead = [link for link in links if link and not (page.parent / link).exists()]
    dead += [name for name in NAMED.findall(text) if not (ROOT / name).exists()]
    assert not dead


@pytest.mark.parametrize("path", sorted((ROOT / "recipes").rglob("*.yaml")), ids=lambda p: p.stem)
def test_recipes_name_pages_that_are_there(path: Path) -> None:
    text = path.read_text(encoding="utf-8")
    assert not [name for name in NAMED.findall(text) if not (ROOT / name).exists()]
