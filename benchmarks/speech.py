"""Speech: updates of CTC beside a plain torch loop, and sound a second beside pocketsphinx.

    python -m benchmarks.speech --what train [--recipe recipes/speech/strings-ctc.yaml]
    python -m benchmarks.environments pocketsphinx
    python -m benchmarks.speech --what transcribe runs/strings-ctc

One thread, seconds of the processor, sides in turn in one run. Training: both get the same batches
from the same loader, whose share is printed too; the plain loop is `reference/ctc.py`. The moving
average of the recipe is off. Transcribing: both get the same files, put together from test files
with 0.3 seconds of faint noise at both ends, without which pocketsphinx hears little; its copies
have 16 kHz, as its model asks for. Opening a model does not count, reading files does on our side.
"""

import argparse
import json
import statistics
import subprocess
import tempfile
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np
import torch

from benchmarks.environments import cache, python, ready
from benchmarks.reference.ctc import PlainTraining, Shape, Utterances
from saccade import recipe as recipes
from saccade.data.batching import Batches
from saccade.data.files import examples_of
from saccade.data.prepare import batches_of, prepare
from saccade.flow import Batch
from saccade.folders import model as folders
from saccade.folders.identity import read_plan
from saccade.modalities._hearing import Hearing
from saccade.modalities._resample import resample
from saccade.modalities._sound import SoundFile
from saccade.modalities._wave import write_wave
from saccade.native.searcher import fastest_searcher
from saccade.nouns import Example
from saccade.predict.evaluation import outputs_for
from saccade.recipe import Recipe
from saccade.train.loop import Loop

RECIPE = Path("recipes/speech/strings-ctc.yaml")
_ENDS, _FAINT = 0.3, 5.0  # seconds of noise, and its level in the scale of 16 bits
_RATES = (8000, 16_000)  # ours, and pocketsphinx's
Planned = tuple[list[int], int]  # pairs of a batch, and the epoch


@dataclass(frozen=True)
class Timed:
    """Seconds of an update, of one round: the loader alone, ours and the plain one with it."""

    loader: float
    ours: float
    plain: float

    @property
    def whole(self) -> float:
        """How many of our updates fit into a plain one."""
        return self.plain / self.ours

    @property
    def alone(self) -> float:
        """The same without the loader."""
        return (self.plain - self.loader) / (self.ours - self.loader)


def utterances(batch: Batch) -> Utterances:
    """Lay a batch out as the plain loop reads it."""
    lengths = batch.target.lengths - 1  # END is not spelt
    place = torch.arange(batch.target.values.shape[1])
    labels = batch.target.values[place < lengths[:, None]]
    source = batch.source
    return Utterances(source.values.float(), source.mask.sum(dim=1), labels, lengths)


def in_turn(recipe: Recipe, rounds: int, updates: int) -> list[Timed]:
    """Time all sides on the same batches."""
    prepared = prepare(recipe, Path())
    codecs = prepared.codecs
    batches = batches_of(recipe, prepared.train, codecs, recipe.training.batch_tokens)
    objective = recipe.training.objective.build(codecs.target.decode)
    model = folders.build_model(recipe, codecs)
    loop = Loop(model, objective, batches, recipe.training, recipe.seed)
    plain = PlainTraining(Shape(labels=codecs.target.side.size))
    n = [sum(p.numel() for p in m.parameters()) for m in (model, plain.model)]
    print(f"{n[0]:,} parameters, {n[1]:,} in the plain loop, which has each bias twice")
    found = []
    for i in range(rounds + 1):  # the first warms up
        plan = _plan(batches, i * updates, updates)
        sides = (
            lambda one: utterances(batches.batch(*one)),
            lambda _: loop.update(),
            lambda one: plain.update(utterances(batches.batch(*one))),
        )
        found += [Timed(*(_seconds(side, plan) for side in sides))] if i else []
    return found


def _plan(batches: Batches, begin: int, n: int) -> list[Planned]:
    """Return which pairs the loop reads from update `begin` on, and in which epoch."""
    found: list[Planned] = []
    epoch = 0
    while len(found) < begin + n:
        found += [(list(one), epoch) for one in batches.epoch(epoch)]
        epoch += 1
    return found[begin : begin + n]


def _seconds(side: Callable[[Planned], object], plan: Sequence[Planned]) -> float:
    start = time.process_time()
    for one in plan:
        side(one)
    return (time.process_time() - start) / len(plan)


