"""Processor time of an eye that moves beside published code: `python -m benchmarks.gaze`.

The other side has the structure of a widely used PyTorch port of Mnih et al. 2014
(arXiv:1406.6247), kevinzakka/recurrent-visual-attention: pictures are padded at every glimpse and
scale, patches are sliced out row by row in Python, modules are called glimpse by glimpse, and
places come from `torch.distributions`. The sizes are the same. Both compute a loss (label, score
function, baseline) forward and backward, in turns in one process on one thread. Ours is timed in
float32 and with the recipes' precision `auto`. The medians of processor time, in milliseconds, and
how many times the port takes as long are printed as a line of JSON.
"""

import argparse
import json
import statistics
import sys
import time
from collections.abc import Callable, Sequence

import torch
from torch import Tensor, nn
from torch.distributions import Normal
from torch.nn.functional import avg_pool2d, mse_loss, nll_loss, pad, relu

from saccade.cells.base import Cell
from saccade.flow import Batch, Padded
from saccade.glimpses.base import Glimpse
from saccade.kernels.precision import Precision, products
from saccade.models.recurrent_attention import RecurrentAttention
from saccade.nouns import Side
from saccade.objectives.base import Moment
from saccade.objectives.gaze import GazeObjective
from saccade.parts import Part
from saccade.tokenizers._vocabulary import END

N_LABELS = 10
DEVIATION = 0.15


class Port(nn.Module):
    """The model of the paper with the steps and the sizes of the port."""

    def __init__(self, size: int, scales: int, glimpses: int, embedding: int, hidden: int) -> None:
        super().__init__()
        self.size, self.scales, self.glimpses, self.hidden = size, scales, glimpses, hidden
        self.seen = nn.Linear(scales * size * size, embedding)
        self.place = nn.Linear(2, embedding)
        self.what, self.where = nn.Linear(embedding, hidden), nn.Linear(embedding, hidden)
        self.inner, self.again = nn.Linear(hidden, hidden), nn.Linear(hidden, hidden)
        self.turn, self.move = nn.Linear(hidden, embedding), nn.Linear(embedding, 2)
        self.expect, self.label = nn.Linear(hidden, 1), nn.Linear(hidden, N_LABELS)

    def forward(self, pictures: Tensor, labels: Tensor) -> Tensor:
        """Return the loss of pictures `[B, 1, H, W]`."""
        state = torch.zeros(len(pictures), self.hidden)
        where = torch.empty(len(pictures), 2).uniform_(-1, 1)
        chosen, expected = [], []
        for _ in range(self.glimpses):
            seen = relu(self.seen(self.retina(pictures, where)))
            g = relu(self.what(seen) + self.where(relu(self.place(where))))
            state = relu(self.inner(g) + self.again(state))
            mean = torch.tanh(self.move(relu(self.turn(state.detach()))))
            where = (mean + torch.randn_like(mean) * DEVIATION).detach()
            told: Tensor = Normal(mean, DEVIATION).log_prob(where)  # type: ignore[no-untyped-call]
            chosen.append(told.sum(dim=1))
            where = where.clamp(-1, 1)
            expected.append(self.expect(state.detach()).squeeze())
        scores = self.label(state).log_softmax(dim=1)
        baseline, log_probs = torch.stack(expected, dim=1), torch.stack(chosen, dim=1)
        reward = (scores.argmax(dim=1) == labels).float()[:, None].repeat(1, self.glimpses)
        score = (-log_probs * (reward - baseline.detach())).sum(dim=1).mean()
        loss: Tensor = nll_loss(scores, labels) + mse_loss(baseline, reward) + score * 0.01
        return loss

    def retina(self, pictures: Tensor, where: Tensor) -> Tensor:
        """Pad all pictures, cut every patch out by itself, and average the large ones."""
        n_rows, side = len(pictures), pictures.shape[2]
        seen = []
        for k in range(self.scales):
            width = self.size << k
            border = width // 2
            bordered = pad(pictures, (border, border, border, border))
            first = (0.5 * (where + 1) * side).long()
            last = first + width
            patches = [
                bordered[i, :, first[i, 0] : last[i, 0], first[i, 1] : last[i, 1]]
                for i in range(n_rows)
            ]
            patch = torch.stack(patches)
            seen.append(avg_pool2d(patch, 1 << k) if k else patch)
        return torch.cat(seen, dim=1).view(n_rows, -1)


