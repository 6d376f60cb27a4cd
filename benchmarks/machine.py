"""The limits of the machine, M: what a figure of the other workloads is a share of.

    python -m benchmarks.machine

fp32 matrix products of a large square and of T's own shapes, bandwidth of memory, and what one call
into torch costs however small its tensors are.
"""

import json
import sys
import time
from collections.abc import Callable
from functools import partial

import torch
from torch.nn.functional import linear

from benchmarks.meter import Figure
from benchmarks.workloads import Effort, Shape

PEAK = "fp32 product of squares"
READING = "read memory"
_REPEATS = 5


def main() -> None:
    """Measure every limit with one thread and with all that are asked for."""
    effort = Effort(**json.loads(sys.argv[-1])) if len(sys.argv) > 1 else Effort()
    for threads in sorted({1, effort.threads}):
        torch.set_num_threads(threads)
        measure(effort, f"{threads} thread{'s'[: threads - 1]}")


def measure(effort: Effort, threads: str) -> None:
    """Tell the limits as they are with the number of threads that torch has now."""
    n = effort.matrix
    a, b = torch.randn(n, n), torch.randn(n, n)
    _tell(PEAK, threads, "GFLOP/s", _rates(lambda: a @ b, 2 * n**3 / 1e9))
    for rows, (inner, outer) in _shapes(Shape(), effort):
        x, weight = torch.randn(rows, inner), torch.randn(outer, inner)
        work = 2 * rows * inner * outer / 1e9
        case = f"linear {rows} x {inner} to {outer}"
        _tell(case, threads, "GFLOP/s", _rates(partial(linear, x, weight), work))
    big = torch.ones(effort.megabytes << 18)  # four bytes each, past the last cache
    other = torch.empty_like(big)
    gigabytes = 4 * big.numel() / 1e9
    _tell("copy memory", threads, "GB/s", _rates(lambda: other.copy_(big), 2 * gigabytes))
    _tell(READING, threads, "GB/s", _rates(big.sum, gigabytes))
    small = torch.zeros(1)
    _tell("calls of a tiny sum", threads, "thousand/s", _rates(lambda: _calls(small), 1.0))


def _shapes(shape: Shape, effort: Effort) -> list[tuple[int, tuple[int, int]]]:
    """Return rows and widths of T's products, and of the output in a beam of 5 at batch 1."""
    d, f, v = shape.width, shape.hidden, shape.vocabulary
    large = [(effort.tokens, widths) for widths in ((d, d), (d, f), (f, d), (d, v))]
    return [*large, (5, (d, v))]


@torch.inference_mode()
def _calls(x: torch.Tensor) -> None:
    for _ in range(1000):
        x.add(x)


def _rates(work: Callable[[], object], amount: float) -> list[float]:
    """Do it once to warm up, then say how much was done per second each time."""
    work()
    found = []
    for _ in range(_REPEATS):
        begun = time.perf_counter()
        work()
        found.append(amount / (time.perf_counter() - begun))
    return found


def _tell(case: str, threads: str, unit: str, values: list[float]) -> None:
    Figure("machine", torch.__version__, "M", f"{case}, {threads}", unit, values).tell()


if __name__ == "__main__":
    main()
