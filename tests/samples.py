"""Small things to test models with: every variant of a part, masks, memories, trained models."""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from functools import cache
from typing import Any, Literal, TypeVar, get_args, get_origin

import numpy as np
import pytest
import torch
from numpy.typing import NDArray
from torch import Tensor, nn

from saccade.attention.base import Attention
from saccade.cells.base import Cell
from saccade.data.batching import collate as make_batch
from saccade.data.codecs import Codecs
from saccade.decoders.base import Decoder
from saccade.encoders.base import Encoder
from saccade.flow import Batch, Memory, State, from_lengths, reorder
from saccade.kernels.library import SWITCH, found
from saccade.modalities.numbers import NumbersCodec, Scale
from saccade.modalities.text import TextCodec
from saccade.models.base import Model
from saccade.nouns import Side
from saccade.objectives.cross_entropy import cross_entropy
from saccade.parts import Part, find, kinds, schema
from saccade.positions.base import Heads, Positions
from saccade.tokenizers._vocabulary import Vocabulary
from saccade.tokenizers.character import Character

T = TypeVar("T")
M = TypeVar("M", bound=nn.Module)
WIDTH = 32  # of what contracts build: two heads of 16, the least that every kernel takes
SMALL: dict[str, Any] = {
    "hidden": WIDTH,
    "layers": 2,
    "feed_forward": WIDTH,
    "heads": 2,
    "dropout": 0.0,
}
_KERNELS = {"filters": 4, "widest": 3, "context": 8}
_CELLS = {"slots": 7, "width": 5, "periods": [1, 2], "nearest": 3}


def variants(family: type[T], **options: Any) -> list[Part[T]]:
    """Every part of a family as it is by default, and with each other choice of each option."""
    return [part for kind in kinds(family) for part in _variants(family, kind, options)]


def _variants(family: type[T], kind: str, given: dict[str, Any]) -> Iterator[Part[T]]:
    known = schema(find(family, kind))
    small = {**SMALL, **_KERNELS, **(_CELLS if family is Cell else {}), **given}
    options = {name: value for name, value in small.items() if name in known}
    yield Part(family, kind, options)
    for name, option in known.items():
        choices = get_args(option.type) if get_origin(option.type) is Literal else ()
        choices = (True, False) if option.type is bool else choices
        for choice in choices:
            if choice != option.default and name not in given:
                yield Part(family, kind, {**options, name: choice})


def readers(dim: int) -> list[Part[Attention]]:
    """Every attention that a Transformer layer can hold: it reads its own width, all at once."""
    built = [(part, part.build(dim, dim)) for part in variants(Attention)]
    fit = [(part, one) for part, one in built if one.context_dim == dim]
    return [part for part, one in fit if not one.recurrent and not one.hard]


def positions(*, added: bool) -> list[Part[Positions]]:
    """Every kind of positions that only adds to vectors, or every kind that does anything else."""
    return [part for part in variants(Positions) if _only_adds(part) is added]


def _only_adds(part: Part[Positions]) -> bool:
    built = part.build(4, Heads(2, 2))
    return built.adds and built.inside(1, 0, torch.zeros(1)) is None


def name(part: object) -> str:
    """Say what a part is, for the report of a test; other parameters speak for themselves."""
    if not isinstance(part, Part):
        return str(part)
    own = {k: v for k, v in part.options.items() if {**SMALL, **_KERNELS, **_CELLS}.get(k) != v}
    inner = [f"{k}={name(v) if isinstance(v, Part) else v}" for k, v in own.items()]
    return "-".join([part.kind, *inner])


def scramble(module: M, seed: int = 1, scale: float = 0.5) -> M:
    """Fill every parameter, biases too, with noise; return the module in evaluation mode."""
    noise = torch.Generator().manual_seed(seed)
    named = sorted(module.named_parameters(), key=lambda one: one[0] != "head.bias")  # this first
    for _, parameter in named:
        values = torch.randn(parameter.shape, generator=noise, dtype=torch.float64) * scale
        parameter.data.copy_(values)
    return module.eval()


