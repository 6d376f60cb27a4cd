"""The nouns that travel through saccade, in the order in which they appear.

    Example ─▶ Padded, Batch ─▶ Memory ─▶ State, Attended, Decoded, Step ─▶ Loss or Hypothesis

The two ends, Example and Hypothesis, hold no tensors and are in nouns.py. All are frozen values.
Letters: B batch, S source places, T target places, D width, V vocabulary,
A attention maps (layers x heads), K beam.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

import torch
from torch import Tensor


@dataclass(frozen=True, slots=True)
class Padded:
    """Sequences of unequal length in one tensor that owns its mask.

    mask: True = a real place; `[B, S]` for sequences, whose real places come first, `[B, N, S]`
    for N sequences a row, `[B, H, W]` for pictures.  values: what stands there, ids of the mask's
    shape or vectors, with dimensions behind those of the mask.
    """

    values: Tensor
    mask: Tensor

    @property
    def lengths(self) -> Tensor:
        """Number of real places of each row, `[B]`."""
        return self.mask.flatten(1).sum(dim=1)

    def rows(self, index: Tensor) -> "Padded":
        """Take rows of the batch; the only selection there is."""
        return Padded(self.values[index], self.mask[index])

    def flat(self) -> "Padded":
        """Lay the places of each row out in one sequence, real places first: `[B, S]`.

        >>> ids = torch.tensor([[[5, 6], [7, 0]], [[8, 0], [0, 0]]])
        >>> Padded(ids, ids > 0).flat().values.tolist()
        [[5, 6, 7], [8, 0, 0]]
        """
        n_dims = self.mask.dim()
        if n_dims == 2:
            return self
        mask, values = self.mask.flatten(1), self.values.flatten(1, n_dims - 1)
        first = (~mask).to(torch.uint8).argsort(dim=1, stable=True)  # real places come first
        first = first[:, : int(mask.sum(dim=1).max())]  # [B, S]
        rows = torch.arange(len(mask), device=mask.device)[:, None]
        return Padded(values[rows, first], mask[rows, first])

    def to(self, device: torch.device) -> "Padded":
        """Move to `device`."""
        return Padded(self.values.to(device), self.mask.to(device))


def padded(sequences: Sequence[Sequence[int]]) -> Padded:
    """Put sequences of ids into one tensor, zeros behind.

    >>> padded([[5, 6], [7]]).values.tolist()
    [[5, 6], [7, 0]]
    """
    lengths = torch.tensor([len(ids) for ids in sequences])
    mask = torch.arange(int(lengths.max())) < lengths[:, None]  # [B, S]
    values = torch.zeros(mask.shape, dtype=torch.long)
    values[mask] = torch.tensor([i for ids in sequences for i in ids], dtype=torch.long)
    return Padded(values, mask)


Sources = Mapping[str, Padded]  # by name


def only(sources: Sources) -> Padded:
    """Return the source of a model that reads one."""
    (source,) = sources.values()
    return source


@dataclass(frozen=True, slots=True)
class Batch:
    """Examples ready for a model.

    sources: what is read, by name.  target: `[B, T]` ids that end in END, or `[B, T, C]` values.
    prefix: as `target`, shifted right behind START or what the source ends with: what the decoder
    has read before it writes `target`.  index: which pairs of the corpus these are.  references:
    all targets of each pair's example, as ids without END, for objectives that ask for them.
    """

    sources: Sources
    target: Padded
    prefix: Tensor
    index: tuple[int, ...] = ()
    references: tuple[tuple[tuple[int, ...], ...], ...] = ()

    @property
    def source(self) -> Padded:
        """The only source."""
        return only(self.sources)

    @property
    def n_source_places(self) -> int:
        """How many real places all sources have."""
        return sum(int(source.mask.sum()) for source in self.sources.values())

    def to(self, device: torch.device) -> "Batch":
        """Move to `device`."""
        sources = {name: source.to(device) for name, source in self.sources.items()}
        target, prefix = self.target.to(device), self.prefix.to(device)
        return Batch(sources, target, prefix, self.index, self.references)


@dataclass(frozen=True, slots=True)
class Memory:
    """What an encoder made of the source.

    states: `[B, M, D]`.  mask: `[B, M]`.  summary: `[B, D]`, one vector for the whole sentence.
    places: `[B, S]`, which state each place of the source went into, -1 for padding; None if there
    is one for each, M = S.  values: `[B, M, D]`, what attention reads, for an encoder that wants it
    to differ from the states, by which it compares; None means the states.  belongs: `[B, M, K]`,
    True where a state is of that one of K sources; None if there is only one.  carried: the last
    states of the layers of a recurrent encoder, by their number from "0", if it hands them on.
    """

    states: Tensor
    mask: Tensor
    summary: Tensor
    places: Tensor | None = None
    values: Tensor | None = None
    belongs: Tensor | None = None
    carried: "State | None" = None

    def over_source(self, weights: Tensor) -> Tensor:
        """Share the weights of states, `[B, T, A, M]`, out among the places of each: `[..., S]`.

        >>> memory = Memory(torch.zeros(1, 2, 1), torch.ones(1, 2).bool(), torch.zeros(1, 1),
        ...                 torch.tensor([[0, 0, 1, -1]]))
        >>> memory.over_source(torch.tensor([[[[0.6, 0.4]]]])).tolist()[0][0][0]
        [0.30000001192092896, 0.30000001192092896, 0.4000000059604645, 0.0]
        """
        return weights if self.places is None else share_out(weights, self.places)


def share_out(weights: Tensor, places: Tensor) -> Tensor:
    """Share the weights of states, `[B, T, A, M]`, out evenly: `Memory.over_source`."""
    states = torch.arange(weights.shape[-1], device=weights.device)
    owned = (places[:, None] == states[:, None]).to(weights.dtype)  # [B, M, S]
    shared = owned / owned.sum(dim=2, keepdim=True).clamp(min=1)
    return weights @ shared[:, None]  # [B, T, A, S]


State = dict[str, "Tensor | State"]  # nested; dim 0 of every tensor is the batch
SOURCE = "source"  # the entry of a State that depends on the source sentence alone


def map_state(function: Callable[[Tensor], Tensor], state: State) -> State:
    """Apply `function` to every tensor of `state`."""
    return {
        name: function(entry) if isinstance(entry, Tensor) else map_state(function, entry)
        for name, entry in state.items()
    }


def map_both(function: Callable[[Tensor, Tensor], Tensor], one: State, other: State) -> State:
    """Apply `function` to every tensor of `one` and that of the same name of `other`."""
    return {
        name: function(entry, tensor(other, name))
        if isinstance(entry, Tensor)
        else map_both(function, entry, nested(other, name))
        for name, entry in one.items()
    }


def tensors(state: State) -> list[Tensor]:
    """Return every tensor of `state`, those of nested states too.

    >>> [one.item() for one in tensors({"b": torch.tensor(2), "a": {"c": torch.tensor(1)}})]
    [2, 1]
    """
    found = []
    for entry in state.values():
        found += [entry] if isinstance(entry, Tensor) else tensors(entry)
    return found


def reorder(state: State, index: Tensor) -> State:
    """Take rows `index` of every tensor of `state`; the only reordering in the package.

    >>> reorder({"h": torch.tensor([[1], [2]])}, torch.tensor([1, 1, 0]))["h"].tolist()
    [[2], [2], [1]]
    """
    return map_state(lambda tensor: tensor.index_select(0, index), state)


def reorder_within(state: State, index: Tensor) -> State:
    """Reorder when rows only change places with rows of the same source sentence.

    What depends on the source alone (the entry SOURCE) is the same for them and is not moved.
    """
    return {
        name: entry if name == SOURCE else _reorder_entry(entry, index)
        for name, entry in state.items()
    }


def _reorder_entry(entry: "Tensor | State", index: Tensor) -> "Tensor | State":
    return entry.index_select(0, index) if isinstance(entry, Tensor) else reorder(entry, index)


def append(state: State, more: State) -> State:
    """Add places: join the tensors of two states along dimension -2."""
    return {name: torch.cat([tensor(state, name), tensor(more, name)], dim=-2) for name in state}


def tensor(state: State, name: str) -> Tensor:
    """Return the tensor called `name`."""
    entry = state[name]
    assert isinstance(entry, Tensor)
    return entry


def nested(state: State, name: str) -> State:
    """Return the state called `name`."""
    entry = state[name]
    assert isinstance(entry, dict)
    return entry


class Ticked(NamedTuple):
    """One step of a recurrent cell: output `[B, D]`, its state, and its gates by name `[B, D]`."""

    output: Tensor
    state: State
    gates: Mapping[str, Tensor]


class Swept(NamedTuple):
    """A recurrent cell over a whole sequence: outputs `[B, T, D]` and the state after the last."""

    outputs: Tensor
    state: State


class Attended(NamedTuple):
    """What attention read: context `[B, T, C]`, weights `[B, T, A, S]` if asked for, its state."""

    context: Tensor
    weights: Tensor | None
    state: State


class Decoded(NamedTuple):
    """A decoder over a whole prefix: features `[B, T, D]`, weights `[B, T, A, S]` if asked for."""

    features: Tensor
    weights: Tensor | None


class Stepped(NamedTuple):
    """A decoder over one symbol: features `[B, D]`, weights `[B, A, S]` if asked for, its state."""

    features: Tensor
    weights: Tensor | None
    state: State


class Frames(NamedTuple):
    """What a model of frames says of every frame: log-probabilities `[B, S, V]`, and the mask.

    PAD is the blank. Behind its last frame, where `mask [B, S]` is False, a row says blank with
    certainty: more of such frames change nothing. early: what lower layers say, if they are asked.
    """

    log_probs: Tensor
    mask: Tensor
    early: "Frames | None" = None


class Step(NamedTuple):
    """A model over one symbol: log-probabilities of the next `[B, V]`, and the state after it.

    Whoever asked for the step may write over the log-probabilities.
    """

    log_probs: Tensor
    state: State


StepFunction = Callable[[Tensor, State], Step]  # (token [B], state) -> Step


@dataclass(frozen=True, slots=True)
class Loss:
    """A sum and what it is a sum over; the training loop divides once, after accumulation.

    total: scalar, differentiable.  count: number of target symbols.  parts: sums worth logging.
    counts: what else was counted, such as examples left out; the log keeps it as it is.
    """

    total: Tensor
    count: int
    parts: Mapping[str, float] = field(default_factory=dict)
    counts: Mapping[str, int] = field(default_factory=dict)


# Masks: True means keep.


def from_lengths(lengths: Tensor, size: int | None = None) -> Tensor:
    """Mark the first `lengths[b]` of `size` places.

    >>> from_lengths(torch.tensor([1, 3])).int().tolist()
    [[1, 0, 0], [1, 1, 1]]
    """
    n = int(lengths.max()) if size is None else size
    return torch.arange(n, device=lengths.device) < lengths[:, None]  # [B, S]


def causal(size: int, device: torch.device | None = None) -> Tensor:
    """Let place t see places 0..t.

    >>> causal(3).int().tolist()
    [[1, 0, 0], [1, 1, 0], [1, 1, 1]]
    """
    return torch.ones(size, size, dtype=torch.bool, device=device).tril()  # [T, T]


def window(size: int, reach: int, device: torch.device | None = None) -> Tensor:
    """Let place t see the places at most `reach` away; 0 is no limit.

    >>> window(4, 1).int().tolist()
    [[1, 1, 0, 0], [1, 1, 1, 0], [0, 1, 1, 1], [0, 0, 1, 1]]
    """
    place = torch.arange(size, device=device)
    return (place[:, None] - place).abs() <= (reach or size)  # [T, T]


def masked_softmax(scores: Tensor, mask: Tensor) -> Tensor:
    """Softmax of `scores` over the last dimension among the places that `mask` keeps.

        a[s] = m[s] exp(e[s]) / sum_u m[u] exp(e[u])

    Dropped places get exactly zero; a row with nothing to keep gets zeros, not NaN.

    Args:
        scores: any shape `[..., S]`.
        mask: bool, broadcasts to `scores`; True = keep.

    >>> masked_softmax(torch.zeros(2, 2), torch.tensor([[True, False], [False, False]])).tolist()
    [[1.0, 0.0], [0.0, 0.0]]
    """
    floor = torch.finfo(scores.dtype).min
    return scores.masked_fill(~mask, floor).softmax(dim=-1).masked_fill(~mask, 0.0)


def last(states: Tensor, mask: Tensor) -> Tensor:
    """Pick each row's last kept place; a row with nothing to keep gives zeros.

    Args:
        states: `[B, S, D]`.
        mask: `[B, S]`, kept places first.
    """
    index = (mask.sum(dim=1) - 1).clamp(min=0)  # [B]
    picked = states[torch.arange(states.shape[0], device=states.device), index]  # [B, D]
    return picked.masked_fill(~mask.any(dim=1, keepdim=True), 0.0)


def reverse(states: Tensor, mask: Tensor) -> Tensor:
    """Turn each row's kept places around and leave its padding where it is.

    Args:
        states: `[B, S, D]`.
        mask: `[B, S]`, kept places first.
    """
    n = mask.sum(dim=1, keepdim=True)  # [B, 1]
    place = torch.arange(mask.shape[1], device=mask.device)  # [S]
    index = torch.where(mask, n - 1 - place, place)  # [B, S]
    return states.gather(1, index[:, :, None].expand_as(states))  # [B, S, D]
