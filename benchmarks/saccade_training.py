"""saccade's own side of T and R: `train.loop.Loop`, with batches from the memory-mapped store."""

import sys
from dataclasses import replace
from functools import partial
from itertools import chain

import numpy as np
import torch

from benchmarks import kit as kits
from benchmarks import meter
from benchmarks.saccade_side import named_as
from benchmarks.workloads import Effort, Kit
from saccade.data.batching import BatchPlan
from saccade.data.prepare import batches_of, prepare
from saccade.folders import model as folders
from saccade.folders.identity import read_identity
from saccade.folders.versions import versions
from saccade.kernels.allocator import kept_memory
from saccade.recipe import Recipe
from saccade.train.loop import Loop


def transformer(kit: Kit, effort: Effort, engine: str = "torch", quantise: str = "") -> None:
    """Train T; `quantise` is the precision of products, float32 if empty."""
    recipe = kits.transformer_recipe(kit.shape, [f"training.precision={quantise or 'float32'}"])
    steps = meter.Steps(named_as(engine, quantise), _version(), "T", kit, effort)
    _train(steps, kit.batches("T"), recipe, kit, effort)


def rnn(kit: Kit, effort: Effort, engine: str = "torch", quantise: str = "") -> None:
    """Train R, without input feeding if the engine is called so."""
    shape = replace(kit.shape, fed="no-feeding" not in engine)
    more = [f"training.precision={quantise or 'float32'}"]
    more += [] if shape.fed else ["model.decoder.input_feeding=false"]
    steps = meter.Steps(named_as(engine, quantise), _version(), "R", kit, effort, shape)
    _train(steps, kit.batches("R"), kits.rnn_recipe(kit.shape, more), kit, effort)


def _train(
    steps: meter.Steps, batches: list[list[int]], recipe: Recipe, kit: Kit, effort: Effort
) -> None:
    torch.set_num_threads(effort.threads)
    loop, plan = _loop(recipe, kit), _plan(batches)
    with kept_memory():  # as in Loop.run
        while not steps.done:
            if loop.progress.batch == 0:
                loop.plan = plan  # the loop would plan the next epoch by itself
            before = loop.progress.source_tokens
            update = loop.update()
            steps.count(loop.progress.source_tokens - before, update.tokens)
            steps.tick()
    steps.tell("own loop, gradients clipped")


def _loop(recipe: Recipe, kit: Kit) -> Loop:
    """Build what `saccade train` builds."""
    codecs = read_identity(kit.folder / "model").codecs
    prepared = prepare(recipe, kit.data, codecs)
    model = folders.build_model(recipe, codecs)
    objective = recipe.training.objective.build(codecs.target.decode)
    batches = batches_of(recipe, prepared.train, codecs, recipe.training.batch_tokens)
    return Loop(model, objective, batches, recipe.training, recipe.seed)


def _plan(batches: list[list[int]]) -> BatchPlan:
    flat = np.fromiter(chain.from_iterable(batches), dtype=np.int32)
    starts = np.cumsum([0, *map(len, batches)], dtype=np.int64)
    return BatchPlan(flat, starts, np.arange(len(batches), dtype=np.int64))


def _version() -> str:
    return versions()["saccade"]


if __name__ == "__main__":
    name, kind = sys.argv[4:]
    own = {"T": transformer, "R": rnn}
    meter.serve({work: partial(f, engine=name, quantise=kind) for work, f in own.items()})
