"""What the lines of a Transformer decoder read and have written, held for all their steps."""

from abc import ABC, abstractmethod
from collections.abc import Sequence
from math import sqrt
from typing import ClassVar, Protocol

import torch
from torch import Tensor
from torch.nn.functional import scaled_dot_product_attention

from saccade.attention.multihead import MultiHead
from saccade.decoders.transformer import DecoderLayer
from saccade.flow import Memory, State, tensor
from saccade.inference.groups import GROUP, Groups
from saccade.inference.linear import Product
from saccade.positions.base import Places, Positions

_FEW = 4  # sources for which folding pays whoever reads them
_STEPS = 16  # for which there is room at first
_OWN = "own"  # the entry of a State that says which of the past of its group is a line's own
_NEVER = float("-inf")


class PositionTable:
    """What positions do at a place, computed once, whatever else is asked for.

    Positions that add to scores, or do more than add, are not known: see `is_plain_decoder`.
    """

    def __init__(self, positions: Positions) -> None:
        assert not positions.biased
        self._positions, self._known = positions, dict[int, Tensor]()
        self._inside = dict[int, Places | None]()

    def at(self, t: int, like: Tensor) -> Tensor:
        """Return what is added to vectors such as `like [..., D]` at place `t`, `[D]`."""
        if t not in self._known:
            nothing = like.new_zeros(1, 1, like.shape[-1])
            self._known[t] = self._positions(nothing, first=t)[0, 0]
        return self._known[t]

    def first(self, n: int, like: Tensor) -> Tensor:
        """Return what is added at the first `n` places, `[n, D]`."""
        return self.some(range(n), like)

    def some(self, places: range, like: Tensor) -> Tensor:
        """Return what is added at these places, `[n, D]`."""
        return torch.stack([self.at(t, like) for t in places])

    def next(self, t: int, n: int, like: Tensor) -> Tensor:
        """Return what is added at `n` places from `t` on, or as many as there are."""
        most = self._positions.most
        return self.some(range(t, t + n if most is None else max(min(t + n, most), t + 1)), like)

    def inside(self, t: int, like: Tensor) -> Places | None:
        """Return what rotates queries and keys at place `t`, if anything does."""
        if t not in self._inside:
            self._inside[t] = self._positions.inside(1, t, like)
        return self._inside[t]

    def turns(self, places: range, like: Tensor) -> Tensor | None:
        """Return cosines and sines at these places for the kernels, `[n, d]`, halves of d each."""
        every = [self.inside(t, like) for t in places]
        known = [one.turn[:, 0] for one in every if one is not None and one.turn is not None]
        if not known:
            return None
        (cos, sin), half = torch.stack(known, dim=1), known[0].shape[1] // 2  # [n, d] each
        return torch.cat([cos[:, half:], sin[:, half:]], dim=1)


class SourceProducts(Protocol):
    """The products by which a layer reads the memory."""

    query: Product
    output: Product


class SourceCache(ABC):
    """The memory as one layer reads it."""

    folded: ClassVar[bool]
    keys: Tensor
    values: Tensor
    scores: Tensor | None = None  # what every line adds to the scores of its query
    mask: Tensor | None = None  # [B, 1, 1, S]
    n_places: int

    @abstractmethod
    def keep(self, rows: Tensor) -> None:
        """Hold these rows and no others."""

    @abstractmethod
    def add(self, x: Tensor, onto: Tensor, layer: SourceProducts) -> Tensor:
        """Read with `x [B * K, D]` and add what was read to `onto`."""


class PlainSource(SourceCache):
    """Keys and values of the memory, `[B, H, S, d]` each."""

    folded = False

    def __init__(self, held: Tensor, mask: Tensor | None) -> None:
        """Take keys and values in one, `[2, B, H, S, d]`."""
        self.keys, self.values = held
        self.mask, self.n_places = mask, held.shape[3]

    def keep(self, rows: Tensor) -> None:
        """Hold these rows and no others."""
        self.keys, self.values = (x.index_select(0, rows) for x in (self.keys, self.values))
        self.mask = None if self.mask is None else self.mask.index_select(0, rows)

    def add(self, x: Tensor, onto: Tensor, layer: SourceProducts) -> Tensor:
        """Read with `x [B * K, D]` and add what was read to `onto`, by the products of `layer`."""
        n, heads, _, width = self.keys.shape
        q = layer.query(x).view(n, -1, heads, width).transpose(1, 2)  # [B, H, K, d]
        read = scaled_dot_product_attention(q, self.keys, self.values, self.mask)
        return layer.output(join_heads(read), onto)


