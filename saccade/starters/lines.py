"""A recipe for lines of print that somebody has: sizes and splits that suit them."""

import json
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from statistics import median

from saccade.errors import RecipeError
from saccade.modalities._photo import size_of
from saccade.readers._captions import IN_FOLDER
from saccade.readers.captions import Captions
from saccade.starters import text_of

_EPOCHS, _LEAST, _MOST = 14, 1500, 40_000  # passes over the lines, and updates
_HELD_OUT, _MOST_HELD_OUT = 0.1, 1000  # share of the lines, and their number at most
_LOOKED = 500  # lines whose size is looked at
_COLUMNS = 8192  # of a batch
_HEIGHT = 32
_WIDE = 2048  # columns that the modality allows unless it is told otherwise


@dataclass(frozen=True, slots=True)
class LineFolder:
    """A folder of lines with their texts, as far as a recipe must know it.

    about: the reader's options.  width: columns of a usual line at the height of the recipe.
    widest: columns of the widest that was looked at.  room: columns that a character usually has.
    n_lost: lines that are named and not there.  longest: characters of the longest text.
    """

    about: Mapping[str, str]
    n_lines: int
    n_lost: int
    width: int
    widest: int
    longest: int
    room: float

    @property
    def stride(self) -> int:
        """Columns of a vector: two to five vectors a character, as CTC begins late with many."""
        return next((stride for stride in (8, 4, 2) if self.room >= 2.5 * stride), 1)

    @property
    def steps(self) -> int:
        """Updates that go through the lines often enough, and leave CTC time to begin."""
        share = 1 - 2 * held_out(self.n_lines)
        batches = self.n_lines * share * self.width / _COLUMNS
        return int(round(min(max(batches * _EPOCHS, _LEAST), _MOST), -2))


def look_at_lines(images: Path, texts: Path | None = None) -> LineFolder:
    """Read the texts of lines, look for their pictures, and measure some.

    Args:
        images: the folder.
        texts: a file of names and texts. Without one, texts stand beside the pictures, in files
            that end in .txt, or else they are the pictures' names.
    """
    about = {"kind": "captions", "images": str(images)}
    about |= {"captions": str(texts)} if texts else {"format": _form_of(images)}
    reader = Captions(Path(), **{k: v for k, v in about.items() if k != "kind"})  # type: ignore[arg-type]
    grouped = reader.grouped()
    lost = [name for name in grouped if reader.problem(name, decode=False)]
    there = [name for name in grouped if name not in set(lost)]
    if not there:
        raise RecipeError(
            f"--images {images}: holds none of the {len(grouped):,} lines that {reader.captions}"
            f" names, as {lost[0]}; expected them there. Name the folder that they are in."
        )
    if lost:
        about["missing"] = "skip"
    every = max(len(there) // _LOOKED, 1)
    sizes = {name: size for name in there[::every] if (size := size_of(images / name))}
    widths = {name: max(round(w * _HEIGHT / h), 1) for name, (w, h) in sizes.items()}
    usual, widest = median(widths.values() or [_COLUMNS // 16]), max(widths.values(), default=1)
    longest = max(len(one.text) for captions in grouped.values() for one in captions)
    rooms = [wide / len(grouped[name][0].text) for name, wide in widths.items()]
    room = median(rooms or [12.0])
    return LineFolder(about, len(there), len(lost), round(usual), widest, longest, room)


def recipe_for_lines(folder: LineFolder, path: Path) -> str:
    """Write the recipe, which is to stand at `path`."""
    corpus, share = _flow(folder.about), held_out(folder.n_lines)
    readers = {
        part: f"  {part}: {{kind: split, corpus: {corpus}, part: {part}, valid: {share},"
        f" test: {share}}}"
        for part in ("train", "valid", "test")
    }
    name, steps = " ".join(str(path).split()), folder.steps
    header = [
        f"# Lines of print of {' '.join(folder.about['images'].split())}: {folder.n_lines:,} of"
        f" them, usually {folder.width:,} columns wide.",
        f"# Held out: {share:.1%} of the lines each to validate and to test on.",
        f"# Command: saccade train {name}        Look at the data first: saccade doctor {name}",
        f"# Then: saccade evaluate runs/{path.stem} --confusion characters",
    ]
    found = []
    for line in text_of("lines").splitlines():
        key = line.strip().partition(":")[0]
        if line.startswith("#"):
            continue
        found += {
            "name": [f"name: {json.dumps(path.stem)}"],
            **{part: [text] for part, text in readers.items()},
            "height": [line, *_widest(folder)],
            "embedder": [line.replace("stride: 4", f"stride: {folder.stride}")],
            "max_ratio": [line.replace("0.25", f"{1 / folder.stride:g}")],
            "target": [line[:-1] + f", max_length: {max(256, folder.longest)}}}"],
            "schedule": [f"  schedule: {{kind: cosine, warmup: {steps // 15}, steps: {steps}}}"],
            "max_steps": [f"  max_steps: {steps}"],
            "validate_every": [f"  validate_every: {max(steps // 10, 100)}"],
        }.get(key, [line])
    return "\n".join([*header, *found]) + "\n"


def held_out(n_lines: int) -> float:
    """Return the share of lines to validate on, and again to test on."""
    return round(min(_HELD_OUT, _MOST_HELD_OUT / n_lines), 4)


def _widest(folder: LineFolder) -> list[str]:
    """Allow wider lines than usual where there are some."""
    room = min(-(-folder.widest * 5 // 4), 8192)
    return [f"    max_width: {room}"] if room > _WIDE else []


def _form_of(images: Path) -> str:
    beside, names = IN_FOLDER
    return beside if next(images.rglob("*.txt"), None) else names


def _flow(options: Mapping[str, str]) -> str:
    """Write options as one line of YAML; JSON's quotes are YAML's."""
    return "{" + ", ".join(f"{key}: {json.dumps(value)}" for key, value in options.items()) + "}"
