"""Write line by line without looking back: what greedy search and sampling have in common."""

from collections.abc import Callable

import numpy as np
import torch
from torch import Tensor

from saccade.flow import State, StepFunction, reorder
from saccade.nouns import Hypothesis
from saccade.search._best import Array
from saccade.search._rules import NEVER, Rules, read
from saccade.search.base import Task

Choose = Callable[
    [Tensor, Array, int], tuple[Array, Array]
]  # (log_probs [N, V], lines [N], step) -> (tokens [N], their log-probabilities [N])


def write(
    step: StepFunction, state: State, task: Task, choose: Choose, n_lines: int = 1
) -> list[list[Hypothesis]]:
    """Write `n_lines` lines a sentence, each symbol picked by `choose`; score = log-probability.

    A line ends with END, or unfinished when it is as long as its limit and `choose` wants another
    symbol, or when nothing may follow. Lines that end leave the batch. What is written is kept in
    numpy, as the hypotheses of a beam are.
    """
    rules, device = Rules(task), task.limits.device
    limits = rules.limits.numpy(force=True).repeat(n_lines)  # [N]
    rows = np.arange(len(task.limits)).repeat(n_lines)  # [N]
    lines = np.arange(len(rows))  # [N], those still being written
    tokens = np.full((len(rows), rules.n_steps), task.end)  # [N, T]
    gains = np.zeros((len(rows), rules.n_steps), dtype=np.float32)  # [N, T]
    lengths = np.zeros_like(rows)  # [N]
    state = reorder(state, _tensor(rows, device)) if n_lines > 1 else state
    token = np.full_like(rows, task.start)
    for t in range(rules.n_steps):
        log_probs, state = step(_tensor(token, device), state)
        written = _tensor(tokens[lines, :t], device)
        log_probs = rules.edit(log_probs, written, _tensor(rows[lines], device))  # [N, V]
        token, gain = choose(log_probs, lines, t)
        tokens[lines, t], gains[lines, t] = token, gain
        ended = token == task.end
        room = (gain > NEVER) & ((t < limits[lines]) | ended)
        lengths[lines] += room
        going = (room & ~ended).nonzero()[0]
        if not len(going):
            break
        if len(going) < len(lines):
            lines, token, state = lines[going], token[going], reorder(state, _tensor(going, device))
        if task.watch:
            task.watch(_tensor(rows[lines], device), _tensor(tokens[lines, : t + 1], device))
    every = [
        read(line, scores, length, sum(scores[:length]), task.end)
        for line, scores, length in zip(
            tokens.tolist(), gains.tolist(), lengths.tolist(), strict=True
        )
    ]
    return [every[i : i + n_lines] for i in range(0, len(every), n_lines)]


def _tensor(array: Array, device: torch.device) -> Tensor:
    return torch.from_numpy(array).to(device)
