"""Recordings and what is said in them."""

import hashlib
import re
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Literal

from saccade.errors import DataError, RecipeError
from saccade.modalities._hearing import Hearing
from saccade.modalities._sound import SoundFile
from saccade.nouns import Example, pair
from saccade.readers._lines import fingerprint, place
from saccade.readers._utterances import (
    Listing,
    Utterance,
    kaldi_files,
    name_pattern,
    utterances_in,
)
from saccade.readers.base import Reader

SUFFIXES = (".wav", ".flac", ".ogg", ".opus", ".mp3")
_SHOWN = 3  # names in a message
_PROBE = Hearing(16_000, 3600.0, "cut")  # as long as any recipe may allow


class Sounds(Reader):
    """Reads recordings with their texts, an example for each.

    manifest: a file that names them: `name.wav<TAB>text`, CSV, NeMo's JSON lines, or Kaldi's folder
    with `wav.scp` and `text`, and `utt2spk` and `segments` if there are any; `format` says which,
    where it cannot be told.  files: the folder in which their names are looked for.

    Without a manifest, all sounds of `files` are read, and `names` tells what is said in each by
    the way it is called, as `{label}_{speaker}_{index}` or `{label}/{}`.  labels: what is written
    for a label, if it is not the label.  index: which numbers to read, as `5-49`.

    speakers: only these are read.  without: these are not.  missing: what to do with files that are
    not there, empty or broken: refuse, or skip.
    """

    def __init__(  # noqa: PLR0913 - all but one are options
        self,
        root: Path,
        *,
        files: str = "",
        manifest: str = "",
        format: Listing = "auto",
        names: str = "",
        labels: dict[str, str] = {},  # noqa: B006 - only read
        index: str = "",
        speakers: list[str] = [],  # noqa: B006
        without: list[str] = [],  # noqa: B006
        missing: Literal["refuse", "skip"] = "refuse",
    ) -> None:
        self.files = place(root, files) if files else None
        self.manifest = place(root, manifest) if manifest else None
        self.form, self.names, self.labels, self.missing = format, names, labels, missing
        self.index, self.speakers, self.without = _range(index), speakers, without
        self._check()
        folder = [self.files] if self.files and not self.manifest else []
        super().__init__(root, *self._lists(), *folder)

    def _lists(self) -> list[Path]:
        """Return the files that a manifest is made of."""
        kaldi = self.manifest and (self.form == "kaldi" or self.manifest.is_dir())
        if self.manifest and kaldi:
            return kaldi_files(self.manifest)
        return [self.manifest] if self.manifest else []

    def _check(self) -> None:
        if bool(self.manifest) == bool(self.names) or (self.names and not self.files):
            raise RecipeError(
                f"sounds: found manifest '{self.manifest or ''}', files '{self.files or ''}' and"
                f" names '{self.names}'; expected a manifest of recordings, or a folder of files"
                " and the names that they have there. Set one of them."
            )
        if self.names and "{label}" not in self.names:
            raise RecipeError(
                f"sounds.names: found {self.names!r}; expected {{label}} in it, as in"
                " {label}_{speaker}_{index}. Change it."
            )

    def read(self) -> Iterator[Example]:
        """Yield an example for every recording."""
        known = self.utterances()
        lost = self._lost(known)
        if lost and self.missing == "refuse":
            first = next(one for one in known if one.where in lost)
            raise DataError(
                f"{first.where}: {lost[first.where]}; expected a sound. {len(lost):,} of"
                f" {len(known):,} recordings cannot be read: {_listed(lost)}. Put them there, or"
                " set missing: skip."
            )
        if len(lost) == len(known):
            raise DataError(
                f"{self.manifest or self.files}: none of its {len(known):,} recordings can be read:"
                f" {next(iter(lost.values()))}. Check files of the reader."
            )
        for one in known:
            if one.where not in lost:
                yield pair(one.file, one.text, one.where)

    def utterances(self) -> list[Utterance]:
        """Return all that is asked for, whether its file is there."""
        if self.files is not None and not self.files.is_dir():
            raise DataError(
                f"{self.files}: no such folder; expected sounds. Check files of the reader;"
                " relative paths start where you run saccade."
            )
        if self.manifest is not None:
            every = utterances_in(self.manifest, self.files, self.form)
        else:
            every = self._named()
        found = [one for one in every if self._wants(one.file.speaker)]
        empty = next((one for one in found if not one.text), None)
        if empty is not None:
            raise DataError(
                f"{empty.where}: {empty.file} has no text; expected what is said. Write it, or"
                " leave the line out."
            )
        if not found:
            raise DataError(
                f"{self.manifest or self.files}: no recording is left to read; expected some."
                " Check names, index, speakers and without of the reader."
            )
        return found

    def _wants(self, speaker: str) -> bool:
        return (not self.speakers or speaker in self.speakers) and speaker not in self.without

    def _named(self) -> Iterator[Utterance]:
        """Go through the folder, in the order of names."""
        assert self.files is not None
        pattern = name_pattern(self.names)
        for path in sorted(self.files.rglob("*")):
            if path.suffix.lower() not in SUFFIXES:
                continue
            name = path.relative_to(self.files).as_posix()
            found = pattern.fullmatch(name.removesuffix(path.suffix))
            if found is None:
                raise DataError(
                    f"{path}: is not called as {self.names}; expected all sounds of the folder to"
                    " be. Rename it, move it away, or change names of the reader."
                )
            said = found.groupdict()
            low, high = self.index
            if low <= int(said.get("index") or low) <= high:
                text = self.labels.get(said["label"], said["label"])
                yield Utterance(SoundFile(path, name, said.get("speaker") or ""), text, str(path))

    def fingerprint(self) -> str:
        """Hash the texts, the options, and the content of every recording."""
        total = hashlib.blake2b(fingerprint(self._lists(), "sounds", self.missing).encode())
        for one in self.utterances():
            said = f"{one.file.name}\0{one.file.speaker}\0{one.text}\0{one.file.digest}\0"
            total.update(said.encode())
        return total.hexdigest()[:32]

    def problem(self, file: SoundFile, *, decode: bool) -> str:
        """Say what is wrong with a file, or nothing; whether it is broken only if it is decoded."""
        try:
            size = file.path.stat().st_size
        except OSError:
            return f"{file.path}: no such file"
        if not size:
            return f"{file.path}: the file is empty"
        try:
            if decode:
                _PROBE.sound(file, str(file))
        except DataError as error:
            return str(error)
        return ""

    def skipped(self) -> str:
        """Say how many recordings are left out, and which; nothing if there are none."""
        known = self.utterances() if self.missing == "skip" else []
        lost = self._lost(known)
        if not lost:
            return ""
        return (
            f"{len(lost):,} of {len(known):,} recordings are missing, empty or broken, and skipped:"
            f" {_listed(lost)}."
        )

    def _lost(self, known: Sequence[Utterance]) -> dict[str, str]:
        """Return what is wrong with recordings, by where; those to be skipped are decoded."""
        skips = self.missing == "skip"
        return {one.where: s for one in known if (s := self.problem(one.file, decode=skips))}


def _listed(lost: dict[str, str]) -> str:
    names = [Path(said.partition(": ")[0]).name for said in lost.values()]
    more = f" and {len(names) - _SHOWN:,} more" if len(names) > _SHOWN else ""
    return ", ".join(names[:_SHOWN]) + more


def _range(text: str) -> tuple[int, int]:
    """Read `5-49`, or one number; all if it is empty."""
    if not text:
        return 0, 1 << 62
    found = re.fullmatch(r"(\d{1,15})(?:-(\d{1,15}))?", text)
    if found is None:
        raise RecipeError(
            f"sounds.index: found {text!r}; expected numbers such as 5-49. Change it."
        )
    return int(found[1]), int(found[2] or found[1])
