"""Draw docs/pictures/history.svg from the table of docs/results/history.md.

    python docs/draw_history.py

A row has a name, the minutes of training and a BLEU with its interval, as `36.2 (34.7 to 37.7)`. A
test fails when the picture is not that of the table.
"""

import re
from pathlib import Path

from saccade.views import cost
from saccade.views.cost import Priced

DOCS = Path(__file__).parent
PAGE, PICTURE = DOCS / "results" / "history.md", DOCS / "pictures" / "history.svg"
ROW = re.compile(
    r"^\| \d{4} \| ([^|]+?) \|[^|]+\| ([\d.]+)"
    r" \| \*{0,2}([\d.]+)\*{0,2} \(([\d.]+) to ([\d.]+)\) \|$",
    re.MULTILINE,
)


def rows() -> list[Priced]:
    """Read the models off the table."""
    found = ROW.findall(PAGE.read_text(encoding="utf-8"))
    return [Priced(name, *map(float, figures)) for name, *figures in found]


def drawn() -> str:
    """Return the chart."""
    return cost.to_svg(
        rows(),
        cost="minutes of training, one core",
        score="BLEU",
        title="Multi30k, German to English",
    )


if __name__ == "__main__":
    PICTURE.write_text(drawn() + "\n", encoding="utf-8")