def randn(*shape: int, seed: int = 1, dtype: torch.dtype = torch.float32) -> Tensor:
    """Draw noise that is the same every time."""
    noise = torch.Generator().manual_seed(seed)
    return torch.randn(*shape, generator=noise, dtype=torch.float64).to(dtype)


def mask_of(*lengths: int, size: int | None = None) -> Tensor:
    """Mark the first places of each row."""
    return from_lengths(torch.tensor(lengths), size)


def memory(*lengths: int, dim: int = 8, extra: int = 0) -> Memory:
    """Make a memory of noise, with `extra` places of other noise behind its padding.

    It carries the last states of two layers of a cell that has `h` alone, as wide as a state.
    """
    mask = mask_of(*lengths)
    states, beyond = randn(*mask.shape, dim), randn(len(mask), extra, dim, seed=9)
    states = torch.cat([states, beyond], dim=1)
    kept, summary = mask_of(*lengths, size=states.shape[1]), randn(len(mask), dim, seed=2)
    carried: State = {str(i): {"h": randn(len(mask), dim, seed=3 + i)} for i in range(2)}
    return Memory(states, kept, summary, carried=carried)


def rows_of(memory: Memory, index: Tensor) -> Memory:
    """Take rows of a memory."""
    carried = None if memory.carried is None else reorder(memory.carried, index)
    rows = (memory.states[index], memory.mask[index], memory.summary[index])
    return Memory(*rows, carried=carried)


def collate(sources: Sequence[Sequence[int]], targets: Sequence[Sequence[int]]) -> Batch:
    """Make a batch of ids that hold no START and END."""
    return make_batch(codecs(), {"source": _arrays(sources)}, _arrays(targets))


def _arrays(rows: Sequence[Sequence[int]]) -> list[NDArray[np.int64]]:
    return [np.array(row, dtype=np.int64) for row in rows]


def batch_of(*pairs: tuple[list[int], list[int]]) -> Batch:
    """Make a batch of pairs of ids."""
    return collate([source for source, _ in pairs], [target for _, target in pairs])


def sides(source: int, target: int | None = None) -> tuple[dict[str, Side], Side]:
    """Say what a model must know of a source and a target of so many symbols."""
    return {"source": Side(source)}, Side(source if target is None else target)


def series(source: int, target: int | None = None) -> tuple[dict[str, Side], Side]:
    """Say what a model must know of numbers in so many columns."""
    n = source if target is None else target
    return {"source": Side(source, "linear", "values")}, Side(n, "linear", "values")


@cache
def codecs() -> Codecs:
    """The codecs of PAIRS."""
    return text_codecs(vocabulary())


def text_codecs(source: Vocabulary, target: Vocabulary | None = None) -> Codecs:
    """Make the codecs of text in the pieces of these vocabularies."""
    return Codecs({"source": TextCodec(source)}, TextCodec(target or source, source))


def windows(sources: Sequence[Tensor], targets: Sequence[Tensor]) -> Batch:
    """Make a batch of numbers `[S, C]`, which are left as they are."""
    read, written = (
        NumbersCodec(Scale((0.0,) * n, (1.0,) * n), max(map(len, rows)))
        for rows in (sources, targets)
        for n in [rows[0].shape[1]]
    )
    arrays = [[one.numpy() for one in rows] for rows in (sources, targets)]
    return make_batch(Codecs({"source": read}, written), {"source": arrays[0]}, arrays[1])


