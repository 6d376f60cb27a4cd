"""The recurrent attention model: an eye that moves over a picture and says what it shows."""

import math
from collections.abc import Mapping
from typing import ClassVar, Literal, NamedTuple

import torch
from torch import Tensor, nn
from torch.nn.functional import relu

from saccade.cells.base import Cell
from saccade.errors import RecipeError
from saccade.flow import Padded, Sources, State, only, tensor
from saccade.glimpses.base import Glimpse, Pictures, pictures_of
from saccade.heads.closed import ClosedHead
from saccade.kernels.precision import restored
from saccade.layers.dropout import Dropout
from saccade.models._label import LabelWriter
from saccade.nouns import Side
from saccade.parts import Part

_MOST = 64  # glimpses, looks
_SEED = 1  # of what is drawn after training
Way = Literal["learned", "random", "still"]


class Gaze(NamedTuple):
    """One look around.

    features: `[B, D]`, what the last state makes of it.  places: `[B, N, P]`, where each of N
    glimpses was taken.  log_probs: `[B, N - 1]` of every place but the first, which is given.
    expected: `[B, N - 1]`, the reward that was expected before each of them.
    """

    features: Tensor
    places: Tensor
    log_probs: Tensor
    expected: Tensor


class RecurrentAttention(LabelWriter):
    """Takes glimpses one after the other, each where the state says, and writes one label.

        g[n] = relu(A relu(P p[n]) + B relu(Q l[n]))    what is seen, p[n], and where, l[n]
        h[n] = cell(g[n], h[n-1])
        m[n] = tanh(L relu(K h[n]));   l[n+1] ~ Normal(m[n], deviation^2)
        p(y | x) = softmax(O relu(W h[N]))[y]

    Mnih et al. 2014 (arXiv:1406.6247), section 3; ports added the layer K. The first glimpse is in
    the middle. Only training draws places; otherwise the eye goes to m[n], so the same picture is
    always seen the same way. The gradient of the label's loss reaches neither L nor K nor, through
    them, h: places learn by reward alone, as the objective `gaze` has it. e[n] = E h[n] is the
    reward to expect.

    glimpse: how a place is seen. With `filter_bank` places have a gradient, nothing is drawn and
    m[n] = L relu(K h[n]) (Gregor et al. 2015, arXiv:1502.04623, section 4.1), its middle kept in
    the picture by tanh: learn by `cross_entropy`.
    first: `anywhere` lets training begin at a place of chance.  looks: after training, look around
    so often and take the mean of what the softmax reads. The first look goes to m[n]; the others
    draw their places, from a fixed table.
    gaze: learned; `random` goes anywhere, by chance in training and always the same way after it;
    `still` stays in the middle. Both are what a learned gaze has to beat.
    """

    source_raws: ClassVar[tuple[str, ...]] = ("picture",)
    objective: ClassVar[str] = "gaze"
    head: ClosedHead

    def __init__(  # noqa: PLR0913 - all but two are options
        self,
        sources: Mapping[str, Side],
        target: Side,
        *,
        glimpse: Part[Glimpse] = Part(Glimpse, "retina"),
        cell: Part[Cell] = Part(Cell, "lstm"),
        glimpses: int = 6,
        embedding: int = 128,
        hidden: int = 256,
        deviation: float = 0.15,
        first: Literal["middle", "anywhere"] = "middle",
        looks: int = 1,
        gaze: Way = "learned",
        dropout: float = 0.0,
    ) -> None:
        super().__init__()
        _check(glimpses, deviation, looks)
        (side,) = sources.values()
        self.glimpse = glimpse.build(side.size)
        self.n_glimpses, self.deviation, self.way = glimpses, deviation, gaze
        self.first, self.looks = first, looks if self.glimpse.hard else 1
        places = self.glimpse.where_dim
        self.seen = nn.Linear(self.glimpse.glimpse_dim, embedding)
        self.place = nn.Linear(places, embedding)
        self.what = nn.Linear(embedding, hidden)
        self.where = nn.Linear(embedding, hidden)
        self.cell = cell.build(hidden, hidden)
        self.turn = nn.Linear(hidden, embedding)
        self.move = nn.Linear(embedding, places)
        self.expect = nn.Linear(hidden, 1)
        self.mix = nn.Linear(hidden, hidden)
        self.dropout = Dropout(dropout)
        self.head = ClosedHead(hidden, target.size, None)
        self.chance: Tensor
        chance = torch.Generator().manual_seed(_SEED)
        table = torch.randn(looks, glimpses, places, generator=chance)
        self.register_buffer("chance", table, persistent=False)

    @property
    def attention_names(self) -> tuple[str, ...]:
        """A map for every glimpse."""
        return tuple(f"glimpse {n}" for n in range(1, self.n_glimpses + 1))

    def grid(self, shapes: dict[str, tuple[int, ...]]) -> tuple[int, ...]:
        """Return the pixels of the picture, down and across."""
        (shape,) = shapes.values()
        return shape[:2]

    def read(self, sources: Sources, *, look: bool) -> State:
        """Look around without chance, or with that of the table; places are of the first look."""
        source = only(sources)
        pictures = self._pictures(source)
        gaze = self._look_around(pictures, None)
        features = gaze.features
        for noise in self.chance[1 : self.looks]:
            features = features + self._look_around(pictures, noise).features
        features = features / self.looks
        return {"features": features, "places": gaze.places, "mask": source.mask}

    def weights(self, read: State) -> Tensor:
        """Return how much of each pixel every glimpse saw."""
        mask, places = tensor(read, "mask"), tensor(read, "places")
        windows = [self.glimpse.window(mask, where) for where in places.unbind(dim=1)]
        return Padded(torch.stack(windows, dim=3), mask).flat().values.transpose(1, 2)

    def look_around(self, source: Padded, generator: torch.Generator | None) -> Gaze:
        """Take all glimpses; with a generator places are drawn, without one they are not."""
        pictures = self._pictures(source)
        if generator is None:
            return self._look_around(pictures, None)
        shape = (len(pictures.pixels), *self.chance.shape[1:])
        noise = torch.randn(shape, generator=generator).to(pictures.pixels)  # [B, N, P]
        return self._look_around(pictures, noise)

    def _look_around(self, pictures: Pictures, noise: Tensor | None) -> Gaze:
        """Take all glimpses with normal noise `[B, N, P]`, `[N, P]` for all rows, or without."""
        n_rows = pictures.pixels.shape[0]
        state = self.cell.start(pictures.pixels.new_zeros(n_rows, 1))
        where = pictures.pixels.new_zeros(n_rows, self.glimpse.where_dim)
        if noise is not None and self.first == "anywhere" and self.glimpse.hard:
            where = where + _anywhere(noise[..., 0, :])
        places, log_probs, expected = [where], list[Tensor](), list[Tensor]()
        output, state = self._glance(pictures, where, state)  # [B, D]
        for n in range(1, self.n_glimpses):
            where, log_prob = self._next(n, output, None if noise is None else noise[..., n, :])
            places.append(where)
            log_probs.append(log_prob)
            expected.append(restored(self.expect(output.detach()))[:, 0])
            output, state = self._glance(pictures, where, state)
        features = self.dropout(relu(self.mix(self.dropout(output))))
        none = features.new_zeros(n_rows, 0)
        return Gaze(
            features,
            torch.stack(places, dim=1),
            torch.stack(log_probs, dim=1) if log_probs else none,
            torch.stack(expected, dim=1) if expected else none,
        )

    def _glance(self, pictures: Pictures, where: Tensor, state: State) -> tuple[Tensor, State]:
        seen = relu(self.seen(self.glimpse(pictures, where)))  # [B, E]
        g = relu(self.what(seen) + self.where(relu(self.place(where))))  # [B, D]
        output, state, _ = self.cell(self.dropout(g), state)
        return output, state

    def _next(self, n: int, output: Tensor, noise: Tensor | None) -> tuple[Tensor, Tensor]:
        """Choose where to look next, `[B, P]`, and say how likely that was, `[B]`."""
        still = output.new_zeros(len(output), self.glimpse.where_dim)
        certain = still[:, 0]
        if self.way == "still":
            return still, certain
        if self.way == "random":
            return still + _anywhere(self.chance[0, n] if noise is None else noise), certain
        if not self.glimpse.hard:
            return _inside(self._aim(output)), certain
        mean = torch.tanh(self._aim(output.detach()))  # [B, P]
        if noise is None:
            return mean.detach(), certain
        drawn = (mean + self.deviation * noise).detach()
        log_prob = -((drawn - mean) / self.deviation).square().sum(dim=1) / 2
        return drawn.clamp(-1, 1), log_prob

    def _aim(self, output: Tensor) -> Tensor:
        return restored(self.move(relu(self.turn(output))))

    def _pictures(self, source: Padded) -> Pictures:
        return self.glimpse.prepare(pictures_of(source, self.seen.weight.dtype))


def _anywhere(noise: Tensor) -> Tensor:
    """Turn normal numbers into places that are all as likely, from -1 to 1."""
    return torch.erf(noise / math.sqrt(2))


def _inside(where: Tensor) -> Tensor:
    """Keep the middle of a soft glimpse, its first two numbers, in the picture."""
    return torch.cat([torch.tanh(where[:, :2]), where[:, 2:]], dim=1)


def _check(glimpses: int, deviation: float, looks: int) -> None:
    problems = []
    if not 1 <= looks <= _MOST:
        problems.append(
            f"recurrent_attention.looks: found {looks}; expected 1 to {_MOST}. Change it."
        )
    if not 1 <= glimpses <= _MOST:
        problems.append(
            f"recurrent_attention.glimpses: found {glimpses}; expected 1 to {_MOST}. Change it."
        )
    if deviation <= 0:
        problems.append(
            f"recurrent_attention.deviation: found {deviation:g}; expected a number above 0, as"
            " 0.15; a place goes from -1 to 1. Change it."
        )
    if problems:
        raise RecipeError(problems)
