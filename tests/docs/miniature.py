"""Small copies of the shipped recipes, and a few lines of data for every file that they read."""

import gzip
import json
from collections.abc import Iterator
from itertools import islice
from pathlib import Path
from typing import Any

import numpy as np
import yaml

from saccade.corpora.base import Corpus
from saccade.corpora.english_french import EnglishFrench
from saccade.modalities import _png
from saccade.modalities._wave import write_wave
from saccade.parts import Part

LINES = 16
SHRINK = 8  # widths are divided by this, so that those that must fit each other still do
WIDTHS = {"embedding", "hidden", "context", "feed_forward", "filters"}
PICTURE, LINE, DIGIT = (8, 8), (8, 80), (28, 28)  # height and width
KEPT_SPLITS = 0.3  # share of lines to validate on, where a recipe takes one in a hundred


def copy_recipe(path: Path, folder: Path) -> None:
    """Write a small copy of recipe `path` (relative to the repository) below `folder`."""
    raw = yaml.safe_load((Path(__file__).parents[2] / path).read_text(encoding="utf-8"))
    raw["model"] = _narrow(raw["model"])
    raw["training"] = raw.get("training", {}) | {
        "max_steps": 2,
        "max_epochs": 0,
        "validate_every": 2,
        "batch_tokens": 256,
    }
    raw["data"] = _cut(raw["data"], folder)
    raw["decoding"] = _cut(raw["decoding"], folder) | {"max_ratio": 1.0, "max_extra": 2}
    lines = raw["data"].get("source", {}).get("kind") == "line"
    if lines:  # a place is a column of pixels
        raw["decoding"] |= {"max_ratio": 0.01}
    size = LINE if lines else PICTURE
    for reader in _readers(raw):
        _write(reader, folder, size)
    if rules := raw["model"].get("rules"):
        (folder / rules).parent.mkdir(parents=True, exist_ok=True)
        (folder / rules).write_bytes((Path(__file__).parents[2] / rules).read_bytes())
    place = folder / path
    place.parent.mkdir(parents=True, exist_ok=True)
    place.write_text(yaml.safe_dump(raw, sort_keys=False, allow_unicode=True), encoding="utf-8")


