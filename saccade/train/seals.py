"""Seals: the SHA-256 of a file, written down when it was written, and asked for when it is read."""

import hashlib
import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from saccade.errors import CheckpointError
from saccade.intake.files import open_regular, read_json

SEALS = "sha256"  # the key that holds them
_LARGEST_FILE = 1 << 50  # bytes: no limit
_LARGEST = 64 << 20  # bytes: a run that validates often keeps many figures


def seal_of(path: Path) -> str:
    """Return the SHA-256 of a regular file."""
    with open_regular(path, _LARGEST_FILE) as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def check_seal(path: Path, seals: Mapping[str, Any], advice: str) -> None:
    """Refuse a file that is not the one that was sealed.

    One that nobody sealed passes, and one that is not there: whoever reads it says so.
    """
    expected = seals.get(path.name)
    if expected is None or not path.exists():
        return
    try:
        found = seal_of(path)
    except (OSError, ValueError) as error:
        raise CheckpointError(
            f"{path}: cannot be read ({error}); expected the file that was written. {advice}"
        ) from None
    if found != expected:
        raise CheckpointError(
            f"{path}: damaged or changed: its SHA-256 is {found}; expected {str(expected)[:64]},"
            f" which was written. {advice}"
        )


def sealed_json(content: Mapping[str, Any]) -> str:
    """Write JSON that holds its own seal."""
    return json.dumps({**content, "seal": _own(content)}, indent=1)


def read_sealed_json(path: Path) -> dict[str, Any]:
    """Read JSON that may hold its own seal; ValueError if it is another's, or no dictionary."""
    raw = read_json(path, most=_LARGEST)
    if not isinstance(raw, dict):
        raise ValueError("no dictionary")
    expected, found = raw.pop("seal", None), _own(raw)
    if expected is not None and expected != found:
        raise ValueError(f"its seal is {str(expected)[:64]}, but its content has {found}")
    return raw


def _own(content: Mapping[str, Any]) -> str:
    return hashlib.sha256(json.dumps(content, sort_keys=True).encode()).hexdigest()
