"""The Transformer decoder, writing one place of many lines at a time."""

from collections.abc import Sequence
from math import sqrt

import torch
from torch import Tensor
from torch.nn.functional import scaled_dot_product_attention

from saccade.attention.base import Attention
from saccade.attention.multihead import MultiHead
from saccade.decoders.transformer import DecoderLayer, TransformerDecoder
from saccade.flow import Memory, State, Stepped, tensor
from saccade.inference.groups import GROUP, Groups
from saccade.inference.linear import pack
from saccade.layers.transformer import Residual
from saccade.positions.base import Positions

_FEW = 4  # sources for which folding pays whoever reads them
_ROOM = 16  # steps for which there is room at first
_OWN = "own"  # the entry of a State that says which of the past of its group is a line's own
_NEVER = float("-inf")


class TransformerSteps:
    """The steps of a `TransformerDecoder` of plain `multihead` attention.

    Query, key and value of a place are one product. The lines of a sentence, K of them, read its
    memory and their past together, as K queries at once. What they have written stays where it was
    written, and each reads of the past of all, `[B, H, t K, d]`, what is its own:

        y[k] = softmax(q[k] . keys / sqrt(d) + own[k]) values
        own[k, s] = 0 if line k goes on from place s, -inf otherwise

    so that only `own` moves when lines change places, and never keys and values.
    """

    def __init__(self, decoder: TransformerDecoder) -> None:
        self.layers = [PackedLayer(layer) for layer in decoder._stack]
        self.norm = decoder.norm
        self.places = Places(decoder.positions)

    @staticmethod
    def serves(decoder: TransformerDecoder) -> bool:
        """Tell whether every attention is one that this form knows."""
        return not decoder.neighbourhood and all(
            plain(layer.self_attention) and plain(layer.reading) for layer in decoder._stack
        )

    def begin(self, memory: Memory) -> "Writing":
        """Prepare the memory for every layer; no place has been written yet."""
        return Writing(self, memory)


def plain(attention: Attention | None) -> bool:
    """Tell whether an attention is `multihead` with nothing special about it."""
    return type(attention) is MultiHead and not attention.scores and len(set(attention.widths)) == 1


class Places:
    """What positions add to the vectors of a place, computed once, whatever else is asked for."""

    def __init__(self, positions: Positions) -> None:
        self._positions, self._known = positions, dict[int, Tensor]()

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


class Source:
    """The memory as one layer reads it: keys and values in one, `[2, B, H, S, d]`."""

    def __init__(self, reading: MultiHead, held: Tensor, mask: Tensor | None) -> None:
        self.reading, self.held, self.mask = reading, held, mask  # mask: [B, 1, 1, S]
        self.n_places = held.shape[3]

    def keep(self, rows: Tensor) -> None:
        """Hold these rows and no others."""
        self.held = self.held.index_select(1, rows)
        self.mask = None if self.mask is None else self.mask.index_select(0, rows)

    def add(self, x: Tensor, onto: Tensor, layer: "PackedLayer") -> Tensor:
        """Read with `x [B * K, D]` and add what was read to `onto`, by the products of `layer`."""
        _, n, heads, _, width = self.held.shape
        q = layer.query(x).view(n, -1, heads, width).transpose(1, 2)  # [B, H, K, d]
        read = scaled_dot_product_attention(q, self.held[0], self.held[1], self.mask)
        return layer.output.add(_flat(read), onto)


