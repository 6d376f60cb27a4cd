"""What a model folder says of itself in its small files; read without torch."""

import json
from collections import Counter
from pathlib import Path
from typing import Any

from saccade.errors import CheckpointError
from saccade.guards.profile import Profile
from saccade.intake.files import read_json, read_text
from saccade.intake.numbers import whole

FORMAT = 2  # 1: models without embedders and heads, see legacy.py
BEGUN = "begun"
LEXICON = "lexicon.tsv"
_LARGEST_PROFILE = 64 << 20  # bytes
_LARGEST_LEXICON = 256 << 20
LANGUAGE_MODEL = "language_model"  # a folder


def read_facts(folder: Path) -> dict[str, Any]:
    """Read saccade.json; refuse a folder that is not ours, damaged, or newer."""
    path = folder / "saccade.json"
    if not folder.is_dir():
        raise CheckpointError(f"{folder}: no such model folder. `saccade train RECIPE` makes one.")
    try:
        facts = read_json(path)
        format_number = int(facts["format"])
    except FileNotFoundError:
        raise CheckpointError(
            f"{folder}: not a saccade model folder: it has no saccade.json. Give the folder that"
            " `saccade train` wrote."
        ) from None
    except (ValueError, KeyError, TypeError, OverflowError, OSError) as error:
        raise CheckpointError(
            f"{path}: damaged ({error}); expected the facts of a run. Copy the model folder again."
        ) from None
    if format_number > FORMAT:
        raise CheckpointError(
            f"{folder}: written in format {format_number} by a newer saccade; this one reads up to"
            f" format {FORMAT}. Upgrade saccade."
        )
    assert isinstance(facts, dict)
    return facts


def read_profile(folder: Path) -> Profile | None:
    """Read what was usual in training; None if nobody wrote it."""
    path = folder / "profile.json"
    if not path.exists():
        return None
    try:
        text = json.dumps(read_json(path, _LARGEST_PROFILE), ensure_ascii=False)
    except (OSError, ValueError) as error:
        raise CheckpointError(
            f"{path}: damaged ({error}); expected the profile of a model's training data. Copy the"
            " model folder again, or delete this file: its guards are silent then."
        ) from None
    return Profile.from_json(text, str(path))


def read_lexicon(folder: Path) -> dict[str, int] | None:
    """Read all that may be written and how often it occurs; None if everything may."""
    path = folder / LEXICON
    if not path.exists():
        return None
    counts = Counter[str]()
    try:
        lines = read_text(path, _LARGEST_LEXICON).removesuffix("\n").split("\n")
    except (OSError, ValueError) as error:
        raise CheckpointError(
            f"{path}: cannot be read ({error}); expected a text, a tab and how often it occurs in"
            " every line. Copy the model folder again, or delete it: all may be written then."
        ) from None
    for number, line in enumerate(lines, start=1):
        text, _, n = line.partition("\t")
        count = whole(n)
        if not text or not count:
            raise CheckpointError(
                f"{path}:{number}: found {line[:40]!r}; expected a text, a tab and how often it"
                " occurs. Mend the line."
            )
        counts[text] += count
    return counts
