"""Recurrent cells caught at work: what each read, so that its steps can be taken again and watched.

A copy of the model is watched, so that the model itself can serve others meanwhile.
"""

import copy
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import TypeVar

import torch
from torch import Tensor, nn

from saccade.cells.base import Cell
from saccade.flow import State, Swept, Ticked, map_state, tensor
from saccade.nouns import SOURCE_NAME

M = TypeVar("M", bound=nn.Module)
_INNER = ("cell", "cells", "layers")  # of an encoder or decoder, and not worth naming


@dataclass(frozen=True, slots=True)
class Reel:
    """What one cell read: the input halves `[B, T, G]` of its steps and the state before them.

    name: which cell, as "encoder 1 forward".  backward: it read the sequence from its end.
    """

    name: str
    cell: Cell
    projected: Tensor
    first: State
    backward: bool

    def replay(self) -> list[State]:
        """Take the steps again; return the state before the first and after each."""
        states = [self.first]
        for t in range(self.projected.shape[1]):
            states.append(self.cell.tick(self.projected[:, t], states[-1]).state)
        return states

    @torch.no_grad()
    def memory(self) -> tuple[str, Tensor]:
        """Return the last entry of the state after each step, `[B, T, D]`: `c` of an LSTM, or `h`.

        A backward cell's steps are put in the order of the sequence.
        """
        entry = self.cell.parts[-1]
        found = torch.stack([tensor(state, entry) for state in self.replay()[1:]], dim=1)
        return entry, found.flip(1) if self.backward else found

    @torch.no_grad()
    def gates(self) -> dict[str, Tensor]:
        """Return every gate at each step by name, `[B, T, D]`; none of a cell without gates.

        A backward cell's steps are put in the order of the sequence.
        """
        found, state = list[Mapping[str, Tensor]](), self.first
        for t in range(self.projected.shape[1]):
            _, state, gates = self.cell.tick(self.projected[:, t], state)
            found.append(gates)
        names = list(found[0]) if found else []
        opened = {name: torch.stack([gates[name] for gates in found], dim=1) for name in names}
        return {name: one.flip(1) if self.backward else one for name, one in opened.items()}


@dataclass(slots=True)
class _Takes:
    """What has been caught of one cell so far."""

    cell: Cell
    projected: list[Tensor] = field(default_factory=list)
    first: State | None = None
    read: Tensor | None = None

    def add(self, projected: Tensor, state: State) -> None:
        self.projected.append(projected.detach())
        if self.first is None:
            self.first = map_state(torch.detach, state)


def record(model: M, work: Callable[[M], object]) -> list[Reel]:
    """Let a copy of `model` do `work` without gradients; return the reel of every cell that ran.

    All rows must be of one length: there is no padding on a reel.
    """
    watched = copy.deepcopy(model).eval()
    every = {name: cell for name, cell in watched.named_modules() if isinstance(cell, Cell)}
    cells = {
        name: cell
        for name, cell in every.items()
        if not any(name.startswith(f"{outer}.") for outer in every)  # no controller of another
    }
    takes = {name: _watch(cell) for name, cell in cells.items()}
    with torch.no_grad():
        work(watched)
    ran = {name: take for name, take in takes.items() if take.projected}
    for cell in cells.values():
        cell.__dict__.pop("sweep")
        cell.__dict__.pop("tick")
    reads = [take.read for take in ran.values()]
    backward = [_is_backward(read, reads[:i]) for i, read in enumerate(reads)]
    names = _spoken(list(ran), backward)
    return [
        Reel(name, take.cell, torch.cat(take.projected, dim=1), take.first or {}, turned)
        for name, take, turned in zip(names, ran.values(), backward, strict=True)
    ]


def _watch(cell: Cell) -> _Takes:
    """Note every step and every sweep of a cell."""
    takes, sweep, tick = _Takes(cell), cell.sweep, cell.tick

    def watched_sweep(x: Tensor, state: State) -> Swept:
        n = len(takes.projected)
        swept = sweep(x, state)
        del takes.projected[n:]  # a sweep may be made of ticks
        takes.add(cell.project(x), state)
        takes.read = x
        return swept

    def watched_tick(projected: Tensor, state: State) -> Ticked:
        takes.add(projected[:, None], state)
        return tick(projected, state)

    cell.__dict__["sweep"] = watched_sweep
    cell.__dict__["tick"] = watched_tick
    return takes


def _is_backward(read: Tensor | None, before: list[Tensor | None]) -> bool:
    """Tell whether an earlier cell read the same sequence from its other end."""
    if read is None or read.shape[1] < 2:
        return False
    return any(torch.equal(read, other.flip(1)) for other in before if other is not None)


def _spoken(names: list[str], backward: list[bool]) -> list[str]:
    """Say which cell it is: `reading.encoders.source.layers.0.1` is "encoder 1 backward"."""
    said = []
    for name, turned in zip(names, backward, strict=True):
        steps = name.split(".")
        numbers = [int(step) + 1 for step in steps if step.isdigit()]
        paired = len(numbers) > 1 and any(
            other != name and other.rpartition(".")[0] == name.rpartition(".")[0] for other in names
        )
        way = (" backward" if turned else " forward") if paired else ""
        number = f" {numbers[0]}" if numbers else ""
        said.append(f"{_owner(steps) or ('layer' if numbers else name)}{number}{way}")
    return said if len(set(said)) == len(said) else names


def _owner(steps: list[str]) -> str:
    """Name the encoder or decoder that holds a cell; an encoder by its source, if it has a name."""
    owners = [step for step in steps if not step.isdigit() and step not in _INNER]
    if owners[-2:-1] == ["encoders"]:
        return "encoder" if owners[-1] == SOURCE_NAME else f"encoder of {owners[-1]}"
    return owners[-1] if owners else ""
