"""A clip: frames, when each is shown, and what happens in them; as an array and as text.

As text a clip is a data URI that holds an animated PNG, which loses nothing. GIF and WebP are read
too. What happens, if it is known, stands in a text chunk of the PNG file.
"""

import base64
import binascii
import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from saccade.errors import DataError
from saccade.modalities import _apng

Frames = NDArray[np.uint8]  # [F, H, W, 3]
Span = tuple[int, int]
"""The first frame, and the first one behind the last."""

PREFIX = "data:image/apng;base64,"
PREFIXES = (PREFIX, "data:image/gif;base64,", "data:image/png;base64,", "data:image/webp;base64,")
MOST_TEXT = 1 << 24
"""Bytes of a clip that is given as text."""
EVENTS = "saccade-events"
"""The keyword of the chunk."""

_MOST_EVENTS = 100


@dataclass(frozen=True, slots=True, eq=False)
class Clip:
    """Frames `[F, H, W, 3]` from 0 to 255.

    times: when each frame is shown, in milliseconds from the first, none if nobody knows.  events:
    what happens, in words, and in which frames.
    """

    frames: Frames
    times: tuple[int, ...] = ()
    events: Mapping[str, Span] = field(default_factory=dict)

    @property
    def labels(self) -> tuple[str, ...]:
        """Name the frames by their seconds, or by their numbers from 1 if those are not known.

        >>> Clip(np.zeros((2, 1, 1, 3), np.uint8), (0, 250)).labels
        ('0.00', '0.25')
        """
        if not self.times:
            return tuple(str(n) for n in range(1, len(self.frames) + 1))
        digits = 1 if all(t % 100 == 0 for t in self.times) else 2
        return tuple(f"{t / 1000:.{digits}f}" for t in self.times)

    def spans(self, words: Sequence[str]) -> dict[int, Span]:
        """Find what happens among words; return the frames of each word that tells it.

        >>> clip = Clip(np.zeros((9, 1, 1, 3), np.uint8), (), {"a 3 falls": (2, 5)})
        >>> clip.spans(("then", "a", "3", "falls"))
        {1: (2, 5), 2: (2, 5), 3: (2, 5)}
        """
        found: dict[int, Span] = {}
        for name, span in self.events.items():
            said = name.split()
            starts = range(len(words) - len(said) + 1)
            at = next((i for i in starts if list(words[i : i + len(said)]) == said), None)
            if at is not None:
                found |= dict.fromkeys(range(at, at + len(said)), span)
        return dict(sorted(found.items()))

    def taken(self, picks: Sequence[int], frames: Frames) -> "Clip":
        """Return the clip of the frames `picks`, which look like `frames`."""
        first = self.times[picks[0]] if self.times else 0
        times = tuple(self.times[i] - first for i in picks) if self.times else ()
        ends = {name: np.searchsorted(picks, span) for name, span in self.events.items()}
        kept = {name: (int(a), int(b)) for name, (a, b) in ends.items() if a < b}
        return Clip(frames, times, kept)


@dataclass(frozen=True, slots=True)
class ClipFile:
    """A clip that is opened where it is needed: a video, an animation, or a folder of frames.

    name: what the data calls it: the same wherever its folder lies.  rate: frames a second of a
    folder, 0 if nobody knows.
    """

    path: Path
    name: str = ""
    rate: float = 0.0

    def __str__(self) -> str:
        return self.name or self.path.name


def to_text(clip: Clip) -> str:
    """Write a clip as text, for a page, a request or a line of a file."""
    known = {name: list(span) for name, span in clip.events.items()}
    texts = {EVENTS: json.dumps(known)} if known else {}
    data = _apng.encode(clip.frames, clip.times, texts)
    return PREFIX + base64.b64encode(data).decode("ascii")


def bytes_of(text: str, where: str = "clip") -> bytes:
    """Return the file that a clip as text holds. Nothing is fetched and no file is opened."""
    text = text.strip()
    prefix = next((one for one in PREFIXES if text[: len(one)].lower() == one), None)
    if prefix is None:
        raise DataError(
            f"{where}: found {text[:40]!r}; expected a clip as text that begins with"
            f" {PREFIXES[1]} or {PREFIX}. Paths and addresses are not opened; encode the file with"
            " base64."
        )
    if len(text) > MOST_TEXT * 4 // 3 + len(prefix) + 4:
        raise DataError(
            f"{where}: has {len(text):,} characters; expected a clip of at most {MOST_TEXT:,}"
            " bytes. Cut it, or scale it down."
        )
    try:
        return base64.b64decode(text[len(prefix) :], validate=True)
    except (binascii.Error, ValueError) as error:
        raise DataError(
            f"{where}: the clip is not base64 ({str(error).rstrip('.')}); expected A-Z, a-z, 0-9, +"
            f" and / behind {prefix}. Encode it anew."
        ) from None


def as_array(raw: Any, where: str) -> Clip:
    """Return an array of frames as a clip."""
    found = np.asarray(raw)
    if found.ndim != 4 or found.shape[3] != 3 or found.dtype != np.uint8 or not found.size:
        raise DataError(
            f"{where}: an array {list(found.shape)} of {found.dtype}; expected a clip [F, H, W, 3]"
            " of uint8: red, green and blue from 0 to 255. Convert it."
        )
    return Clip(found)


def events_of(text: str, n_frames: int, where: str) -> dict[str, Span]:
    """Read what happens in a clip, which a stranger may have written."""
    try:
        found = {str(name): _span(raw, n_frames) for name, raw in json.loads(text).items()}
    except (ValueError, TypeError, AttributeError, RecursionError) as error:
        raise DataError(
            f"{where}: the events of the clip cannot be read ({error}); expected JSON such as"
            ' {"a 3 falls": [2, 6]}, frames of the clip. Leave them out.'
        ) from None
    if len(found) > _MOST_EVENTS:
        raise DataError(
            f"{where}: the clip has {len(found):,} events; expected at most {_MOST_EVENTS}. Leave"
            " some out."
        )
    return found


def _span(raw: Any, n_frames: int) -> Span:
    first, behind = (end if type(end) is int else -1 for end in raw)
    if not 0 <= first < behind <= n_frames:
        raise ValueError(f"{str(raw)[:40]} are no frames of {n_frames:,}")
    return first, behind