@contextmanager
def kernels_off() -> Iterator[None]:
    """Compute as if there were no compiler, for the time of a `with`."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv(SWITCH, "off")
        found.cache_clear()
        yield
    found.cache_clear()


def made_by(function: str, tensor: Tensor) -> bool:
    """Tell whether an autograd function of `kernels/` took part in making a tensor."""
    nodes, seen = [tensor.grad_fn], set()
    while nodes:
        node = nodes.pop()
        if node is None or node in seen:
            continue
        if node.name() == f"{function}Backward":
            return True
        seen.add(node)
        nodes.extend(one for one, _ in node.next_functions)
    return False


def backward(loss: Tensor) -> None:
    """Compute gradients."""
    torch.autograd.backward([loss])


def missing_gradients(module: nn.Module) -> list[str]:
    """Name the parameters that have no gradient, or one of zeros."""
    return [
        name
        for name, parameter in module.named_parameters()
        if parameter.numel() and (parameter.grad is None or not parameter.grad.abs().sum() > 0)
    ]


PAIRS = [
    ("one", "un"),
    ("two", "deux"),
    ("three", "trois"),
    ("four", "quatre"),
    ("five", "cinq"),
    ("six", "six"),
    ("a cat", "un chat"),
    ("two cats", "deux chats"),
]
_RNN = {"hidden": 24, "dropout": 0.0}
_TRANSFORMER = {"layers": 2, "feed_forward": 48, "dropout": 0.0}
_CONVOLUTION = {"layers": 2, "hidden": 24, "dropout": 0.0}


def _model(encoder: str, decoder: str, shared: dict[str, Any], **own: Any) -> Part[Model]:
    options = {
        "embedding": 24,
        "dropout": 0.0,
        "encoder": Part(Encoder, encoder, shared),
        "decoder": Part(Decoder, decoder, {**shared, **own}),
    }
    return Part(Model, "encoder_decoder", options)


MODELS = {
    "bahdanau": _model("rnn", "rnn", _RNN),
    "luong": _model("rnn", "rnn", _RNN, wiring="luong", attention="bilinear", cell="lstm"),
    "sutskever": _model("rnn", "rnn", _RNN, attention="none"),
    "pre": _model("transformer", "transformer", {**_TRANSFORMER, "norm": "pre"}),
    "post": _model("transformer", "transformer", {**_TRANSFORMER, "norm": "post"}),
    "convolution": _model("conv_s2s", "conv_s2s", _CONVOLUTION),
    "instant": _model("rnn", "instant", _RNN),
}
HARD = _model("rnn", "rnn", _RNN, attention="hard")  # learns by an objective of its own
CTC = Part(
    Model,
    "ctc",
    {"embedding": 24, "dropout": 0.0, "split": 2, "encoder": Part(Encoder, "rnn", _RNN)},
)
JOINT = Part(Model, "joint_ctc", MODELS["bahdanau"].options)
MEMORY = Part(Model, "memory_network", {"embedding": 24, "empty": 0.0})
_SPECIAL = {"hard": HARD, "ctc": CTC, "joint": JOINT, "memory": MEMORY}


@cache
def vocabulary() -> Vocabulary:
    """The characters of PAIRS, the same for both sides."""
    return Character().fit([text for pair in PAIRS for text in pair], ["nfc"])


@cache
def pairs_batch() -> Batch:
    """All of PAIRS."""
    return batch_of(*((vocabulary().encode(s), vocabulary().encode(t)) for s, t in PAIRS))


@cache
def untrained(kind: str) -> Model:
    """A model of random weights, large enough to prefer some symbols to others."""
    size = len(vocabulary())
    scale = 0.1 if kind == "convolution" else 0.25  # layers without norms multiply what they get
    return scramble(MODELS[kind].build(*sides(size)), scale=scale)


@cache
def trained(kind: str, steps: int = 250) -> Model:
    """A model that has seen PAIRS many times."""
    with torch.random.fork_rng():
        torch.manual_seed(1)
        model = {**MODELS, **_SPECIAL}[kind].build(*sides(len(vocabulary())))
    optimiser = torch.optim.Adam(model.parameters(), lr=1e-2)
    for _ in range(steps):
        loss = cross_entropy(model, pairs_batch())
        if loss.total.item() / loss.count < 0.01:
            break
        optimiser.zero_grad()
        backward(loss.total / loss.count)
        nn.utils.clip_grad_norm_(model.parameters(), 1.0)
        optimiser.step()
    return model.eval()
