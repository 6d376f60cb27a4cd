"""What a run costs, told from its recipe: nothing is read, nothing is allocated."""

import time
from collections.abc import Mapping
from itertools import pairwise
from typing import NamedTuple

import torch
from torch.nn.functional import linear

from saccade.kernels.precision import products
from saccade.learners._bench import Bench
from saccade.learners._timing import roughly
from saccade.models.base import Model
from saccade.nouns import SOURCE_NAME, Side
from saccade.parts import find
from saccade.recipe import Recipe, Training
from saccade.train import weights
from saccade.train.initialisation import Undrawn

_SIZED = ("bpe", "unigram")  # tokenizers that make as many pieces as they are told
_ROWS, _PRODUCTS = 512, 5  # of the product that is timed, and how many of it
_FLOAT = 4  # bytes


class RunCost(NamedTuple):
    """What can be told of a run: rows for a table, or why there are none."""

    rows: Mapping[str, str]
    problem: str = ""


class _Met(NamedTuple):
    """Weights that every source symbol meets, and that every target symbol does."""

    source: int
    target: int
    widest: tuple[int, int]  # the largest matrix among them


def outline(recipe: Recipe) -> RunCost:
    """Tell what training would cost, of a model that is built without memory.

    The size of a vocabulary must stand in the recipe: its tokenizer is bpe or unigram. An update is
    counted as `training.batch_tokens` symbols on both sides, `accumulate` times, which is the most
    it can have; 6 operations for each weight that a symbol meets, as in the report of a run.
    Attention's own products, of places with places, are not counted.
    """
    if find(Model, recipe.model.kind).learner != "gradient":
        return RunCost({}, f"model {recipe.model.kind} learns by counting the data")
    sizes = {name: _size(part.plain()) for name, part in recipe.data.read.items()}
    target = sizes[next(iter(sizes))] if recipe.data.joint else _size(recipe.data.target.plain())
    unknown = [name for name, size in {**sizes, "target": target}.items() if not size]
    if unknown:
        return RunCost({}, f"the vocabulary of {unknown[0]} is as large as the data makes it")
    sources = {name: Side(size) for name, size in sizes.items()}
    with torch.device("meta"), Undrawn():
        model = recipe.model.build(sources or {SOURCE_NAME: Side(target)}, Side(target))
    rows = {"parameters": f"{weights.count(model):,}", **_memory(model, recipe.training, target)}
    return RunCost({**rows, **_operations(model, recipe.training)})


def memory_of(bench: Bench) -> dict[str, str]:
    """Say what a training at a bench holds; nothing of a model that learns without gradients."""
    if bench.model.learner != "gradient":
        return {}
    size = bench.codecs.target.side.size
    return _memory(bench.model, bench.recipe.training, size)


def _memory(model: Model, training: Training, n_symbols: int) -> dict[str, str]:
    """Say what a training holds, of a model that writes one of so many symbols."""
    n = weights.count(model)
    copies = 4 if training.optimiser == "adamw" else 3  # weights, gradients, one or two moments
    scores = training.batch_tokens * n_symbols * _FLOAT
    held = _bytes((copies + (training.ema > 0)) * n * _FLOAT)
    told = f"{held} for weights, gradients and moments; up to {_bytes(scores)} for the scores of a"
    return {"memory": f"{told} batch, and what its layers keep"}


def _operations(model: Model, training: Training) -> dict[str, str]:
    """Say how many operations there are, and how long they take at best."""
    met, symbols = _met(model), training.batch_tokens * training.accumulate
    flops = 6.0 * (met.source + met.target) * symbols
    speed = _speed(met.widest, training)
    each, threads = flops / speed, torch.get_num_threads()
    rows = {
        "an update": (
            f"up to {symbols:,} symbols a side, {flops:.2e} FLOPs, without attention's products of"
            " places with places"
        ),
        "speed here": (
            f"{speed / 1e9:,.0f} GFLOP/s in the largest product, by {threads}"
            f" thread{'s' * (threads > 1)}: {_long(each)} an update at best"
        ),
    }
    if training.max_steps:
        total = training.max_steps * flops
        rows["whole run"] = (
            f"{training.max_steps:,} updates, {total:.2e} FLOPs:"
            f" {_long(training.max_steps * each)} here at best"
        )
    return rows


def _size(side: Mapping[str, object]) -> int:
    """Return how many symbols a side has, if its recipe says so; else 0."""
    tokenizer = side.get("tokenizer")
    if side["kind"] != "text" or not isinstance(tokenizer, Mapping):
        return 0
    return int(tokenizer["size"]) if tokenizer["kind"] in _SIZED else 0


def _met(model: Model) -> _Met:
    """Sort the weights by who meets them; looking a vector up costs nothing."""
    source = target = 0
    widest = (1, 1)
    for name, one in model.named_parameters():
        if ".embedders." in f".{name}":
            continue
        if ".encoders." in f".{name}":
            source += one.numel()
        else:
            target += one.numel()
        if one.dim() == 2 and one.numel() > widest[0] * widest[1]:
            widest = (one.shape[0], one.shape[1])
    return _Met(source, target, widest)


def _speed(shape: tuple[int, int], training: Training) -> float:
    """Time products with a matrix as large as the model's largest: operations a second.

    The fastest counts, as other work may share the processor. At most 4,096 rows and columns.
    """
    rows, columns = (min(one, 4096) for one in shape)
    x, weight = torch.ones(_ROWS, columns), torch.ones(rows, columns)
    with torch.no_grad(), products(training.precision, x.device):
        ends = [time.perf_counter()]
        for _ in range(_PRODUCTS):
            linear(x, weight)
            ends.append(time.perf_counter())
    fastest = min(end - start for start, end in pairwise(ends))
    return 2.0 * _ROWS * rows * columns / max(fastest, 1e-9)


def _bytes(n: float) -> str:
    """Write a size.

    >>> _bytes(63119496 * 16), _bytes(2e6), _bytes(2e5)
    ('1.0 GB', '2 MB', '200 kB')
    """
    if n >= 1e9:
        return f"{n / 1e9:.1f} GB"
    return f"{n / 1e6:.0f} MB" if n >= 1e6 else f"{n / 1e3:.0f} kB"


def _long(seconds: float) -> str:
    """Write a time, in days if there are several.

    >>> _long(0.25), _long(688), _long(864000)
    ('0.25 s', '11 min', '10 days')
    """
    days = seconds / 86400
    if days >= 2:
        return f"{days:,.0f} days"
    return f"{seconds:.2g} s" if seconds < 10 else roughly(seconds)
