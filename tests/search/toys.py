"""Two models small enough to check by hand: a Markov chain, and one that never forgets."""

import torch
from torch import Tensor

from saccade.flow import SOURCE, State, Step, nested, tensor
from saccade.nouns import Hypothesis
from saccade.search.base import COVERED, Task

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


LOOKS = torch.randn(101, 3, generator=torch.Generator().manual_seed(7)) * 2


def looking_step(token: Tensor, state: State) -> Step:
    """Do the same, and look at three places of the source, of which short ones lack the last."""
    log_probs, after = memory_step(token, {k: v for k, v in state.items() if k != COVERED})
    read, key = tensor(after, "read"), tensor(nested(state, SOURCE), "key")
    weights = LOOKS[(read * 17 + key) % 101]
    weights = weights.masked_fill((key % 2 == 1)[:, None] & (torch.arange(3) == 2), -torch.inf)
    return Step(log_probs, {**after, COVERED: tensor(state, COVERED) + weights.softmax(dim=1)})


def looking_state(keys: list[int]) -> State:
    covered = torch.zeros(len(keys), 3)
    covered[[key % 2 == 1 for key in keys], 2] = 1.0
    return {**memory_state(keys), COVERED: covered}


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


FRAMES = torch.randn(60, N_SYMBOLS + 1, generator=torch.Generator().manual_seed(5)) * 1.5


def frame_state(keys: list[int], n_frames: int = 0) -> State:
    """Frames that depend on a key: PAD 0 is the blank, START 1, END 2, others 3..5; 2 to 6 each.

    Behind the last frame of a row, and up to `n_frames`, is silence.
    """
    lengths = [2 + key % 5 for key in keys]
    silence = torch.full((N_SYMBOLS + 1,), -1e30)
    silence[0] = 0.0
    frames = silence.repeat(len(keys), max([n_frames, *lengths]), 1)  # [B, S, V]
    for row, (key, length) in enumerate(zip(keys, lengths, strict=True)):
        said = FRAMES[key % 50 : key % 50 + length].clone()
        said[:, 1:3] = -torch.inf
        frames[row, :length] = said.log_softmax(dim=1).clamp(min=-30.0)
    return {SOURCE: {"frames": frames}}


def frame_task(limits: list[int]) -> Task:
    return Task(1, 2, torch.tensor(limits, dtype=torch.long), (0, 1))
