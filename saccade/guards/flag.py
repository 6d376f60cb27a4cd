"""What a guard says: a flag. Guards are pure functions of strings, numbers and arrays."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Final, Literal

Kind = Literal["unknown", "unfamiliar", "loop", "coverage", "length", "confidence"]
Severity = Literal["note", "warning"]
Side = Literal["source", "target"]

KINDS: Final[dict[Kind, str]] = {  # in the order in which they are shown
    "unknown": "unknown words in the source",
    "unfamiliar": "source unlike anything in training",
    "loop": "output that repeats itself",
    "coverage": "source left uncovered",
    "length": "output of an odd length",
    "confidence": "low confidence",
}
_MARK = "▁"  # begins a word, or is a space; as the vocabularies show it


@dataclass(frozen=True, slots=True)
class Flag:
    """One reason not to trust an output.

    Args:
        kind: which guard says so.
        message: why, in a sentence for the user.
        severity: a note tells of a weakness, a warning of a likely mistake.
        places: numbers of pieces, from 0, that the flag is about; may be empty.
        side: whose pieces `places` counts: those of the source or those of the target.
    """

    kind: Kind
    message: str
    severity: Severity = "warning"
    places: tuple[int, ...] = ()
    side: Side = "target"

    def plain(self) -> dict[str, Any]:
        """Return what JSON can hold."""
        return {
            "kind": self.kind,
            "message": self.message,
            "severity": self.severity,
            "places": list(self.places),
            "side": self.side,
        }


def spell(pieces: Sequence[str]) -> str:
    """Join pieces to the text that they stand for.

    >>> spell(["▁the", "▁c", "at"]), spell(["a", "▁", "b"])
    ('the cat', 'a b')
    """
    return "".join(pieces).replace(_MARK, " ").strip()


def quote(text: str, longest: int = 40) -> str:
    """Put a text between quotation marks, shortened in its middle if it is long.

    >>> quote("abcdefgh", longest=5)
    "'ab…gh'"
    """
    half = (longest - 1) // 2
    return f"'{text}'" if len(text) <= longest else f"'{text[:half]}…{text[-half:]}'"
