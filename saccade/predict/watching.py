"""Attention caught at work: what every one was asked in a pass, and what it read.

Looking is a second pass. What is watched is a copy of the model that shares its weights, so that
the model itself can serve others meanwhile and knows of nothing.
"""

import copy
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any, NamedTuple

import numpy as np
import torch
from torch import nn

from saccade.attention._worked import Asked, Worked
from saccade.attention.base import Attention
from saccade.decoders.base import Decoder
from saccade.encoders.base import Encoder
from saccade.flow import Attended, Batch
from saccade.models.base import Model
from saccade.nouns import SOURCE_NAME
from saccade.predict.looker import DECODER, ENCODER, SelfMap


class Seat(NamedTuple):
    """Where an attention sits.

    side: "encoder", "encoder of image", "decoder"; "" of one that reads the memory.  layer: its
    name, as "layer 2".  source: the source that an encoder reads; "" if it has no name.  n_before:
    as of `Decoder`.
    """

    side: str
    layer: str = ""
    source: str = ""
    n_before: int = 0


class Call(NamedTuple):
    """What an attention was called with once, and what it returned."""

    asked: Asked
    read: Attended


@dataclass(frozen=True)
class Watched:
    """An attention of a copy of the model, where it sits, and its calls in order."""

    attention: Attention
    seat: Seat
    calls: list[Call] = field(default_factory=list)

    @property
    def names(self) -> tuple[str, ...]:
        """What its maps are called in the whole model, but for those over the memory."""
        return _names(self.seat, self.attention)

    @torch.no_grad()
    def work(self, t: int) -> tuple[Worked, ...]:
        """Work out by hand how place t of the first row of the batch reads."""
        for asked, _ in self.calls:
            n_queries = asked.query.shape[1]
            if t < n_queries:
                return self.attention.work(asked.row(t, self._before(asked, t)))
            t -= n_queries
        raise AssertionError("there is no such place")

    def _before(self, asked: Asked, t: int) -> Any:
        if not self.attention.recurrent or not t:
            return asked.state
        first = asked.query[:, :t]
        return self.attention(first, asked.prepared, asked.mask[:, :t], asked.state).state


def self_attention_names(model: Model) -> tuple[str, ...]:
    """Return what the maps of self-attention of a model are called."""
    origin = model.origin
    seats = [] if origin is None else _seats(origin)
    return tuple(name for seat, attention in seats for name in _names(seat, attention))


def has_attention(model: Model) -> bool:
    """Tell whether a model has an attention that reads something, and so can be worked out."""
    origin = model.origin
    parts = [] if origin is None else _outermost(origin, Attention).values()
    return any(one.names for one in parts)


@torch.inference_mode()
def self_maps(model: Model, batch: Batch) -> tuple[SelfMap, ...]:
    """Return every map of self-attention of one example."""
    if not self_attention_names(model):
        return ()
    return tuple(_maps(watch(model, batch)))


def _maps(watched: list[Watched]) -> Iterator[SelfMap]:
    for one in watched:
        if not one.seat.side or not one.calls:
            continue
        seen = [call.read.weights for call in one.calls if call.read.weights is not None]
        weights = torch.cat(seen, dim=1)[0].transpose(0, 1).float().cpu().numpy()  # [A, T, S]
        seat = one.seat
        for name, map_of in zip(one.names, weights.astype(np.float32), strict=True):
            yield SelfMap(name, seat.side, seat.source, map_of, seat.n_before)


@torch.inference_mode()
def watch(model: Model, batch: Batch) -> list[Watched]:
    """Let a copy of the model read a batch of one example; return its attentions that were called.

    Those of self-attention come first, those that read the memory after them in order of their
    first call, which is that of `attention_names`.
    """
    origin = model.origin
    assert origin is not None, "there are no parts to look into"
    shared = {id(one): one for one in (*origin.parameters(), *origin.buffers())}
    copied = copy.deepcopy(origin, shared).eval()
    within = [Watched(attention, seat) for seat, attention in _seats(copied)]
    known = {id(one.attention) for one in within}
    across: dict[int, Watched] = {}
    for attention in _outermost(copied, Attention).values():
        if id(attention) not in known:
            _watch(Watched(attention, Seat("")), across)
    for one in within:
        _watch(one, {})
    copied(batch, look=True)
    return [*within, *across.values()]


def _watch(one: Watched, called: dict[int, Watched]) -> None:
    """Have an attention look whenever it is called, and keep the call."""

    def ask(_: nn.Module, given: Any, named: dict[str, Any]) -> Any:
        return given, {**named, "look": True}

    def keep(_: nn.Module, given: Any, named: dict[str, Any], read: Attended) -> None:
        called.setdefault(id(one.attention), one)
        query, prepared, mask, state = given
        one.calls.append(Call(Asked(query, prepared, mask, state, named.get("places")), read))

    one.attention.register_forward_pre_hook(ask, with_kwargs=True)
    one.attention.register_forward_hook(keep, with_kwargs=True)


def _seats(model: Model) -> list[tuple[Seat, Attention]]:
    """Return every self-attention that an encoder or a decoder says it has, encoders first."""
    found = [
        (Seat(_spoken(source), layer, source), attention)
        for path, encoder in _outermost(model, Encoder).items()
        for source in [_source_of(path)]
        for layer, attention in encoder.self_attention.items()
    ]
    for decoder in _outermost(model, Decoder).values():
        for layer, attention in decoder.self_attention.items():
            found.append((Seat(DECODER, layer, "", decoder.n_before), attention))
    return found


def _outermost(model: nn.Module, kind: Any) -> Mapping[str, Any]:
    """Return the modules of a kind that are in no other of that kind, by their paths."""
    found: dict[str, Any] = {}
    for path, module in model.named_modules():
        if isinstance(module, kind) and not any(path.startswith(f"{one}.") for one in found):
            found[path] = module
    return found


def _source_of(path: str) -> str:
    """Return the source that an encoder reads: `reading.encoders.image` reads "image"."""
    parent, _, name = path.rpartition(".")
    return name if parent.rpartition(".")[2] == "encoders" else ""


def _spoken(source: str) -> str:
    return ENCODER if source in ("", SOURCE_NAME) else f"{ENCODER} of {source}"


def _names(seat: Seat, attention: Attention) -> tuple[str, ...]:
    parts = ([seat.side, seat.layer, name] for name in attention.names)
    return tuple(" ".join(part for part in parts if part) for parts in parts)
