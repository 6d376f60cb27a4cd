"""What every search must do, whatever its way of choosing."""

from dataclasses import replace

import pytest
import torch
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from saccade.errors import DataError, ShapeError
from saccade.parts import find, kinds
from saccade.search.base import Found, Search
from tests.search.toys import (
    A,
    B,
    C,
    chain_state,
    chain_step,
    chain_task,
    memory_log_probs,
    memory_state,
    memory_step,
    memory_task,
)

PLAIN = [k for k in kinds(Search) if not find(Search, k).trellis]  # test_viterbi.py
ALONE = [k for k in PLAIN if not find(Search, k).phrases]  # test_stack.py
KINDS = [kind for kind in ALONE if not find(Search, kind).frames]  # test_frame_search.py
SEARCHES = [find(Search, kind)() for kind in KINDS]
every = pytest.mark.parametrize("search", SEARCHES, ids=KINDS)
calm = settings(  # a busy machine is no failure
    max_examples=12, deadline=None, suppress_health_check=[HealthCheck.too_slow]
)

sentences = st.lists(
    st.tuples(
        st.integers(0, 50),
        st.integers(0, 5),
        st.lists(st.integers(2, 4), max_size=2).map(tuple),
    ),
    min_size=1,
    max_size=5,
)
Sentences = list[tuple[int, int, tuple[int, ...]]]


def run(search: Search, rows: Sentences, *, trace: bool = False) -> list[Found]:
    keys, limits, prefixes = (list(column) for column in zip(*rows, strict=True))
    task = replace(memory_task(limits, tuple(prefixes)), keys=keys)
    return search(memory_step, memory_state(keys), task, trace=trace)


@every
@calm
@given(rows=sentences)
def test_obeys_limit_prefix_and_bans_and_tells_true_scores(search: Search, rows: Sentences) -> None:
    for (key, limit, prefix), found in zip(rows, run(search, rows), strict=True):
        assert found.hypotheses
        assert found.tree == ()
        for hypothesis in found.hypotheses:
            assert len(hypothesis.tokens) <= max(limit, len(prefix))
            assert hypothesis.tokens[: len(prefix)] == prefix
            assert not {0, 1} & set(hypothesis.tokens)
            expected = memory_log_probs(key, hypothesis)
            assert list(hypothesis.token_scores) == pytest.approx(expected, abs=1e-5)
            assert len(hypothesis.token_scores) == len(hypothesis.tokens) + hypothesis.finished
            assert hypothesis.finished or len(hypothesis.tokens) == max(limit, len(prefix))


@every
@calm
@given(rows=sentences, data=st.data())
def test_a_row_does_not_depend_on_its_batch(
    search: Search, rows: Sentences, data: st.DataObject
) -> None:
    together = run(search, rows, trace=True)
    assert [run(search, [row], trace=True)[0] for row in rows] == together
    order = data.draw(st.permutations(range(len(rows))))
    assert run(search, [rows[i] for i in order], trace=True) == [together[i] for i in order]


@every
@calm
@given(rows=sentences)
def test_the_tree_leads_from_every_hypothesis_to_the_root(search: Search, rows: Sentences) -> None:
    plain = run(search, rows)
    for found, untraced in zip(run(search, rows, trace=True), plain, strict=True):
        assert found.hypotheses == untraced.hypotheses
        for t, branches in enumerate(found.tree):
            above = found.tree[t - 1] if t else ()
            for branch in branches:
                assert branch.step == t + 1
                assert branch.parent == -1 if t == 0 else above[branch.parent].fate == "kept"
        for hypothesis in found.hypotheses:
            written = (*hypothesis.tokens, 1) if hypothesis.finished else hypothesis.tokens
            assert written == () or (written, round(hypothesis.log_prob, 3)) in lines(found)


