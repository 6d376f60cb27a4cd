"""saccade's side of `busy`: the demo's recipe, trained and decoded as `saccade` does it.

python -m benchmarks.saccade_busy prepare|train|decode DATA SECONDS
"""

import json
import sys
import time
from pathlib import Path

from saccade.cli.startup import spin_briefly

if sys.argv[1:2] == ["train"]:
    spin_briefly()  # as the verb does, before torch is imported

import torch

from saccade import recipe as recipes
from saccade.data.prepare import Prepared, batches_of, prepare
from saccade.folders import model as folders
from saccade.kernels.allocator import kept_memory
from saccade.models.base import Model
from saccade.predict.predictor import Predictor
from saccade.recipe import Recipe
from saccade.train.loop import Loop

_RECIPE = Path(recipes.__file__).parent / "starters" / "demo.yaml"
_WARM = 0.25  # of the seconds that are measured
_BATCHES, _LINES = 200, 64  # batches for the plain loop; sentences at once


def write_ids(prepared: Prepared, recipe: Recipe, path: Path) -> None:
    """Write an epoch's first batches for the plain loop: source, prefix and target of each."""
    batches = batches_of(recipe, prepared.train, prepared.codecs, recipe.training.batch_tokens)
    plan = batches.epoch(0)
    found = [batches.batch(plan[i], 0) for i in range(min(_BATCHES, len(plan)))]
    ids = [[b.source.values.tolist(), b.prefix.tolist(), b.target.values.tolist()] for b in found]
    path.write_text(json.dumps(ids), encoding="utf-8")


def train(prepared: Prepared, recipe: Recipe, model: Model, seconds: float) -> float:
    """Return target symbols per second."""
    settings = recipe.training
    batches = batches_of(recipe, prepared.train, prepared.codecs, settings.batch_tokens)
    objective = settings.objective.build(lambda _: "")
    loop = Loop(model, objective, batches, settings, recipe.seed)
    with kept_memory():  # as in Loop.run
        begun = time.perf_counter()
        while time.perf_counter() - begun < _WARM * seconds:
            loop.update()
        before, begun = loop.progress.tokens, time.perf_counter()
        while time.perf_counter() - begun < seconds:
            loop.update()
        return (loop.progress.tokens - before) / (time.perf_counter() - begun)


def decode(prepared: Prepared, recipe: Recipe, model: Model, seconds: float) -> float:
    """Return sentences per second, of an untrained model."""
    predictor = Predictor(model, prepared.codecs, recipe.decoding)
    lines = [str(one.source) for one in recipe.data.test["test"].build(Path()).read()][:_LINES]
    list(predictor.predict(lines))
    done, begun = 0, time.perf_counter()
    while time.perf_counter() - begun < seconds:
        done += len(list(predictor.predict(lines)))
    return done / (time.perf_counter() - begun)


def main() -> None:
    """Do what the command line says."""
    work, data, seconds = sys.argv[1:]
    recipe = recipes.load(_RECIPE, [])
    prepared = prepare(recipe, Path())
    torch.manual_seed(recipe.seed)
    if work == "prepare":
        write_ids(prepared, recipe, Path(data))
        return
    works = {"train": train, "decode": decode}
    print(
        works[work](prepared, recipe, folders.build_model(recipe, prepared.codecs), float(seconds))
    )


if __name__ == "__main__":
    main()
