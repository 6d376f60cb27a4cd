"""What is wrong with a folder of pictures and their captions."""

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from statistics import median

from saccade.errors import DataError
from saccade.look.doctor import SHOWN, Finding, Level, percent
from saccade.modalities._photo import size_of
from saccade.readers._captions import PICTURES, captions_in
from saccade.readers.captions import Captions

Sizes = Mapping[str, tuple[int, int]]  # width and height by name

_DECODED = 10_000  # pictures that are decoded to see whether they are whole
_SMALL = 32  # pixels of a shorter side on which little can be seen
_NARROW = 3  # times as long as wide: much is lost when it is made square
_LOW = 16  # pixels of a line of print in which letters run together


def examine_captions(readers: Mapping[str, Captions], *, lines: bool = False) -> list[Finding]:
    """Look at the pictures of every reader, by its key, and at what no reader reads.

    Args:
        readers: of pictures with texts.
        lines: they are lines of print, which are long by nature.
    """
    found = [
        one
        for key, reader in _different(readers).items()
        for one in _examine(key, reader, lines=lines)
    ]
    if any(one.stops for one in found):
        return found
    return found + [one for reader in _by_file(readers) for one in _unread(reader, readers)]


def _different(readers: Mapping[str, Captions]) -> dict[str, Captions]:
    """Return each reader once, with all its keys: parts of one corpus read the same pictures."""
    keys: dict[tuple[object, ...], list[str]] = {}
    for key, one in readers.items():
        same = (one.images, one.captions, one.split, one.part, one.missing)
        keys.setdefault(same, []).append(key)
    return {", ".join(several): readers[several[0]] for several in keys.values()}


def _examine(key: str, reader: Captions, *, lines: bool) -> Iterator[Finding]:
    try:
        grouped = reader.grouped()
    except DataError as error:
        yield Finding("warning", str(error), stops=True)
        return
    names = list(grouped)
    n_captions = sum(map(len, grouped.values()))
    yield Finding(
        "good",
        f"{key}: {len(names):,} pictures with {n_captions:,} captions,"
        f" {n_captions / len(names):.1f} each",
    )
    every = -(-len(names) // _DECODED)
    lost = {
        name: said
        for i, name in enumerate(names)
        if (said := reader.problem(name, decode=i % every == 0))
    }
    if lost:
        yield _lost(key, reader, lost, names)
    whole = [name for name in names if name not in lost]
    sizes = {name: size for name in whole if (size := size_of(reader.images / name))}
    if sizes:
        yield from _line_sizes(key, sizes) if lines else _sizes(key, sizes)
    yield from _duplicates(key, reader, whole)


def _lost(key: str, reader: Captions, lost: Mapping[str, str], names: Sequence[str]) -> Finding:
    skips = reader.missing == "skip"
    return Finding(
        "note" if skips and len(lost) <= 0.01 * len(names) else "warning",
        f"{key}: {len(lost):,} pictures ({percent(len(lost), names)}) that captions name are"
        f" missing, empty or broken{', and skipped' if skips else ''}",
        "" if skips else "Put them there, or skip them: set missing: skip of the reader.",
        tuple(list(lost.values())[:SHOWN]),
        stops=not skips,
    )


def _sizes(key: str, sizes: Sizes) -> Iterator[Finding]:
    shorter, longer = ([edge(size) for size in sizes.values()] for edge in (min, max))
    yield Finding(
        "good",
        f"{key}: pictures have {min(shorter):,} to {max(longer):,} pixels each way, usually"
        f" {median(longer):,.0f} x {median(shorter):,.0f}",
    )
    small = [name for name, size in sizes.items() if min(size) < _SMALL]
    narrow = [name for name, size in sizes.items() if max(size) > _NARROW * min(size)]
    advice = "Look at them: are they thumbnails, or icons?"
    yield from _told(key, f"have less than {_SMALL} pixels on a side", small, sizes, advice)
    advice = "crop cuts most of them away; set fit: pad, or leave them out."
    said = f"are over {_NARROW} times as long as wide"
    yield from _told(key, said, narrow, sizes, advice)


def _line_sizes(key: str, sizes: Sizes) -> Iterator[Finding]:
    widths, heights = zip(*sizes.values(), strict=True)
    yield Finding(
        "good",
        f"{key}: lines are {min(heights):,} to {max(heights):,} pixels high, usually"
        f" {median(heights):,.0f}, and {min(widths):,} to {max(widths):,} wide",
    )
    low = [name for name, (_, height) in sizes.items() if height < _LOW]
    advice = "Scan them anew at 300 dots an inch; letters run together."
    yield from _told(key, f"are less than {_LOW} pixels high", low, sizes, advice)
    upright = [name for name, (width, height) in sizes.items() if height > width]
    advice = "Are they turned by 90 degrees, or more than one line? Turn or cut them."
    yield from _told(key, "are higher than wide", upright, sizes, advice)


def _duplicates(key: str, reader: Captions, names: Sequence[str]) -> Iterator[Finding]:
    first: dict[str, str] = {}
    again = [n for n in names if first.setdefault(reader.picture(n).digest, n) != n]
    same = [f"{name} = {first[reader.picture(name).digest]}" for name in again]
    advice = "Harmless if few; put their captions together."
    yield from _told(key, "are the same as another, under another name", same, names, advice)


def _unread(reader: Captions, readers: Mapping[str, Captions]) -> Iterator[Finding]:
    """Tell of pictures that have no captions, and of captioned ones that nobody reads."""
    captioned = {caption.image for caption in captions_in(reader.captions, reader.form)}
    there = {
        path.relative_to(reader.images).as_posix()
        for path in reader.images.rglob("*")
        if path.suffix.lower() in PICTURES
    }
    folder = reader.images.name
    bare = sorted(there - captioned)
    advice = "Write some, or leave them there: they are not read."
    yield from _told(folder, f"have no captions in {reader.captions.name}", bare, there, advice)
    same = [one for one in readers.values() if one.captions == reader.captions]
    read = {name for one in same for name in one.grouped()}
    spare = sorted((captioned & there) - read)
    advice = "Put them into the training set, if they are in no test set of others."
    found = _told(folder, "have captions and are in no split", spare, there, advice)
    yield from (replace(one, level="note") for one in found)


def _by_file(readers: Mapping[str, Captions]) -> list[Captions]:
    """Return one reader for each pair of a folder and a file."""
    found: dict[tuple[Path, Path], Captions] = {}
    for reader in readers.values():
        found.setdefault((reader.images, reader.captions), reader)
    return list(found.values())


def _told(
    key: str, what: str, odd: Sequence[str], everything: Collection[str], advice: str
) -> Iterator[Finding]:
    if odd:
        level: Level = "warning" if len(odd) > 0.01 * len(everything) else "note"
        text = f"{key}: {len(odd):,} pictures ({percent(len(odd), everything)}) {what}"
        yield Finding(level, text, advice, tuple(odd[:SHOWN]))
