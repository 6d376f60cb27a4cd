"""What every search along frames must do."""

from dataclasses import replace

import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st

from saccade.errors import RecipeError
from saccade.flow import SOURCE, State, nested, tensor
from saccade.parts import find, kinds
from saccade.search.base import Found, Search
from tests.contracts.test_search import calm
from tests.search.toys import chain_step, frame_state, frame_task, memory_state, memory_step

KINDS = [kind for kind in kinds(Search) if find(Search, kind).frames]
SEARCHES = [find(Search, kind)() for kind in KINDS]
every = pytest.mark.parametrize("search", SEARCHES, ids=KINDS)
rows_of = st.lists(st.tuples(st.integers(0, 50), st.integers(0, 5)), min_size=1, max_size=5)
Rows = list[tuple[int, int]]


def run(search: Search, rows: Rows, n_frames: int = 0, *, trace: bool = False) -> list[Found]:
    keys, limits = (list(column) for column in zip(*rows, strict=True))
    return search(chain_step, frame_state(keys, n_frames), frame_task(limits), trace=trace)


@every
@calm
@given(rows=rows_of)
def test_obeys_limits_and_bans_and_scores_add_up(search: Search, rows: Rows) -> None:
    keys, limits = (list(column) for column in zip(*rows, strict=True))
    task = replace(frame_task(limits), banned=(0, 1, 4))
    for limit, found in zip(limits, search(chain_step, frame_state(keys), task), strict=True):
        assert found.hypotheses
        for one in found.hypotheses:
            assert set(one.tokens) <= {3, 5}
            assert len(one.tokens) <= limit
            assert len(one.token_scores) == len(one.tokens) + one.finished
            assert one.log_prob == pytest.approx(one.score, abs=1e-4)
            assert max(one.token_scores, default=0.0) <= 1e-5


@every
@calm
@given(rows=rows_of, data=st.data())
def test_a_row_does_not_depend_on_its_batch(
    search: Search, rows: Rows, data: st.DataObject
) -> None:
    together = run(search, rows)
    assert [run(search, [row])[0] for row in rows] == together
    assert run(search, rows, n_frames=9) == together
    order = data.draw(st.permutations(range(len(rows))))
    assert run(search, [rows[i] for i in order]) == [together[i] for i in order]


@every
def test_tracing_and_watching_change_nothing(search: Search) -> None:
    told: list[list[int]] = []
    rows = [(3, 5), (7, 5)]
    task = replace(frame_task([5, 5]), watch=lambda found, _: told.append(found.tolist()))
    plain = run(search, rows)
    assert search(chain_step, frame_state([3, 7]), task) == plain
    assert told
    traced = run(search, rows, trace=True)
    assert [one.hypotheses for one in traced] == [one.hypotheses for one in plain]
    assert all(one.tree for one in traced)


@every
def test_empty_batch(search: Search) -> None:
    assert search(chain_step, frame_state([]), frame_task([])) == []


@every
def test_leaves_the_state_it_was_given(search: Search) -> None:
    def frames(state: State) -> torch.Tensor:
        return tensor(nested(state, SOURCE), "frames")

    state = frame_state([1, 2])
    search(chain_step, state, frame_task([3, 4]))
    assert torch.equal(frames(state), frames(frame_state([1, 2])))


@every
def test_refuses_prefixes_and_models_without_frames(search: Search) -> None:
    task = replace(frame_task([4]), prefixes=[(3,)])
    with pytest.raises(RecipeError, match="along the frames and cannot begin with a given text"):
        search(chain_step, frame_state([1]), task)
    with pytest.raises(RecipeError, match="the model has no frames to search along; expected one"):
        search(memory_step, memory_state([1]), frame_task([4]))