def ours(size: int, scales: int, glimpses: int, embedding: int, hidden: int) -> RecurrentAttention:
    """Build the model of the package with the same sizes."""
    return RecurrentAttention(
        {"source": Side(1)},
        Side(N_LABELS + 4),
        glimpse=Part(Glimpse, "retina", {"size": size, "scales": scales}),
        cell=Part(Cell, "irnn"),
        glimpses=glimpses,
        embedding=embedding,
        hidden=hidden,
        deviation=DEVIATION,
    )


def batch_of(n_rows: int, side: int) -> Batch:
    """Make noise with labels."""
    chance = torch.Generator().manual_seed(1)
    pixels = torch.randint(0, 256, (n_rows, side, side, 1), generator=chance).to(torch.uint8)
    labels = torch.randint(4, N_LABELS + 4, (n_rows, 1), generator=chance)
    target = torch.cat([labels, torch.full_like(labels, END)], dim=1)
    source = Padded(pixels, torch.ones(n_rows, side, side, dtype=torch.bool))
    return Batch({"source": source}, Padded(target, torch.ones_like(target).bool()), target)


def measure(steps: dict[str, Callable[[], Tensor]], rounds: int) -> dict[str, float]:
    """Run steps in turns; return the median of milliseconds of the processor of each, by name."""
    times: dict[str, list[float]] = {name: [] for name in steps}
    for _ in range(rounds + 1):
        for name, step in steps.items():
            started = time.process_time()
            torch.autograd.backward(step())
            times[name].append(time.process_time() - started)
    return {name: 1000 * statistics.median(found[1:]) for name, found in times.items()}


def compared(
    side: int, sizes: tuple[int, int, int, int, int], rows: int, rounds: int
) -> dict[str, float]:
    """Return milliseconds of all, and how many times as long as ours the port takes."""
    given, objective = batch_of(rows, side), GazeObjective(str)
    model, port = ours(*sizes), Port(*sizes)
    pictures = given.source.values.permute(0, 3, 1, 2) / 255
    labels = given.target.values[:, 0] - 4
    chance = torch.Generator().manual_seed(1)

    def step(precision: Precision) -> Tensor:
        with products(precision, pictures.device):
            return objective(model, given, Moment(0, chance)).total

    found = measure(
        {
            "float32": lambda: step("float32"),
            "auto": lambda: step("auto"),
            "port": lambda: port(pictures, labels),
        },
        rounds,
    )
    ratios = {f"{name} ratio": found["port"] / found[name] for name in ("float32", "auto")}
    return {**found, **ratios}


def main(arguments: Sequence[str]) -> None:
    """Measure digits of 28 pixels and canvases of 60, as the recipes of `recipes/gaze` do."""
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("--rows", type=int, default=128)
    options.add_argument("--rounds", type=int, default=20)
    given = options.parse_args(arguments)
    torch.set_num_threads(1)
    for name, side, sizes in (
        ("mnist", 28, (8, 1, 6, 128, 256)),
        ("cluttered", 60, (12, 3, 8, 128, 256)),
    ):
        figures = compared(side, sizes, given.rows, given.rounds)
        row = {"task": name, "rows": given.rows, **{k: round(v, 2) for k, v in figures.items()}}
        sys.stdout.write(json.dumps(row) + "\n")
        sys.stdout.flush()


if __name__ == "__main__":
    main(sys.argv[1:])
