"""A folder of clips and a file of what happens in them."""

import hashlib
from collections.abc import Iterator
from functools import lru_cache
from pathlib import Path, PurePosixPath, PureWindowsPath

from saccade.errors import DataError, RecipeError
from saccade.modalities._clip import ClipFile
from saccade.nouns import SOURCE_NAME, Example
from saccade.readers._lines import fingerprint, numbered, place
from saccade.readers._paths import unfit
from saccade.readers.base import Reader

_FASTEST = 1000.0  # frames a second


class Clips(Reader):
    """Reads clips of a folder with all that is said of each, an example for each clip.

    clips: the folder; in it a clip is a video file, an animation (GIF, APNG, WebP), or a folder of
    pictures, which are its frames in the order of their names.  captions: a file with
    `name<TAB>text` on a line; a name may stand on several.  split: a file with the names of the
    clips to read, one a line; all if there is none.  rate: frames a second of folders, 0 if nobody
    knows.

    Clips come in the order in which the captions name them. They are not opened here.
    """

    def __init__(
        self,
        root: Path,
        *,
        clips: str = "",
        captions: str = "",
        split: str = "",
        rate: float = 0.0,
    ) -> None:
        self.clips, self.captions = place(root, clips), place(root, captions)
        self.split = place(root, split) if split else None
        super().__init__(root, self.captions, *([self.split] if self.split else []))
        self.rate = rate
        if not 0 <= rate <= _FASTEST:
            raise RecipeError(
                f"clips.rate: found {rate:g}; expected 0 to {_FASTEST:g} frames a second. Change"
                " it."
            )

    def read(self) -> Iterator[Example]:
        """Yield an example for every clip."""
        for name, said in self._grouped().items():
            texts = tuple(text for _, text in said)
            where = f"{self.captions}:{said[0][0]}"
            path = self.clips / name
            if not path.exists():
                raise DataError(
                    f"{where}: {path}: no such clip; expected a file or a folder of frames. Put it"
                    " there, or leave the line out."
                )
            yield Example({SOURCE_NAME: ClipFile(path, name, self.rate)}, texts, where)

    def fingerprint(self) -> str:
        """Hash the captions, the split, the rate, and the content of every clip."""
        total = hashlib.blake2b(fingerprint(self.paths, "clips", self.rate).encode())
        for name in self._grouped():
            for path in _files(self.clips / name):
                inside = path.relative_to(self.clips).as_posix()
                total.update(f"{inside}\0{_digest(path)}\0".encode())
        return total.hexdigest()[:32]

    def _grouped(self) -> dict[str, list[tuple[int, str]]]:
        """Return (line, text) of all that is said, by the name of the clip."""
        if not self.clips.is_dir() or not self.clips.name:
            raise DataError(
                f"{self.clips}: no such folder; expected the clips that {self.captions} names."
                " Check clips of the reader; relative paths start where you run saccade."
            )
        wanted = None
        if self.split is not None:
            wanted = {line.strip() for _, line in numbered(self.split) if line.strip()}
        found: dict[str, list[tuple[int, str]]] = {}
        for number, line in numbered(self.captions):
            if line.strip():
                name, text = _caption(line, f"{self.captions}:{number}")
                if wanted is None or name in wanted:
                    found.setdefault(name, []).append((number, text))
        lost = sorted((wanted or set()) - set(found))
        if lost or not found:
            said = f"{len(lost):,} clips of {self.split}, such as {lost[0]}" if lost else "any clip"
            raise DataError(
                f"{self.captions}: says nothing of {said}; expected a line of each. Check the files"
                " of the reader."
            )
        return found


def _caption(line: str, where: str) -> tuple[str, str]:
    """Split a line into the name of a clip and what happens in it; refuse what leads elsewhere."""
    name, _, text = (part.strip() for part in line.partition("\t"))
    if not name or not text:
        raise DataError(
            f"{where}: found {line[:60]!r}; expected the name of a clip, a tab, and what happens"
            " in it. Mend the line."
        )
    paths = (PurePosixPath(name), PureWindowsPath(name))
    out = any(path.is_absolute() or path.drive or ".." in path.parts for path in paths)
    if out or unfit(name):
        raise DataError(
            f"{where}: the clip is called {name[:60]!r}; expected a name inside the folder of the"
            " clips. Mend the line."
        )
    return name, text


def _files(path: Path) -> list[Path]:
    """Return the files of a clip: itself, or those of its folder."""
    if path.is_dir():
        return sorted(inner for inner in path.iterdir() if inner.is_file())
    return [path] if path.exists() else []


def _digest(path: Path) -> str:
    about = path.stat()
    return _hashed(path, (about.st_size, about.st_mtime_ns))


@lru_cache(maxsize=1 << 20)
def _hashed(path: Path, stamp: tuple[int, int]) -> str:  # noqa: ARG001 - a part of the key
    """Hash a file's bytes, once a run unless it changes."""
    with path.open("rb") as file:
        return hashlib.file_digest(file, "blake2b").hexdigest()[:32]
