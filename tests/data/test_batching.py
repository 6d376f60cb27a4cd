from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from saccade.data.batching import Batches
from saccade.data.batching import collate as make_batch
from saccade.data.batching import pad as pad_sources
from saccade.data.codecs import Codecs
from saccade.data.store import Store, build
from saccade.errors import DataError
from saccade.modalities.numbers import NumbersCodec, Scale
from saccade.modalities.text import TextCodec
from saccade.readers.pairs import Pairs
from saccade.tokenizers._vocabulary import END, PAD, START, Reading
from saccade.tokenizers.character import Character
from tests.samples import text_codecs

LETTERS = Character().fit(["ab"], [])
CODECS = text_codecs(LETTERS)
lengths = st.lists(st.tuples(st.integers(0, 12), st.integers(0, 12)), min_size=1, max_size=60)


def stored(folder: Path, sizes: list[tuple[int, int]]) -> Store:
    pairs = [["a" * source, "b" * target] for source, target in sizes]
    return build(Pairs(Path(), pairs=pairs), CODECS, folder)


def batches(
    stores: list[Store],
    batch_tokens: int = 20,
    limit: int = 100,
    seed: int = 1,
    weights: tuple[float, ...] = (),
) -> Batches:
    return Batches(
        stores,
        CODECS,
        batch_tokens=batch_tokens,
        limits={"source": limit, "target": limit},
        seed=seed,
        weights=weights,
    )


@pytest.fixture(scope="module")
def hundred(tmp_path_factory: pytest.TempPathFactory) -> Store:
    return stored(tmp_path_factory.mktemp("s"), [(i % 7, i % 5) for i in range(100)])


@pytest.fixture(scope="module")
def thirty(tmp_path_factory: pytest.TempPathFactory) -> Store:
    return stored(tmp_path_factory.mktemp("s"), [(1, i % 3) for i in range(30)])


@given(st.lists(st.lists(st.integers(4, 9), max_size=6), min_size=1, max_size=6))
def test_pad_keeps_rows_and_owns_the_mask(rows: list[list[int]]) -> None:
    padded = pad_sources(CODECS, {"source": [np.array(row, np.uint16) for row in rows]})["source"]
    assert padded.values.shape == padded.mask.shape == (len(rows), max(map(len, rows)) + 1)
    assert padded.lengths.tolist() == [len(row) + 1 for row in rows]
    for values, mask, row in zip(padded.values, padded.mask, rows, strict=True):
        assert values[mask].tolist() == [*row, END]
        assert set(values[~mask].tolist()) <= {PAD}


def test_collate_frames_both_sides() -> None:
    sources = [np.array([5, 6]), np.zeros(0, np.int64)]
    targets = [np.array([7], dtype=np.uint16), np.array([8, 9], dtype=np.uint16)]
    batch = make_batch(CODECS, {"source": sources}, targets, index=[3, 4])
    assert batch.source.values.tolist() == [[5, 6, END], [END, PAD, PAD]]
    assert batch.target.values.tolist() == [[7, END, PAD], [8, 9, END]]
    assert batch.prefix.tolist() == [[START, 7, PAD], [START, 8, 9]]
    assert batch.target.mask.tolist() == [[True, True, False], [True, True, True]]
    assert batch.index == (3, 4)


def test_padding_of_numbers_is_nought_and_masked() -> None:
    source = NumbersCodec(Scale((0.0, 0.0), (1.0, 1.0)), 0)
    codecs = Codecs({"source": source}, NumbersCodec(source.scale.first(1), 2))
    sources = {"source": [np.ones((2, 2)), np.ones((3, 2))]}
    batch = make_batch(codecs, sources, [np.full((1, 1), 5.0), np.ones((2, 1))])
    assert batch.source.lengths.tolist() == [2, 3]
    assert batch.source.values[0, 2].tolist() == [0.0, 0.0]
    assert batch.prefix.tolist() == [[[1.0], [0.0]], [[1.0], [1.0]]]
    assert batch.target.values.tolist() == [[[5.0], [0.0]], [[1.0], [1.0]]]


@given(lengths, st.integers(1, 60), st.integers(0, 3))
def test_every_pair_once_and_within_budget(
    tmp_path_factory: pytest.TempPathFactory,
    sizes: list[tuple[int, int]],
    batch_tokens: int,
    epoch: int,
) -> None:
    found = batches([stored(tmp_path_factory.mktemp("s"), sizes)], batch_tokens)
    plan = found.epoch(epoch)
    assert sorted(int(i) for indices in plan for i in indices) == list(range(len(sizes)))
    for indices in plan:
        longest = max(max(sizes[i]) + 1 for i in indices)
        assert longest * len(indices) <= batch_tokens or len(indices) == 1


def test_epochs_depend_on_seed_and_number_alone(hundred: Store) -> None:
    def order(seed: int, epoch: int) -> list[list[int]]:
        return [indices.tolist() for indices in batches([hundred], seed=seed).epoch(epoch)]

    assert order(1, 0) == order(1, 0)
    assert order(1, 0) != order(1, 1)
    assert order(1, 0) != order(2, 0)


def test_plan_is_a_sequence(hundred: Store) -> None:
    plan = batches([hundred]).epoch(0)
    assert [indices.tolist() for indices in plan[2:4]] == [plan[2].tolist(), plan[3].tolist()]
    assert plan[-1].tolist() == plan[len(plan) - 1].tolist()
    with pytest.raises(IndexError):
        plan[len(plan)]


