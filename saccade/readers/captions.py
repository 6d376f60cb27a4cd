"""A folder of pictures and a file of what they show."""

import hashlib
from collections.abc import Container, Iterable, Iterator, Sequence
from functools import lru_cache
from pathlib import Path, PurePosixPath, PureWindowsPath
from typing import Literal

from saccade.errors import DataError, RecipeError
from saccade.modalities._photo import LARGEST, read_photo
from saccade.modalities._picture import PictureFile
from saccade.nouns import SOURCE_NAME, Example
from saccade.readers._captions import IN_FOLDER, Caption, Form, captions_in
from saccade.readers._lines import fingerprint, numbered, place
from saccade.readers._paths import unfit
from saccade.readers.base import Reader

_SHOWN = 3  # names in a message


class Captions(Reader):
    """Reads pictures of a folder with all their captions, an example for each picture.

    images: the folder.  captions: a file that names pictures in it: Flickr8k's token file
    (`name.jpg#0<TAB>caption`), `name.jpg<TAB>caption`, CSV, JSON lines with `image` and `captions`,
    COCO's JSON, or Karpathy's; `format` says which, where it cannot be told. Two formats need no
    file: with `beside` the text of `0001.png` is in `0001.gt.txt` or `0001.txt`, as lines of print
    are kept; with `names` the name of a picture, without `.png`, is its text.  split: a file with
    the names of the pictures to read, one a line; all if there is none.  part: in its place, the
    split that Karpathy's JSON gives them, as `train` or `train+restval`.  missing: what to do with
    pictures that are not there, empty or broken: refuse, or skip.

    Pictures come in the order in which the captions name them. They are not opened here.
    """

    def __init__(
        self,
        root: Path,
        *,
        images: str = "",
        captions: str = "",
        split: str = "",
        part: str = "",
        format: Form = "auto",
        missing: Literal["refuse", "skip"] = "refuse",
    ) -> None:
        self.alone = format in IN_FOLDER
        if self.alone and captions:
            raise RecipeError(
                f"captions: format {format} takes texts from the folder, but captions names"
                f" {captions}; expected one of the two. Leave one out."
            )
        self.images = place(root, images)
        self.captions = self.images if self.alone else place(root, captions)
        self.split = place(root, split) if split else None
        super().__init__(root, self.captions, *([self.split] if self.split else []))
        self.part, self.form, self.missing = part, format, missing

    def read(self) -> Iterator[Example]:
        """Yield an example for every picture."""
        grouped = self.grouped()
        lost = self._lost(grouped)
        if lost and self.missing == "refuse":
            raise DataError(self._refusal(lost, grouped))
        if len(lost) == len(grouped):
            raise DataError(
                f"{self.captions}: none of its {len(grouped):,} pictures can be read from"
                f" {self.images}: {next(iter(lost.values()))}. Check images of the reader."
            )
        for name, captions in grouped.items():
            if name not in lost:
                texts = tuple(caption.text for caption in captions)
                yield Example({SOURCE_NAME: self.picture(name)}, texts, captions[0].where)

    def picture(self, name: str) -> PictureFile:
        """Return the picture of a name, which need not be there."""
        return PictureFile(self.images / name, name)

    def grouped(self) -> dict[str, list[Caption]]:
        """Return the captions of this split by the name of their picture, whether it is there.

        `where` of them all is the line that names the picture first.
        """
        if not self.images.is_dir() or not self.images.name:
            raise DataError(
                f"{self.images}: no such folder; expected the pictures that {self.captions} names."
                " Check images of the reader; relative paths start where you run saccade."
            )
        wanted = self._wanted()
        found: dict[str, list[Caption]] = {name: [] for name in wanted or {}}
        order: dict[str, None] = {}
        for caption in self._chosen(wanted):
            if not caption.text.strip():
                raise DataError(
                    f"{caption.where}: the caption of {caption.image} is empty; expected words."
                    " Write some, or leave the line out."
                )
            if caption.image not in order:
                _check_inside(caption.image, caption.where)
                order[caption.image] = None
            same = found.setdefault(caption.image, [])
            first = same[0] if same else caption  # one name and one line a picture are held
            same.append(caption._replace(image=first.image, where=first.where))
        self._check_captioned(found)
        return {name: found[name] for name in order}

    def count(self) -> int:
        """Count the pictures without their captions; those that are skipped count too."""
        return len({caption.image for caption in self._chosen(self._wanted())})

    def _chosen(self, wanted: Container[str] | None) -> Iterator[Caption]:
        """Yield the captions of this split, in the order of the file."""
        parts = self.part.split("+") if self.part else []
        for caption in captions_in(self.captions, self.form):
            if parts and caption.split not in parts:
                continue
            if wanted is None or caption.image in wanted:
                yield caption

    def fingerprint(self) -> str:
        """Hash the captions, the split, the options, and the content of every picture."""
        options = (self.part, self.form, self.missing)
        lists = self.paths[1:] if self.alone else self.paths
        total = hashlib.blake2b(fingerprint(lists, "captions", *options).encode())
        for name, captions in self.grouped().items():
            total.update(f"{name}\0{self.picture(name).digest}\0".encode())
            if self.alone:
                total.update("".join(f"{caption.text}\0" for caption in captions).encode())
        return total.hexdigest()[:32]

    def _wanted(self) -> dict[str, None] | None:
        """Return the names of the split, in order; None for all."""
        if self.split is None:
            return None
        lines = ((number, line.strip()) for number, line in numbered(self.split))
        return {name: None for _, name in lines if name}

    def _check_captioned(self, found: dict[str, list[Caption]]) -> None:
        bare = [name for name, captions in found.items() if not captions]
        if bare and (self.missing == "refuse" or len(bare) == len(found)):
            raise DataError(
                f"{self.split}: {len(bare):,} of {len(found):,} pictures have no caption in"
                f" {self.captions}: {_listed(bare)}; expected one or more each. Leave them out, or"
                " set missing: skip."
            )
        if not found:
            said = f" of split '{self.part}'" if self.part else ""
            raise DataError(
                f"{self.captions}: names no picture{said}; expected some. Check the file and the"
                " reader's options."
            )

    def problem(self, name: str, *, decode: bool) -> str:
        """Say what is wrong with a picture, or nothing.

        Only if it is decoded here is it known whether it is broken; otherwise that is found when it
        is encoded.
        """
        path = self.images / name
        try:
            about = path.stat()
        except OSError:
            return f"{path}: no such file"
        if not about.st_size:
            return f"{path}: the file is empty"
        return _broken(path, about.st_mtime_ns) if decode else ""

    def skipped(self) -> str:
        """Say how many pictures are left out, and which; nothing if there are none."""
        if self.missing == "refuse":
            return ""
        grouped = self.grouped()
        lost = self._lost(grouped)
        if not lost:
            return ""
        return (
            f"{len(lost):,} of {len(grouped):,} pictures are missing, empty or broken, and"
            f" skipped: {_listed(list(lost))}."
        )

    def _lost(self, names: Iterable[str]) -> dict[str, str]:
        """Return what is wrong with pictures, by name; those that are to be skipped are decoded."""
        skips = self.missing == "skip"
        return {name: said for name in names if (said := self.problem(name, decode=skips))}

    def _refusal(self, lost: dict[str, str], grouped: dict[str, list[Caption]]) -> str:
        first = next(iter(lost))
        return (
            f"{grouped[first][0].where}: {lost[first]}; expected a picture. {len(lost):,} of"
            f" {len(grouped):,} pictures cannot be read: {_listed(list(lost))}. Put them into"
            f" {self.images}, or set missing: skip."
        )


def _check_inside(name: str, where: str) -> None:
    """Refuse names that lead out of the folder."""
    paths = (PurePosixPath(name), PureWindowsPath(name))
    out = any(path.is_absolute() or path.drive or ".." in path.parts for path in paths)
    if out or not name.strip() or unfit(name):
        raise DataError(
            f"{where}: the picture is called {name[:60]!r}; expected a name inside the folder of"
            " the pictures. Mend the line."
        )


def _listed(names: Sequence[str]) -> str:
    more = f" and {len(names) - _SHOWN:,} more" if len(names) > _SHOWN else ""
    return ", ".join(names[:_SHOWN]) + more


@lru_cache(maxsize=1 << 20)
def _broken(path: Path, changed: int) -> str:  # noqa: ARG001 - a part of the key
    """Decode a picture; say what is wrong with it, or nothing. Once a run, unless it changes."""
    try:
        read_photo(path, str(path), most=LARGEST)
    except DataError as error:
        return str(error)
    return ""
