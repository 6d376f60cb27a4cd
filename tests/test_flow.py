import pytest
import torch

from saccade.flow import Batch, Padded, State, append, map_state, nested, padded, reorder_within
from saccade.nouns import Hypothesis
from tests.samples import batch_of, mask_of

CPU = torch.device("cpu")


def test_lengths_are_read_off_the_mask() -> None:
    assert Padded(torch.zeros(3, 4), mask_of(2, 0, 4)).lengths.tolist() == [2, 0, 4]


def test_rows_are_laid_out_in_one_sequence() -> None:
    """Turns of 2 and 1 places beside one of 3: `[2, 2, 3]` to `[2, 3]`."""
    mask = mask_of(2, 1, 3, 0).view(2, 2, 3)
    ids = torch.tensor([[[4, 5, 0], [6, 0, 0]], [[7, 8, 9], [0, 0, 0]]])
    flat = Padded(ids, mask).flat()
    assert flat.values.tolist() == [[4, 5, 6], [7, 8, 9]]
    assert flat.mask.all()
    vectors = Padded(torch.stack([ids, -ids], dim=3), mask)
    assert vectors.lengths.tolist() == [3, 3]
    assert torch.equal(vectors.flat().values[..., 1], -flat.values)
    assert flat.flat() is flat
    assert torch.equal(vectors.rows(torch.tensor([1, 1])).flat().values[0, :, 0], ids[1, 0])


def test_sequences_of_ids_are_padded() -> None:
    found = padded([(4, 5), (), (6,)])
    assert found.values.tolist() == [[4, 5], [0, 0], [6, 0]]
    assert torch.equal(found.mask, mask_of(2, 0, 1))


def test_a_batch_of_two_sources_counts_the_places_of_both() -> None:
    batch = batch_of(([4, 5], [6]), ([7], [8, 9]))
    two = Batch({"a": batch.source, "b": batch.target}, batch.target, batch.prefix)
    assert two.n_source_places == int(batch.source.mask.sum() + batch.target.mask.sum()) == 10
    assert set(two.to(CPU).sources) == {"a", "b"}
    with pytest.raises(ValueError, match="too many values"):
        _ = two.source


def test_moving_keeps_everything() -> None:
    batch = batch_of(([4, 5], [6]), ([7], [8, 9]))
    batch = Batch(batch.sources, batch.target, batch.prefix, (3, 1))
    moved = batch.to(CPU)
    assert moved.index == (3, 1)
    assert torch.equal(moved.source.values, batch.source.values)
    assert torch.equal(moved.prefix, batch.prefix)


def test_the_source_stays_while_the_rest_changes_places() -> None:
    rows = torch.tensor([[1.0], [2.0]])
    state: State = {"source": {"keys": rows}, "h": rows, "deep": {"c": rows}}
    moved = reorder_within(state, torch.tensor([1, 0]))
    assert moved["source"] is state["source"]
    assert torch.equal(map_state(lambda x: x.flip(0), {"h": rows})["h"], moved["h"])  # type: ignore[arg-type]
    assert nested(moved, "deep")["c"].tolist() == [[2.0], [1.0]]  # type: ignore[union-attr]


def test_places_are_added_behind() -> None:
    heads: State = {"keys": torch.zeros(2, 4, 3, 5)}
    assert append(heads, {"keys": torch.ones(2, 4, 1, 5)})["keys"].shape == (2, 4, 4, 5)  # type: ignore[union-attr]


def test_a_hypothesis_adds_up() -> None:
    assert Hypothesis((4, 5), -9.0, (-1.0, -0.5, -0.25)).log_prob == pytest.approx(-1.75)
