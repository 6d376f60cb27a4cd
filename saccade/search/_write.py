"""Write line by line without looking back: what greedy search and sampling have in common."""

from collections.abc import Callable

import torch
from torch import Tensor

from saccade.flow import State, StepFunction, reorder
from saccade.nouns import Hypothesis
from saccade.search._rules import NEVER, Rules, read
from saccade.search.base import Task

Choose = Callable[
    [Tensor, Tensor, int], Tensor
]  # (log_probs [N, V], lines [N], step) -> tokens [N]


def write(
    step: StepFunction, state: State, task: Task, choose: Choose, n_lines: int = 1
) -> list[list[Hypothesis]]:
    """Write `n_lines` lines a sentence, each symbol picked by `choose`; score = log-probability.

    A line ends with END, or unfinished when it is as long as its limit and `choose` wants another
    symbol, or when nothing may follow. Lines that end leave the batch.
    """
    rules, device = Rules(task), task.limits.device
    rows = torch.arange(len(task.limits), device=device).repeat_interleave(n_lines)  # [N]
    lines = torch.arange(len(rows), device=device)  # [N], those still being written
    tokens = torch.full((len(rows), rules.n_steps), task.end, device=device)  # [N, T]
    scores: list[Tensor] = []
    lengths = torch.zeros_like(rows)  # [N]
    state = reorder(state, rows) if n_lines > 1 else state
    token = torch.full_like(rows, task.start)
    for t in range(rules.n_steps):
        log_probs, state = step(token, state)
        log_probs = rules.edit(log_probs, tokens[lines, :t], rows[lines])  # [N, V]
        token = choose(log_probs, lines, t)
        gain = log_probs.gather(1, token[:, None]).squeeze(1)  # [N]
        scores.append(gain.new_zeros(len(rows)).index_copy(0, lines, gain))
        ended = token == task.end
        room = (gain > NEVER) & ((t < rules.limits[rows[lines]]) | ended)
        tokens[lines, t] = token
        lengths[lines] += room
        going = (room & ~ended).nonzero().squeeze(1)
        if len(going) < len(lines):
            lines, token, state = lines[going], token[going], reorder(state, going)
        if not len(lines):
            break
        if task.watch:
            task.watch(rows[lines], tokens[lines, : t + 1])
    return _read_all(tokens, scores, lengths, task.end, n_lines)


def _read_all(
    tokens: Tensor, scores: list[Tensor], lengths: Tensor, end: int, n_lines: int
) -> list[list[Hypothesis]]:
    if not len(lengths):
        return []
    columns = torch.stack(scores, dim=1).tolist()  # [N, t]
    every = [
        read(line, gains, length, sum(gains[:length]), end)
        for line, gains, length in zip(tokens.tolist(), columns, lengths.tolist(), strict=True)
    ]
    return [every[i : i + n_lines] for i in range(0, len(every), n_lines)]
