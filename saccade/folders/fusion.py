"""The language model that a model folder carries, a folder in it: its say in what is written."""

from pathlib import Path

from saccade.errors import RecipeError
from saccade.folders.facts import LANGUAGE_MODEL, read_facts
from saccade.intake.files import read_text
from saccade.predict.repair import Confusions
from saccade.train.files import copy_file, told, write_text

CONFUSIONS = "confusions.tsv"  # beside the language model, which mends by it
_FILES = (
    "recipe.yaml",
    "saccade.json",
    "source.json",
    "target.json",
    "model.safetensors",
    CONFUSIONS,
)
_LARGEST = 1 << 22  # bytes


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
                copy_file(source / name, place / name)


def carry_with(folder: Path, source: Path, counts: Confusions) -> None:
    """Copy a finished language model into a folder, with a table of its own to mend by."""
    carry(folder, source)
    write_confusions(folder / LANGUAGE_MODEL / CONFUSIONS, counts)


def write_confusions(path: Path, counts: Confusions) -> None:
    """Write how often each character was read as each: wanted, written and times, with tabs."""
    rows = sorted(counts.items(), key=lambda one: (-one[1], one[0]))
    write_text(path, "".join(f"{a}\t{b}\t{n}\n" for (a, b), n in rows))


def read_confusions(path: Path) -> Confusions:
    """Read what `write_confusions` wrote."""
    try:
        lines = read_text(path, _LARGEST).removesuffix("\n").split("\n")
    except (OSError, ValueError) as error:
        raise RecipeError(
            f"decoding.repair: {path} cannot be read as UTF-8 text: {error}."
        ) from None
    counts = dict[tuple[str, str], int]()
    for number, line in enumerate(lines, start=1):
        columns = line.split("\t")
        fine = len(columns) == 3 and any(columns[:2]) and max(map(len, columns)) <= 16
        if not fine or not columns[2].isdecimal():
            raise RecipeError(
                f"decoding.repair: {path}:{number}: found {line[:40]!r}; expected a character, what"
                " it was read as, and how often, with tabs between. Write the file with `saccade"
                " evaluate MODEL --split valid --confusions FILE`."
            )
        counts[columns[0], columns[1]] = int(columns[2])
    return counts
