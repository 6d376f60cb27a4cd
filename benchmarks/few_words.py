"""Pronunciations from 800 words: `saccade fit` beside yoyodyne's models, on the same words.

    python -m benchmarks.environments yoyodyne
    python -m benchmarks.few_words --within 3m --md docs/results/pronunciation.md

Of every language 800 training words are drawn (seed 0); validation and test words are the set's
own. All sides use one thread. A result is kept in the folder, and a run that was made already is
not made again. The figure is the share of test words with a wrong phone.
"""

import argparse
import json
import os
import random
import subprocess
import sys
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from benchmarks.environments import cache, python
from benchmarks.tables import put

DATA = Path("../shared/data/sigmorphon2020-g2p")
LANGUAGES = {"fre": "French", "gre": "Greek", "hin": "Hindi", "hun": "Hungarian", "kor": "Korean"}
PEERS = ("rotary_transformer", "pointer_generator_lstm", "soft_attention_lstm")
OURS = "saccade fit"
MODELS = (OURS, *PEERS)
_ONE = {**os.environ, "OMP_NUM_THREADS": "1"}
Results = dict[tuple[str, str, int], dict[str, Any]]  # by language, model and seed


def sample(code: str, folder: Path, n: int) -> None:
    """Write `n` training words, and the validation and test words, as three files."""
    folder.mkdir(parents=True, exist_ok=True)
    lines = (DATA / f"{code}_train.tsv").read_text(encoding="utf-8").splitlines(keepends=True)
    random.Random(0).shuffle(lines)
    (folder / "train.tsv").write_text("".join(lines[:n]), encoding="utf-8")
    for part in ("dev", "test"):
        (folder / f"{part}.tsv").write_bytes((DATA / f"{code}_{part}.tsv").read_bytes())


def peer(model: str, folder: Path, seed: int) -> dict[str, Any]:
    """Train and test one of yoyodyne's models in its own environment."""
    words = ["-m", "benchmarks.peers.yoyodyne", model, str(folder), str(seed)]
    told = _ask([str(python("yoyodyne")), *words])
    return dict(json.loads(told.splitlines()[-1]))


def ours(folder: Path, seed: int, within: str) -> dict[str, Any]:
    """Fit and test."""
    begun, model = time.perf_counter(), str(folder / f"model-{seed}")
    files = ["--valid", str(folder / "dev.tsv"), "--test", str(folder / "test.tsv")]
    words = ["fit", str(folder / "train.tsv"), *files, "--within", within, "--seed", str(seed)]
    saccade = [sys.executable, "-m", "saccade"]
    _ask([*saccade, *words, "-o", model, "--overwrite"])
    seconds = time.perf_counter() - begun
    scored = json.loads(_ask([*saccade, "evaluate", model, "--json", "-"]))
    return {"wrong": scored["metrics"]["error_rate"]["value"], "seconds": seconds}


def table(found: Results, seeds: Sequence[int]) -> str:
    """Write a row for each model: the mean over seeds of each language, and of all."""
    models = list(dict.fromkeys(model for _, model, _ in found))
    lines = [
        f"| model | {' | '.join(LANGUAGES.values())} | mean | seconds |",
        f"|---|{'---|' * len(LANGUAGES)}---|---|",
    ]
    for model in models:
        wrong = [
            sum(found[code, model, seed]["wrong"] for seed in seeds) / len(seeds)
            for code in LANGUAGES
        ]
        seconds = [one["seconds"] for (_, name, _), one in found.items() if name == model]
        cells = [*(f"{one:.1f}" for one in wrong), f"**{sum(wrong) / len(wrong):.1f}**"]
        lines.append(f"| {model} | {' | '.join(cells)} | {sum(seconds) / len(seconds):.0f} |")
    return "\n".join(lines)


def _ask(command: list[str]) -> str:
    done = subprocess.run(command, env=_ONE, stdout=subprocess.PIPE, text=True, check=True)
    return done.stdout


def main() -> None:
    """Run what was not run yet; print the table, write it."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawTextHelpFormatter
    )
    parser.add_argument("--words", type=int, default=800)
    parser.add_argument("--seeds", nargs="+", type=int, default=[1])
    parser.add_argument("--within", default="3m", help="for `saccade fit`")
    parser.add_argument("--models", nargs="+", choices=MODELS, default=MODELS)
    parser.add_argument("--folder", type=Path, default=cache() / "words")
    parser.add_argument("--md", type=Path, help="written between its marks `few-words`")
    arguments = parser.parse_args()
    found: Results = {}
    for model in arguments.models:
        for code in LANGUAGES:
            folder = arguments.folder / f"{code}-{arguments.words}"
            sample(code, folder, arguments.words)
            for seed in arguments.seeds:
                named = f"fit-{arguments.within}" if model == OURS else model
                kept = folder / f"{named}-{seed}.json"
                if not kept.exists():
                    one = (
                        ours(folder, seed, arguments.within)
                        if model == OURS
                        else peer(model, folder, seed)
                    )
                    kept.write_text(json.dumps(one), encoding="utf-8")
                found[code, model, seed] = json.loads(kept.read_text(encoding="utf-8"))
                print(code, model, seed, found[code, model, seed], file=sys.stderr, flush=True)
    print(text := table(found, arguments.seeds))
    if arguments.md:
        put(arguments.md, "few-words", text)


if __name__ == "__main__":
    main()
