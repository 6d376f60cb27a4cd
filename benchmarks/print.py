"""Lines of print: how fast they are read, beside Tesseract, rapidocr and ddddocr.

    python -m benchmarks.environments ocr
    python -m benchmarks.print runs/fraktur-ctc --peers tesseract:frk rapidocr --files 100
    python -m benchmarks.print runs/captcha --peers ddddocr rapidocr

All sides read the same files of the model's first test set, in turn in one run; seconds are those
of the processor, of all threads. Reading the files counts, opening models does not; but Tesseract
is one process a round, `tesseract LIST - --psm 13 -l LANGUAGE`, which opens its model anew: what
an empty round takes is taken off. The first round of each side warms up. Errors are characters in
percent, as every side writes them. The peers never saw such print or such captchas.
"""

import argparse
import json
import os
import resource
import statistics
import subprocess
import tempfile
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import NamedTuple

import torch

from benchmarks.environments import python, ready
from saccade.data.files import examples_of
from saccade.engines._open import load
from saccade.folders.identity import read_plan
from saccade.metrics.base import Metric
from saccade.nouns import Example
from saccade.parts import Part


class Round(NamedTuple):
    """What a side wrote, and seconds of the processor."""

    texts: list[str]
    seconds: float


Side = Callable[[Sequence[Example]], Round]


def ours(folder: Path) -> Side:
    """Open our model."""
    torch.set_num_threads(1)
    predictor = load(folder)

    def read(examples: Sequence[Example]) -> Round:
        start = time.process_time()
        found = [one.text for one in predictor.stream([e.sources for e in examples])]
        return Round(found, time.process_time() - start)

    return read


def peer(kind: str) -> Side:
    """Return a peer with an environment of its own."""
    if not ready("ocr"):
        raise SystemExit("python -m benchmarks.environments ocr    makes what this needs.")

    def read(examples: Sequence[Example]) -> Round:
        with tempfile.NamedTemporaryFile("w", suffix=".json") as file:
            json.dump([str(e.source.path) for e in examples], file)
            file.flush()
            command = [str(python("ocr")), "-m", "benchmarks.peers.ocr", kind, file.name]
            said = subprocess.run(command, check=True, capture_output=True, text=True)
        return Round(**json.loads(said.stdout.splitlines()[-1]))

    return read


def tesseract(command: str, language: str) -> Side:
    """Return Tesseract."""

    def seconds(names: Sequence[str]) -> Round:
        with tempfile.NamedTemporaryFile("w", suffix=".txt") as file:
            file.write("".join(f"{name}\n" for name in names))
            file.flush()
            before = _children()
            said = subprocess.run(
                [command, file.name, "-", "--psm", "13", "-l", language],
                check=True,
                capture_output=True,
                text=True,
                env={**os.environ, "OMP_THREAD_LIMIT": "1"},
            )
        return Round([page.strip() for page in said.stdout.split("\f")], _children() - before)

    def read(examples: Sequence[Example]) -> Round:
        names = [str(e.source.path) for e in examples]
        alone = seconds(names[:1])
        whole = seconds([names[0], *names])
        return Round(whole.texts[1 : len(names) + 1], whole.seconds - alone.seconds)

    return read


def _children() -> float:
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def main() -> None:
    """Time all sides in turn and print a row for each."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("model", type=Path)
    parser.add_argument("--peers", nargs="*", default=["rapidocr"])
    parser.add_argument("--files", type=int, default=100)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--tesseract", default="tesseract", help="the command")
    asked = parser.parse_args()
    recipe = read_plan(asked.model).recipe
    split = next(iter(recipe.data.test))
    examples = examples_of(recipe, split, asked.model)[: asked.files]
    sides = {"saccade": ours(asked.model)}
    for name in asked.peers:
        kind, _, language = name.partition(":")
        sides[name] = tesseract(asked.tesseract, language) if language else peer(kind)
    rounds: dict[str, list[Round]] = {name: [] for name in sides}
    for _ in range(asked.rounds + 1):
        for name, side in sides.items():
            rounds[name].append(side(examples))
    references = [list(example.references) for example in examples]
    first = [one.seconds for one in rounds["saccade"][1:]]
    print(f"{len(examples)} files of {split}, {asked.rounds} rounds, one thread for saccade")
    for name, found in rounds.items():
        spent = [one.seconds for one in found[1:]]
        ratios = [a / b for a, b in zip(spent, first, strict=True)]
        cer = Part(Metric, "cer").build().corpus(found[-1].texts, references).value
        rate = len(examples) / statistics.median(spent)
        print(
            f"{name:16} {rate:7.1f} files/s   {statistics.median(ratios):5.2f} times our seconds"
            f" ({min(ratios):.2f} to {max(ratios):.2f})   CER {cer:.2f} %"
        )


if __name__ == "__main__":
    main()