class FoldedSource(SourceCache):
    """The memory of a layer with the products of query and output folded into it.

        (W^Q x + b) . k[s] = x . (W^Q' k[s]) + b . k[s]
        W^O sum_s a[s] v[s] + o = sum_s a[s] (W^O v[s] + o / H)      for each of the H heads

    so that a step needs neither of the two products. `keys [B, D, H S]` and `values [B, H S, D]`
    are H times as large, so this pays for short sources that are read often: with 32 sources of 14
    places and 5 lines each, on one thread, a layer takes 0.40 ms a step instead of 0.71; with one
    source 0.02 instead of 0.065.
    """

    folded = True

    def __init__(self, keys: Tensor, values: Tensor, scores: Tensor) -> None:
        """Take `keys` and `values [B, H, S, D]` and `scores [B, H, S]`."""
        n, self.heads, self.n_places, D = keys.shape
        self.keys = keys.view(n, -1, D).transpose(1, 2)  # [B, D, H S]
        self.values = values.view(n, -1, D)  # [B, H S, D]
        self.scores: Tensor = scores.view(n, 1, -1)  # [B, 1, H S]

    def keep(self, rows: Tensor) -> None:
        """Hold these rows and no others."""
        self.keys = self.keys.transpose(1, 2).index_select(0, rows).transpose(1, 2)
        self.values = self.values.index_select(0, rows)
        self.scores = self.scores.index_select(0, rows)

    def add(self, x: Tensor, onto: Tensor, layer: SourceProducts) -> Tensor:
        """Read with `x [B * K, D]` and add what was read to `onto`; no product is left to do."""
        n, places, D = self.values.shape
        scores = torch.baddbmm(self.scores, x.view(n, -1, D), self.keys)  # [B, K, H S]
        weights = scores.view(-1, self.heads, places // self.heads).softmax(dim=2)
        weights = weights.view(n, -1, places)  # [B, K, H S]
        return torch.baddbmm(onto.view(n, -1, D), weights, self.values).view(-1, D)


class MemoryReader:
    """A layer as far as it reads the memory, and the matrices by which that is folded."""

    def __init__(self, layer: DecoderLayer) -> None:
        assert isinstance(layer.reading, MultiHead)
        self.reading = reading = layer.reading
        heads, D = reading.heads, reading.query_dim
        d = D // heads
        self.W_query = reading.query.weight.detach().view(heads, d, D) / sqrt(d)
        self.b_query = reading.query.bias.detach().view(heads, 1, d) / sqrt(d)
        self.W_output = reading.output.weight.detach().view(D, heads, d).permute(1, 2, 0)  # H, d, D
        self.b_output = reading.output.bias.detach() / heads

    def hold(self, memory: Memory) -> Tensor:
        """Compute keys and values of the memory, `[2, B, H, S, d]`."""
        prepared = self.reading.prepare_memory(memory)
        return torch.stack([tensor(prepared, "keys"), tensor(prepared, "values")])

    def fold(self, source: PlainSource) -> FoldedSource:
        """Fold what `source` holds."""
        values = source.values @ self.W_output + self.b_output
        return self.folded(source, source.keys @ self.W_query, values)

    def folded(self, source: PlainSource, keys: Tensor, values: Tensor) -> FoldedSource:
        """Complete what was folded with the scores that come of the query's bias and the mask."""
        scores = (source.keys * self.b_query).sum(dim=3)  # [B, H, S]
        if source.mask is not None:
            scores = scores.masked_fill(~source.mask[:, 0], _NEVER)
        return FoldedSource(keys, values, scores)


def folding_pays(source: PlainSource, groups: Groups) -> bool:
    """Tell whether to fold: few sources, or several lines of each, and none is long."""
    d = source.keys.shape[3]
    return source.n_places <= d and (groups.width > 1 or groups.n_groups <= _FEW)


class PastCache:
    """What one layer has written of all lines: keys and values in one, `[2, B, H, room, d]`."""

    of_lines, of_places = 1, 3  # which dimensions of what is held
    steps_at_first = _STEPS  # for which there is room, if there are many lines

    def __init__(self, like: Tensor, n: int, attention: MultiHead) -> None:
        self.held = self._nothing(like, n, attention)
        self.n_places = 0

    def _nothing(self, like: Tensor, n: int, attention: MultiHead) -> Tensor:
        heads, width = attention.heads, attention.query_dim // attention.heads
        return like.new_empty(2, n, heads, 0, width)

    @property
    def n_held(self) -> int:
        """Rows that there are, B."""
        return self.held.shape[self.of_lines]

    @property
    def room(self) -> int:
        """Places that there are, filled or not."""
        return self.held.shape[self.of_places]

    def keep(self, rows: Tensor) -> None:
        """Hold these rows and no others."""
        self.held = self.held.index_select(self.of_lines, rows)

    def read(self, products: Tensor, own: Tensor | None, inside: Places | None) -> Tensor:
        """Write keys and values behind the others, then read with the queries.

        Args:
            products: `[B * K, 3 D]`, query, key and value.
            own: `[B, 1, K, n_places + K]`, 0 for what a line may read, -inf for the rest; None if
                there is one line a row.
            inside: what rotates queries and keys at this place, if anything does.
        """
        _, n, heads, _, width = self.held.shape
        three = products.view(n, -1, 3, heads, width)  # [B, K, 3, H, d]
        if inside is not None:
            three[:, :, :2] = inside.rotate(three[:, :, :2])
        self.make_room(three.shape[1])
        last = self.n_places + three.shape[1]
        self.held[:, :, :, self.n_places : last] = three[:, :, 1:].permute(2, 0, 3, 1, 4)
        self.n_places = last
        q = three[:, :, 0].transpose(1, 2)  # [B, H, K, d]
        keys, values = self.held[:, :, :, :last]  # [B, H, t K, d]
        return join_heads(scaled_dot_product_attention(q, keys, values, own))

    def make_room(self, n_lines: int, steps: int = 0) -> None:
        """See to it that every one of K lines can write a place more, or so many."""
        needed = self.n_places + max(steps, 1) * n_lines
        if needed > self.room:
            filled = self.held.narrow(self.of_places, 0, self.n_places)
            first = self.steps_at_first if self.n_held > _FEW else 4 * _STEPS  # to move costs more
            more = self.room * 5 // 4 if steps else max(2 * self.room, first * n_lines)
            shape = list(self.held.shape)
            shape[self.of_places] = max(more, needed)
            self.held = filled.new_empty(shape)
            self.held.narrow(self.of_places, 0, self.n_places).copy_(filled)


def join_heads(heads: Tensor) -> Tensor:
    """Put what the heads read, `[B, H, K, d]`, side by side: `[B * K, D]`."""
    n, n_heads, width, d = heads.shape
    return heads.transpose(1, 2).reshape(n * width, n_heads * d)


class DecoderCache:
    """What the lines of one batch read and wrote; since it is held here, a state is followed once.

    The state holds, for every line, its row of what is held here and which of its past is its own.
    """

    past_of: type[PastCache] = PastCache

    def __init__(self, layers: Sequence[MemoryReader], memory: Memory) -> None:
        n, self.t, self.layers = len(memory.mask), 0, layers
        mask = None if bool(memory.mask.all()) else memory.mask[:, None, None]  # [B, 1, 1, S]
        self.groups = Groups(n)
        sources = [PlainSource(layer.hold(memory), mask) for layer in layers]
        self.sources: Sequence[SourceCache] = sources
        whole = bool(memory.mask.any(dim=1).all())  # a softmax over nothing has no value
        self.unfolded = sources if whole else []  # those that may yet be folded
        self.pasts = [self.past_of(memory.states, n, layer.reading) for layer in layers]
        own = memory.states.new_zeros(n, 0)  # of no places while all that is held is a line's own
        self._newest = own
        self.start: State = {GROUP: self.groups.start(own), _OWN: own}

    def follow(self, state: State) -> tuple[Tensor | None, State]:
        """Follow the lines to where they stand now; one more place of each is being written.

        Returns:
            `[B, 1, K, places]`, which of the past is whose, None if there is one line a row and
            all is its own; and the state after this step.
        """
        self._arrange(tensor(state, GROUP))
        own, seen = self._own(tensor(state, _OWN))
        self.t += 1
        return seen, {GROUP: self.groups.numbers, _OWN: own}

    def _arrange(self, numbers: Tensor) -> None:
        rows = self.groups.arrange(numbers)
        if rows is not None:
            self.keep(rows)
        early = self.t <= 1  # lines stand in groups from the second step on
        if early and self.unfolded and folding_pays(self.unfolded[0], self.groups):
            pairs = zip(self.layers, self.unfolded, strict=True)
            self.sources, self.unfolded = [layer.fold(one) for layer, one in pairs], []

    def keep(self, rows: Tensor) -> None:
        """Hold these rows and no others."""
        for source, past in zip(self.sources, self.pasts, strict=True):
            source.keep(rows)
            past.keep(rows)

    def _own(self, own: Tensor) -> tuple[Tensor, Tensor | None]:
        """Add the places of this step: each line's own one; also as `[B, 1, K, places]`."""
        n, width = self.groups.n_groups, self.groups.width
        if width == 1 and not own.shape[1]:
            return own, None
        if not own.shape[1]:
            own = own.new_zeros(n * width, self.pasts[0].n_places)
        if self._newest.shape != (n * width, width):
            self._newest = _own_newest(n, width, own)
        own = torch.cat([own, self._newest], dim=1)  # [B * K, places]
        return own, own.view(n, 1, width, -1)


def _own_newest(n: int, width: int, like: Tensor) -> Tensor:
    """Return which of the places that K lines write at one step is whose: `[B * K, K]`."""
    return like.new_full((width, width), _NEVER).fill_diagonal_(0.0).repeat(n, 1)
