"""Two models small enough to check by hand: a Markov chain, and one that never forgets."""

import torch
from torch import Tensor

from saccade.flow import SOURCE, State, Step, nested, tensor
from saccade.nouns import Hypothesis
from saccade.search.base import Task

PAD, START, END, A, B, C = range(6)

CHAIN = torch.tensor(
    [  # from START: A is likeliest, but B leads to a likelier sentence
        # PAD START END  A    B    C
        [0.0, 0.0, 1.0, 0.0, 0.0, 0.0],
        [0.0, 0.0, 0.0, 0.5, 0.4, 0.1],
        [0.0, 0.0, 1.0, 0.0, 0.0, 0.0],
        [0.0, 0.0, 0.3, 0.2, 0.1, 0.4],
        [0.0, 0.0, 0.9, 0.1, 0.0, 0.0],
        [0.0, 0.0, 0.4, 0.0, 0.3, 0.3],
    ]
)


def chain_step(token: Tensor, state: State) -> Step:
    return Step(CHAIN.log()[token], state)


def chain_state(n: int) -> State:
    return {"nothing": torch.zeros(n, 1)}


N_SYMBOLS = 5  # of the model that never forgets: START 0, END 1, others 2..4
TABLE = torch.randn(101, N_SYMBOLS, generator=torch.Generator().manual_seed(3))


def memory_step(token: Tensor, state: State) -> Step:
    """Scores from a table at a hash of the source and all that was read: arithmetic is exact."""
    key = tensor(nested(state, SOURCE), "key")
    mixed = (tensor(state, "read") * 31 + token * 7 + key * 13 + 5) % 101
    return Step((TABLE[mixed] * 1.5).log_softmax(dim=1), {SOURCE: state[SOURCE], "read": mixed})


def memory_state(keys: list[int]) -> State:
    key = torch.tensor(keys, dtype=torch.long)
    return {SOURCE: {"key": key}, "read": torch.zeros_like(key)}


def memory_task(limits: list[int], prefixes: tuple[tuple[int, ...], ...] = ()) -> Task:
    return Task(0, 1, torch.tensor(limits, dtype=torch.long), (0,), prefixes)


def chain_task(limits: list[int], prefixes: tuple[tuple[int, ...], ...] = ()) -> Task:
    return Task(START, END, torch.tensor(limits, dtype=torch.long), (PAD, START), prefixes)


def memory_log_probs(key: int, hypothesis: Hypothesis) -> list[float]:
    """Score a hypothesis symbol by symbol, apart from any search."""
    state, read, gains = memory_state([key]), 0, []
    for token in (*hypothesis.tokens, 1) if hypothesis.finished else hypothesis.tokens:
        log_probs, state = memory_step(torch.tensor([read]), state)
        gains.append(float(log_probs[0, token]))
        read = token
    return gains
