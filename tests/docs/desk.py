"""What a reader of the pages has at hand, and how a command of theirs is run here: in process."""

import atexit
import shutil
import tempfile
from contextlib import chdir
from functools import cache
from pathlib import Path

from typer.testing import CliRunner

from saccade.cli import app
from saccade.corpora.english_french import EnglishFrench

ROOT = Path(__file__).parents[2]
SHORT = ["--set", "training.max_steps=2", "--set", "training.max_epochs=0"]
SHORT += ["--set", "training.validate_every=1"]


def furnish(folder: Path) -> None:
    """Put pairs, outputs, and a demo model into a folder."""
    shutil.copytree(_furnished(), folder, dirs_exist_ok=True)


@cache
def _furnished() -> Path:
    """Return a folder of these things, made once."""
    folder = Path(tempfile.mkdtemp(prefix="saccade-desk-"))
    atexit.register(shutil.rmtree, folder, ignore_errors=True)
    pairs = list(EnglishFrench(size=120).pairs("train"))
    rows = "".join(f"{source}\t{target}\n" for source, target in pairs)
    (folder / "pairs.tsv").write_text(rows, encoding="utf-8")
    for name, column in (("source", 0), ("reference", 1), ("ours", 1), ("theirs", 0)):
        text = "".join(pair[column] + "\n" for pair in pairs[:20])
        (folder / f"{name}.txt").write_text(text, encoding="utf-8")
    recipe = (ROOT / "saccade" / "starters" / "demo.yaml").read_text(encoding="utf-8")
    recipe = recipe.replace("corpus: english_french", "corpus: {kind: english_french, size: 200}")
    (folder / "demo.yaml").write_text(recipe, encoding="utf-8")
    small = ["model.embedding=8", "model.encoder.hidden=8", "model.decoder.hidden=8"]
    options = [part for change in small for part in ("--set", change)]
    with chdir(folder):
        run(["train", "demo.yaml", "-o", "runs/demo", *options, *SHORT])
    return folder


def run(words: list[str], text: str | None = None) -> str:
    """Run one command, without its first word; return what it printed."""
    result = CliRunner().invoke(app, words, input=text)
    assert result.exit_code == 0, (words, result.output, result.exception)
    return result.output
