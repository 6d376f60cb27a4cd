from collections import Counter
from dataclasses import replace

import pytest
import torch

from saccade.errors import RecipeError
from saccade.flow import State, Step
from saccade.search.base import Task
from saccade.search.greedy import Greedy
from saccade.search.sample import Sample
from tests.search.toys import (
    CHAIN,
    START,
    chain_state,
    chain_step,
    chain_task,
    memory_state,
    memory_step,
    memory_task,
)

KEYS = list(range(40))
STATE = memory_state(KEYS)
TASK = replace(memory_task([6] * 40), keys=KEYS)


def first_symbols(search: Sample, n: int) -> dict[int, float]:
    task = replace(chain_task([1] * n), keys=range(n))
    found = search(chain_step, chain_state(n), task)
    counts = Counter(f.hypotheses[0].tokens[0] for f in found)
    return {token: count / n for token, count in counts.items()}


def test_frequencies_follow_the_distribution() -> None:
    seen = first_symbols(Sample(), 4000)
    for token, p in enumerate(CHAIN[START].tolist()):
        assert seen.get(token, 0.0) == pytest.approx(p, abs=0.03)


def test_frequencies_follow_temperature() -> None:
    sharp = CHAIN[START] ** 2 / (CHAIN[START] ** 2).sum()
    seen = first_symbols(Sample(temperature=0.5), 4000)
    for token, p in enumerate(sharp.tolist()):
        assert seen.get(token, 0.0) == pytest.approx(p, abs=0.03)


def test_top_k_and_top_p_leave_out_the_unlikely() -> None:
    """From START: A 0.5, B 0.4, C 0.1."""
    assert first_symbols(Sample(top_k=2), 300).keys() == {3, 4}
    assert first_symbols(Sample(top_p=0.45), 300).keys() == {3}
    assert first_symbols(Sample(top_p=0.6), 300).keys() == {3, 4}
    assert first_symbols(Sample(top_p=0.95), 300).keys() == {3, 4, 5}
    assert first_symbols(Sample(top_k=1, top_p=0.95), 300).keys() == {3}


@pytest.mark.parametrize("search", [Sample(top_k=1), Sample(top_p=1e-6), Sample(temperature=1e-3)])
def test_nothing_left_to_chance_is_greedy(search: Sample) -> None:
    assert search(memory_step, STATE, TASK) == Greedy()(memory_step, STATE, TASK)


def test_top_k_breaks_ties_as_greedy_does() -> None:
    def level(token: torch.Tensor, state: State) -> Step:
        return Step(torch.full((len(token), 6), 1 / 6).log(), state)

    task = Task(0, 1, torch.tensor([3]), banned=(0, 1))
    expected = Greedy()(level, chain_state(1), task)
    assert expected[0].hypotheses[0].tokens == (2, 2, 2)
    assert Sample(top_k=1)(level, chain_state(1), task) == expected


def test_seed_and_key_decide() -> None:
    first = Sample(seed=1)(memory_step, STATE, TASK)
    assert Sample(seed=1)(memory_step, STATE, TASK) == first
    assert Sample(seed=2)(memory_step, STATE, TASK) != first
    other = replace(TASK, keys=[key + 1 for key in KEYS])
    assert Sample(seed=1)(memory_step, STATE, other) != first


def test_generator_of_the_task_comes_first() -> None:
    def draw(seed: int) -> object:
        task = replace(TASK, generator=torch.Generator().manual_seed(seed))
        return Sample(n=2)(memory_step, STATE, task)

    assert draw(1) == draw(1)
    assert draw(1) != draw(2)


def test_smaller_n_draws_a_part_of_what_a_larger_draws() -> None:
    few = Sample(n=2)(memory_step, STATE, TASK)
    many = Sample(n=5)(memory_step, STATE, TASK)
    for some, found in zip(few, many, strict=True):
        assert len(found.hypotheses) == 5
        assert not Counter(some.hypotheses) - Counter(found.hypotheses)
        ranks = [(h.finished, h.score) for h in found.hypotheses]
        assert ranks == sorted(ranks, reverse=True)


def test_draws_do_not_depend_on_the_limits_of_neighbours() -> None:
    task = replace(memory_task([2, 9]), keys=[5, 6])
    together = Sample(n=4)(memory_step, memory_state([5, 6]), task)
    alone = Sample(n=4)(memory_step, memory_state([5]), replace(memory_task([2]), keys=[5]))
    assert together[:1] == alone


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"temperature": 0.0}, r"sample.temperature: 0.0 is not above 0"),
        ({"top_k": -1}, r"sample.top_k: -1 is below 0; 0 means all symbols"),
        ({"top_p": 0.0}, r"sample.top_p: 0.0 is not in \(0, 1\]"),
        ({"top_p": 1.5}, r"sample.top_p: 1.5 is not in \(0, 1\]"),
        ({"n": 0}, r"sample.n: 0 is below 1"),
    ],
)
def test_options_are_checked(options: dict[str, float], message: str) -> None:
    with pytest.raises(RecipeError, match=message):
        Sample(**options)  # type: ignore[arg-type]
