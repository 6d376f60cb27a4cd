"""The page that reports are written on."""

from html.parser import HTMLParser

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from saccade.errors import ShapeError
from saccade.views.page import Section, code, facts, fold, page, pairs, paragraph, table

anything = st.text(st.characters(codec=None, exclude_categories=()), max_size=30)
VOID = {"meta", "br", "hr", "img"}


class Balance(HTMLParser):
    """Fails on a tag that closes what is not open, and gathers the names of all tags."""

    def __init__(self) -> None:
        super().__init__()
        self.open: list[str] = []
        self.seen: set[str] = set()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.seen.add(tag)
        if tag not in VOID:
            self.open.append(tag)

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.seen.add(tag)

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag


def balanced(text: str) -> set[str]:
    parser = Balance()
    parser.feed(text)
    parser.close()
    assert parser.open == []
    return parser.seen


@settings(deadline=None)
@given(anything, anything)
def test_any_text_leaves_the_page_balanced(one: str, two: str) -> None:
    fragments = [
        table([one], [[two]]),
        facts({one: two}),
        pairs({one: two}),
        paragraph(one, note=True),
        code(two),
        fold(one, paragraph(two)),
    ]
    seen = balanced(page(one, [Section(two, fragments), Section(one, [])]))
    assert seen >= {"html", "main", "section", "table", "dl", "pre", "details", "nav"}
    assert not seen & {"script", "link", "iframe", "img"}


def test_script_is_escaped_everywhere() -> None:
    bad = "<script>alert(1)</script>"
    shown = page(bad, [Section(bad, [table([bad], [[bad]]), facts({bad: bad}), code(bad)])])
    assert "<script" not in shown
    assert shown.count("&lt;script&gt;") == 8


def test_the_page_fetches_nothing_and_fits_a_phone() -> None:
    shown = page("t", [Section("s", ["<p>x</p>"])])
    assert "default-src 'none'" in shown
    assert "http://" not in shown
    assert "https://" not in shown
    assert 'name="viewport"' in shown
    assert "prefers-color-scheme:dark" in shown


def test_code_keeps_its_lines() -> None:
    assert code("a:\n  b: 1") == "<pre>a:\n  b: 1</pre>"


def test_a_row_of_the_wrong_length_is_refused() -> None:
    with pytest.raises(
        ShapeError, match=r"page\.table: row 1 has 1 cells; 2 headers need 2; give every row one"
    ):
        table(["a", "b"], [["1", "2"], ["3"]])
