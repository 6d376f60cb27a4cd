"""What tests of caption metrics are held against: pycocoevalcap, and captions by people."""

from importlib import import_module
from pathlib import Path
from typing import Any

import pytest

from saccade.metrics._captions import words

DATA = Path(__file__).parents[3] / "shared" / "data" / "flickr8k"
CAPTIONS = DATA / "Flickr8k.token.txt"


def peer(module: str) -> Any:
    """Return a module of pycocoevalcap; skip the test where it is not installed."""
    try:
        return import_module(f"pycocoevalcap.{module}")
    except ImportError:
        pytest.skip("pycocoevalcap is not installed: pip install --no-deps pycocoevalcap")


def captions_of_people(n: int, split: str = "test") -> tuple[list[str], list[list[str]]]:
    """Return the first caption of n pictures of Flickr8k, and the other four, as words."""
    listed = DATA / f"Flickr_8k.{split}Images.txt"
    if not listed.exists():
        pytest.skip("no Flickr8k beside the project (../shared/data/flickr8k)")
    names = listed.read_text(encoding="utf-8").split()[:n]
    rows: dict[str, list[str]] = {name: [] for name in names}
    for line in CAPTIONS.read_text(encoding="utf-8").splitlines():
        key, _, caption = line.partition("\t")
        if (name := key.partition("#")[0]) in rows:
            rows[name].append(" ".join(words(caption)))
    return [row[0] for row in rows.values()], [row[1:] for row in rows.values()]
