"""A target for every reader that there is: its files, and its options as JSON."""

import json
from itertools import islice
from typing import Any

import numpy as np

from saccade.errors import DataError
from saccade.intake.files import parse_json
from saccade.modalities import _png
from saccade.modalities._wave import write_wave
from saccade.nouns import Example
from saccade.parts import Part, kinds
from saccade.readers._table import Table
from saccade.readers.base import Reader
from tests.contracts.test_readers import OPTIONS
from tests.fuzz import bundle
from tests.fuzz.target import Target

SETTINGS = "options"  # the name of the file that holds them
_MOST = 1000  # examples that are read
_WORDS = (
    *(b"source", b"target", b"src", b"tgt", b"label", b"text", b"id", b"features", b"translation"),
    *(
        b"\t",
        b"\n\n",
        b"\r\n",
        b'"',
        b'""',
        b"'",
        b",",
        b";",
        b"|",
        b"__eou__",
        b"#",
        b"# ",
        b"-X-",
    ),
    *(b"1\t", b"1 ", b"\xef\xbb\xbf", b"nan", b"inf", b"1e400", b"2020-01-01", b"=", b"->", b": "),
    *(b'{"source": "a", "target": "b"}', b"[]", b"{}", b"null", b"a.png", b"../a", b"/", b"a.wav"),
    *(b'"kind": "tsv"', b'"path": "t.tsv"', b'"path": ""', b'"path": "."', b'"header": "yes"'),
)
_FILES = {
    "bitmaps": ("images.idx", "labels.idx"),
    "captions": ("pictures.tsv", "names.txt", "c.json", "c.csv", "c.jsonl"),
    "clips": ("clips.tsv", "split.txt", "clips/a/0.png"),
    "dataset": ("set/data-00000-of-00001.arrow", "set/state.json", "set/dataset_info.json"),
    "iam_ondb": (
        "lineStrokes/a01/a01-000/a01-000u-01.xml",
        "ascii/a01/a01-000/a01-000u.txt",
        "forms.txt",
    ),
    "idx": ("images.idx", "labels.idx", "labels.idx.gz"),
    "illustrated": ("beside.txt", "t.tsv"),
    "languages": ("t.tsv", "j.jsonl"),
    "scattered": ("images.idx", "labels.idx"),
    "shards": ("j.jsonl", "p.parquet", "k.tsv.gz"),
    "sounds": ("sounds.tsv", "s.csv", "s.jsonl"),
    "strings": ("sounds.tsv",),
    "text": ("a.txt", "b.txt", "c.txt"),
    "without": ("t.tsv", "o.tsv"),
    "words": ("t.tsv", "a.txt"),
}
_MEDIA = ("captions", "clips", "illustrated", "sounds", "strings")
_PICTURE = _png.encode(np.zeros((2, 2, 3), np.uint8))
_SOUND = write_wave(np.ones(300, np.int16), 8000)
_BESIDE = {  # what the files name
    **dict.fromkeys(("pictures/a.png", "pictures/b.png", "clips/a/0.png", "clips/b.png"), _PICTURE),
    **dict.fromkeys(("sounds/a.wav", "sounds/b.wav"), _SOUND),
}


def reader_targets() -> list[Target]:
    """Return a target for each reader."""
    return [_target(kind) for kind in kinds(Reader)]


def _target(kind: str) -> Target:
    own = _FILES.get(kind) or tuple(_paths(OPTIONS.get(kind, {}))) or ("t.tsv",)
    files = (*own, SETTINGS)

    def run(data: bytes) -> int:
        found = bundle.split(data, files)
        return len(examples_of(kind, found))

    return Target(f"reader-{kind}", run, files, _WORDS)


def examples_of(kind: str, files: dict[str, bytes]) -> list[Example]:
    """Read files as somebody does who was given them."""
    written = dict(files)
    options = _options(kind, written.pop(SETTINGS, None))
    with bundle.unpacked({**(_BESIDE if kind in _MEDIA else {}), **written}) as root:
        reader = Part(Reader, kind, options).build(root)
        found = list(islice(reader.read(), _MOST))
        reader.fingerprint()
        if isinstance(reader, Table):
            reader.unread()
        for one in found:
            _check(one)
        return found


def _options(kind: str, raw: bytes | None) -> dict[str, Any]:
    """Return options as a recipe may have them: those of the contract if there are none."""
    if raw is None:
        return dict(OPTIONS.get(kind, {}))
    try:
        plain = parse_json(raw)
    except ValueError as error:
        raise DataError(f"options: {error}") from None
    if not isinstance(plain, dict) or not all(map(str.isidentifier, plain)) or "kind" in plain:
        raise DataError("options: no object with names of options")
    return plain


def _check(one: Example) -> None:
    """An example is what everything behind a reader takes for granted."""
    assert one.sources
    assert one.references
    for raw in (*one.sources.values(), *one.references):
        if isinstance(raw, str):
            raw.encode()  # no half characters
    assert isinstance(one.origin, str)
    json.dumps(one.origin)


def _paths(options: Any) -> list[str]:
    """List the files that options name, in their order."""
    found: list[str] = []
    for key, value in options.items() if isinstance(options, dict) else enumerate(options):
        if isinstance(value, dict | list):
            found += [path for path in _paths(value) if path not in found]
        elif key in ("path", "source", "target", "images", "labels") and "." in str(value):
            found.append(value)
    return found
