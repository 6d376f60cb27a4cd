"""Pictures beside the texts of a corpus, for models that read both."""

import hashlib
import re
from collections.abc import Iterator
from functools import lru_cache
from pathlib import Path
from typing import Literal

from saccade.errors import DataError
from saccade.modalities._picture import PictureFile
from saccade.nouns import Example
from saccade.parts import Part
from saccade.readers._lines import fingerprint, numbered, place
from saccade.readers.base import Reader

_NUMBER = re.compile(r"\d+(?=[_.])")  # 1000268201_693b08cb0e.jpg: the number Flickr gave the photo


class Illustrated(Reader):
    """Reads a corpus of texts with a picture for each, as two sources, `text` and `picture`.

    names: a file with the name of the picture of every example, a line each.  images: the folder of
    the pictures.  match: how a name finds its file: by the whole `name`, or by the `number` that it
    begins with, under which Flickr30k (`1000268201.jpg`) and Flickr8k
    (`1000268201_693b08cb0e.jpg`) name the same photo.  missing: what to do with an example whose
    picture is not there: refuse, or skip.
    """

    def __init__(
        self,
        root: Path,
        *,
        corpus: Part[Reader] = Part(Reader, "text"),
        names: str = "",
        images: str = "",
        match: Literal["name", "number"] = "name",
        missing: Literal["refuse", "skip"] = "refuse",
    ) -> None:
        self.corpus = corpus.build(root)
        self.names, self.images = place(root, names), place(root, images)
        super().__init__(root, *self.corpus.paths, self.names)
        self.match, self.missing = match, missing

    def read(self) -> Iterator[Example]:
        """Yield the examples that have a picture, in the order of the corpus."""
        files, any_left = self._files(), False
        names = [line.strip() for _, line in numbered(self.names)]
        n = 0
        for n, example in enumerate(self.corpus.read(), start=1):
            if n > len(names):
                break
            found = files.get(self._key(names[n - 1]))
            if found is not None:
                any_left = True
                sources = {"text": example.source, "picture": PictureFile(found, found.name)}
                yield Example(sources, example.references, example.origin)
            elif self.missing == "refuse":
                raise DataError(
                    f"{self.names}:{n}: {names[n - 1][:60]!r} is not in {self.images}; expected"
                    f" the picture of {example.origin}. Put it there, or set missing: skip."
                )
        if n != len(names):
            more = f"more than {n - 1:,}" if n > len(names) else f"{n:,}"
            raise DataError(
                f"{self.names}: has {len(names):,} names for {more} examples; expected one each."
                " Check that both are of the same split."
            )
        if not any_left:
            raise DataError(
                f"{self.names}: none of its {len(names):,} pictures is in {self.images}; expected"
                " some. Check images of the reader, and match."
            )

    def fingerprint(self) -> str:
        """Hash the corpus, the names, the options, and the content of every picture in use."""
        text = fingerprint([self.names], "illustrated", self.match, self.missing)
        total = hashlib.blake2b(f"{text} {self.corpus.fingerprint()}".encode(), digest_size=16)
        files = self._files()
        for _, line in numbered(self.names):
            path = files.get(self._key(line.strip()))
            total.update(_digest(path, path.stat().st_mtime_ns).encode() if path else b"none")
        return total.hexdigest()

    def _files(self) -> dict[str, Path]:
        """Return the pictures of the folder by what they are found by."""
        if not self.images.is_dir() or not self.images.name:
            raise DataError(
                f"{self.images}: no such folder; expected the pictures that {self.names} names."
                " Check images of the reader; relative paths start where you run saccade."
            )
        return {self._key(path.name): path for path in sorted(self.images.iterdir())}

    def _key(self, name: str) -> str:
        number = _NUMBER.match(name) if self.match == "number" else None
        return number.group() if number else name


@lru_cache(maxsize=1 << 20)
def _digest(path: Path, changed: int) -> str:  # noqa: ARG001 - a part of the key
    """Hash a file's bytes, once a run unless it changes."""
    with path.open("rb") as file:
        return hashlib.file_digest(file, "blake2b").hexdigest()[:32]
