"""Files of probes: the examples that come with saccade, and those of a user."""

from importlib.resources import files
from pathlib import Path

from saccade.errors import DataError


def read_probes(path: Path | None, example: str, verb: str) -> tuple[str, str]:
    """Return the text of a file of probes, or of an example, and its name in messages.

    Args:
        path: a file; None for the example.
        example: the name of the example.
        verb: the command that prints it.
    """
    if path is None:
        return (files("saccade.guards") / example).read_text(encoding="utf-8"), "example"
    try:
        return path.read_text(encoding="utf-8"), str(path)
    except (OSError, UnicodeDecodeError) as error:
        raise DataError(
            f"{path}: cannot be read: {error}; expected a file of probes in YAML. `saccade {verb}"
            " MODEL --example` prints one."
        ) from None
