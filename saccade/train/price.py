"""How many operations a training takes: counted of a few pairs, and added up over all of them.

A pair of s source and t target places costs

    c . (1, s, t, s^2, s t, t^2)

operations: what is done place by place has the terms s and t, self-attention s^2 and t^2, attention
over the source s t. Every update adds the six numbers of its pairs up, and the c are found by
counting what a few pairs cost.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import replace
from typing import Any

import numpy as np
import torch
from torch.backends import mkldnn
from torch.nn.attention import SDPBackend, sdpa_kernel
from torch.utils._python_dispatch import TorchDispatchMode
from torch.utils.flop_counter import flop_registry

from saccade.data.plan import PairBatches
from saccade.flow import Batch
from saccade.kernels.library import without_kernels
from saccade.models.base import Model
from saccade.objectives.base import Moment, Objective

_PAIRS = 8  # that are counted; six terms are looked for


def counted(run: Callable[[], object]) -> int:
    """Count the operations of a call's matrix products and convolutions; `a b + c` is two.

    Kernels are left aside, and attention is computed in pieces, so that all products are seen. What
    is done number by number is not counted, as usual.

    >>> x = torch.ones(3, 4)
    >>> counted(lambda: x @ x.T)
    72
    """
    with without_kernels(), _without_onednn(), sdpa_kernel(SDPBackend.MATH), _Products() as found:
        run()
    total: int = found.total
    return total


@contextmanager
def _without_onednn() -> Iterator[None]:
    """Let torch take its recurrent layers apart, which oneDNN computes in one piece."""
    was, *_ = mkldnn.set_flags(_enabled=False, _fp32_precision=None)  # type: ignore[no-untyped-call]
    try:
        yield
    finally:
        mkldnn.set_flags(_enabled=was, _fp32_precision=None)  # type: ignore[no-untyped-call]


class _Products(TorchDispatchMode):  # type: ignore[no-untyped-call]
    """Counts what torch is asked to multiply, as `torch.utils.flop_counter` does in more words."""

    def __init__(self) -> None:
        super().__init__()  # type: ignore[no-untyped-call]
        self.total = 0

    @classmethod
    def _should_skip_dynamo(cls) -> bool:
        """Say no: torch would load its compiler, for a second, to keep it away from here."""
        return False

    def __torch_dispatch__(
        self,
        func: Any,
        types: Any,
        args: tuple[Any, ...] = (),
        kwargs: dict[str, Any] | None = None,
    ) -> Any:
        """Let torch compute, and count if it is a product."""
        made = func(*args, **(kwargs or {}))
        formula = flop_registry.get(func.overloadpacket)
        if formula is not None:
            self.total += formula(*args, **(kwargs or {}), out_val=made)
        return made


def priced(model: Model, objective: Objective, batches: PairBatches) -> list[float]:
    """Count what a few pairs cost, each alone, so without padding, and find the six c.

    Nothing else changes: chance is given back, and so is what the objective has learned.
    """
    device, training = next(model.parameters()).device, model.training
    learned = {name: one.clone() for name, one in objective.learned.items()}
    found = dict[tuple[float, ...], int]()
    with torch.random.fork_rng(devices=[]):
        model.eval()  # dropout costs nothing
        for i in batches.spread(_PAIRS):
            batch = batches.batch([i])
            if objective.all_references:
                batch = replace(batch, references=batches.references(batch.index))
            lengths = tuple(_powers(batch))
            if lengths not in found:
                found[lengths] = _update(model, objective, batch.to(device))
    model.train(training)
    objective.learned.update(learned)
    return _fitted(found)


def added(sums: Sequence[float], batch: Batch) -> list[float]:
    """Add the six numbers of a batch's pairs to those of others."""
    return [one + other for one, other in zip(sums, _powers(batch), strict=True)]


def _powers(batch: Batch) -> list[float]:
    """Sum 1, s, t, s^2, s t and t^2 over the pairs of a batch: whole numbers."""
    t = batch.target.lengths  # [B]
    s = sum((source.lengths for source in batch.sources.values()), torch.zeros_like(t))
    return [float(len(t)), *(float(one.sum()) for one in (s, t, s * s, s * t, t * t))]


def _update(model: Model, objective: Objective, batch: Batch) -> int:
    """Count one pair, forward and back; no gradient is kept."""
    moment = Moment(0, torch.Generator().manual_seed(0))
    weights = [one for one in model.parameters() if one.requires_grad]

    def run() -> None:
        total = objective(model, batch, moment).total
        torch.autograd.grad(total, weights, allow_unused=True)

    return counted(run)


def _fitted(found: Mapping[tuple[float, ...], int]) -> list[float]:
    """Find the c with the least squared error; of several, the shortest."""
    rows, costs = np.array(list(found)), np.array(list(found.values()), dtype=np.float64)
    size = np.abs(rows).max(axis=0).clip(min=1.0)
    c, *_ = np.linalg.lstsq(rows / size, costs, rcond=1e-9)
    return [float(one) for one in c / size]