def _narrow(raw: Any) -> Any:
    """Divide every width of a model."""
    if not isinstance(raw, dict):
        return raw
    return {
        key: max(2, value // SHRINK) if key in WIDTHS else _narrow(value)
        for key, value in raw.items()
    }


def _cut(raw: Any, folder: Path) -> Any:
    """Take few pairs of embedded corpora, and enough of a split to validate on."""
    if isinstance(raw, list):
        return [_cut(one, folder) for one in raw]
    if not isinstance(raw, dict):
        return raw
    if raw.get("kind") == "embedded":
        return _embedded(raw, folder)
    if raw.get("kind") == "features":  # of a network whose weights are drawn, not downloaded
        named = raw["network"]
        network = named if isinstance(named, dict) else {"kind": named}
        return {**raw, "network": {**network, "weights": "none"}, "size": 32}
    if raw.get("kind") == "strings":
        raw |= {"count": LINES}
    if raw.get("kind") == "dialogue":  # the first lines to learn from, those behind to validate
        few = {key: LINES // 2 for key in ("skip", "most") if raw.get(key)}
        return {**raw, **few}
    if raw.get("kind") == "split":
        raw |= {key: KEPT_SPLITS for key in ("valid", "test") if raw.get(key, 0.01) > 0}
    if raw.get("kind") == "scattered":
        raw |= {"versions": 1}
    if raw.get("kind") == "shuffled":
        raw |= {"start": 0, "stop": LINES}
    return {key: _cut(value, folder) for key, value in raw.items()}


def _embedded(raw: dict[str, Any], folder: Path) -> dict[str, Any]:
    plain = raw["corpus"] if isinstance(raw["corpus"], dict) else {"kind": raw["corpus"]}
    options = {key: value for key, value in plain.items() if key != "kind"}
    corpus: Corpus = Part(Corpus, plain["kind"], options).build()
    name = f"{plain['kind']}-{options.get('task', '')}-{raw['split']}.tsv"
    rows = (f"{source}\t{target}" for source, target in corpus.pairs(raw["split"]))
    _save(folder / name, list(islice(rows, LINES)))
    return {"kind": "tsv", "path": name}


def _readers(raw: Any) -> Iterator[dict[str, Any]]:
    """Yield every reader of a recipe that names a file; plain ones last, as they read anything."""
    found = list(_named(raw))
    yield from sorted(found, key=lambda reader: reader["kind"] == "plain")


def _named(raw: Any) -> Iterator[dict[str, Any]]:
    if isinstance(raw, dict):
        texts = raw.get("kind") == "text" and "source" in raw  # not the modality
        named = ("captions", "illustrated", "sounds", "idx")
        if texts or raw.get("kind") in named or "path" in raw:
            yield raw
        for value in raw.values():
            yield from _named(value)
    elif isinstance(raw, list):
        for value in raw:
            yield from _named(value)


def _write(reader: dict[str, Any], folder: Path, size: tuple[int, int]) -> None:
    """Write the file, or the two files, that a reader names, unless they are there."""
    pairs = list(islice(EnglishFrench(size=LINES).pairs("train"), LINES))
    if reader["kind"] in ("captions", "illustrated"):
        _write_pictures(reader, folder, [target for _, target in pairs], size)
        return
    if reader["kind"] == "sounds":
        _write_sounds(reader, folder)
        return
    if reader["kind"] == "idx":
        _write_idx(folder / reader["images"], LINES, *DIGIT)
        _write_idx(folder / reader["labels"], LINES)
        return
    if reader["kind"] == "babi":
        _write_stories(reader, folder)
        return
    if reader["kind"] == "text":
        _save(folder / reader["source"], [source for source, _ in pairs])
        _save(folder / reader["target"], [target for _, target in pairs])
        return
    _save(folder / reader["path"], _lines(reader, pairs))


def _write_idx(path: Path, *shape: int) -> None:
    """Write bytes of this shape as MNIST has them, packed."""
    head = bytes([0, 0, 8, len(shape)]) + b"".join(n.to_bytes(4, "big") for n in shape)
    numbers = np.arange(int(np.prod(shape))) % (250 if len(shape) > 1 else 10)
    path.resolve().parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(gzip.compress(head + numbers.astype(np.uint8).tobytes()))


def _write_pictures(
    reader: dict[str, Any], folder: Path, captions: list[str], size: tuple[int, int]
) -> None:
    """Write small pictures, and the files that name them."""
    names = [f"{i}_a.png" for i in range(len(captions))]
    for i, name in enumerate(names):
        path = folder / reader["images"] / name
        path.resolve().parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(_png.encode(np.full((*size, 3), 9 * i, dtype=np.uint8)))
    if reader["kind"] == "illustrated":
        _save(folder / reader["names"], names)
        return
    rows = [f"{n}#{i}\t{line}" for n, line in zip(names, captions, strict=True) for i in range(2)]
    if "captions" in reader:
        _save(folder / reader["captions"], rows)
    if "split" in reader:
        _save(folder / reader["split"], names)


def _write_stories(reader: dict[str, Any], folder: Path) -> None:
    """Write short stories to learn from and to test on, for every task that is named, or two."""
    for task in reader.get("tasks") or (1, 2):
        rooms = [f"room{i % 4}" for i in range(LINES)]
        told = [[f"1 Mary is in {room}.", f"2 Where is Mary?\t{room}\t1"] for room in rooms]
        for part in ("train", "test"):
            place = folder / reader["path"] / f"qa{task}_task_{part}.txt"
            _save(place, [line for story in told for line in story])


def _write_sounds(reader: dict[str, Any], folder: Path) -> None:
    """Write short sounds that are called as the reader says."""
    for label in "12":
        for index in range(LINES):
            said = {"{label}": label, "{speaker}": "ann", "{index}": str(index)}
            name = reader["names"]
            for field, value in said.items():
                name = name.replace(field, value)
            path = folder / reader["files"] / f"{name}.wav"
            path.resolve().parent.mkdir(parents=True, exist_ok=True)
            noise = np.random.default_rng(index).integers(-900, 900, 900).astype(np.int16)
            path.write_bytes(write_wave(noise, 8000))


def _lines(reader: dict[str, Any], pairs: list[tuple[str, str]]) -> list[str]:
    """Return lines in the format of a reader, made of these pairs."""
    sources = [source for source, _ in pairs]
    words = [source.rstrip(".!?").split() for source in sources]
    labels = len(reader.get("names", [])) or 2
    return {
        "tsv": [f"{source}\t{target}" for source, target in pairs],
        "jsonl": _objects(pairs, listed=reader["path"].endswith(".json")),
        "dialogue": [f"{source} __eou__ {target} __eou__" for source, target in pairs],
        "plain": sources,
        "blocks": sources * 40,
        "labelled": [f"{i % labels} {source}" for i, source in enumerate(sources)],
        "misspellings": [f"{line[-1]}: {line[-1]}e, {line[-1][1:]}" for line in words],
        "columns": [row for line in words for row in (*_column_rows(reader, line), "")],
        "series": [",".join(reader.get("columns", [])), *(str(20 + i % 12) for i in range(400))],
    }[reader["kind"]]


def _objects(pairs: list[tuple[str, str]], *, listed: bool) -> list[str]:
    """Return JSON with the keys of all recipes, an object a line or one list."""
    rows = [
        json.dumps(
            {
                "source": [source, source],
                "target": [source],
                "title": target,
                "intent": source,
                "rewritten_intent": None if i % 2 else source,
                "snippet": target,
            }
        )
        for i, (source, target) in enumerate(pairs)
    ]
    return [f"[{', '.join(rows)}]"] if listed else rows


def _column_rows(reader: dict[str, Any], words: list[str]) -> list[str]:
    """Return a line for each word, the word in the first column that is read, tags elsewhere."""
    if reader["kind"] != "columns":
        return []
    first, last = min(reader["source"]), max(*reader["source"], reader["target"])
    return [
        " ".join(
            word if column == first else str(i) if column < first else "B-NP"
            for column in range(1, last + 1)
        )
        for i, word in enumerate(words, 1)
    ]


def _save(path: Path, lines: list[str]) -> None:
    if path.exists():
        return
    path.resolve().parent.mkdir(parents=True, exist_ok=True)
    text = "".join(line + "\n" for line in lines)
    if path.suffix == ".gz":
        path.write_bytes(gzip.compress(text.encode()))
    else:
        path.write_text(text, encoding="utf-8")
