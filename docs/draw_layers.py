"""Write the layers of tests/test_layers.py into docs/architecture.md.

    python docs/draw_layers.py

The law and its picture come from one list. A test fails when the page is out of date.
"""

import sys
from pathlib import Path

DOCS = Path(__file__).parent
sys.path.insert(0, str(DOCS.parent))

from tests.test_layers import LAYERS  # noqa: E402 - the project is no package of its own

PAGE = DOCS / "architecture.md"
BEGIN, END = "<!-- layers: begin -->", "<!-- layers: end -->"


def drawn() -> str:
    """Return the layers as a numbered listing, the lowest first."""
    rows = [f"{n:>2}  {'  '.join(layer)}" for n, layer in enumerate(LAYERS, start=1)]
    return "\n".join([BEGIN, "```", *rows, "```", END])


def renewed(page: str) -> str:
    """Put the listing between its marks."""
    before, rest = page.split(BEGIN)
    return before + drawn() + rest.split(END)[1]


if __name__ == "__main__":
    PAGE.write_text(renewed(PAGE.read_text(encoding="utf-8")), encoding="utf-8")