def train(path: Path, rounds: int, updates: int, strings: int) -> None:
    """Print what an update takes."""
    changes = [f"data.train.count={strings}", "data.valid.count=20", "training.ema=0.0"]
    found = in_turn(recipes.load(path, changes), rounds, updates)
    for name in ("loader", "ours", "plain"):
        values = [1000 * getattr(one, name) for one in found]
        print(
            f"{name:8} {statistics.median(values):7.1f} ms ({min(values):.1f} – {max(values):.1f})"
        )
    for name in ("whole", "alone"):
        values = [getattr(one, name) for one in found]
        said = "with the loader" if name == "whole" else "without it"
        print(f"{_spread(values, 2)} x {said}")


def _spread(values: Sequence[float], n: int) -> str:
    return f"{statistics.median(values):.{n}f} ({min(values):.{n}f} to {max(values):.{n}f})"


def written(examples: Sequence[Example], folder: Path) -> list[dict[int, Path]]:
    """Write sounds as WAVE files, once at each rate, with faint noise around."""
    files, hearing = [], Hearing(_RATES[0], 60.0, "cut")
    for n, example in enumerate(examples):
        samples = hearing.sound(example.source, example.origin).samples.astype(np.float64)
        samples = np.pad(samples, round(_ENDS * _RATES[0]))
        samples += _FAINT * np.random.default_rng(n).standard_normal(len(samples))
        paths = {rate: folder / f"{n}.{rate}.wav" for rate in _RATES}
        for rate, path in paths.items():
            heard = resample(samples, _RATES[0], rate).clip(-32768, 32767).astype(np.int16)
            path.write_bytes(write_wave(heard, rate))
        files.append(paths)
    return files


def transcribe(folder: Path, split: str, most: int) -> None:
    """Print seconds of sound a second, and how many strings are right."""
    if not ready("pocketsphinx"):
        raise SystemExit(
            "pocketsphinx is not there: python -m benchmarks.environments pocketsphinx"
        )
    recipe = read_plan(folder).recipe
    examples = examples_of(recipe, split, folder)[:most]
    predictor = folders.load(folder, searcher=fastest_searcher)
    with tempfile.TemporaryDirectory() as place:
        files = written(examples, Path(place))
        sound = sum((path[8000].stat().st_size - 44) / 2 / 8000 for path in files)
        given = [
            replace(one, sources={name: SoundFile(paths[8000]) for name in one.sources})
            for one, paths in zip(examples, files, strict=True)
        ]
        outputs_for(predictor, given[:20])  # kernels are compiled at first use
        start = time.process_time()
        ours = [one.text for one in outputs_for(predictor, given)]
        seconds = time.process_time() - start
        theirs = _pocketsphinx([paths[16_000] for paths in files], Path(place), split)
    references = [example.target for example in examples]
    print(f"{len(files)} files of {split}, {sound:.0f} seconds")
    both = {"saccade": (seconds, ours), "pocketsphinx": theirs}
    for name, (spent, texts) in both.items():
        right = sum(a == b for a, b in zip(texts, references, strict=True)) / len(texts)
        print(f"{name:13} {sound / spent:8.1f} seconds of sound a second; {right:.1%} right")
    print(f"{theirs[0] / seconds:.1f} x")


def _pocketsphinx(paths: list[Path], place: Path, split: str) -> tuple[float, list[str]]:
    listing = place / "files.json"
    listing.write_text(json.dumps([str(path) for path in paths]), encoding="utf-8")
    several = "" if split == "single" else "+"
    command = [str(python("pocketsphinx")), "-m", "benchmarks.peers.pocketsphinx"]
    done = subprocess.run(
        [*command, str(listing), several], check=True, capture_output=True, text=True
    )
    said = json.loads(done.stdout)
    return said["seconds"], said["texts"]


def main() -> None:
    """Measure what the command line names."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawTextHelpFormatter
    )
    parser.add_argument("folder", type=Path, nargs="?", help="a model that transcribes")
    parser.add_argument("--what", choices=["train", "transcribe"], default="train")
    parser.add_argument("--recipe", type=Path, default=RECIPE)
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--updates", type=int, default=10, help="in a round")
    parser.add_argument("--strings", type=int, default=1000, help="to train on")
    parser.add_argument("--split", default="strings")
    parser.add_argument("--most", type=int, default=300, help="files to transcribe")
    given = parser.parse_args()
    torch.set_num_threads(1)
    if given.what == "train":
        train(given.recipe, given.rounds, given.updates, given.strings)
    elif given.folder is None:
        parser.error(f"transcribe needs a model folder; environments are in {cache()}")
    else:
        transcribe(given.folder, given.split, given.most)


if __name__ == "__main__":
    main()
