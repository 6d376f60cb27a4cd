from dataclasses import replace
from itertools import product
from math import log
from typing import Any

import pytest
import torch
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from torch import Tensor

from saccade.errors import RecipeError
from saccade.flow import SOURCE, State, Step, tensor
from saccade.search.base import COVERED, Search, Task
from saccade.search.beam import Beam
from saccade.search.exhaustive import Exhaustive
from saccade.search.greedy import Greedy
from tests.search.toys import (
    END,
    A,
    B,
    C,
    chain_state,
    chain_step,
    chain_task,
    looking_state,
    looking_step,
    memory_state,
    memory_step,
    memory_task,
)

keys = st.lists(st.integers(0, 1000), min_size=1, max_size=4)
calm = settings(  # a busy machine is no failure
    max_examples=20, deadline=None, suppress_health_check=[HealthCheck.too_slow]
)
alphas = st.sampled_from([0.0, 0.5, 1.0, 2.0])


def test_finds_what_greedy_misses() -> None:
    """By hand: A C END has 0.5 x 0.4 x 0.4 = 0.08, B END has 0.4 x 0.9 = 0.36."""
    (found,) = Beam(width=2, length_penalty=0.0)(chain_step, chain_state(1), chain_task([5]))
    assert found.hypotheses[0].tokens == (B,)
    assert found.hypotheses[0].score == pytest.approx(float(torch.tensor(0.36).log()))


def test_score_is_log_prob_over_length_with_end() -> None:
    (found,) = Beam(width=2, length_penalty=0.7)(chain_step, chain_state(1), chain_task([5]))
    best = found.hypotheses[0]
    assert best.score == pytest.approx(best.log_prob / (len(best.tokens) + 1) ** 0.7)


@calm
@given(keys=keys, limit=st.integers(0, 3), alpha=alphas, n_best=st.integers(1, 60))
def test_full_width_is_exhaustive(keys: list[int], limit: int, alpha: float, n_best: int) -> None:
    task = memory_task([limit] * len(keys))
    beam = Beam(width=5 ** (limit + 1), length_penalty=alpha, n_best=min(n_best, 5 ** (limit + 1)))
    every = Exhaustive(length_penalty=alpha, n_best=beam.n_best)
    for ours, theirs in zip(
        beam(memory_step, memory_state(keys), task),
        every(memory_step, memory_state(keys), task),
        strict=True,
    ):
        assert [h.token_scores for h in ours.hypotheses] == [
            h.token_scores for h in theirs.hypotheses
        ]
        assert [h.tokens for h in ours.hypotheses] == [h.tokens for h in theirs.hypotheses]
        expected = [h.score for h in theirs.hypotheses]
        assert [h.score for h in ours.hypotheses] == pytest.approx(expected, rel=1e-5, abs=1e-6)


def brute_force(key: int, limit: int, alpha: float, beta: float) -> list[tuple[float, list[int]]]:
    """Score all outputs by equation 14 of Wu et al. 2016, one after the other."""
    every = []
    for n in range(limit + 1):
        for words in product((2, 3, 4), repeat=n):
            state, read, log_prob = looking_state([key]), 0, 0.0
            for token in (*words, 1):
                log_probs, state = looking_step(torch.tensor([read]), state)
                log_prob, read = log_prob + float(log_probs[0, token]), token
            (covered,) = tensor(state, COVERED).tolist()
            lp = ((5 + n + 1) / 6) ** alpha
            cp = beta * sum(log(min(one, 1.0)) for one in covered)
            every.append((log_prob / lp + cp, list(words)))
    return sorted(every, reverse=True)


