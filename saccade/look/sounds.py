"""What is wrong with recordings and their texts."""

from collections.abc import Iterator, Mapping, Sequence
from statistics import median

import numpy as np

from saccade.errors import DataError
from saccade.look.doctor import SHOWN, Finding, percent
from saccade.modalities._hearing import Excerpt, decode
from saccade.modalities._sound import SoundFile, read_bytes
from saccade.readers._utterances import Utterance
from saccade.readers.sounds import SUFFIXES, Sounds

_DECODED = 2000  # recordings that are listened to
_SHORT, _LONG = 0.1, 30.0  # seconds beyond which a recording is looked at twice
_LOUD, _RUN = 32_700, 3  # a level, and how often it comes in a row, of what was cut off
_FAINT = 30.0  # the loudest sample of what may be silence
_FAST = 40.0  # characters a second that nobody speaks


def examine_sounds(readers: Mapping[str, Sounds]) -> list[Finding]:
    """Look at the recordings of every reader, by its key, and at those that no list names."""
    found = [one for key, reader in _different(readers).items() for one in _examine(key, reader)]
    if any(one.stops for one in found):
        return found
    return [*found, *_unread(readers)]


def _different(readers: Mapping[str, Sounds]) -> dict[str, Sounds]:
    """Return each reader once, with all its keys."""
    keys: dict[str, list[str]] = {}
    for key, one in readers.items():
        same = (one.files, one.manifest, one.names, one.index, one.speakers, one.without)
        keys.setdefault(repr((*same, one.missing)), []).append(key)
    return {", ".join(several): readers[several[0]] for several in keys.values()}


def _examine(key: str, reader: Sounds) -> Iterator[Finding]:
    try:
        known = reader.utterances()
    except DataError as error:
        yield Finding("warning", str(error), stops=True)
        return
    every = -(-len(known) // _DECODED)
    heard = {one: _heard(reader, one.file, decoded=i % every == 0) for i, one in enumerate(known)}
    lost = [said for said in heard.values() if isinstance(said, str) and said]
    excerpts = {one: said for one, said in heard.items() if isinstance(said, Excerpt)}
    speakers = {one.file.speaker for one in known} - {""}
    said = f" by {len(speakers):,} speakers" if speakers else ""
    yield Finding("good", f"{key}: {len(known):,} recordings{said}")
    if lost:
        skips = reader.missing == "skip"
        yield Finding(
            "note" if skips and len(lost) <= 0.01 * len(known) else "warning",
            f"{key}: {len(lost):,} recordings ({percent(len(lost), known)}) are missing, empty or"
            f" broken{', and skipped' if skips else ''}",
            "" if skips else "Put them there, or skip them: set missing: skip of the reader.",
            tuple(lost[:SHOWN]),
            stops=not skips,
        )
    if excerpts:
        yield from _lengths(key, excerpts)
        yield from _levels(key, excerpts)


def _heard(reader: Sounds, file: SoundFile, *, decoded: bool) -> Excerpt | str:
    """Return a recording, or what is wrong with it; nothing if it is not listened to."""
    said = reader.problem(file, decode=False)
    if said or not decoded:
        return said
    try:
        data = read_bytes(file.path, str(file.path))
        return decode(data, str(file.path), file.start, file.seconds or 3600.0)
    except DataError as error:
        return str(error)


def _lengths(key: str, excerpts: Mapping[Utterance, Excerpt]) -> Iterator[Finding]:
    seconds = {one: len(said.samples) / said.rate for one, said in excerpts.items()}
    rates = sorted({said.rate for said in excerpts.values()})
    yield Finding(
        "good",
        f"{key}: {min(seconds.values()):.2f} to {max(seconds.values()):.2f} seconds, usually"
        f" {median(seconds.values()):.2f}, at {', '.join(f'{rate:,}' for rate in rates)} Hz",
    )
    short = [one for one, length in seconds.items() if length < _SHORT]
    long = [one for one, length in seconds.items() if length > _LONG]
    fast = [one for one, length in seconds.items() if len(one.text) > _FAST * max(length, _SHORT)]
    told = (
        (short, f"last less than {_SHORT:g} seconds", "Listen to them: are they cut off?"),
        (long, f"last over {_LONG:g} seconds", "Cut them at pauses, or raise max_seconds."),
        (fast, "have more text than anybody speaks in their time", "Do texts and sounds match?"),
    )
    for several, what, advice in told:
        yield from _told(key, what, several, excerpts, advice)


def _levels(key: str, excerpts: Mapping[Utterance, Excerpt]) -> Iterator[Finding]:
    clipped = [one for one, said in excerpts.items() if is_clipped(said)]
    silent = [one for one, said in excerpts.items() if _peak(said) < _FAINT]
    advice = "They were recorded too loud. Few do no harm; record others with less gain."
    yield from _told(key, "are clipped", clipped, excerpts, advice)
    yield from _told(key, "are silent", silent, excerpts, "Leave them out: they teach to invent.")


def is_clipped(one: Excerpt) -> bool:
    """Tell whether samples stand at the highest level several times in a row."""
    loud = np.abs(one.samples) >= _LOUD
    runs = np.convolve(loud.astype(np.int8), np.ones(_RUN, np.int8), "valid")
    return bool(len(loud) >= _RUN and (runs == _RUN).any())


def _peak(one: Excerpt) -> float:
    return float(np.abs(one.samples).max(initial=0.0))


def _told(
    key: str,
    what: str,
    several: Sequence[Utterance],
    every: Mapping[Utterance, object],
    advice: str,
) -> Iterator[Finding]:
    if several:
        share = len(several) / len(every)
        yield Finding(
            "warning" if share > 0.01 else "note",
            f"{key}: {len(several):,} recordings ({percent(len(several), every)}) {what}",
            advice,
            tuple(str(one.file) for one in several[:SHOWN]),
        )


def _unread(readers: Mapping[str, Sounds]) -> Iterator[Finding]:
    """Tell of sounds in folders that no manifest names."""
    listed = [one for one in readers.values() if one.files is not None and one.manifest is not None]
    for folder in sorted({one.files for one in listed if one.files is not None}):
        named = {u.file.path for one in listed if one.files == folder for u in one.utterances()}
        there = {path for path in folder.rglob("*") if path.suffix.lower() in SUFFIXES}
        bare = sorted(there - named)
        if bare:
            yield Finding(
                "note",
                f"{folder.name}: {len(bare):,} sounds ({percent(len(bare), there)}) have no text in"
                " any manifest",
                "Write some, or leave them there: they are not read.",
                tuple(path.name for path in bare[:SHOWN]),
            )
