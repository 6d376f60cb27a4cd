"""All that is fuzzed."""

from collections.abc import Mapping
from functools import cache
from pathlib import Path

from tests.fuzz.folder_targets import folder_targets
from tests.fuzz.media_targets import media_targets
from tests.fuzz.reader_targets import reader_targets
from tests.fuzz.route_targets import route_targets
from tests.fuzz.target import Target, by_name
from tests.fuzz.text_targets import text_targets

CORPUS = Path(__file__).parent / "corpus"


@cache
def targets() -> Mapping[str, Target]:
    """Return every target by its name."""
    return by_name(
        [
            *reader_targets(),
            *text_targets(),
            *folder_targets(),
            *media_targets(),
            *route_targets(),
        ]
    )


def corpus_of(name: str) -> dict[str, bytes]:
    """Return the inputs that are kept for a target, by their names: seeds, and what was found."""
    paths = sorted((CORPUS / name).iterdir())
    return {path.name: path.read_bytes() for path in paths}
