"""Which files of a model's recipe a verb is about to read."""

from pathlib import Path

from saccade.cli.options import note
from saccade.parts import Part
from saccade.readers.base import Reader


def note_files(model: Path, part: Part[Reader] | None) -> None:
    """Name the files that the recipe in a model folder makes us read, before they are read."""
    paths = part.build(Path()).paths if part else ()
    names = [str(path) for path in dict.fromkeys(paths)]
    if names:
        shown = ", ".join(name if name.isprintable() else repr(name) for name in names)
        note(f"Reading {shown}, as the recipe in {model} says.")