@calm
@given(keys=keys, limit=st.integers(0, 3), alpha=alphas, beta=st.sampled_from([0.0, 0.2, 1.0, 5.0]))
def test_penalties_of_length_and_coverage_are_those_of_gnmt(
    keys: list[int], limit: int, alpha: float, beta: float
) -> None:
    """A beam that keeps everything finds the best of all outputs, and so does exhaustive search."""
    task, width = memory_task([limit] * len(keys)), 5 ** (limit + 1)
    penalties: dict[str, Any] = {
        "length_penalty": alpha,
        "length_offset": 5.0,
        "coverage_penalty": beta,
    }
    beam, every = Beam(width=width, n_best=3, **penalties), Exhaustive(n_best=3, **penalties)
    for search in (beam, every):
        found = search(looking_step, looking_state(keys), task)
        for key, one in zip(keys, found, strict=True):
            expected = brute_force(key, limit, alpha, beta)[: len(one.hypotheses)]
            finished = [h for h in one.hypotheses if h.finished][: len(expected)]
            assert [h.score for h in finished] == pytest.approx([s for s, _ in expected], abs=1e-4)
            assert [list(h.tokens) for h in finished] == [words for _, words in expected]


@calm
@given(keys=keys, width=st.integers(1, 4), limit=st.integers(0, 8))
def test_a_row_with_a_coverage_penalty_does_not_depend_on_its_batch(
    keys: list[int], width: int, limit: int
) -> None:
    search = Beam(width=width, length_offset=5.0, coverage_penalty=0.5)
    together = search(looking_step, looking_state(keys), memory_task([limit] * len(keys)))
    alone = [
        search(looking_step, looking_state([key]), memory_task([limit]), trace=True)[0]
        for key in keys
    ]
    assert [one.hypotheses for one in together] == [one.hypotheses for one in alone]


def test_what_was_not_read_costs() -> None:
    """One place of two was read by a quarter, the other more than once, which is all of it."""

    def step(token: Tensor, state: State) -> Step:
        log_probs, after = chain_step(token, state)
        return Step(
            log_probs, {**after, COVERED: torch.tensor([[0.25, 1.5]]).expand(len(token), 2)}
        )

    state: State = {**chain_state(1), COVERED: torch.zeros(1, 2)}
    for width in (1, 2):
        (found,) = Beam(width=width, length_penalty=0.0, coverage_penalty=2.0)(
            step, state, chain_task([5])
        )
        best = found.hypotheses[0]
        assert best.score == pytest.approx(best.log_prob + 2.0 * log(0.25))


@pytest.mark.parametrize(
    ("search", "name"),
    [(Beam(coverage_penalty=0.1), "beam"), (Exhaustive(coverage_penalty=0.1), "exhaustive")],
)
def test_a_model_that_does_not_tell_what_it_read_cannot_pay_for_it(
    search: Search, name: str
) -> None:
    told = rf"{name}.coverage_penalty: the states of this model do not tell what was read; expected"
    with pytest.raises(RecipeError, match=told):
        search(chain_step, chain_state(1), chain_task([3]))


@calm
@given(keys=keys, limit=st.integers(0, 12), alpha=alphas)
def test_width_one_is_greedy(keys: list[int], limit: int, alpha: float) -> None:
    task = memory_task([limit] * len(keys))
    ours = Beam(width=1, length_penalty=alpha)(memory_step, memory_state(keys), task)
    theirs = Greedy()(memory_step, memory_state(keys), task)
    for mine, their in zip(ours, theirs, strict=True):
        assert mine.hypotheses[0].tokens == their.hypotheses[0].tokens
        assert mine.hypotheses[0].token_scores == their.hypotheses[0].token_scores
        assert mine.hypotheses[0].finished == their.hypotheses[0].finished


@calm
@given(keys=keys, limit=st.integers(0, 12), alpha=alphas)
def test_width_one_needs_no_beam_unless_its_tree_is_wanted(
    keys: list[int], limit: int, alpha: float
) -> None:
    search, task = Beam(width=1, length_penalty=alpha), memory_task([limit] * len(keys))
    shaped = replace(task, shapers=[lambda prefixes, scores: scores - 0.1 * prefixes.shape[1]])
    for one in (task, shaped):
        short = search(memory_step, memory_state(keys), one)
        long = search(memory_step, memory_state(keys), one, trace=True)
        assert [found.hypotheses for found in short] == [found.hypotheses for found in long]


