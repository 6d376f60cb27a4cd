"""Steps a second of cells with a memory, beside published ones: `python -m benchmarks.memory`.

A step is one place of a whole batch, forward and back, with a squared sum as the loss. Seconds are
those of the processor, one thread, the best of several rounds, so that other work on the machine
counts little. Packages that are not there are left out; to compare, put them on the path:

    PYTHONPATH=folder-of-pytorch-ntm:folder-of-dnc python -m benchmarks.memory

pytorch-ntm is github.com/loudinthecloud/pytorch-ntm (`ntm/`); dnc is the package of that name.
"""

import argparse
import importlib
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from typing import Any

import torch
from torch import Tensor

from saccade.cells.base import Cell
from saccade.parts import Part

BITS, HIDDEN, PLACES = 9, 100, 42
SLOTS = (128, 512, 2048, 8192)


def seconds(work: Callable[[], Tensor], rounds: int) -> float:
    """Return the processor seconds of the fastest round, forward and back."""
    best = float("inf")
    for _ in range(rounds):
        start = time.process_time()
        torch.autograd.backward([work()])
        best = min(best, time.process_time() - start)
    return best


def ours(kind: str, rows: int, **options: Any) -> Callable[[], Tensor]:
    """Return a sweep of one of our cells over noise."""
    cell = Part(Cell, kind, options).build(BITS, HIDDEN)
    x = torch.randn(rows, PLACES, BITS)
    return lambda: cell.sweep(x, cell.start(x[:, 0])).outputs.square().sum()


def pytorch_ntm(rows: int) -> Callable[[], Tensor]:
    """Return a sweep of pytorch-ntm: controller 100, memory 128 x 20, one head each."""
    machine = importlib.import_module("ntm.aio").EncapsulatedNTM(
        BITS, HIDDEN, HIDDEN, 1, 1, 128, 20
    )
    x = torch.randn(PLACES, rows, BITS)

    def work() -> Tensor:
        machine.init_sequence(rows)
        outputs = [machine(x[t])[0] for t in range(PLACES)]
        return torch.stack(outputs).square().sum()

    return work


def package_dnc(rows: int) -> Callable[[], Tensor]:
    """Return a sweep of the package dnc: controller 100, memory 32 x 16, one read head."""
    sizes = {"num_layers": 1, "num_hidden_layers": 1, "nr_cells": 32, "cell_size": 16}
    machine = importlib.import_module("dnc").DNC(BITS, HIDDEN, read_heads=1, **sizes)
    x = torch.randn(rows, PLACES, BITS)

    def work() -> Tensor:
        outputs, _ = machine(x, (None, None, None), reset_experience=True)
        total: Tensor = outputs.square().sum()
        return total

    return work


def compared(rounds: int) -> Iterator[str]:
    """Time NTM and DNC of one size, ours and theirs."""
    ntm, dnc = {"slots": 128, "width": 20}, {"slots": 32, "width": 16}
    for name, kind, options, other in (
        ("pytorch-ntm", "ntm", ntm, pytorch_ntm),
        ("dnc", "dnc", dnc, package_dnc),
    ):
        for rows in (1, 16):
            mine = PLACES / seconds(ours(kind, rows, **options), rounds)
            line = f"{kind:14s} rows {rows:3d}  ours {mine:8.0f} steps/s"
            try:
                theirs = PLACES / seconds(other(rows), rounds)
                line += f"  {name} {theirs:8.0f} steps/s  ratio {mine / theirs:.2f}"
            except ImportError:
                line += f"  {name} is not installed"
            yield line


def by_slots(rounds: int) -> Iterator[str]:
    """Time sparse and dense access to larger and larger memories."""
    for slots in SLOTS:
        sparse = seconds(ours("sparse_access", 4, slots=slots, nearest=4), rounds)
        dense = seconds(ours("ntm", 4, slots=slots), rounds)
        yield (
            f"{slots:6d} slots  sparse_access {1e3 * sparse / PLACES:7.3f} ms a step"
            f"  ntm {1e3 * dense / PLACES:7.3f} ms a step  ratio {dense / sparse:.1f}"
        )


def main(arguments: Sequence[str]) -> None:
    """Measure and print."""
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("--rounds", type=int, default=7)
    given = options.parse_args(arguments)
    torch.set_num_threads(1)
    torch.manual_seed(1)
    for lines in (compared(given.rounds), by_slots(max(given.rounds // 2, 1))):
        for line in lines:
            print(line, flush=True)


if __name__ == "__main__":
    main(sys.argv[1:])
