"""Every link, path and pointer to figures in docs and recipes leads to what it promises."""

import re
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
PAGES = sorted([*ROOT.glob("*.md"), *(ROOT / "docs").rglob("*.md")])
LINK = re.compile(r"\]\(([^)\s]+)\)")
NAMED = re.compile(r"`?((?:docs|recipes)/[\w./-]+\.(?:md|yaml|svg))`?")
CODE = re.compile(r"(?<![\w/.])((?:saccade|tests|benchmarks)/[\w/]+\.(?:py|c|h|yaml))\b")
PLANNED = {"saccade/attention/cosine.py", "tests/attention/test_cosine.py"}  # as one might add it
RECIPES = sorted((ROOT / "recipes").glob("*/*.yaml"))
MECHANISMS = sorted((ROOT / "docs" / "mechanisms").glob("[!R]*.md"))
FIGURES = re.compile(r"^Figures: .*$", re.MULTILINE)


@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(ROOT)))
def test_anchors_lead_to_headings(page: Path) -> None:
    links = [link for link in LINK.findall(page.read_text(encoding="utf-8")) if "#" in link]
    for path, _, anchor in (link.partition("#") for link in links if "://" not in link):
        target = page.parent / path if path else page
        assert anchor in headings(target), (page.name, path, anchor)


def headings(page: Path) -> set[str]:
    """Return the anchors of a page's headings, made as the site makes them."""
    found = re.findall(r"^#+ (.*)$", page.read_text(encoding="utf-8"), re.MULTILINE)
    plain = [re.sub(r"[^\w\s-]", "", text.replace("`", "")).strip().lower() for text in found]
    return {re.sub(r"[-\s]+", "-", text) for text in plain}


@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(ROOT)))
def test_links_lead_somewhere(page: Path) -> None:
    text = page.read_text(encoding="utf-8")
    links = [link.partition("#")[0] for link in LINK.findall(text) if "://" not in link]
    dead = [link for link in links if link and not (page.parent / link).exists()]
    dead += [name for name in NAMED.findall(text) if not (ROOT / name).exists()]
    assert not dead


@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(ROOT)))
def test_files_of_code_are_there(page: Path) -> None:
    named = set(CODE.findall(page.read_text(encoding="utf-8"))) - PLANNED
    assert not sorted(name for name in named if not (ROOT / name).exists())


@pytest.mark.parametrize("path", RECIPES, ids=lambda path: path.stem)
def test_recipes_name_pages_that_are_there(path: Path) -> None:
    text = path.read_text(encoding="utf-8")
    assert not [name for name in NAMED.findall(text) if not (ROOT / name).exists()]


@pytest.mark.parametrize("path", RECIPES, ids=lambda path: path.stem)
def test_pages_of_figures_name_the_recipe(path: Path) -> None:
    """Whatever page a recipe promises figures on, it says something about that recipe."""
    for name in re.findall(r"(docs/results/\w+\.md)", path.read_text(encoding="utf-8")):
        assert path.stem in (ROOT / name).read_text(encoding="utf-8"), name


@pytest.mark.parametrize("page", MECHANISMS, ids=lambda page: page.stem)
def test_figures_of_a_mechanism_are_on_the_page_it_names(page: Path) -> None:
    text = page.read_text(encoding="utf-8")
    (line,) = FIGURES.findall(text)
    links = LINK.findall(line)
    assert links or "none" in line
    files = re.findall(r"(?:saccade|recipes)/[\w/-]+/([\w-]+)\.(?:py|yaml)", text)
    for link in links:
        figures = (page.parent / link).read_text(encoding="utf-8")
        assert any(re.search(rf"(?<![\w-]){name}(?![\w-])", figures) for name in files), link