@calm
@given(keys=keys, width=st.integers(1, 6), alpha=alphas, limit=st.integers(0, 5), data=st.data())
def test_n_best_is_sorted_distinct_and_below_exhaustive(
    keys: list[int], width: int, alpha: float, limit: int, data: st.DataObject
) -> None:
    n_best = data.draw(st.integers(1, width))
    task = memory_task([limit] * len(keys))
    ours = Beam(width=width, length_penalty=alpha, n_best=n_best)(
        memory_step, memory_state(keys), task
    )
    every = Exhaustive(length_penalty=alpha)(memory_step, memory_state(keys), task)
    for found, best in zip(ours, every, strict=True):
        hypotheses = found.hypotheses
        assert 1 <= len(hypotheses) <= n_best
        ranks = [(h.finished, h.score) for h in hypotheses]
        assert ranks == sorted(ranks, reverse=True)
        assert len({h.tokens for h in hypotheses}) == len(hypotheses)
        finished = [h.score for h in hypotheses if h.finished]
        assert all(score <= best.hypotheses[0].score + 1e-5 for score in finished)


def test_completed_hypotheses_take_no_place_in_the_beam() -> None:
    """Step 2 of width 2 completes B END and still keeps two others."""
    (found,) = Beam(width=2, length_penalty=0.0)(
        chain_step, chain_state(1), chain_task([5]), trace=True
    )
    assert [(b.token, b.parent, b.fate) for b in found.tree[1]] == [
        (C, 0, "kept"),
        (A, 0, "kept"),
        (END, 1, "completed"),
        (END, 0, "pruned"),
    ]


def test_stops_when_nothing_better_can_come() -> None:
    """B END has 0.36; at step 3 nothing active has more than 0.2, so n_best = 1 ends at step 2."""
    one, two = (
        Beam(width=2, length_penalty=0.0, n_best=n)(
            chain_step, chain_state(1), chain_task([50]), trace=True
        )[0]
        for n in (1, 2)
    )
    assert len(one.tree) == 2
    assert len(two.tree) == 3
    assert one.hypotheses == two.hypotheses[:1]


@calm
@given(keys=keys, width=st.integers(1, 5), alpha=alphas, limit=st.integers(0, 9))
def test_stopping_early_loses_nothing(
    keys: list[int], width: int, alpha: float, limit: int
) -> None:
    """A shaper that edits nothing turns the rule off."""
    task = memory_task([limit] * len(keys))
    patient = replace(task, shapers=(lambda _prefixes, log_probs: log_probs,))
    for n_best in {1, width}:
        beam = Beam(width=width, length_penalty=alpha, n_best=n_best, n_completed=3 * width)
        early = beam(memory_step, memory_state(keys), task)
        assert early == beam(memory_step, memory_state(keys), patient)


def test_a_shaper_may_reward_length() -> None:
    """What looks hopeless may yet win, so a shaped search does not stop early."""

    def reward(prefixes: torch.Tensor, log_probs: torch.Tensor) -> torch.Tensor:
        return log_probs + 9 * (prefixes.shape[1] == 2)

    keys = list(range(20))
    task = replace(memory_task([2] * 20), shapers=(reward,))
    beam = Beam(width=125, length_penalty=0.0)(memory_step, memory_state(keys), task)
    assert {len(found.hypotheses[0].tokens) for found in beam} == {2}


