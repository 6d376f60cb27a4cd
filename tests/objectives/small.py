"""What tests of objectives share: a model in double precision and a batch of two sentences."""

import itertools
from dataclasses import replace

import torch
from torch import Tensor

from saccade.encoders.base import Encoder
from saccade.flow import Batch, Padded
from saccade.models.base import Model, Writer, writer
from saccade.objectives.base import Moment
from saccade.parts import Part
from saccade.tokenizers._vocabulary import END
from tests.samples import MODELS, batch_of, scramble, sides

SIZE = 6  # the four symbols and two more
_TURNS = {"hidden": 12, "context": 8, "dropout": 0.0}


def batch() -> Batch:
    """Two sentences of unequal length."""
    return batch_of(([4, 5], [4, 5]), ([5], [5]))


def model(kind: str = "bahdanau", scale: float = 0.3) -> Writer:
    """A model of noise, in double precision."""
    scale = scale / 3 if kind == "convolution" else scale  # layers without norms multiply
    return scramble(writer(MODELS[kind].build(*sides(SIZE))), scale=scale).double()


def turns() -> Batch:
    """Sources of two turns and of one: `[2, 2, 3]`."""
    flat, ids = (
        batch_of(([], [4, 5]), ([], [5])),
        [[[4, 5, END], [5, END, 0]], [[5, END, 0], [0] * 3]],
    )
    values = torch.tensor(ids)
    return replace(flat, sources={"source": Padded(values, values > 0)})


def hierarchical() -> Writer:
    """A model that reads turns, in double precision and in evaluation mode."""
    options = {**MODELS["bahdanau"].options, "encoder": Part(Encoder, "hierarchical", _TURNS)}
    model = Part(Model, "encoder_decoder", options).build(*sides(SIZE))
    return scramble(writer(model), scale=0.3).double()


def moment(seed: int = 1, step: int = 0) -> Moment:
    """A moment whose chance is the same every time."""
    return Moment(step, torch.Generator().manual_seed(seed))


def letters(ids: object) -> str:
    """Write 4 and 5 as a and b, other ids not at all."""
    assert isinstance(ids, list | tuple)
    return " ".join("ab"[i - 4] for i in ids if i >= 4)


def outputs(longest: int) -> list[tuple[int, ...]]:
    """All a model can write within `longest` symbols: with END, or cut short there."""
    others = [i for i in range(SIZE) if i != END]
    finished = [
        (*symbols, END)
        for length in range(longest)
        for symbols in itertools.product(others, repeat=length)
    ]
    return [*finished, *itertools.product(others, repeat=longest)]


def gradient(total: Tensor, model: Model) -> list[Tensor]:
    """Return the gradient of every parameter, zeros where there is none."""
    found: tuple[Tensor | None, ...] = torch.autograd.grad(
        total, list(model.parameters()), allow_unused=True
    )
    pairs = zip(found, model.parameters(), strict=True)
    return [torch.zeros_like(p) if g is None else g for g, p in pairs]
