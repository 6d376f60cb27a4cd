"""A few held-out examples that a model folder carries: examples.json.

They are written with the model, so that opening it reads nothing outside its folder. The recipe of
a folder from elsewhere may name any file, and what is read there may be published.
"""

import json
from collections.abc import Sequence
from itertools import accumulate, islice
from pathlib import Path
from typing import Any

from saccade.data.codecs import Codecs
from saccade.errors import CheckpointError
from saccade.intake.files import read_json
from saccade.intake.numbers import whole
from saccade.modalities.base import Codec
from saccade.nouns import Example
from saccade.recipe import Recipe
from saccade.train.files import write_text

EXAMPLES = "examples.json"
MOST_EXAMPLES = 200
_READ = 2000  # of a split, that they are picked from
_SLOW_READ = 200  # of them, where encoding is slow
_CHARACTERS = 20_000  # of one text
_FILES = ("data:image/", "data:audio/")
_PICTURE_CHARACTERS = 200_000  # of a PNG file, 224 x 224, or of 9 seconds at 8 kHz
_BYTES = 1 << 20  # of the file
_FRAME = 64  # bytes of it around the examples
_MARKED = 100  # sentences that an answer follows from


def pick_examples(recipe: Recipe, codecs: Codecs, root: Path = Path()) -> list[Example]:
    """Pick examples from all over the first test set, or the validation set if there is none.

    They are written as text. No source stands there twice. Those over the limit are left out, and
    as many at the end as do not fit into the file.
    """
    reader = next(iter(recipe.data.test.values()), recipe.data.valid).build(root)
    slow = any(codec.chunk < Codec.chunk for codec in codecs.sides.values())
    raw = list(islice(reader.read(), _READ))
    every = -(-len(raw) // _SLOW_READ) if slow and raw else 1
    read = (_as_text(example, codecs) for example in raw[::every])
    short = [e for e in read if not any(map(_is_long, _texts(e)))]
    given = {
        tuple(e.sources.values()) if any(e.sources.values()) else e.references: e for e in short
    }
    found = list(given.values())
    chosen = found[:: max(len(found) // MOST_EXAMPLES, 1)][:MOST_EXAMPLES]
    ends = accumulate(len(_row(example).encode()) + 2 for example in chosen)
    return [example for example, end in zip(chosen, ends, strict=True) if end <= _BYTES - _FRAME]


def _as_text(example: Example, codecs: Codecs) -> Example:
    sources = {name: codec.write(example.sources[name]) for name, codec in codecs.sources.items()}
    references = tuple(map(codecs.target.write, example.references))
    return Example(sources, references, supporting=example.supporting[:_MARKED])


def _texts(example: Example) -> list[str]:
    return [*example.sources.values(), *example.references]


def _is_long(text: str) -> bool:
    return len(text) > (_PICTURE_CHARACTERS if text.startswith(_FILES) else _CHARACTERS)


def write_examples(folder: Path, examples: Sequence[Example]) -> None:
    """Write examples into a model folder; their origins stay behind."""
    rows = ",\n".join(map(_row, examples))
    if rows:
        write_text(folder / EXAMPLES, f'{{"format": 1, "examples": [\n{rows}\n]}}\n')


def read_examples(folder: Path) -> list[Example]:
    """Read the examples of a model folder; none if it has no such file.

    A file that is larger than one we write, or has another form, is refused.
    """
    path = folder / EXAMPLES
    if not path.exists():
        return []
    try:
        return _parsed(read_json(path, _BYTES))
    except (OSError, ValueError, RecursionError) as error:
        reason = error if str(error) else type(error).__name__
        raise CheckpointError(
            f"{path}: cannot be used ({reason}); expected up to {MOST_EXAMPLES} examples of up to"
            f" {_CHARACTERS:,} characters. Delete it, or copy the model folder again."
        ) from None


def example_of(folder: Path, number: str) -> Example:
    """Return example `number`, counted from 1, of a model folder."""
    examples = read_examples(folder)
    place = whole(number)
    if place is None or not 1 <= place <= len(examples):
        advice = "Choose a number from 1 on." if examples else "Train with --resume: it adds some."
        raise CheckpointError(
            f"example:{number[:40]}: no such example; {folder} carries {len(examples)} in"
            f" {EXAMPLES}. {advice}"
        )
    return examples[place - 1]


def _row(example: Example) -> str:
    row = {"sources": dict(example.sources), "references": list(example.references)}
    if example.supporting:
        row["supporting"] = list(example.supporting)
    return json.dumps(row, ensure_ascii=False)


def _parsed(content: Any) -> list[Example]:
    """Take examples from what JSON holds; messages name places, never what was found there."""
    rows = content.get("examples") if isinstance(content, dict) else None
    if not isinstance(rows, list) or content.get("format") != 1:
        raise ValueError('expected {"format": 1, "examples": [...]}')
    if len(rows) > MOST_EXAMPLES:
        raise ValueError(f"{len(rows)} examples")
    return [_example(row, number) for number, row in enumerate(rows, start=1)]


def _example(row: Any, number: int) -> Example:
    match row:
        case {"sources": dict(sources), "references": [_, *_] as references}:
            marked = _numbers(row.get("supporting", []), number)
            example = Example(sources, tuple(references), f"{EXAMPLES}:{number}", marked)
            for text in _texts(example) if sources else ():
                if not isinstance(text, str):
                    raise ValueError(f"example {number} holds something else than text")
                if _is_long(text):
                    raise ValueError(f"example {number} has {len(text):,} characters")
                text.encode()  # halves of characters cannot be sent on
            "".join(sources).encode()
            if sources:
                return example
    raise ValueError(f"example {number} has no source or no reference")


def _numbers(found: Any, number: int) -> tuple[int, ...]:
    good = isinstance(found, list) and len(found) <= _MARKED
    if not good or not all(type(one) is int and 0 <= one < 1 << 20 for one in found):
        raise ValueError(f"example {number} marks something else than a few sentences")
    return tuple(found)