def test_poor_early_endings_do_not_end_the_search() -> None:
    """X X X is by far the likeliest, but Y and X Y end before it and fill a beam of two."""
    end, x, y = 1, 2, 3

    def step(token: torch.Tensor, state: State) -> Step:
        written = tensor(state, "written")  # how many symbols were read, START included
        rows = torch.full((len(token), 4), 0.01)
        rows[torch.arange(len(token)), torch.where(token == y, end, x)] = 0.95
        rows[(token == x) & (written[:, 0] == 3)] = torch.tensor([0.01, 0.97, 0.01, 0.01])
        rows[token == x, y] = 0.03
        rows[token == 0, y] = 0.04
        rows[token == y, end] = 0.97
        return Step(rows.log(), {"written": written + 1})

    def best(n_completed: int, *, patient: bool = True) -> tuple[int, ...]:
        task = Task(0, end, torch.tensor([6]), (0,))
        beam = Beam(width=2, n_completed=n_completed, patient=patient)
        return beam(step, {"written": torch.zeros(1, 1)}, task)[0].hypotheses[0].tokens

    assert best(0) == (x, x, x)
    assert best(2) != (x, x, x)
    assert best(0, patient=False) == best(2)


def test_stops_at_n_completed() -> None:
    def steps(n_completed: int) -> int:
        beam = Beam(width=3, length_penalty=1.0, n_best=1, n_completed=n_completed)
        (found,) = beam(memory_step, memory_state([4]), memory_task([12]), trace=True)
        assert sum(b.fate == "completed" for level in found.tree for b in level) >= min(
            n_completed, 3
        )
        return len(found.tree)

    assert steps(1) <= steps(3) <= steps(9) <= 13
    assert steps(1) < steps(9)


def test_unfinished_rank_after_finished() -> None:
    """At limit 1 width 2 completes B END; A, though likelier so far, has not ended."""
    (found,) = Beam(width=2, length_penalty=0.0, n_best=2)(
        chain_step, chain_state(1), chain_task([1]), trace=True
    )
    assert {branch.fate for branch in found.tree[-1]} == {"completed", "pruned"}
    assert [(h.tokens, h.finished) for h in found.hypotheses] == [((B,), True), ((A,), False)]
    assert found.hypotheses[1].score > found.hypotheses[0].score


def test_ties_go_to_the_lower_parent_then_the_lower_id() -> None:
    def level(token: torch.Tensor, state: State) -> Step:
        return Step(torch.full((len(token), 40), 1 / 40).log(), state)

    task = Task(0, 39, torch.tensor([3]), banned=(0,))
    (found,) = Beam(width=3, n_best=3)(level, chain_state(1), task)
    assert [h.tokens for h in found.hypotheses] == [(1, 1, 1), (1, 1, 2), (1, 1, 3)]


def test_source_is_copied_only_when_sentences_leave() -> None:
    """Ordinary reordering hands on the very same source tensor."""
    seen: list[tuple[int, int]] = []

    def watch(token: torch.Tensor, state: State) -> Step:
        source = state[SOURCE]
        assert isinstance(source, dict)
        seen.append((len(token), id(source["key"])))
        kept.append(source["key"])
        return memory_step(token, state)

    kept: list[object] = []  # so that no address is used twice
    Beam(width=3)(watch, memory_state([1, 2, 3, 4]), memory_task([9, 2, 9, 5]))
    rows = [n for n, _ in seen]
    assert rows[:2] == [4, 12]  # at first one hypothesis a sentence
    assert rows[1:] == sorted(rows[1:], reverse=True)
    assert rows[-1] < 12
    assert len(set(seen)) == len(set(rows)) < len(seen)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"width": 0, "n_completed": 1}, "beam.width: 0 is below 1"),
        ({"length_penalty": -0.5}, "beam.length_penalty: -0.5 is below 0; 0 turns it off"),
        ({"n_best": 6}, "beam.n_best: 6 is not between 1 and the 5 hypotheses that are completed"),
        ({"n_best": 3, "n_completed": 2}, "beam.n_best: 3 is not between 1 and the 2 hypotheses"),
        ({"n_best": 0}, "beam.n_best: 0 is not between 1 and the 5"),
    ],
)
def test_options_are_checked(options: dict[str, float], message: str) -> None:
    with pytest.raises(RecipeError, match=message):
        Beam(**options)  # type: ignore[arg-type]
