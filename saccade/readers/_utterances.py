"""Lists of recordings in the forms that are in use: which file, which words, who speaks."""

import json
import re
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path, PurePosixPath, PureWindowsPath
from typing import Any, Literal, NamedTuple

from saccade.errors import DataError
from saccade.modalities._hearing import is_time
from saccade.modalities._sound import SoundFile
from saccade.readers._lines import is_broken, numbered, numbered_rows
from saccade.readers._paths import unfit

Listing = Literal["auto", "tsv", "csv", "jsonl", "kaldi"]

_PATHS = ("audio_filepath", "path", "audio", "file", "filename", "file_name", "wav", "sound")
_TEXTS = ("text", "sentence", "transcript", "transcription", "label", "target")
_SPEAKERS = ("speaker", "speaker_id", "client_id")
_SCP, _TEXT, _SPK, _SEGMENTS = "wav.scp", "text", "utt2spk", "segments"


class Utterance(NamedTuple):
    """What is said in a file, or in a part of it, and the line that tells so."""

    file: SoundFile
    text: str
    where: str


def utterances_in(path: Path, folder: Path | None, form: Listing) -> Iterator[Utterance]:
    """Yield all utterances of a list, in its order.

    Names of files are looked for in `folder`, and must not lead out of it; without one they start
    where the list lies, and may be anywhere.
    """
    chosen = _form_of(path) if form == "auto" else form
    return _FORMS[chosen](path, folder)


def kaldi_files(folder: Path) -> list[Path]:
    """Return the files of Kaldi's folder that are read."""
    more = [folder / name for name in (_SPK, _SEGMENTS) if (folder / name).exists()]
    return [folder / _SCP, folder / _TEXT, *more]


def _form_of(path: Path) -> str:
    if path.is_dir():
        return "kaldi"
    _, line = next(numbered(path))
    if line.lstrip().startswith("{"):
        return "jsonl"
    if "\t" in line:
        return "tsv"
    if "," in line:
        return "csv"
    raise DataError(
        f"{path}:1: found {line[:40]!r}; expected the name of a sound and its text, parted by a"
        " tab. Mend the file, or say which format it has: tsv, csv, jsonl or kaldi."
    )


def _tsv(path: Path, folder: Path | None) -> Iterator[Utterance]:
    """Read `name.wav<TAB>text`, a third column for the speaker, or columns that are named."""
    rows = ((number, line.split("\t")) for number, line in numbered(path) if line.strip())
    return _table(rows, path, folder)


def _csv(path: Path, folder: Path | None) -> Iterator[Utterance]:
    """Read `name.wav,text`; quotes as in other CSV files, names of columns if they are there."""
    rows = ((number, columns) for number, columns in numbered_rows(path) if columns)
    return _table(rows, path, folder)


def _table(
    rows: Iterator[tuple[int, list[str]]], path: Path, folder: Path | None
) -> Iterator[Utterance]:
    columns, begun = (0, 1, 2), False
    for number, cells in rows:
        where = f"{path}:{number}"
        if not begun and (found := _columns(cells)):
            columns, begun = found, True
            continue
        begun = True
        if len(cells) <= max(columns[:2]):
            raise DataError(
                f"{where}: found {' '.join(cells)[:60]!r}; expected the name of a sound and its"
                " text, in two columns. Mend the line."
            )
        name, text = (cells[column].strip() for column in columns[:2])
        speaker = cells[columns[2]].strip() if 0 <= columns[2] < len(cells) else ""
        yield Utterance(sound_file(name, path.parent, folder, where, speaker), text, where)


def _columns(cells: Sequence[str]) -> tuple[int, int, int] | None:
    """Return where path, text and speaker stand, if these are names of columns; -1 for none."""
    names = [cell.strip().lower() for cell in cells]
    path, text, speaker = (
        next((names.index(name) for name in known if name in names), -1)
        for known in (_PATHS, _TEXTS, _SPEAKERS)
    )
    return (path, text, speaker) if path >= 0 and text >= 0 else None


def _jsonl(path: Path, folder: Path | None) -> Iterator[Utterance]:
    """Read NeMo's manifest: `{"audio_filepath": "a.wav", "text": "...", "offset": 1.5, ...}`."""
    for number, line in numbered(path):
        if not line.strip():
            continue
        where = f"{path}:{number}"
        try:
            found = json.loads(line)
        except (ValueError, RecursionError):
            found = None
        if not isinstance(found, dict):
            raise DataError(
                f'{where}: found {line[:60]!r}; expected an object {{"audio_filepath": "a.wav",'
                ' "text": "..."}. Mend the line.'
            )
        name, text = (_value(found, keys, where) for keys in (_PATHS, _TEXTS))
        speaker = next((str(found[key]) for key in _SPEAKERS if key in found), "")
        if is_broken(speaker):
            raise DataError(f"{where}: the speaker's name holds half a character. Mend the line.")
        start = _time(found.get("offset", 0), where)
        seconds = _time(found.get("duration", 0), where) if start else 0.0
        file = sound_file(name, path.parent, folder, where, speaker)
        yield Utterance(SoundFile(file.path, file.name, speaker, start, seconds), text, where)


