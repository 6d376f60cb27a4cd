"""Write a model as two ONNX graphs, which onnxruntime runs without torch and without saccade.

    encode.onnx   ids [B, S], mask [B, S]   ->  the state before the first symbol
    step.onnx     token [B], the state      ->  log_probs [B, V], the state after it

A State is nested; in a graph its tensors are named by their path, `cells.0.h`. What comes out of
`step` is called `next.cells.0.h`. What begins with `source.` depends on the source alone: `step`
reads it and does not give it back.
"""

import importlib
import logging
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import astuple, dataclass
from pathlib import Path

import torch
from torch import Tensor, nn

from saccade.attention.hard import Hard
from saccade.cells.base import Cell
from saccade.embedders.base import Embedder
from saccade.embedders.symbols import SymbolEmbedder
from saccade.encoders.base import Encoder
from saccade.encoders.dense import DenseEncoder
from saccade.encoders.hierarchical import HierarchicalEncoder
from saccade.encoders.kalchbrenner_blunsom import KalchbrennerBlunsomEncoder
from saccade.encoders.rnn import RnnEncoder
from saccade.errors import RecipeError
from saccade.export._sweeps import traceable
from saccade.flow import SOURCE, Padded, State, map_state
from saccade.heads.base import Categorical
from saccade.models.base import Model, Writer
from saccade.models.dynamic_memory import DynamicMemory
from saccade.models.encoder_decoder import SourceReader
from saccade.nouns import SOURCE_NAME

ENCODE, STEP = "encode.onnx", "step.onnx"
NEXT = "next."  # before the name of an entry of the state after a step
OPSET = 20
Flat = dict[str, Tensor]
_HARMLESS = (  # warnings of torch's exporter: of its own doing, and of a name given to equal sizes
    r"`isinstance\(treespec, LeafSpec\)` is deprecated",
    r"# The axis name: (\S+) will not be used.* another axis: \1\.",
)


@dataclass(frozen=True, slots=True)
class Sizes:
    """How large a sample is: rows, places of the source, symbols written so far."""

    rows: int
    places: int
    written: int


_SIZES = ("batch", "places", "written")
_SAMPLES = Sizes(5, 37, 2), Sizes(6, 101, 3)  # what differs between them may vary


def write(model: Model, folder: Path) -> None:
    """Write `encode.onnx` and `step.onnx` of a trained model that is not refused."""
    importlib.import_module("torch._meta_registrations")  # which cli/startup.py leaves out
    copied = traceable(model)
    assert isinstance(copied, Writer)
    try:
        with _quiet(), torch.no_grad():
            _write_encode(copied, folder / ENCODE)
            _write_step(copied, folder / STEP)
    except torch.onnx.OnnxExporterError as error:
        cause = str(error.__cause__ or error).strip().splitlines()[0]
        raise RecipeError(
            f"export onnx: torch cannot trace {type(model).__name__} with these parts ({cause});"
            " expected work that depends on sizes, not on values. Change the part, or use --engine"
            " torch."
        ) from error


def refusals(model: Model) -> list[str]:
    """Say which parts of a model cannot be in a graph, and what to change in its recipe."""
    if not isinstance(model.head, Categorical) or _reads_other_than_text(model):
        return [
            "export onnx: data: a side is not text, and graphs are written of models of text alone;"
            " expected text on both sides. Use --engine torch."
        ]
    return [
        f"export onnx: {option}: {why}, which no graph can hold; expected parts whose work depends"
        f" on the lengths alone. {cure}, or --engine torch."
        for option, why, cure in (*_obstacles(model), *_memories(model))
    ]


def _reads_other_than_text(model: Model) -> bool:
    embedders = [module for module in model.modules() if isinstance(module, Embedder)]
    return not all(isinstance(one, SymbolEmbedder) for one in embedders)


def _memories(model: Model) -> list[tuple[str, str, str]]:
    if isinstance(model, DynamicMemory):
        return [("model: dynamic_memory", "takes a step for every sentence", "Use memory_network")]
    if model.learner != "gradient":
        return [("model", "looks up what was counted", "Use language_model")]
    there = any(isinstance(one, Cell) and one.addresses for one in model.modules())
    return [("cell", "has a memory of slots", "Use a cell such as lstm")] if there else []


def _obstacles(model: Model) -> Iterator[tuple[str, str, str]]:
    for module in model.modules():
        if isinstance(module, SourceReader) and len(module.encoders) > 1:
            yield "data.sources", "are several", "Read one"
        elif isinstance(module, SourceReader) and SOURCE_NAME not in module.encoders:
            yield "data.sources", "gives the source another name", "Use data.source"
    for module in model.modules():
        if isinstance(module, Encoder):
            yield from _encoder_obstacles(module)
        if isinstance(module, Hard) and module.recurrent:
            yield "attention hard: choose: sample", "draws random numbers", "Use choose: argmax"
    if model.frames:
        yield "model: ctc", "adds up the paths of frames", "Use encoder_decoder"
    if model.pieces_each > 1:
        yield f"model.factors: {model.pieces_each}", "checks every sentence", "Use factors: 1"


