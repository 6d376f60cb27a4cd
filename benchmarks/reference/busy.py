"""The plain torch side of `busy`: R's model trains, T's model decodes, both of the demo's size.

python -m benchmarks.reference.busy train|decode DATA SECONDS
"""

import json
import sys
import time
from pathlib import Path

import torch

from benchmarks.reference.rnn import Rnn
from benchmarks.reference.search import Decoder
from benchmarks.reference.transformer import Transformer
from benchmarks.workloads import END, PAD, Shape

_WARM = 0.25  # of the seconds that are measured
_BEAM, _LINES = 4, 64  # hypotheses; sentences at once
Batches = list[list[list[list[int]]]]  # source, prefix and target ids of each


def train(batches: Batches, shape: Shape, seconds: float) -> float:
    """Return target symbols per second."""
    model = Rnn(shape)
    optimiser = torch.optim.Adam(model.parameters(), lr=1e-3, fused=True)
    symbols, number, warm, begun = 0, 0, False, time.perf_counter()
    while not warm or time.perf_counter() - begun < seconds:
        if not warm and time.perf_counter() - begun >= _WARM * seconds:
            symbols, warm, begun = 0, True, time.perf_counter()
        source, prefix, target = map(torch.tensor, batches[number % len(batches)])
        keep = (target.flatten() != PAD).nonzero().squeeze(1)
        model(source, prefix, keep, target.flatten()[keep]).backward()
        optimiser.step()
        optimiser.zero_grad()
        symbols += len(keep)
        number += 1
    return symbols / (time.perf_counter() - begun)


def decode(batches: Batches, shape: Shape, seconds: float) -> float:
    """Return sentences per second, of an untrained model."""
    decoder = Decoder(Transformer(shape))
    rows = [row for source, _, _ in batches for row in source][:_LINES]
    lines = [[i for i in row if i not in (PAD, END)] for row in rows]
    decoder.translate(lines, _BEAM)
    done, begun = 0, time.perf_counter()
    while time.perf_counter() - begun < seconds:
        done += len(decoder.translate(lines, _BEAM))
    return done / (time.perf_counter() - begun)


def main() -> None:
    """Do what the command line says."""
    work, data, seconds = sys.argv[1:]
    batches: Batches = json.loads(Path(data).read_text(encoding="utf-8"))
    highest = max(i for batch in batches for side in batch for row in side for i in row)
    shape = Shape(width=128, hidden=512, layers=2, cells=192, vocabulary=highest + 1)
    torch.manual_seed(1)
    print({"train": train, "decode": decode}[work](batches, shape, float(seconds)))


if __name__ == "__main__":
    main()
