"""Files that are translated: plain text as a whole, tables by their first column."""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import PurePath

from saccade.predict.passage import Passage
from saccade.server.limits import Limits
from saccade.server.models import Served
from saccade.server.passages import passages_of
from saccade.server.refusal import Refused

KINDS = (".txt", ".tsv")
_UNSAFE = re.compile(r"[^A-Za-z0-9_-]+")


@dataclass(frozen=True, slots=True)
class Document:
    """A file that was read.

    stem, kind: of its name.  texts: what is to be translated.  rows: of a table, its lines, each
    without its line end.
    """

    stem: str
    kind: str
    texts: tuple[str, ...]
    rows: tuple[str, ...] = ()

    def name(self, language: str) -> str:
        """Return what the translated file is called."""
        return f"{self.stem}_{_safe(language)}{self.kind}"

    def written(self, outputs: Sequence[str]) -> bytes:
        """Write the translated file: the text, or the table with one more column."""
        if self.kind == ".txt":
            return "".join(outputs).encode()
        flat = (" ".join(text.split()) for text in outputs)
        rows = zip(self.rows, flat, strict=True)
        return "".join(f"{row}\t{text}\n" if row else "\n" for row, text in rows).encode()


def read_document(filename: str, raw: bytes) -> Document:
    """Read a file by the end of its name."""
    path = PurePath(filename.replace("\\", "/"))
    kind = path.suffix.lower()
    if kind not in KINDS:
        raise Refused(
            400,
            f"file: {filename[:60]!r} is of a format that is not known; expected"
            f" {' or '.join(KINDS)}; convert it.",
        )
    try:
        text = raw.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise Refused(
            400, f"file: not UTF-8 at byte {error.start}; expected text in UTF-8; convert it."
        ) from None
    stem = _safe(path.stem)
    if kind == ".txt":
        return Document(stem, kind, (text,))
    rows = [row.removesuffix("\r") for row in text.removesuffix("\n").split("\n")] if text else []
    return Document(stem, kind, tuple(row.partition("\t")[0] for row in rows), tuple(rows))


def passages_in(document: Document, model: Served, limits: Limits) -> list[Passage]:
    """Cut a file into what a model reads; refuse a part that is too long."""
    boundless = Limits(queue=len("".join(document.texts)) + 1)  # a file is asked in several goes
    found = passages_of(model, boundless, document.texts, "file")
    for passage in found:
        for part in passage.parts:
            if len(part) > limits.characters:
                raise Refused(
                    413,
                    f"file: {part[:20]!r}... has {len(part)} characters; expected at most"
                    f" {limits.characters} in a line or sentence; break the line.",
                )
    return found


def _safe(name: str) -> str:
    return _UNSAFE.sub("_", name)[:60].strip("_") or "file"
