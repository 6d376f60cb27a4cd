"""Writes small model folders to keep: what today's version makes, for later versions to read.

    python -m tests.folders.stored tests/folders/format_2
    python -m tests.folders.stored --without-network tests/folders/format_2_more

They are the test data of `test_stored.py`. Folders that are kept are never made anew. The second
command stores every model without a network, and an ensemble of two of the first.
"""

import json
import os
import shutil
import sys
from pathlib import Path
from typing import Any

import saccade
from saccade import recipe as recipes
from saccade.folders.ensemble import ensemble
from saccade.run import train
from tests import classical
from tests.train import small

_PAPERS = ("checkpoints", "report.html", "README.md", "metrics.jsonl", "train.log")
_RNN = {"kind": "rnn", "hidden": 4}
_TRANSFORMER = {"kind": "transformer", "feed_forward": 8, "layers": 1}
_SERIES = [[f"{n} {n + 1} {n + 2}", f"{n + 3} {n + 4}"] for n in range(12)]
KINDS: dict[str, dict[str, Any]] = {
    "rnn": {"kind": "encoder_decoder", "embedding": 4, "encoder": _RNN, "decoder": _RNN},
    "transformer": {
        "kind": "encoder_decoder",
        "embedding": 4,
        "encoder": _TRANSFORMER,
        "decoder": _TRANSFORMER,
    },
    "ctc": {"kind": "ctc", "embedding": 4, "encoder": _RNN},
    "ngram": {"kind": "ngram", "order": 2},
    "forecaster": {
        "kind": "encoder_decoder",
        "embedding": 4,
        "encoder": _RNN,
        "decoder": {**_RNN, "attention": "additive"},
        "head": "values",
    },
}
TEXTS = ("rnn", "transformer", "ctc")
_LINES = ("12", "305", "")


def plan(kind: str) -> dict[str, Any]:
    """Return the recipe of a kind, as YAML would hold it."""
    raw = small.recipe().plain()
    raw["training"] = {"max_steps": 3, "batch_tokens": 64}
    if kind == "ngram":
        raw["training"] = {}
    if kind == "forecaster":
        readers = {name: {"kind": "pairs", "pairs": _SERIES} for name in ("train", "valid")}
        sides = {name: {"kind": "numbers"} for name in ("source", "target")}
        raw["data"] = {**readers, **sides}
        raw["training"]["objective"] = "squared_error"
        raw["decoding"] = {"metrics": ["mae"]}
    else:
        side = {"tokenizer": "character"}
        raw["data"] |= {"source": side, "target": side}
        raw["decoding"] = {"metrics": []} if kind == "ngram" else {"search": "beam"}
        if kind == "ctc":
            raw["decoding"] = {"search": "ctc_prefix"}
    return {**raw, "name": kind, "model": KINDS[kind]}


def written(folder: Path, kind: str) -> Any:
    """Return what a stored model writes and how it scores, for `expected.json` and its test."""
    model = saccade.load(folder)
    if kind == "ngram":
        return [one.score for one in model.score([""] * 3, ["otf", "zzz", "t"])]
    if kind == "forecaster":
        return [model.predict(row[0]).values.ravel().tolist() for row in _SERIES[:2]]
    found = [model.predict(line) for line in _LINES]
    return [[one.text, one.score] for one in found]


def store(root: Path) -> None:
    """Write a folder of every kind, and what each writes."""
    for kind in KINDS:
        folder = root / kind
        train(recipes.from_plain(plan(kind)), folder, console=small.quiet())
        _strip(folder)
    _expect(root, {kind: written(root / kind, kind) for kind in KINDS})


def written_without_network(folder: Path, kind: str) -> Any:
    """Return what a stored model writes without chance, and how it scores what it may be asked."""
    model, source = saccade.load(folder), classical.asked(kind)
    if kind == "kalman":
        return model.predict(source).values.ravel().tolist()
    if kind == "ngram":
        return [one.score for one in model.score([""], [classical.wanted(kind)])]
    if kind == "ensemble":
        return written(folder, "rnn")
    (scored,) = model.score([source], [classical.wanted(kind)])
    found = [model.predict(source)]
    return [[one.text, one.score] for one in found] + [["", scored.score]]


def store_without_network(root: Path) -> None:
    """Write a folder of every model without a network, and an ensemble of two that are stored."""
    members = [(root.parent / "format_2_sealed" / kind).resolve() for kind in TEXTS[:2]]
    root.mkdir()
    before = Path.cwd()
    os.chdir(root)  # recipes name their files; none is to name a place of this machine
    try:
        classical.lay(Path())
        for kind in classical.KINDS:
            plan = recipes.parse(classical.text_of(kind, Path()))
            train(plan, Path(kind), console=small.quiet())
            _strip(Path(kind))
        ensemble(members, Path("ensemble"))
        for name in ("train.source", "train.target", "train.tsv", "rules.yaml"):
            Path(name).unlink()
    finally:
        os.chdir(before)
    kinds = (*classical.KINDS, "ensemble")
    _expect(root, {kind: written_without_network(root / kind, kind) for kind in kinds})


def _strip(folder: Path) -> None:
    """Leave what a model needs."""
    for name in _PAPERS:
        place = folder / name
        if place.is_dir():
            shutil.rmtree(place)
        else:
            place.unlink(missing_ok=True)


def _expect(root: Path, expected: dict[str, Any]) -> None:
    (root / "expected.json").write_text(json.dumps(expected, indent=1) + "\n", encoding="utf-8")


if __name__ == "__main__":
    *option, target = sys.argv[1:]
    (store_without_network if option else store)(Path(target))