class Folded:
    """The memory of a layer with the products of query and output folded into it.

        (W^Q x + b) . k[s] = x . (W^Q' k[s]) + b . k[s]
        W^O sum_s a[s] v[s] + o = sum_s a[s] (W^O v[s] + o / H)      for each of the H heads

    so that a step needs neither of the two products. `keys [B, D, H S]` and `values [B, H S, D]`
    are H times as large, so this pays for short sources that are read often: with 32 sources of 14
    places and 5 lines each, on one thread, a layer takes 0.40 ms a step instead of 0.71; with one
    source 0.02 instead of 0.065.
    """

    def __init__(self, keys: Tensor, values: Tensor, scores: Tensor) -> None:
        """Take `keys` and `values [B, H, S, D]` and `scores [B, H, S]`."""
        n, self.heads, self.n_places, D = keys.shape
        self.keys = keys.view(n, -1, D).transpose(1, 2)  # [B, D, H S]
        self.values = values.view(n, -1, D)  # [B, H S, D]
        self.scores = scores.view(n, 1, -1)  # [B, 1, H S]

    @staticmethod
    def pays(source: Source, groups: Groups) -> bool:
        """Tell whether to fold: few sources, or several lines of each, and none is long."""
        d = source.held.shape[4]
        return source.n_places <= d and (groups.width > 1 or groups.n_groups <= _FEW)

    def keep(self, rows: Tensor) -> None:
        """Hold these rows and no others."""
        self.keys = self.keys.transpose(1, 2).index_select(0, rows).transpose(1, 2)
        self.values = self.values.index_select(0, rows)
        self.scores = self.scores.index_select(0, rows)

    def add(self, x: Tensor, onto: Tensor, layer: "PackedLayer") -> Tensor:
        """Read with `x [B * K, D]` and add what was read to `onto`; no product is left to do."""
        n, places, D = self.values.shape
        scores = torch.baddbmm(self.scores, x.view(n, -1, D), self.keys)  # [B, K, H S]
        weights = scores.view(-1, self.heads, places // self.heads).softmax(dim=2)
        weights = weights.view(n, -1, places)  # [B, K, H S]
        return torch.baddbmm(onto.view(n, -1, D), weights, self.values).view(-1, D)


class Reader:
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

    def fold(self, source: Source) -> Folded:
        """Fold what `source` holds."""
        keys, values = source.held  # [B, H, S, d]
        return self.folded(source, keys @ self.W_query, values @ self.W_output + self.b_output)

    def folded(self, source: Source, keys: Tensor, values: Tensor) -> Folded:
        """Complete what was folded with the scores that come of the query's bias and the mask."""
        scores = (source.held[0] * self.b_query).sum(dim=3)  # [B, H, S]
        if source.mask is not None:
            scores = scores.masked_fill(~source.mask[:, 0], _NEVER)
        return Folded(keys, values, scores)


class PackedLayer(Reader):
    """One layer: its products, packed, and its norms. How it reads the memory is the `Source`'s."""

    def __init__(self, layer: DecoderLayer) -> None:
        super().__init__(layer)
        own, reading = layer.self_attention, self.reading
        assert isinstance(own, MultiHead)
        assert layer.around_reading is not None
        self.query_keys_values = pack(own.query, own.keys_values)
        self.own_output = pack(own.output)
        self.query, self.output = pack(reading.query), pack(reading.output)
        self.U, self.V = pack(layer.feed_forward.U), pack(layer.feed_forward.V)
        self.wires = (
            Wire(layer.around_self),
            Wire(layer.around_reading),
            Wire(layer.around_feed_forward),
        )

    def write(
        self, x: Tensor, past: "Past", source: "Source | Folded", own: Tensor | None
    ) -> Tensor:
        """Write one place of every line, `x [B * K, D]`."""
        to_self, to_source, to_feed_forward = self.wires
        said = past.read(self.query_keys_values(to_self.enter(x)), own)  # [B * K, D]
        x = to_self.leave(self.own_output.add(said, x))
        x = to_source.leave(source.add(to_source.enter(x), x, self))
        hidden = self.U.relu(to_feed_forward.enter(x))
        return to_feed_forward.leave(self.V.add(hidden, x))


class Wire:
    """The norm of a `Residual`, before or behind."""

    def __init__(self, residual: Residual) -> None:
        norm, self.pre = residual.norm, residual.pre
        self.shape, self.weight, self.bias = norm.normalized_shape, norm.weight, norm.bias
        self.eps = norm.eps

    def enter(self, x: Tensor) -> Tensor:
        """Return what the layer reads."""
        return self._normed(x) if self.pre else x

    def leave(self, total: Tensor) -> Tensor:
        """Return what goes on, given the sum of the wire and what the layer wrote."""
        return total if self.pre else self._normed(total)

    def _normed(self, x: Tensor) -> Tensor:
        return torch.layer_norm(x, self.shape, self.weight, self.bias, self.eps)


class Past:
    """What one layer has written of all lines: keys and values in one, `[2, B, H, room, d]`."""

    of_lines, of_places = 1, 3  # which dimensions of what is held
    steps_at_first = _ROOM  # for which there is room, if there are many lines

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

    def read(self, products: Tensor, own: Tensor | None) -> Tensor:
        """Write keys and values behind the others, then read with the queries.

        Args:
            products: `[B * K, 3 D]`, query, key and value.
            own: `[B, 1, K, n_places + K]`, 0 for what a line may read, -inf for the rest; None if
                there is one line a row.
        """
        _, n, heads, _, width = self.held.shape
        three = products.view(n, -1, 3, heads, width)  # [B, K, 3, H, d]
        self.make_room(three.shape[1])
        last = self.n_places + three.shape[1]
        self.held[:, :, :, self.n_places : last] = three[:, :, 1:].permute(2, 0, 3, 1, 4)
        self.n_places = last
        q = three[:, :, 0].transpose(1, 2)  # [B, H, K, d]
        keys, values = self.held[:, :, :, :last]  # [B, H, t K, d]
        return _flat(scaled_dot_product_attention(q, keys, values, own))

    def make_room(self, n_lines: int, steps: int = 0) -> None:
        """See to it that every one of K lines can write a place more, or so many."""
        needed = self.n_places + max(steps, 1) * n_lines
        if needed > self.room:
            filled = self.held.narrow(self.of_places, 0, self.n_places)
            first = self.steps_at_first if self.n_held > _FEW else 4 * _ROOM  # to move costs more
            more = self.room * 5 // 4 if steps else max(2 * self.room, first * n_lines)
            shape = list(self.held.shape)
            shape[self.of_places] = max(more, needed)
            self.held = filled.new_empty(shape)
            self.held.narrow(self.of_places, 0, self.n_places).copy_(filled)


def _flat(heads: Tensor) -> Tensor:
    """Put what the heads read, `[B, H, K, d]`, side by side: `[B * K, D]`."""
    n, n_heads, width, d = heads.shape
    return heads.transpose(1, 2).reshape(n * width, n_heads * d)


class Held:
    """What the lines of one batch read and wrote; since it is held here, a state is followed once.

    The state holds, for every line, its row of what is held here and which of its past is its own.
    """

    past_of: type[Past] = Past

    def __init__(self, layers: Sequence[Reader], memory: Memory) -> None:
        n, self.t, self.layers = len(memory.mask), 0, layers
        mask = None if bool(memory.mask.all()) else memory.mask[:, None, None]  # [B, 1, 1, S]
        self.groups = Groups(n)
        sources = [Source(layer.reading, layer.hold(memory), mask) for layer in layers]
        self.sources: Sequence[Source | Folded] = sources
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
        if early and self.unfolded and Folded.pays(self.unfolded[0], self.groups):
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


class Writing(Held):
    """The lines of one batch, written by torch."""

    def __init__(self, form: TransformerSteps, memory: Memory) -> None:
        super().__init__(form.layers, memory)
        self.form = form

    def step(self, x: Tensor, state: State) -> Stepped:
        """Write one place behind the others: `x [N, D]`."""
        x = x + self.form.places.at(self.t, x)
        seen, after = self.follow(state)
        for layer, past, source in zip(self.form.layers, self.pasts, self.sources, strict=True):
            x = layer.write(x, past, source, seen)
        return Stepped(self.form.norm(x), None, after)


def _own_newest(n: int, width: int, like: Tensor) -> Tensor:
    """Return which of the places that K lines write at one step is whose: `[B * K, K]`."""
    return like.new_full((width, width), _NEVER).fill_diagonal_(0.0).repeat(n, 1)