def test_batch_reads_the_pairs(hundred: Store, thirty: Store) -> None:
    found = batches([hundred, thirty])
    batch = found.batch([6, 104])
    assert batch.index == (6, 104)
    assert (batch.source.lengths - 1).tolist() == [6, 1]
    assert (batch.target.lengths - 1).tolist() == [1, 1]
    assert found.origin(6) == "pairs:7"
    assert found.origin(104) == "pairs:5"


def test_weights_repeat_and_sample(hundred: Store, thirty: Store) -> None:
    found = batches([hundred, thirty], weights=(2.5, 0.5))
    counts = np.bincount(np.concatenate(list(found.epoch(0))), minlength=130)
    assert set(counts[:100].tolist()) == {2, 3}
    assert counts[:100].sum() == 250
    assert set(counts[100:].tolist()) == {0, 1}
    assert counts[100:].sum() == 15


def test_long_pairs_are_left_out_and_counted(hundred: Store) -> None:
    limits = {"source": 5, "target": 3}
    found = Batches([hundred], CODECS, batch_tokens=20, limits=limits, seed=1)
    assert (found.n_over, found.n_dropped) == ({"source": 14, "target": 20}, 32)
    kept = np.concatenate(list(found.epoch(0)))
    assert len(kept) == 68
    assert not any(i % 7 > 5 or i % 5 > 3 for i in kept.tolist())
    assert found.describe() == (
        "68 of 100 pairs; 32 left out: source over 5 pieces 14, target over 3 pieces 20"
    )
    assert batches([hundred]).describe() == "100 pairs"


def test_what_is_short_beside_the_other_side_is_not_sorted(tmp_path: Path) -> None:
    pictures = stored(tmp_path / "one", [(1000, i % 4) for i in range(64)])
    plan = batches([pictures], batch_tokens=8 * 1001, limit=2000).epoch(0)
    assert [len({i % 4 for i in batch}) > 1 for batch in plan] == [True] * 8
    sizes = [(1000 + i % 2, i % 4) for i in range(64)]
    uneven = stored(tmp_path / "two", sizes)
    plan = batches([uneven], batch_tokens=8 * 1002, limit=2000).epoch(0)
    assert [len({i % 4 for i in batch}) > 1 for batch in plan] == [True] * 8
    texts = stored(tmp_path / "three", [(10 + i % 2, i % 4) for i in range(64)])
    plan = batches([texts], batch_tokens=8 * 12).epoch(0)
    assert max(len({i % 4 for i in batch}) for batch in plan) <= 2


def test_grids_of_one_size_are_not_sorted_by_their_captions(tmp_path: Path) -> None:
    grids = stored(tmp_path, [(10, i % 4) for i in range(64)])
    plan = batches([grids], batch_tokens=8 * 11).epoch(0)
    assert [len({i % 4 for i in batch}) > 1 for batch in plan] == [True] * 8


def test_all_pairs_too_long_is_an_error(tmp_path: Path) -> None:
    store = stored(tmp_path, [(9, 9)] * 4)
    with pytest.raises(DataError, match="all 4 pairs are longer than the limit of 3 source pieces"):
        batches([store], limit=3)
    with pytest.raises(DataError, match=r"raise data\.source\.max_length"):
        batches([store], limit=3)


def test_no_pairs_is_an_error() -> None:
    with pytest.raises(DataError, match="no pairs at all; expected some to learn from"):
        batches([])


def test_a_weight_that_leaves_nothing_is_an_error(tmp_path: Path) -> None:
    with pytest.raises(DataError, match=r"weights \(0\.1,\) leave no pair of 2"):
        batches([stored(tmp_path, [(1, 1)] * 2)], weights=(0.1,)).epoch(0)


@given(lengths, st.integers(1, 60))
def test_iterating_reads_every_pair_once(
    tmp_path_factory: pytest.TempPathFactory, sizes: list[tuple[int, int]], batch_tokens: int
) -> None:
    found = batches([stored(tmp_path_factory.mktemp("s"), sizes)], batch_tokens)
    assert sorted(i for batch in found for i in batch.index) == list(range(len(sizes)))


def test_every_end_ends_a_turn() -> None:
    codec = TextCodec(LETTERS.read_as(Reading(separator="|")))
    codecs = Codecs({"source": codec}, codec)
    padded = pad_sources(codecs, {"source": [np.array([5, END, 6]), np.array([7])]})["source"]
    assert padded.values.tolist() == [[[5, END], [6, END]], [[7, END], [PAD, PAD]]]
    assert padded.mask.int().tolist() == [[[1, 1], [1, 1]], [[1, 1], [0, 0]]]
    assert padded.flat().values.tolist() == [[5, END, 6, END], [7, END, PAD, PAD]]
    assert padded.lengths.tolist() == [4, 2]


def test_some_pairs_of_all_lengths_can_be_had(hundred: Store) -> None:
    made = batches([hundred])

    def size(i: int) -> int:
        one = made.batch([i])
        return one.n_source_places + int(one.target.mask.sum())

    found = made.spread(5)
    sizes, everything = [size(i) for i in found], [size(i) for i in range(100)]
    assert len(set(found)) == 5
    assert sizes == sorted(sizes)
    assert (sizes[0], sizes[-1]) == (min(everything), max(everything))
    assert len(made.spread(1000)) == 100
