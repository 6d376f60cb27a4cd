"""Soft attention over a grid in plain torch, and a beam search as people write it.

The model of recipes/captions/soft.yaml: Xu et al. 2015 (arXiv:1502.03044). Keys are computed once a
picture. The beam holds B x K rows at every step, all in torch: no loop over pictures, no kernels.
"""

import math
from typing import NamedTuple

import torch
from torch import Tensor, nn

from benchmarks.workloads import END, PAD, START, UNK

_NEVER = float("-inf")


class Shape(NamedTuple):
    """Widths of the model: of features, of everything inside, and symbols."""

    channels: int
    width: int
    vocabulary: int


class Lines(NamedTuple):
    """What B x K lines read and hold."""

    grid: Tensor  # [N, S, D]
    keys: Tensor  # [N, S, D]
    h: Tensor  # [N, D]
    c: Tensor  # [N, D]

    def take(self, rows: Tensor) -> "Lines":
        """Pick lines."""
        return Lines(*(one[rows] for one in self))

    def move(self, rows: Tensor) -> "Lines":
        """Let lines change places within their picture; what they read stays."""
        return self._replace(h=self.h[rows], c=self.c[rows])


class Captioner(nn.Module):
    """LSTM with additive attention, a gate on what was read, and deep output; tied embeddings."""

    def __init__(self, shape: Shape) -> None:
        super().__init__()
        D = shape.width
        self.project = nn.Linear(shape.channels, D)
        self.first = nn.Linear(D, 2 * D)
        self.U, self.W = nn.Linear(D, D), nn.Linear(D, D, bias=False)
        self.v, self.beta = nn.Linear(D, 1, bias=False), nn.Linear(D, 1)
        self.cell = nn.LSTMCell(2 * D, D)
        self.deep = nn.Linear(3 * D, D)
        self.output = nn.Linear(D, shape.vocabulary)
        self.embedding = nn.Embedding(shape.vocabulary, D)
        self.embedding.weight = self.output.weight

    def read(self, features: Tensor, k: int) -> Lines:
        """Read features `[B, H', W', C]` for K lines each."""
        grid = torch.relu(self.project(features.float().flatten(1, 2)))  # [B, S, D]
        h, c = torch.tanh(self.first(grid.mean(dim=1))).chunk(2, dim=1)
        return Lines(*(one.repeat_interleave(k, dim=0) for one in (grid, self.U(grid), h, c)))

    def step(self, token: Tensor, lines: Lines) -> tuple[Tensor, Lines]:
        """Read one symbol a line `[N]`; return log-probabilities `[N, V]`."""
        x = self.embedding(token) * math.sqrt(self.embedding.embedding_dim)
        mixed = torch.tanh(self.W(lines.h)[:, None] + lines.keys)  # [N, S, D]
        weights = torch.softmax(self.v(mixed)[:, :, 0], dim=1)  # [N, S]
        context = torch.bmm(weights[:, None], lines.grid)[:, 0]  # [N, D]
        context = torch.sigmoid(self.beta(lines.h)) * context
        h, c = self.cell(torch.cat([x, context], dim=1), (lines.h, lines.c))
        deep = torch.tanh(self.deep(torch.cat([h, context, x], dim=1)))
        return torch.log_softmax(self.output(deep), dim=1), lines._replace(h=h, c=c)


class Beam:
    """The lines of a batch of pictures, K each, and the best that each has finished.

    Scores are divided by the length. Ways that end among the K best are set aside. A picture stops
    when K are aside and nothing open is better so far, or when nothing open can become better.
    """

    def __init__(self, n: int, k: int, limit: int) -> None:
        self.k, self.limit, self.t = k, limit, 0
        self.of = torch.arange(n)  # [B], which pictures these are
        self.scores = torch.full((n, k), _NEVER)  # [B, K]
        self.scores[:, 0] = 0.0
        self.token = torch.full((n * k,), START)  # [N]
        self.written = torch.empty(n * k, 0, dtype=torch.long)  # [N, t]
        self.best, self.found = torch.full((n,), _NEVER), torch.full((n, limit + 1), PAD)
        self.n_ended, self.going = torch.zeros(n, dtype=torch.long), torch.ones(n).bool()

    def write(self, log_probs: Tensor) -> Tensor:
        """Write one symbol a line; return which lines `[N]` go on, given `[N, V]`."""
        log_probs[:, [PAD, START, UNK]] = _NEVER
        b, v = len(self.of), log_probs.shape[1]
        ways = (self.scores.view(-1, 1) + log_probs).view(b, -1)  # [B, K V]
        score, place = ways.topk(2 * self.k, dim=1)  # [B, 2 K]
        symbol, ends = place % v, place % v == END
        line = torch.arange(b)[:, None] * self.k + place // v  # [B, 2 K], where they come from
        self._set_aside(score, ends, line)
        order = ends.to(torch.uint8).argsort(dim=1, stable=True)[:, : self.k]  # [B, K]
        self.scores, self.token = score.gather(1, order), symbol.gather(1, order).view(-1)
        rows = line.gather(1, order).view(-1)
        self.written = torch.cat([self.written[rows], self.token[:, None]], dim=1)
        self.t += 1
        self._stop()
        return rows

    def _set_aside(self, score: Tensor, ends: Tensor, line: Tensor) -> None:
        """Keep the best of what ends among the first K."""
        ends = ends[:, : self.k] & self.going[self.of, None]
        mean = torch.where(ends, score[:, : self.k] / (self.t + 1), _NEVER)
        top, which = mean.max(dim=1)  # [B]
        better = top > self.best[self.of]
        pictures, lines = self.of[better], line.gather(1, which[:, None])[better, 0]
        self.best[pictures] = top[better]
        self.found[pictures] = PAD
        self.found[pictures, : self.t] = self.written[lines]
        self.n_ended[self.of] += ends.sum(dim=1)

    def _stop(self) -> None:
        best, first = self.best[self.of], self.scores[:, 0]  # [B]
        enough = (self.n_ended[self.of] >= self.k) & (first / self.t <= best)
        self.going[self.of[enough | (first / (self.limit + 1) < best)]] = False
        if self.t > self.limit:  # what never ended is cut
            cut = self.of[best == _NEVER]
            self.found[cut, : self.limit] = self.written[:: self.k, : self.limit][best == _NEVER]
            self.going[:] = False

    def leave(self) -> Tensor | None:
        """Take pictures out that are done, if they are an eighth; return the lines that stay."""
        stay = self.going[self.of]
        if int((~stay).sum()) * 8 < len(stay):
            return None
        lines = (stay.nonzero() * self.k + torch.arange(self.k)).view(-1)
        self.of, self.scores = self.of[stay], self.scores[stay]
        self.token, self.written = self.token[lines], self.written[lines]
        return lines


@torch.inference_mode()
def beam_search(
    model: Captioner, features: Tensor, k: int, limit: int, *, leave: bool
) -> list[list[int]]:
    """Caption pictures `[B, H', W', C]` with K lines each.

    With `leave` pictures that are done are taken out; else all are computed to the end.
    """
    beam, lines = Beam(len(features), k, limit), model.read(features, k)
    while bool(beam.going.any()):
        log_probs, lines = model.step(beam.token, lines)
        lines = lines.move(beam.write(log_probs))
        left = beam.leave() if leave and bool(beam.going.any()) else None
        lines = lines if left is None else lines.take(left)
    return [[i for i in one if i != PAD] for one in beam.found.tolist()]
