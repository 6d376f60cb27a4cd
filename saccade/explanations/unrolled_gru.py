"""From a gated unit to multi-head attention in four steps, each a layer on the same data."""

from abc import ABC, abstractmethod
from collections.abc import Callable
from dataclasses import dataclass

import torch
from torch import Tensor, nn
from torch.nn.functional import cross_entropy

from saccade.attention.base import Attention
from saccade.attention.multihead import MultiHead
from saccade.attention.scaled_dot import ScaledDot
from saccade.cells.elman import Elman
from saccade.cells.gru import GRU
from saccade.explanations._charts import chart
from saccade.explanations._practice import alone, practise
from saccade.explanations.base import Explained, Explanation
from saccade.flow import State, append, causal
from saccade.recipe import Training
from saccade.views.curves import Point

_KEYS, _VALUES = 12, 8
_ROWS, _TESTED = 64, 1000
_SMOOTH = 20  # updates that a point of a curve is the mean of


class UnrolledGru(Explanation):
    """Which four steps lead from a gated unit to multi-head attention, and what does each bring?

        0  h[t] = z[t] h[t-1] + (1 - z[t]) n[t]                               a GRU
        1  h[t] = sum_i a[i] n[i],   n[i] = tanh(W x[i] + U h[i-1])           free weights
        2  h[t] = sum_i a[i] f[i],   f[i] = tanh(W x[i] + b)                  free candidates
        3  h[t] = sum_i a[i] V f[i]                                           keys and values apart
        4  h[t] = [head 1; head 2]                                            heads

    Unrolled, the GRU is a sum over all candidates with weights that depend on each other; the steps
    free them. a = softmax(x[t] . n[i] / sqrt(d)) in 1, of x[t] and f[i] in 2, of Q x[t] and K f[i]
    in 3 and 4. All layers read `places` pairs of a key and a value, then two keys at once, and must
    say both values: same data, same updates, same width.
    """

    def __init__(
        self, *, seed: int = 1, places: int = 6, width: int = 32, updates: int = 1000
    ) -> None:
        self.seed, self.places, self.width, self.updates = seed, places, width, updates

    def run(self) -> Explained:
        """Train all five layers."""
        layers: dict[str, Callable[[int], _Layer]] = {
            "GRU": _GatedUnit,
            "1": _FreeWeights,
            "2": lambda d: _FreeCandidates(d, ScaledDot(d, d)),
            "3": lambda d: _FreeCandidates(d, MultiHead(d, d, heads=1)),
            "4": lambda d: _FreeCandidates(d, MultiHead(d, d, heads=2)),
        }
        found = {name: self._trained(layer) for name, layer in layers.items()}
        right = [one.right for one in found.values()]
        losses = [one.loss for one in found.values()]
        said = (
            f"After {self.updates} updates the GRU says {right[0]:.1%} of the values,"
            f" free weights {right[1]:.1%}, free candidates {right[2]:.1%}, keys and values apart"
            f" {right[3]:.1%} and two heads {right[4]:.1%}, where a guess has {1 / _VALUES:.1%}."
            f" The loss on other data goes {', '.join(f'{one:.2f}' for one in losses)} nats."
        )
        series = {name: one.curve for name, one in found.items()}
        title = "Loss from a GRU to attention in 4 steps"
        drawing = chart(series, title=title, x_label="update", y_label="nats a value", said=said)
        figures = {f"right, {name}": one.right for name, one in found.items()}
        figures |= {f"loss, {name}": one.loss for name, one in found.items()}
        figures |= {f"parameters, {name}": float(one.parameters) for name, one in found.items()}
        return Explained(said, drawing, figures)

    def _trained(self, build: "Callable[[int], _Layer]") -> "_Result":
        """Train one layer and test it on other data."""
        with alone(self.seed):
            layer = build(self.width)
            model = _Recaller(layer, self.width)

            def loss(step: int) -> Tensor:
                pairs, asked, wanted = self._draw(_ROWS, step)
                return cross_entropy(model(pairs, asked), wanted.flatten())

            course = practise(model, loss, self.updates, Training(learning_rate=0.005))
            pairs, asked, wanted = self._draw(_TESTED, self.updates)
            with torch.inference_mode():
                said = model(pairs, asked)
            right = (said.argmax(dim=1) == wanted.flatten()).float().mean()
            starts = range(0, self.updates, _SMOOTH)
            parts = {start + _SMOOTH: course.losses[start : start + _SMOOTH] for start in starts}
            curve = [(float(end), sum(part) / len(part)) for end, part in parts.items()]
            left = float(cross_entropy(said, wanted.flatten()))
        return _Result(curve, left, float(right), sum(p.numel() for p in layer.parameters()))

    def _draw(self, rows: int, step: int) -> tuple[Tensor, Tensor, Tensor]:
        """Return pairs `[B, N, 2]` of different keys, two keys `[B, 2]`, their values `[B, 2]`."""
        noise = torch.Generator().manual_seed(1_000_003 * self.seed + step)
        order = torch.rand(rows, _KEYS, generator=noise).argsort(dim=1)
        keys = order[:, : self.places]  # [B, N]
        values = torch.randint(_VALUES, keys.shape, generator=noise)
        which = torch.rand(rows, self.places, generator=noise).argsort(dim=1)[:, :2]
        return torch.stack([keys, values], 2), keys.gather(1, which), values.gather(1, which)