def _kaldi(path: Path, folder: Path | None) -> Iterator[Utterance]:
    """Read `wav.scp` and `text`, and `utt2spk` and `segments` if they are there.

    Lines of wav.scp that are commands are refused: nothing is run.
    """
    recordings = {key: (name, where) for key, name, where in _pairs(path / _SCP)}
    speakers = {key: name for key, name, _ in _pairs(path / _SPK, optional=True)}
    segments = {key: (said, w) for key, said, w in _pairs(path / _SEGMENTS, optional=True)}
    for key, text, where in _pairs(path / _TEXT):
        if segments and key not in segments:
            raise DataError(_unknown(where, key, path / _SEGMENTS))
        recording, start, seconds = _segment(*segments[key]) if segments else (key, 0.0, 0.0)
        if recording not in recordings:
            raise DataError(_unknown(where, recording, path / _SCP))
        name, there = recordings[recording]
        if name.endswith("|"):
            raise DataError(
                f"{there}: found the command {name[:60]!r}; expected the path of a sound. Commands"
                " are not run: write its output to files."
            )
        file = sound_file(name, path, folder, there)
        speaker = speakers.get(key, "")
        yield Utterance(SoundFile(file.path, key, speaker, start, seconds), text, where)


def _pairs(path: Path, *, optional: bool = False) -> Iterator[tuple[str, str, str]]:
    """Yield the first word of every line, the rest of it, and where it stands."""
    if optional and not path.exists():
        return
    for number, line in numbered(path):
        if line.strip():
            key, _, rest = line.strip().partition(" ")
            yield key, rest.strip(), f"{path}:{number}"


def _segment(said: str, where: str) -> tuple[str, float, float]:
    """Read `recording start end`."""
    cells = said.split()
    try:
        recording, start, end = cells[0], float(cells[1]), float(cells[2])
    except (ValueError, IndexError):
        recording, start, end = "", 0.0, 0.0
    if not recording or not is_time(start) or not is_time(end) or start >= end:
        raise DataError(
            f"{where}: found {said[:60]!r}; expected a recording, and where in it an utterance"
            " starts and ends, in seconds. Mend the line."
        )
    return recording, start, end - start


def _unknown(where: str, key: str, path: Path) -> str:
    return f"{where}: {key[:60]!r} is not in {path}; expected a line of it. Add it, or drop this."


def _value(found: dict[str, Any], keys: Sequence[str], where: str) -> str:
    value = next((found[key] for key in keys if key in found), None)
    if not isinstance(value, str) or is_broken(value):
        raise DataError(
            f"{where}: has no text under {keys[0]!r}; it has {', '.join(map(str, found))[:80]}."
            " Mend the line."
        )
    return value.strip()


def _time(value: Any, where: str) -> float:
    if type(value) not in (int, float) or not is_time(value):
        raise DataError(
            f"{where}: offset or duration is {str(value)[:40]}; expected seconds. Mend the line."
        )
    return float(value)


def sound_file(
    name: str, beside: Path, folder: Path | None, where: str, speaker: str = ""
) -> SoundFile:
    """Find the file of a name; refuse one that leads out of the folder, if there is one."""
    if not name.strip():
        raise DataError(f"{where}: names no sound; expected a file. Mend the line.")
    if odd := unfit(name):
        raise DataError(f"{where}: the name of the sound {odd}; expected a file. Mend the line.")
    if folder is None:
        return SoundFile(beside / name, name, speaker)
    paths = (PurePosixPath(name), PureWindowsPath(name))
    if any(path.is_absolute() or path.drive or ".." in path.parts for path in paths):
        raise DataError(
            f"{where}: the sound is called {name[:60]!r}; expected a name inside {folder}. Mend the"
            " line, or leave out files of the reader."
        )
    return SoundFile(folder / name, name, speaker)


_FORMS: dict[str, Callable[[Path, Path | None], Iterator[Utterance]]] = {
    "tsv": _tsv,
    "csv": _csv,
    "jsonl": _jsonl,
    "kaldi": _kaldi,
}


def name_pattern(template: str) -> re.Pattern[str]:
    """Turn `{label}_{speaker}_{index}` into what finds them in the name of a file.

    `{}` stands for anything else. Names are paths inside the folder, without their ending.

    >>> name_pattern("{label}_{speaker}_{index}").fullmatch("3_george_12")["speaker"]
    'george'
    """
    groups = {"{label}": r"(?P<label>[^/]+?)", "{speaker}": r"(?P<speaker>[^/]+?)"}
    groups |= {"{index}": r"(?P<index>\d+)", "{}": r"[^/]+?"}
    parts = re.split(r"(\{\w*\})", template)
    return re.compile("".join(groups.get(part, re.escape(part)) for part in parts))
