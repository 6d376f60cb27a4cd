"""pymarian, Marian in C++: its own trainer on T and R, by its own count of words per second.

Marian begins a target with a vector of zeros where D's model has an embedding of START, so it does
not decode the shared weights. Its `--dim-rnn` is the width of each direction of R's encoder as
well, which makes that encoder twice as wide as the others'.
"""

import importlib.metadata
import json
import re
import statistics
import subprocess
import sys
from pathlib import Path

from benchmarks.meter import Figure, serve
from benchmarks.workloads import END, SYMBOLS, TRAINING, UNK, Effort, Kit, transformer_flops

_NAMED = ("pymarian", importlib.metadata.version("pymarian"))


def transformer(kit: Kit, effort: Effort) -> None:
    """Train T."""
    shape = kit.shape
    options = {
        "type": "transformer",
        "enc-depth": shape.layers,
        "dec-depth": shape.layers,
        "dim-emb": shape.width,
        "transformer-heads": shape.heads,
        "transformer-dim-ffn": shape.hidden,
        "transformer-ffn-activation": "relu",
        "transformer-dropout": shape.dropout,
        "transformer-preprocess": "n",
        "transformer-postprocess": "da",
        "transformer-postprocess-top": "n",
        "label-smoothing": shape.smoothing,
        "mini-batch": 2000,
        "mini-batch-words": effort.tokens,
        "maxi-batch-sort": "trg",
        "tied-embeddings-all": True,
    }
    _train("T", kit, effort, options)


def rnn(kit: Kit, effort: Effort) -> None:
    """Train R."""
    options = {
        "type": "s2s",
        "enc-type": "bidirectional",
        "enc-cell": "lstm",
        "dec-cell": "lstm",
        "enc-depth": 1,
        "dec-depth": 1,
        "dec-cell-base-depth": 2,
        "dim-emb": kit.shape.width,
        "dim-rnn": kit.shape.cells,
        "mini-batch": effort.rows,
        "tied-embeddings-src": True,
    }
    _train("R", kit, effort, options)


def _train(work: str, kit: Kit, effort: Effort, options: dict[str, object]) -> None:
    folder = kit.folder / _NAMED[0] / work
    folder.mkdir(parents=True, exist_ok=True)
    for old in folder.iterdir():
        old.unlink()
    given = {**_common(kit, effort, folder), **options}
    words = [word for name, value in given.items() for word in (f"--{name}", *_words(value))]
    program = Path(sys.executable).parent / "pymarian"
    ended = subprocess.run([program, "train", *words], capture_output=True, text=True, check=False)
    pattern = r"Time ([\d.]+)s : ([\d.,]+) words/s"
    found = re.findall(pattern, ended.stderr)
    rates = [float(rate.replace(",", "")) for _, rate in found][-effort.windows :]
    if len(rates) < effort.windows:
        sys.exit(f"{ended.stderr[-2000:]}\npymarian wrote {len(rates)} speeds")
    facts: dict[str, float] = {}
    if work == "T":  # its R is larger than ours, so our count would be wrong
        rate = statistics.median(rates)
        facts["gflops"] = TRAINING * transformer_flops(kit.shape, rate * _ratio(kit), rate) / 1e9
    note = "own trainer, its own words/s" + ("; wider encoder" if work == "R" else "")
    Figure(*_NAMED, work, "", "target symbols/s", rates, facts, note).tell()


def _ratio(kit: Kit) -> float:
    """Return how many source symbols there are for a target symbol."""
    source, target = (
        sum(len(row) + 1 for row in kit.ids(f"train.{s}")) for s in ("source", "target")
    )
    return source / target


def _common(kit: Kit, effort: Effort, folder: Path) -> dict[str, object]:
    vocabulary = folder / "vocabulary.yml"
    pieces = [SYMBOLS[END], SYMBOLS[UNK], *(p for p in kit.vocabulary if p not in SYMBOLS)]
    numbered = json.dumps({piece: i for i, piece in enumerate(pieces)}, ensure_ascii=False)
    vocabulary.write_text(numbered, encoding="utf-8")
    rounds = -(-effort.warm // effort.window) + effort.windows
    return {
        "model": folder / "model.npz",
        "train-sets": (kit.corpus("source"), kit.corpus("target")),
        "vocabs": (vocabulary, vocabulary),
        "dim-vocabs": (0, 0),
        "optimizer": "adam",
        "learn-rate": 0.001,
        "cpu-threads": effort.threads,
        "sync-sgd": True,
        "workspace": 3000,
        "maxi-batch": 100,
        "disp-freq": f"{effort.window}u",
        "save-freq": "1000000u",
        "after": f"{effort.window * rounds}u",
        "overwrite": True,
        "seed": 1,
        "clip-norm": 0,
        "max-length": 200,
    }


def _words(value: object) -> list[str]:
    if value is True:
        return []
    return [str(one) for one in value] if isinstance(value, tuple) else [str(value)]


if __name__ == "__main__":
    serve({"T": transformer, "R": rnn})