@dataclass(frozen=True, slots=True)
class _Result:
    """How a layer learned, its loss and its share of right values on other data, its size."""

    curve: list[Point]
    loss: float
    right: float
    parameters: int


class _Layer(nn.Module, ABC):
    """Turns `x [B, T, D]` into `h [B, T, D]`; place t sees the places up to t."""

    def __init__(self, width: int) -> None:
        super().__init__()
        self.width = width

    @abstractmethod
    def forward(self, x: Tensor) -> Tensor:
        """Read all places."""


class _GatedUnit(_Layer):
    """Keeps or takes the new, unit by unit."""

    def __init__(self, width: int) -> None:
        super().__init__(width)
        self.cell = GRU(width, width)

    def forward(self, x: Tensor) -> Tensor:
        """Sweep."""
        return self.cell.sweep(x, self.cell.start(x)).outputs


class _FreeWeights(_Layer):
    """The candidates are those of a recurrent cell; the state is a sum of all of them."""

    def __init__(self, width: int) -> None:
        super().__init__(width)
        self.cell = Elman(width, width)
        self.attention = ScaledDot(width, width)

    def forward(self, x: Tensor) -> Tensor:
        """Go place by place: a candidate depends on the sum before it."""
        projected, h = self.cell.project(x), x.new_zeros(len(x), self.width)  # [B, D]
        prepared: State = {}
        states = []
        for t in range(x.shape[1]):
            candidate = self.cell.tick(projected[:, t], {"h": h}).output[:, None]  # [B, 1, D]
            more = self.attention.prepare(candidate)
            prepared = append(prepared, more) if prepared else more
            mask = torch.ones(len(x), 1, t + 1, dtype=torch.bool)
            h = self.attention(x[:, t, None], prepared, mask, {}).context[:, 0]  # [B, D]
            states.append(h)
        return torch.stack(states, dim=1)  # [B, T, D]


class _FreeCandidates(_Layer):
    """The candidates see their own place alone, so all places are read at once."""

    def __init__(self, width: int, attention: Attention) -> None:
        super().__init__(width)
        self.f = nn.Linear(width, width)
        self.attention = attention

    def forward(self, x: Tensor) -> Tensor:
        """Let every place look back."""
        prepared = self.attention.prepare(torch.tanh(self.f(x)))
        mask = causal(x.shape[1])[None]  # [1, T, T]
        found: Tensor = self.attention(x, prepared, mask, self.attention.start(prepared)).context
        return found


class _Recaller(nn.Module):
    """Embeds the pairs and the two keys that are asked for, and reads both values from one layer.

    `x = e(key) + e(value)` of a pair; `x = e_1(key) + e_2(key)` of the place that asks.
    """

    def __init__(self, layer: _Layer, width: int) -> None:
        super().__init__()
        self.keys, self.values = nn.Embedding(_KEYS, width), nn.Embedding(_VALUES, width)
        self.asked = nn.ModuleList(nn.Embedding(_KEYS, width) for _ in range(2))
        self.layer = layer
        self.output = nn.Linear(width, 2 * _VALUES)

    def forward(self, pairs: Tensor, asked: Tensor) -> Tensor:
        """Return scores of both values, `[2 B, V]`: pairs `[B, N, 2]`, keys `[B, 2]`."""
        told = self.keys(pairs[:, :, 0]) + self.values(pairs[:, :, 1])  # [B, N, D]
        query = self.asked[0](asked[:, 0]) + self.asked[1](asked[:, 1])  # [B, D]
        h = self.layer(torch.cat([told, query[:, None]], dim=1))[:, -1]  # [B, D]
        scores: Tensor = self.output(h).view(-1, _VALUES)
        return scores
