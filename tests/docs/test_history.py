"""The chart of machine translation through time is that of its table."""

import importlib.util
from pathlib import Path
from types import ModuleType

DOCS = Path(__file__).parents[2] / "docs"


def drawing() -> ModuleType:
    spec = importlib.util.spec_from_file_location("draw_history", DOCS / "draw_history.py")
    assert spec
    assert spec.loader
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_the_picture_is_that_of_the_table() -> None:
    module = drawing()
    assert len(module.rows()) >= 6
    assert module.PICTURE.read_text(encoding="utf-8") == module.drawn() + "\n"
