"""Prefix search of CTC: labels are followed, and all paths that spell the same count together."""

from collections import defaultdict
from typing import ClassVar

import numpy as np
import torch
from torch import Tensor

from saccade.errors import RecipeError
from saccade.flow import State, StepFunction
from saccade.kernels import ctc_prefix as kernels
from saccade.kernels.backoff import gains_along
from saccade.nouns import Hypothesis
from saccade.search._best import Array
from saccade.search._frames import BLANK, POSSIBLE, check_task, frames_of
from saccade.search._prefix_beam import Deltas, PrefixBeam, PrefixRow
from saccade.search._prefix_sums import Marks, spelling
from saccade.search._rules import NEVER
from saccade.search._tree import paths
from saccade.search.base import Found, Search, Task


class CtcPrefix(Search):
    """Go along the frames with the `width` likeliest prefixes; paths that spell the same add up.

        log_prob(l) = log sum over paths that spell l          score(l) = log_prob(l) + shapers

    Graves & Jaitly 2014, algorithm 1; Hannun et al. 2014 (arXiv:1408.2873). Shapers, such as a
    lexicon or a language model, are asked what they add to log-probabilities of 0 and count from
    the moment a label is written. What is found is measured once more by all its paths, also those
    that the beam left: `token_scores` are those of each label given the labels before it.

    `symbols` lets only so many best symbols of each frame be written; 0 lets all. A width beyond
    the number of all prefixes finds what exhaustive search finds.
    """

    once: ClassVar[bool] = True
    frames: ClassVar[bool] = True

    def __init__(self, *, width: int = 10, n_best: int = 1, symbols: int = 0) -> None:
        self.width, self.n_best, self.symbols = width, n_best, symbols
        problems = []
        if width < 1:
            problems.append(f"ctc_prefix.width: {width} is below 1; a beam follows 1 or more.")
        if not 1 <= n_best <= max(width, 1):
            problems.append(
                f"ctc_prefix.n_best: {n_best} is not between 1 and the width, {width}; raise width."
            )
        if symbols < 0:
            problems.append(f"ctc_prefix.symbols: {symbols} is below 0; 0 means all.")
        if problems:
            raise RecipeError(problems)

    @torch.no_grad()
    def __call__(
        self, step: StepFunction, state: State, task: Task, *, trace: bool = False
    ) -> list[Found]:
        """Search along the frames of `state`; the tree holds the paths of the `n_best`."""
        check_task(task, "ctc_prefix", shapers=True)
        frames = frames_of(state, "ctc_prefix")
        if not len(frames):
            return []
        deltas = _deltas(task, frames.shape[2]) if task.shapers else None
        rows = self._search(self._allowed(frames, task), task, deltas)
        best = _finished(rows, deltas, task, self.n_best)
        measured = _measured(best, frames, task, deltas)
        return [Found(tuple(one), paths(one, task.end) if trace else ()) for one in measured]

    def _allowed(self, frames: Tensor, task: Task) -> Tensor:
        """Rule out what may not be written, `[B, S, V]`."""
        frames = frames.to("cpu", torch.float32)
        never = [i for i in (*task.banned, task.start, task.end) if i != BLANK]
        frames = frames.index_fill(2, torch.tensor(never), NEVER)
        frames = frames.masked_fill(frames < POSSIBLE, NEVER)
        if 0 < self.symbols < frames.shape[2] - 1:
            labels = frames.clone()
            labels[:, :, BLANK] = NEVER
            order = labels.argsort(dim=2, descending=True, stable=True)[:, :, self.symbols :]
            blank = frames[:, :, BLANK].clone()
            frames = frames.scatter(2, order, NEVER)
            frames[:, :, BLANK] = blank
        return frames

    def _search(self, frames: Tensor, task: Task, deltas: Deltas | None) -> list[PrefixRow]:
        limits = task.limits.numpy(force=True)
        if (deltas is None or task.fused) and task.watch is None:
            by_kernels = kernels.prefix_beam(frames, limits, self.width, task.fused)
            if by_kernels is not None:
                return [PrefixRow(*row) for row in by_kernels]
        beam = PrefixBeam(frames.double().numpy(), limits, self.width, deltas)
        told = beam.best()
        for t in range(frames.shape[1]):
            beam.advance(t)
            if task.watch is not None:
                told = _tell(task, told, beam.best())
        return beam.found()