def lines(found: Found) -> set[tuple[tuple[int, ...], float]]:
    """Walk up from every branch that was not pruned."""
    walked: set[tuple[tuple[int, ...], float]] = set()
    for t, branches in enumerate(found.tree):
        for branch in branches:
            if branch.fate != "pruned":
                tokens: tuple[int, ...] = (branch.token,)
                parent = branch.parent
                for above in reversed(found.tree[:t]):
                    tokens, parent = (above[parent].token, *tokens), above[parent].parent
                walked.add((tokens, round(branch.log_prob, 3)))
    return walked


@every
def test_empty_batch(search: Search) -> None:
    assert search(memory_step, memory_state([]), memory_task([])) == []


@every
def test_writes_nothing_impossible(search: Search) -> None:
    for found in search(chain_step, chain_state(3), chain_task([0, 1, 6])):
        assert found.hypotheses
        for hypothesis in found.hypotheses:
            assert set(hypothesis.tokens) <= {A, B, C}
            assert hypothesis.log_prob > float("-inf")


@every
def test_a_prefix_may_hold_what_is_banned(search: Search) -> None:
    task = replace(memory_task([4, 4], ((3, 2), ())), banned=(0, 3))
    forced, free = search(memory_step, memory_state([8, 8]), task)
    assert forced.hypotheses[0].tokens[:2] == (3, 2)
    assert 3 not in forced.hypotheses[0].tokens[2:] + free.hypotheses[0].tokens


@every
def test_dead_end_is_unfinished(search: Search) -> None:
    """B never follows B: the forced prefix cannot be written to its end."""
    (found,) = search(chain_step, chain_state(1), chain_task([4], ((B, B),)))
    assert found.hypotheses[0].tokens == (B,)
    assert not found.hypotheses[0].finished


@every
def test_leaves_the_state_it_was_given(search: Search) -> None:
    state = memory_state([1, 2])
    search(memory_step, state, memory_task([3, 4]))
    expected = memory_state([1, 2])
    assert torch.equal(torch.as_tensor(state["read"]), torch.as_tensor(expected["read"]))


@every
def test_shapers_edit_scores_before_the_choice(search: Search) -> None:
    def no_repeat(prefixes: torch.Tensor, log_probs: torch.Tensor) -> torch.Tensor:
        return log_probs.scatter(1, prefixes, float("-inf"))

    task = replace(memory_task([4, 4, 4]), shapers=(no_repeat,))
    for found in search(memory_step, memory_state([1, 2, 3]), task):
        for hypothesis in found.hypotheses:
            assert len(set(hypothesis.tokens)) == len(hypothesis.tokens)


@every
def test_errors(search: Search) -> None:
    state = memory_state([1, 2])
    with pytest.raises(ShapeError, match="task has 1 prefixes for 2 sentences; expected one each"):
        search(memory_step, state, memory_task([3, 3], ((2,),)))
    with pytest.raises(ShapeError, match="task has 3 keys for 2 sentences; expected one each"):
        search(memory_step, state, replace(memory_task([3, 3]), keys=[1, 2, 3]))
    with pytest.raises(DataError, match=r"prefix of sentence 1 is \(2, 1\).*take END \(1\)"):
        search(memory_step, state, memory_task([3, 3], ((), (2, 1))))


@every
@calm
@given(rows=sentences)
def test_watching_changes_nothing(search: Search, rows: Sentences) -> None:
    keys, limits, prefixes = (list(column) for column in zip(*rows, strict=True))
    told: list[tuple[list[int], list[list[int]]]] = []

    def watch(found: torch.Tensor, lines: torch.Tensor) -> None:
        told.append((found.tolist(), lines.tolist()))

    task = replace(memory_task(limits, tuple(prefixes)), keys=keys, watch=watch)
    assert search(memory_step, memory_state(keys), task) == run(search, rows)
    for step, (found, lines) in enumerate(told):
        assert len(found) == len(lines)
        assert all(len(line) == step + 1 for line in lines)
        for row, line in zip(found, lines, strict=True):
            assert tuple(line[: len(prefixes[row])]) == prefixes[row][: step + 1]