def _encoder_obstacles(encoder: Encoder) -> Iterator[tuple[str, str, str]]:
    if isinstance(encoder, HierarchicalEncoder):
        yield "model.encoder: hierarchical", "cuts the source by what it says", "Use rnn"
    if isinstance(encoder, KalchbrennerBlunsomEncoder):
        why = "takes as many layers as a sentence needs"
        yield "model.encoder: kalchbrenner_blunsom", why, "Use conv_s2s"
    if isinstance(encoder, DenseEncoder):
        yield "model.encoder: dense", "counts the places of every source", "Use bag"
    if isinstance(encoder, RnnEncoder) and encoder.carry:
        yield "model.encoder.carry", "waits at the end of every sentence", "Set it to false"


class _Encode(nn.Module):
    def __init__(self, model: Writer) -> None:
        super().__init__()
        self.model = model

    def forward(self, inputs: tuple[Tensor, ...]) -> tuple[Tensor, ...]:
        first = flatten(self.model.start({SOURCE_NAME: Padded(*inputs)})).values()
        return tuple(_blank(one) if 0 in one.shape else one for one in first)


def _blank(tensor: Tensor) -> Tensor:
    """Return zeros of the same shape, which nothing has to compute and which lie in order."""
    return torch.zeros(tensor.shape, dtype=tensor.dtype)


class _Step(nn.Module):
    def __init__(self, model: Writer, like: State) -> None:
        super().__init__()
        self.model, self.like = model, like

    def forward(self, inputs: tuple[Tensor, ...]) -> tuple[Tensor, ...]:
        token, *flat = inputs
        entries = iter(flat)
        after = self.model.step(token, map_state(lambda _: next(entries), self.like))
        return (after.log_probs, *moving(flatten(after.state)).values())


def _write_encode(model: Writer, path: Path) -> None:
    first, second = (_source(size) for size in _SAMPLES)
    names = flatten(model.start({SOURCE_NAME: Padded(*first.values())}))
    _export(_Encode(model), path, first, second, list(names))


def _write_step(model: Writer, path: Path) -> None:
    states = [_written(model, size) for size in _SAMPLES]
    first, second = (
        {"token": torch.zeros(size.rows, dtype=torch.long), **flatten(map_state(_blank, state))}
        for size, state in zip(_SAMPLES, states, strict=True)
    )
    outputs = ["log_probs", *(NEXT + name for name in moving(flatten(states[0])))]
    _export(_Step(model, states[0]), path, first, second, outputs)


def _source(size: Sizes) -> Flat:
    ids = torch.zeros(size.rows, size.places, dtype=torch.long)
    return {"ids": ids, "mask": torch.ones_like(ids, dtype=torch.bool)}


def _written(model: Writer, size: Sizes) -> State:
    """Return the state of a sample in which some symbols are written."""
    state = model.start({SOURCE_NAME: Padded(*_source(size).values())})
    for _ in range(size.written):
        state = model.step(torch.zeros(size.rows, dtype=torch.long), state).state
    return state


def _export(module: nn.Module, path: Path, first: Flat, second: Flat, outputs: list[str]) -> None:
    """Trace with the first sample; what differs in the second may vary."""
    names = {
        (one, other): name
        for one, other, name in zip(astuple(_SAMPLES[0]), astuple(_SAMPLES[1]), _SIZES, strict=True)
    }
    varying = [
        {
            axis: names.setdefault(pair, f"{name}.{axis}")
            for axis, pair in enumerate(zip(tensor.shape, second[name].shape, strict=True))
            if pair[0] != pair[1]
        }
        for name, tensor in first.items()
    ]
    torch.onnx.export(
        module.eval(),
        (tuple(first.values()),),
        path,
        dynamo=True,
        opset_version=OPSET,
        input_names=list(first),
        output_names=outputs,
        dynamic_shapes=(tuple(varying),),
        external_data=False,
        verbose=False,
    )


def flatten(state: State, path: str = "") -> Flat:
    """Name every tensor of a state by its path.

    >>> list(flatten({"cells": {"0": {"h": torch.zeros(1)}}, "place": torch.zeros(1)}))
    ['cells.0.h', 'place']
    """
    flat: Flat = {}
    for name, entry in state.items():
        inner = {} if isinstance(entry, Tensor) else flatten(entry, f"{path}{name}.")
        flat |= {path + name: entry} if isinstance(entry, Tensor) else inner
    return flat


def moving(flat: Flat) -> Flat:
    """Keep what a step changes: all that does not depend on the source alone."""
    return {name: entry for name, entry in flat.items() if not name.startswith(f"{SOURCE}.")}


@contextmanager
def _quiet() -> Iterator[None]:
    """Keep to itself what torch's exporter says about packages and names of its own."""
    log = logging.getLogger("torch.onnx._internal.exporter._registration")
    level = log.level
    log.setLevel(logging.ERROR)
    try:
        with warnings.catch_warnings():
            for message in _HARMLESS:
                warnings.filterwarnings("ignore", message)
            yield
    finally:
        log.setLevel(level)
