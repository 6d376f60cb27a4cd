"""The site: every page is in it, and what checks the built one finds what is broken."""

from pathlib import Path

import pytest
import yaml

import saccade
from docs.check_site import problems
from docs.draw_api import PAGE, renewed
from tests.docs.parsing import ROOT

CONFIG = yaml.safe_load((ROOT / "mkdocs.yml").read_text(encoding="utf-8"))
DOCS = ROOT / "docs"


def listed() -> list[str]:
    """Return the pages of the site's navigation."""
    rows = [one for entry in CONFIG["nav"] for one in _pages(entry)]
    assert len(rows) == len(set(rows))
    return rows


def _pages(entry: object) -> list[str]:
    if isinstance(entry, dict):
        return [page for inner in entry.values() for one in inner for page in _pages(one)]
    assert isinstance(entry, str)
    return [entry]


def test_every_page_can_be_reached() -> None:
    pages = {str(path.relative_to(DOCS)) for path in DOCS.rglob("*.md")}
    rooms = ("mechanisms/", "results/")
    assert set(listed()) == {p for p in pages if not p.startswith(rooms) or "README" in p}
    for room in rooms:
        front = (DOCS / room / "README.md").read_text(encoding="utf-8")
        missing = [path.name for path in (DOCS / room).glob("*.md") if path.name not in front]
        assert missing in ([], ["README.md"])


def test_nothing_is_fetched() -> None:
    assert CONFIG["theme"]["font"] is False
    assert CONFIG["plugins"] == ["search"]
    assert not {"extra_javascript", "extra_css"} & set(CONFIG)


def test_the_reference_is_what_the_code_says() -> None:
    page = PAGE.read_text(encoding="utf-8")
    assert renewed(page) == page, "run: python docs/draw_api.py"


@pytest.fixture
def site(tmp_path: Path) -> Path:
    (tmp_path / "in").mkdir()
    (tmp_path / "a.png").write_bytes(b"")
    (tmp_path / "index.html").write_text(
        '<img src="a.png"><h2 id="one">1</h2><a href="in/b.html#two">b</a><a href="#one">1</a>'
        '<a href="https://example.org">out</a><link rel="canonical" href="https://example.org">',
        encoding="utf-8",
    )
    (tmp_path / "in" / "b.html").write_text('<p id="two"><a href="..">up</a>', encoding="utf-8")
    return tmp_path


def test_a_sound_site_has_no_problems(site: Path) -> None:
    assert problems(site) == []


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ('<a href="c.html">', "x.html: links to c.html; there is no such file."),
        ('<a href="in/b.html#three">', "x.html: links to in/b.html#three; that page has no such"),
        ('<img src="gone.svg">', "x.html: links to gone.svg; there is no such file."),
        ('<script src="https://cdn.example/x.js">', "x.html: fetches https://cdn.example/x.js;"),
        ('<link href="//fonts.example/x.css">', "x.html: fetches //fonts.example/x.css;"),
    ],
)
def test_what_is_broken_is_told(site: Path, text: str, told: str) -> None:
    (site / "x.html").write_text(text, encoding="utf-8")
    (found,) = problems(site)
    assert found.startswith(told)


def test_an_empty_folder_is_no_site(tmp_path: Path) -> None:
    (found,) = problems(tmp_path)
    assert "holds no page; build the site first: make docs" in found


def test_every_public_name_is_in_the_reference() -> None:
    page = PAGE.read_text(encoding="utf-8")
    names = [name for name in saccade.__all__ if name != "__version__"]
    assert [name for name in names if f"saccade.{name}" not in page] == []
