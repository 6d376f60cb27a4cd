"""Steps a second of an eye that moves beside the plainest loop: `python -m benchmarks.gaze`.

The other side is the model of Mnih et al. 2014 (arXiv:1406.6247) of the same sizes as published
ports write it: patches are cut out row by row and scale by scale in Python, on a padded picture.
Both compute the same loss (label, score function, baseline) forward and backward, in turns in one
process on one thread; the ratio of the medians is printed as a line of JSON.
"""

import argparse
import json
import statistics
import sys
import time
from collections.abc import Callable, Sequence

import torch
from torch import Tensor, nn
from torch.nn.functional import avg_pool2d, cross_entropy, pad, relu

from saccade.cells.base import Cell
from saccade.flow import Batch, Padded
from saccade.glimpses.base import Glimpse
from saccade.models.recurrent_attention import RecurrentAttention
from saccade.nouns import Side
from saccade.objectives.base import Moment
from saccade.objectives.gaze import GazeObjective
from saccade.parts import Part
from saccade.tokenizers._vocabulary import END

N_LABELS = 10
DEVIATION = 0.15


class PlainLoop(nn.Module):
    """The model of the paper, a patch at a time."""

    def __init__(self, size: int, scales: int, glimpses: int, embedding: int, hidden: int) -> None:
        super().__init__()
        self.size, self.scales, self.glimpses, self.hidden = size, scales, glimpses, hidden
        self.seen = nn.Linear(scales * size * size, embedding)
        self.place = nn.Linear(2, embedding)
        self.what, self.where = nn.Linear(embedding, hidden), nn.Linear(embedding, hidden)
        self.inner, self.again = nn.Linear(hidden, hidden), nn.Linear(hidden, hidden)
        self.move, self.expect = nn.Linear(hidden, 2), nn.Linear(hidden, 1)
        self.mix, self.label = nn.Linear(hidden, hidden), nn.Linear(hidden, N_LABELS)

    def forward(self, pictures: Tensor, labels: Tensor) -> Tensor:
        """Return the loss of pictures `[B, 1, H, W]`."""
        state = pictures.new_zeros(len(pictures), self.hidden)
        where = pictures.new_zeros(len(pictures), 2)
        log_probs, expected = [], []
        for n in range(self.glimpses):
            g = relu(self.what(relu(self.seen(self.retina(pictures, where)))))
            g = relu(g + self.where(relu(self.place(where))))
            state = relu(self.inner(g) + self.again(state))
            if n + 1 < self.glimpses:
                mean = torch.tanh(self.move(state.detach()))
                drawn = (mean + DEVIATION * torch.randn_like(mean)).detach()
                log_probs.append(-((drawn - mean) / DEVIATION).square().sum(dim=1) / 2)
                expected.append(self.expect(state.detach())[:, 0])
                where = drawn.clamp(-1, 1)
        logits = self.label(relu(self.mix(state)))
        reward = (logits.argmax(dim=1) == labels).to(logits)[:, None]
        baseline = torch.stack(expected, dim=1)
        advantage = (reward - baseline).detach()
        score = -(advantage * torch.stack(log_probs, dim=1)).sum()
        label = cross_entropy(logits, labels, reduction="sum")
        loss: Tensor = label + score + (reward - baseline).square().sum()
        return loss

    def retina(self, pictures: Tensor, where: Tensor) -> Tensor:
        """Cut every patch out by itself."""
        height, width = pictures.shape[2:]
        rows = []
        for picture, (down, across) in zip(pictures, where.tolist(), strict=True):
            patches = []
            for k in range(self.scales):
                side = self.size << k
                bordered = pad(picture, (side, side, side, side))
                top = int((down + 1) / 2 * height - side / 2) + side
                left = int((across + 1) / 2 * width - side / 2) + side
                patch = bordered[:, top : top + side, left : left + side]
                patches.append(avg_pool2d(patch, 1 << k) if k else patch)
            rows.append(torch.cat(patches).flatten())
        return torch.stack(rows)


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
    """Run steps in turns; return the median of steps a second of each, by name."""
    times: dict[str, list[float]] = {name: [] for name in steps}
    for _ in range(rounds + 1):
        for name, step in steps.items():
            started = time.perf_counter()
            torch.autograd.backward(step())
            times[name].append(time.perf_counter() - started)
    return {name: 1 / statistics.median(found[1:]) for name, found in times.items()}


def compared(
    side: int, sizes: tuple[int, int, int, int, int], rows: int, rounds: int
) -> dict[str, float]:
    """Return steps a second of both, and their ratio."""
    given, objective = batch_of(rows, side), GazeObjective(str)
    model, plain = ours(*sizes), PlainLoop(*sizes)
    pictures = given.source.values.permute(0, 3, 1, 2) / 255
    labels = given.target.values[:, 0] - 4
    chance = torch.Generator().manual_seed(1)
    found = measure(
        {
            "saccade": lambda: objective(model, given, Moment(0, chance)).total,
            "plain": lambda: plain(pictures, labels),
        },
        rounds,
    )
    return {**found, "ratio": found["saccade"] / found["plain"]}


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
