"""Draw every picture of docs/gallery.md anew from trained models.

    python docs/draw_gallery.py runs

`runs` holds the folders that the recipes write, named as in the gallery. What is missing there is
left as it is.
"""

import shlex
import sys
from pathlib import Path

from saccade.cli import app
from saccade.look.report import read_curves
from saccade.views import curves

PAGE = Path(__file__).parent / "gallery.md"
PICTURES = Path(__file__).parent / "pictures" / "gallery"


def commands(page: Path) -> list[list[str]]:
    """Return the commands of the gallery, in order: lines of its blocks that begin with saccade."""
    lines = page.read_text(encoding="utf-8").splitlines()
    return [shlex.split(line)[1:] for line in lines if line.startswith("saccade ")]


def draw(arguments: list[str], runs: Path) -> bool:
    """Run one command with its folders found below `runs`; False if there is no such model."""
    folders = [word for word in arguments if word.startswith("runs/")]
    if not all((runs / word.removeprefix("runs/")).exists() for word in folders):
        return False
    placed = [
        str(runs / word.removeprefix("runs/"))
        if word in folders
        else str(PICTURES / word)
        if word.endswith(".svg")
        else word
        for word in arguments
    ]
    app(placed, standalone_mode=False)
    return True


def main(runs: Path) -> None:
    """Draw what the commands of the page draw, and the views that no command draws alone."""
    PICTURES.mkdir(parents=True, exist_ok=True)
    for arguments in commands(PAGE):
        if not draw(arguments, runs):
            sys.stderr.write(f"left as it is: saccade {shlex.join(arguments)}\n")
    run = runs / "multi30k-de-en-rnn"
    if run.exists():
        series = {k: v for k, v in read_curves(run).items() if k.endswith(("nll", "loss"))}
        drawn = curves.to_svg(series, title="multi30k-de-en-rnn", y_label="nats per symbol")
        (PICTURES / "curves.svg").write_text(drawn, encoding="utf-8")


if __name__ == "__main__":
    main(Path(sys.argv[1] if len(sys.argv) > 1 else "runs"))
