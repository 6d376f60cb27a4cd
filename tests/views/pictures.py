"""What the tests of several views share: odd words, and ways to read a picture."""

import re
from xml.etree import ElementTree

from hypothesis import strategies as st

from saccade.views.words import columns

BAD = "<script>alert('x')</script>"
anything = st.text(st.characters(codec=None, exclude_categories=()), max_size=20)
words = st.lists(anything, max_size=6)

_NAMESPACE = "{http://www.w3.org/2000/svg}"


def parts(drawn: str, tag: str) -> list[ElementTree.Element]:
    """Return the elements of one kind."""
    return list(ElementTree.fromstring(drawn).iter(_NAMESPACE + tag))


def tips(drawn: str) -> list[str]:
    """Return the tooltips."""
    return [title.text or "" for title in parts(drawn, "title")]


def plain(drawn: str) -> str:
    """Return a terminal picture without its colours."""
    return re.sub(r"\x1b\[[0-9;]*m", "", drawn)


def sound(drawn: str, width: int) -> None:
    """Check that a terminal picture keeps to its width and holds no control characters."""
    shown = plain(drawn)
    assert "\x1b" not in shown
    assert max(columns(line) for line in shown.split("\n")) <= width
