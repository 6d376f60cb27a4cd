"""What an exporter is: a way to write a trained model down for another engine.

    FOLDER/engine.json               which engine, how quantised, of which model, how to decode
    FOLDER/source.json, target.json  the vocabularies
    FOLDER/recipe.yaml, profile.json, examples.json   as in the model folder
    FOLDER/...                       the engine's own files

Such a folder needs neither torch nor the model folder to be used. This file imports no torch; the
exporters do.
"""

import hashlib
import json
import shutil
from abc import ABC, abstractmethod
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any, ClassVar, TypeVar

from saccade.errors import CheckpointError, RecipeError
from saccade.folders.facts import LANGUAGE_MODEL, LEXICON
from saccade.intake.files import open_regular, read_json
from saccade.parts import find
from saccade.train.files import write_folder, write_text

FORMAT = 1
FACTS = "engine.json"
_WEIGHTS = "model.safetensors"
_DECIDE = ("recipe.yaml", "source.json", "target.json", _WEIGHTS)
_CARRIED = ("recipe.yaml", "source.json", "target.json", "profile.json", "examples.json")
_EXTRAS = {"ctranslate2": "fast"}  # which extra brings a package; the others come with `export`

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class Facts:
    """What an exported folder says of itself.

    key: `key_of` the model folder it was made of.  decoding: that section of the recipe.
    reverse, separator: how a source is laid out; see `vocab.Reading`.
    """

    engine: str
    quantise: str
    key: str
    name: str
    decoding: Mapping[str, Any]
    reverse: bool
    separator: str
    format: int = FORMAT


class Exporter(ABC):
    """Writes a model for the engine that its file is named after. Constructed without arguments."""

    quantisations: ClassVar[tuple[str, ...]]  # of weights; the first gives the same text as torch
    runs: ClassVar[bool] = True  # False if there is no engine here that reads what it writes

    @abstractmethod
    def refusals(self, folder: Path) -> list[str]:
        """Say which options of a model's recipe its engine cannot follow; nothing if it can all."""

    @abstractmethod
    def write(self, folder: Path, target: Path, quantise: str) -> Mapping[str, Any]:
        """Write the engine's own files of a model into the empty folder `target`.

        Returns:
            The model's recipe with every default filled in, as `Recipe.plain` gives it.
        """


def export(kind: str, folder: Path, target: Path, quantise: str = "") -> Facts:
    """Write a model folder for another engine, whole or not at all; return what it says of itself.

    Args:
        kind: a file of this room.
        folder: what `saccade train` wrote.
        target: the folder to write; what an earlier export left there is replaced.
        quantise: one of the exporter's `quantisations`; the first if empty.
    """
    exporter = of_extra(Exporter, kind)()
    problems = export_problems(exporter, kind, folder, quantise)
    if problems:
        raise RecipeError(problems)
    key, made = key_of(folder), []

    def fill(aside: Path) -> None:
        recipe = exporter.write(folder, aside, quantise or exporter.quantisations[0])
        side = recipe["data"]["source"]
        facts = Facts(
            kind,
            quantise or exporter.quantisations[0],
            key,
            recipe["name"],
            recipe["decoding"],
            side["reverse"],
            side["separator"],
        )
        for name in _CARRIED:
            if (folder / name).exists():
                shutil.copyfile(folder / name, aside / name)
        write_text(aside / FACTS, json.dumps(asdict(facts), indent=1))
        made.append(facts)

    write_folder(target, fill)
    return made[0]


def export_problems(exporter: Exporter, kind: str, folder: Path, quantise: str) -> list[str]:
    """Say all that keeps a model from being exported."""
    problems = []
    if quantise and quantise not in exporter.quantisations:
        problems.append(
            f"--quantise {quantise}: {kind} does not know it; expected one of"
            f" {', '.join(exporter.quantisations)}."
        )
    if not (folder / _WEIGHTS).exists():
        problems.append(
            f"{folder}: has no {_WEIGHTS}, so its training is not over; expected a finished model."
            " Let it finish, or use --engine torch."
        )
    if (folder / LANGUAGE_MODEL).exists():
        problems.append(
            f"{folder}: carries a language model that has a say in what is written, and {kind} asks"
            " none; expected a model without. Use --engine torch."
        )
    if (folder / LEXICON).exists():
        problems.append(
            f"{folder}: has a {LEXICON}, and {kind} writes what it likes; expected a model that"
            " may write everything. Use --engine torch."
        )
    return problems + exporter.refusals(folder)


def key_of(folder: Path) -> str:
    """Hash all that decides what a model writes: weights, recipe and vocabularies."""
    total = hashlib.blake2b(str(FORMAT).encode(), digest_size=16)
    for name in (*_DECIDE, *((LEXICON,) if (folder / LEXICON).exists() else ())):
        try:
            with open_regular(folder / name, 1 << 50) as file:
                total.update(hashlib.file_digest(file, hashlib.blake2b).digest())
        except (OSError, ValueError) as error:
            raise CheckpointError(
                f"{folder / name}: cannot be read ({error}); expected a finished model."
                " Copy the model folder again."
            ) from None
    return total.hexdigest()


def is_export(folder: Path) -> bool:
    """Tell whether a folder is an exported model."""
    return (folder / FACTS).exists()


def read_export(folder: Path) -> Facts:
    """Read what an exported folder says of itself."""
    path = folder / FACTS
    try:
        facts = Facts(**read_json(path))
    except (ValueError, TypeError, OSError) as error:
        raise CheckpointError(
            f"{path}: damaged ({error}); expected what `saccade export` wrote. Export it again."
        ) from None
    if facts.format != FORMAT:
        raise CheckpointError(
            f"{folder}: exported in format {facts.format}, but this saccade reads format {FORMAT}."
            " Export it again."
        )
    return facts


def of_extra(family: type[T], kind: str) -> type[T]:
    """Find a part whose file imports an optional package, or say how to install it."""
    try:
        return find(family, kind)
    except ModuleNotFoundError as error:
        package = error.name or ""
        if package.startswith("saccade"):
            raise
        raise RecipeError(
            f"{kind}: the package '{package}' is missing; expected those of an extra."
            f" pip install 'saccade[{_EXTRAS.get(package, 'export')}]'."
        ) from None
