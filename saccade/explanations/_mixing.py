"""One layer of each kind that lets places know of each other, and what it costs.

Nothing but the mixing: no projections, norms or feed-forward layers, which cost `n d d` in all.
"""

import time
from abc import ABC, abstractmethod
from collections.abc import Callable
from dataclasses import dataclass
from typing import NamedTuple

import torch
from torch import Tensor, nn
from torch.autograd.graph import saved_tensors_hooks
from torch.multiprocessing.reductions import StorageWeakRef

from saccade.attention._near import Near
from saccade.attention.scaled_dot import ScaledDot
from saccade.cells.elman import Elman
from saccade.kernels.library import without_kernels
from saccade.layers.convolution import GatedConvolution, surround
from saccade.train.price import counted


@dataclass(frozen=True)
class LayerSizes:
    """n places of width d; a kernel of k places, or r places to each side."""

    n: int
    d: int
    k: int
    r: int


class MixingLayer(NamedTuple):
    """A layer from `[1, n, d]` to `[1, n, d]`, and what holds its weights."""

    run: Callable[[Tensor], Tensor]
    weights: nn.Module


class Mixing(ABC):
    """A kind of layer: its order, and the letters that its cost depends on."""

    name: str
    order: str
    letters: str

    @abstractmethod
    def layer(self, sizes: LayerSizes) -> MixingLayer:
        """Build one."""


class SelfAttention(Mixing):
    """Every place reads every place."""

    name, order, letters = "self-attention", "n²d", "nd"

    def layer(self, sizes: LayerSizes) -> MixingLayer:
        """Scaled dot products, without projections."""
        attention = ScaledDot(sizes.d, sizes.d)
        mask = torch.ones(1, 1, sizes.n, dtype=torch.bool)
        return MixingLayer(
            lambda x: attention(x, attention.prepare(x), mask, {}).context, attention
        )


class Restricted(Mixing):
    """Every place reads those at most r away."""

    name, order, letters = "restricted", "rnd", "ndr"

    def layer(self, sizes: LayerSizes) -> MixingLayer:
        """Scaled dot products in blocks."""
        attention = ScaledDot(sizes.d, sizes.d)
        mask = torch.ones(1, sizes.n, dtype=torch.bool)
        near = Near(mask, sizes.r, sizes.r, None)
        return MixingLayer(lambda x: near.read(attention, x)[0].context, attention)


class Recurrent(Mixing):
    """Every place knows the one before it."""

    name, order, letters = "recurrent", "nd²", "nd"

    def layer(self, sizes: LayerSizes) -> MixingLayer:
        """The simple recurrence, whose matrices are d by d."""
        cell = Elman(sizes.d, sizes.d)
        return MixingLayer(lambda x: cell.sweep(x, cell.start(x[:, 0])).outputs, cell)


class Convolutional(Mixing):
    """Every place reads the k around it."""

    name, order, letters = "convolutional", "knd²", "ndk"

    def layer(self, sizes: LayerSizes) -> MixingLayer:
        """A gated convolution."""
        convolution = GatedConvolution(sizes.d, sizes.k, 0.0)
        return MixingLayer(lambda x: convolution(surround(x, sizes.k)), convolution)


KINDS: tuple[Mixing, ...] = (SelfAttention(), Recurrent(), Convolutional(), Restricted())


def operations(kind: Mixing, sizes: LayerSizes) -> int:
    """Count the operations of a layer, forward."""
    layer, x = kind.layer(sizes), torch.zeros(1, sizes.n, sizes.d)
    with torch.no_grad():
        return counted(lambda: layer.run(x))


def kept_bytes(kind: Mixing, sizes: LayerSizes) -> int:
    """Count the bytes that a layer keeps for the way back, its weights left out."""
    layer, x = kind.layer(sizes), torch.randn(1, sizes.n, sizes.d, requires_grad=True)
    own = {_storage(one) for one in layer.weights.parameters()}
    kept: dict[StorageWeakRef, Tensor] = {}  # they stay alive, so no storage comes twice

    def keep(one: Tensor) -> Tensor:
        kept[_storage(one)] = one
        return one

    with without_kernels(), saved_tensors_hooks(keep, lambda one: one):
        y = layer.run(x)
        sizes_kept = [one.untyped_storage().nbytes() for at, one in kept.items() if at not in own]
    del y  # until here, for what it alone keeps
    return sum(sizes_kept)


def _storage(one: Tensor) -> StorageWeakRef:
    """Name the memory of a tensor, which its views share."""
    return StorageWeakRef(one.untyped_storage())  # type: ignore[no-untyped-call]


def seconds(kind: Mixing, sizes: LayerSizes, x: Tensor, repeats: int) -> float:
    """Return the least processor time of a layer, forward and back, in one thread."""
    layer, spent, was = kind.layer(sizes), [], torch.get_num_threads()
    torch.set_num_threads(1)
    try:
        for _ in range(repeats + 1):  # the first warms up
            started = time.process_time()
            layer.run(x).sum().backward()  # type: ignore[no-untyped-call]
            spent.append(time.process_time() - started)
    finally:
        torch.set_num_threads(was)
    return max(min(spent[1:]), 1e-9)


def steps(kind: Mixing, sizes: LayerSizes) -> int:
    """Count the places that have to wait for each other in a layer.

    That is how many more matrix products stand in a row than for a single place, and one.
    """
    alone = LayerSizes(1, sizes.d, sizes.k, sizes.r)
    with without_kernels():
        return _products_in_a_row(kind, sizes) - _products_in_a_row(kind, alone) + 1


def layers_across(kind: Mixing, sizes: LayerSizes) -> int:
    """Count the layers until the last place knows of the first.

    Who reads whom in one layer is seen from the gradients of every place.
    """
    x = torch.ones(1, sizes.n, sizes.d, requires_grad=True)
    with without_kernels():
        y = kind.layer(sizes).run(x)[0]
    gradients = [torch.autograd.grad(place.sum(), x, retain_graph=True)[0][0] for place in y]
    reads = torch.stack([one.any(dim=1) for one in gradients])  # [n, n]
    knows, n_layers = reads[:, 0], 1
    while not knows[-1]:
        knows, n_layers = (reads & knows).any(dim=1), n_layers + 1
    return n_layers


def _products_in_a_row(kind: Mixing, sizes: LayerSizes) -> int:
    """Return the longest chain of matrix products from what comes out to what goes in."""
    y = kind.layer(sizes).run(torch.randn(1, sizes.n, sizes.d, requires_grad=True))
    longest: dict[object, int] = {}
    todo = [y.grad_fn]
    while todo:
        node = todo[-1]
        parents = [parent for parent, _ in node.next_functions if parent] if node else []
        waiting = [parent for parent in parents if parent not in longest]
        if waiting:
            todo += waiting
            continue
        is_product = node is not None and "mm" in node.name().lower()
        longest[node] = is_product + max((longest[parent] for parent in parents), default=0)
        todo.pop()
    return longest[y.grad_fn]