def _deltas(task: Task, size: int) -> Deltas:
    """Ask shapers what they add to each symbol behind prefixes."""

    def ask(prefixes: list[tuple[int, ...]]) -> Array:
        found, lengths = np.zeros((len(prefixes), size)), defaultdict[int, list[int]](list)
        for i, prefix in enumerate(prefixes):
            lengths[len(prefix)].append(i)
        for length, rows in lengths.items():
            device = task.limits.device
            read = torch.tensor([prefixes[i] for i in rows], dtype=torch.long, device=device)
            added = torch.zeros(len(rows), size, device=device)
            for shaper in task.shapers:
                added = shaper(read.reshape(len(rows), length), added)
            found[rows] = added.double().numpy(force=True)
        return found

    return ask


class _Chosen(list[tuple[tuple[int, ...], bool]]):
    """Labels, and whether they may end there."""


def _finished(rows: list[PrefixRow], deltas: Deltas | None, task: Task, n: int) -> list[_Chosen]:
    """Take the `n` best of each row, with what shapers say of ending there."""
    chosen = []
    for prefixes, scores in rows:
        if deltas is not None:
            along = _fused(prefixes, task)
            ending = deltas(prefixes)[:, task.end] if along is None else [row[-1] for row in along]
            whole = np.asarray(scores) + ending
            order = np.argsort(-whole, kind="stable").tolist()
            done = [(prefixes[i], True) for i in order if whole[i] > NEVER]
            done = done or [(prefixes[0], False)]
        else:
            done = [(prefix, True) for prefix in prefixes]
        chosen.append(_Chosen(done[:n]))
    return chosen


def _measured(
    chosen: list[_Chosen], frames: Tensor, task: Task, deltas: Deltas | None
) -> list[list[Hypothesis]]:
    """Score what was found by all paths that spell it, label by label."""
    flat = [one for row in chosen for one in row]
    labels, lengths = _padded([tokens for tokens, _ in flat])
    rows = torch.tensor([b for b, row in enumerate(chosen) for _ in row])
    gains = kernels.spelling(frames, rows, labels, lengths)
    if gains is None:
        device, marks = frames.device, Marks(task.start, task.end)
        gains = spelling(frames[rows.to(device)], labels.to(device), lengths.to(device), marks)
    hypotheses = []
    along = _fused([tokens for tokens, _ in flat], task)
    for n, (row, (tokens, finished)) in enumerate(zip(gains.float().tolist(), flat, strict=True)):
        scores = row[: len(tokens) + finished]
        if along is not None:
            scores = [s + gain for s, gain in zip(scores, along[n], strict=False)]
        elif deltas is not None:
            written = (*tokens, task.end)
            added = deltas([tokens[:i] for i in range(len(scores))])
            scores = [s + float(added[i, written[i]]) for i, s in enumerate(scores)]
        hypotheses.append(Hypothesis(tokens, sum(scores), tuple(scores), finished))
    ends = np.cumsum([len(row) for row in chosen]).tolist()
    split = [hypotheses[a:b] for a, b in zip([0, *ends], ends, strict=False)]
    return [sorted(row, key=lambda one: (not one.finished, -one.score)) for row in split]


def _fused(lines: list[tuple[int, ...]], task: Task) -> list[list[float]] | None:
    """Return what a table of n-grams adds to every label of lines, and to END; None if none can."""
    if task.fused is None:
        return None
    labels, lengths = _padded(lines)
    found = gains_along(task.fused, labels, lengths, task.end)
    if found is None:
        return None
    return [row[: n + 1] for row, n in zip(found.tolist(), lengths.tolist(), strict=True)]


def _padded(lines: list[tuple[int, ...]]) -> tuple[Tensor, Tensor]:
    """Lay lines of labels out, `[N, L]`, and say how long each is."""
    lengths = torch.tensor([len(line) for line in lines])
    labels = torch.zeros(len(lines), int(lengths.max()), dtype=torch.long)
    for i, line in enumerate(lines):
        labels[i, : len(line)] = torch.tensor(line, dtype=torch.long)
    return labels, lengths


def _tell(
    task: Task, before: list[tuple[int, ...]], now: list[tuple[int, ...]]
) -> list[tuple[int, ...]]:
    """Tell who watches of the rows whose best prefix is another than before."""
    assert task.watch is not None
    device = task.limits.device
    for row, (old, new) in enumerate(zip(before, now, strict=True)):
        if new and new != old:
            task.watch(torch.tensor([row], device=device), torch.tensor([new], device=device))
    return now
