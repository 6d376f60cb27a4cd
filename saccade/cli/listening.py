"""What is said in a sound, written while it is heard."""

import json
import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import BinaryIO

from saccade.cli.formats import Format, one_line
from saccade.cli.options import columns, note
from saccade.engines.base import Opened
from saccade.errors import DataError, RecipeError
from saccade.modalities._sound_stream import SoundStream, open_stream
from saccade.predict.decode import DecodeOptions
from saccade.predict.listening import Heard, Listener
from saccade.predict.prediction import DECIMALS, rounded
from saccade.views.words import shorten

_CLEAR = "\r\x1b[K"  # back to the first column, and empty the line


@dataclass(frozen=True, slots=True)
class StreamOptions:
    """How streams are read and written.

    rate: samples a second of a stream without a header.  live: partial results are shown and
    written over.
    """

    rate: int = 0
    pause: float = 0.6
    form: Format = Format.text
    scores: bool = False
    live: bool = False


def write_streams(
    model: Opened,
    names: Sequence[str],
    file: BinaryIO,
    options: StreamOptions,
    decode: DecodeOptions,
) -> None:
    """Write a line for every stretch of every sound that is named; `-` is standard input."""
    if not names:
        raise RecipeError(
            "--stream: no sound is named; expected files, or - for standard input. Name one."
        )
    for number, name in enumerate(names):
        with _opened(name, options.rate) as stream:
            listener = Listener(model, rate=stream.rate, pause=options.pause, **decode)
            row = partial(_row, name, number, options)
            _follow(listener, stream, row, file, live=options.live)


def _follow(
    listener: Listener,
    stream: SoundStream,
    row: Callable[[Heard], str],
    file: BinaryIO,
    *,
    live: bool,
) -> None:
    """Write what is final; on a terminal, show what is not."""

    def write(several: list[Heard]) -> None:
        for heard in several:
            _show("", live=live)
            file.write(row(heard).encode() + b"\n")
            file.flush()

    try:
        for chunk in stream.chunks:
            write(listener.push(chunk / 32768.0))
            if live:
                said = listener.partial()
                _show(said.text if said else "", live=True)
    except KeyboardInterrupt:
        note("Stopped.")
    finally:  # also of a file that is cut off
        write(listener.finish())
        _show("", live=live)


def _show(text: str, *, live: bool) -> None:
    """Write a line over the one before."""
    if live:
        sys.stdout.write(_CLEAR + shorten(one_line(text), max(columns() - 1, 1)))
        sys.stdout.flush()


@contextmanager
def _opened(name: str, rate: int) -> Iterator[SoundStream]:
    if name == "-":
        yield open_stream(sys.stdin.buffer, "standard input", rate=rate)
        return
    try:
        with Path(name).open("rb") as file:
            yield open_stream(file, name, rate=rate)
    except OSError as error:
        if error.filename != name:
            raise
        raise DataError(
            f"{name}: cannot be read ({error.strerror}); expected a sound. Check the path."
        ) from None


def _row(name: str, number: int, options: StreamOptions, heard: Heard) -> str:
    """Write a stretch: its text; in TSV the sound and the times before it; in JSON all of it."""
    score = rounded(heard.prediction.score)
    if options.form is not Format.jsonl:
        times = [one_line(name), f"{heard.begins:.2f}", f"{heard.ends:.2f}"]
        fields = [*(times if options.form is Format.tsv else []), one_line(heard.text)]
        fields += [f"{score:.{DECIMALS}f}"] if options.scores else []
        return ("\t" if options.form is Format.tsv else " ||| ").join(fields)
    told = {
        "id": number,
        "source": name,
        "begins": round(heard.begins, 3),
        "ends": round(heard.ends, 3),
        "text": heard.text,
        "score": score,
        "words": [word.plain() for word in heard.words],
    }
    return json.dumps(told, ensure_ascii=False)
