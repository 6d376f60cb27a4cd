"""The language model that a model folder carries, a folder in it: its say in what is written."""

import shutil
from pathlib import Path

from saccade.errors import RecipeError
from saccade.folders.facts import LANGUAGE_MODEL, read_facts
from saccade.train.files import told

_FILES = ("recipe.yaml", "saccade.json", "source.json", "target.json", "model.safetensors")


def carried(folder: Path) -> Path | None:
    """Return the language model that a folder carries; None if it carries none."""
    place = folder / LANGUAGE_MODEL
    return place if place.is_dir() else None


def carry(folder: Path, source: Path) -> None:
    """Copy a finished language model into a folder."""
    read_facts(source)
    if not (source / "model.safetensors").is_file():
        raise RecipeError(
            f"decoding.language_model: {source} has no model.safetensors; expected a model that is"
            " trained. Train it first."
        )
    place = folder / LANGUAGE_MODEL
    with told(place):
        place.mkdir(exist_ok=True)
        for name in _FILES:
            if (source / name).is_file():
                shutil.copyfile(source / name, place / name)
