"""Pairs that are streamed: every one once an epoch, mixed, and found again where a run stopped."""

from collections.abc import Iterator
from itertools import islice
from pathlib import Path
from typing import Any

import pytest

from saccade.data.batching import Batches
from saccade.data.plan import Plan
from saccade.data.prepare import prepare, training_batches
from saccade.data.streaming import StreamedBatches
from saccade.errors import DataError, RecipeError
from saccade.flow import Batch
from saccade.learners._bench import Bench
from saccade.nouns import Example, pair
from saccade.readers.base import Reader
from saccade.run import train
from tests.train import small, workers

SIZES = [23, 1, 40, 16]  # pairs of each file
ALL = {f"{n}:{i}" for n, size in enumerate(SIZES) for i in range(size)}


def shards(folder: Path) -> dict[str, object]:
    """Write pairs `n:i`, in file n at row i, and say how a recipe streams them."""
    folder.mkdir(exist_ok=True)
    for n, size in enumerate(SIZES):
        rows = "".join(f"{n}:{i}\t{'ab'[i % 2] * (i % 5 + 1)}\n" for i in range(size))
        (folder / f"{n}.tsv").write_text(rows, encoding="utf-8")
    corpus = {"kind": "shards", "paths": [f"{folder}/*.tsv"]}
    return {"kind": "streamed", "corpus": corpus, "buffer": 20, "sample": 40}


def data(folder: Path, **stream: object) -> dict[str, object]:
    characters = {"tokenizer": "character"}
    valid = {"kind": "pairs", "pairs": [["1:2", "ab"]]}
    train = {**shards(folder), **stream}
    return {"train": train, "valid": valid, "source": characters, "target": characters}


def batches_of(folder: Path, **stream: object) -> StreamedBatches:
    recipe = small.recipe(data=data(folder, **stream))
    found = training_batches(recipe, prepare(recipe, Path()))
    assert isinstance(found, StreamedBatches)
    return found


def read(
    batches: StreamedBatches, epoch: int, place: tuple[int, ...] = (), first: int = 0
) -> list[list[str]]:
    """Return the sources of the batches of an epoch, from batch `first` on."""
    plan = batches.epoch(epoch, place)
    return [texts(batches, batch) for batch in taken(batches, plan, epoch, first)]


def taken(batches: StreamedBatches, plan: Plan, epoch: int, first: int = 0) -> Iterator[Batch]:
    while not plan.ends(first):
        yield batches.batch(plan[first], epoch)
        first += 1


def texts(batches: StreamedBatches, batch: Batch) -> list[str]:
    codec = batches._codecs.source
    return [codec.decode(row.tolist()) for row in batch.source.values]


@pytest.mark.parametrize("buffer", [2, 7, 20, 46, 1000])
def test_every_pair_comes_once_an_epoch(tmp_path: Path, buffer: int) -> None:
    found = batches_of(tmp_path / "data", buffer=buffer)
    for epoch in (0, 1):
        every = [text for batch in read(found, epoch) for text in batch]
        assert sorted(every) == sorted(ALL)


def test_order_is_a_function_of_seed_and_epoch_alone(tmp_path: Path) -> None:
    found = batches_of(tmp_path / "data")
    first = read(found, 0)
    assert read(batches_of(tmp_path / "data"), 0) == first
    assert read(found, 1) != first
    other = small.recipe(data=data(tmp_path / "data"), seed=2)
    assert read(training_batches(other, prepare(other, Path())), 0) != first  # type: ignore[arg-type]


def test_half_of_every_chunk_is_mixed_with_the_chunk_before_and_half_with_the_next(
    tmp_path: Path,
) -> None:
    found = batches_of(tmp_path / "data", buffer=60)
    plan = found.epoch(0)
    list(taken(found, plan, 0))
    pools = [
        [pool.pairs.origin(i) for i in range(len(pool.pairs))] for pool in found._pools.values()
    ]
    assert [len(pool) for pool in pools] == [15, 15 + 15, 15 + 20]  # of chunks of 30, 30 and 20
    order = [shard.paths[0] for shard in found.stream.shards]
    turn = found._chance(0, 1, 0).permutation(4)
    lines = [f"{order[n]}:{i + 1}" for n in turn for i in range(SIZES[n])]
    assert set(pools[0]) < set(lines[:30])
    assert set(pools[1]) - set(lines[30:60]) == set(lines[:30]) - set(pools[0])
    assert set(pools[2]) >= set(lines[60:])


def test_from_every_place_the_rest_is_the_same(tmp_path: Path) -> None:
    whole = batches_of(tmp_path / "data")
    expected, plan, places = read(whole, 3), whole.epoch(3), []
    for i in range(len(expected)):
        assert not plan.ends(i)
        places.append(tuple(plan.place))
    assert len(set(places)) > 5
    for i, place in enumerate(places):
        assert read(batches_of(tmp_path / "data"), 3, place, i) == expected[i:]


def test_a_place_is_found_without_reading_the_files_before(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    found = batches_of(tmp_path / "data", buffer=4)
    plan = found.epoch(0)
    n = len(list(taken(found, plan, 0)))
    opened: list[Reader] = []
    for shard in found.stream.shards:
        real = shard.read

        def seen(shard: Reader = shard, real: object = real) -> Iterator[Example]:
            opened.append(shard)
            return real()  # type: ignore[operator, no-any-return]

        monkeypatch.setattr(shard, "read", seen)
    again = found.epoch(0, plan.place)
    assert len(again[n - 1])
    assert len(opened) == 1
    with pytest.raises(AssertionError, match="does not go back"):
        again[0]


def test_pairs_that_are_too_long_are_left_out(tmp_path: Path) -> None:
    given = data(tmp_path / "data")
    given["target"] = {"tokenizer": "character", "max_length": 3}
    recipe = small.recipe(data=given)
    found = training_batches(recipe, prepare(recipe, Path()))
    assert isinstance(found, StreamedBatches)
    every = {text for batch in read(found, 0) for text in batch}
    assert every == {name for name in ALL if int(name.partition(":")[2]) % 5 < 3}
    assert "about 80 pairs streamed from 4 files, 20 mixed at a time" in found.describe()
    assert "left out" in found.describe()


def test_a_stream_of_which_nothing_is_left_is_an_error(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    found = batches_of(tmp_path / "data")
    for shard in found.stream.shards:
        monkeypatch.setattr(shard, "read", lambda: iter([pair("1" * 300, "a", "x:1")]))
    with pytest.raises(DataError, match="no pair is left to learn from"):
        found.epoch(0)[0]


def test_a_broken_line_is_named_where_its_batch_would_come(tmp_path: Path) -> None:
    found = batches_of(tmp_path / "data", buffer=10)
    plan = found.epoch(0)
    (tmp_path / "data" / "2.tsv").write_text("2:0\ta\nbroken\n", encoding="utf-8")
    with pytest.raises(DataError, match=r"2\.tsv:2: "):
        list(taken(found, plan, 0))


def test_variants_of_subwords_differ_from_epoch_to_epoch(tmp_path: Path) -> None:
    given = data(tmp_path / "data")
    given["source"] = {"tokenizer": {"kind": "bpe", "size": 60, "dropout": 0.5}}
    recipe = small.recipe(data=given)
    found = training_batches(recipe, prepare(recipe, Path()))
    assert isinstance(found, StreamedBatches)
    lengths = [
        sorted((t, n) for b in taken(found, found.epoch(e), e) for t, n in cut(found, b))
        for e in (0, 0, 1)
    ]
    assert lengths[0] == lengths[1] != lengths[2]


def cut(batches: StreamedBatches, batch: Batch) -> list[tuple[str, int]]:
    return list(zip(texts(batches, batch), batch.source.lengths.tolist(), strict=True))


@pytest.mark.parametrize(
    "accumulate", [pytest.param(1, marks=pytest.mark.slow), 3], ids=["batch", "batches"]
)
def test_a_resumed_run_is_the_same_run(tmp_path: Path, accumulate: int) -> None:
    given: dict[str, Any] = {"data": data(tmp_path / "data"), "accumulate": accumulate}
    given["validate_every"] = 100 // accumulate
    small.run(tmp_path / "whole", **given, max_steps=16)
    for stop in (5, 12, 16):
        resume = (tmp_path / "parts").exists()
        small.run(tmp_path / "parts", resume=resume, **given, max_steps=stop)
    small.assert_same(tmp_path / "whole", tmp_path / "parts")


@pytest.mark.slow
def test_a_run_that_was_killed_goes_on_as_if_nothing_was(tmp_path: Path) -> None:
    folder, given = tmp_path / "parts", data(tmp_path / "data")
    options: dict[str, Any] = {"max_steps": 60, "validate_every": 5, "data": given}
    with workers.running(folder, options) as worker:
        while len(small.rows(folder)) < 12 if (folder / "metrics.jsonl").exists() else True:
            worker.join(0.02)
            assert worker.is_alive()
        worker.kill()
        worker.join(60)
    small.run(folder, resume=True, **options)
    small.run(tmp_path / "whole", **options)
    small.assert_same(tmp_path / "whole", folder)


def test_a_rehearsal_tells_about_how_much_there_is(tmp_path: Path) -> None:
    recipe = small.recipe(data=data(tmp_path / "data"), max_epochs=2)
    bench = Bench(recipe, Path(), "cpu", None, None)
    assert isinstance(bench.batches, StreamedBatches)
    exact = len(list(taken(bench.batches, bench.batches.epoch(0), 0)))
    assert 0.5 * exact < bench.batches.epoch(0).expected < 2 * exact
    powers = bench.batches.powers()
    assert powers[0] == 80.0
    assert bench.price()


def test_data_that_changed_is_refused(tmp_path: Path) -> None:
    given: dict[str, Any] = {"data": data(tmp_path / "data")}
    small.run(tmp_path / "run", **given, max_steps=2)
    with (tmp_path / "data" / "1.tsv").open("a", encoding="utf-8") as file:
        file.write("1:1\ta\n")
    with pytest.raises(DataError, match="the data has changed since this run was begun: train 1"):
        small.run(tmp_path / "run", resume=True, **given, max_steps=4)


def test_other_corpora_and_weights_beside_a_stream_are_refused(tmp_path: Path) -> None:
    given = data(tmp_path / "data")
    more = {**given, "train": [given["train"], {"kind": "pairs", "pairs": [["1", "a"]]}]}
    with pytest.raises(RecipeError, match=r"reader streamed beside 2 corpora"):
        prepare(small.recipe(data=more), Path())
    with pytest.raises(RecipeError, match=r"reader streamed beside data\.weights"):
        prepare(small.recipe(data={**given, "weights": [2.0]}), Path())


def test_what_needs_all_pairs_is_refused(tmp_path: Path) -> None:
    given = data(tmp_path / "data")
    with pytest.raises(RecipeError, match=r"this one (compares|studies)"):
        small.run(tmp_path / "a", data=given, objective="self_critical", max_steps=1)
    with pytest.raises(RecipeError, match="ibm1 counts all pairs, but they are streamed"):
        train(small.recipe(data=given, model="ibm1"), tmp_path / "b", console=small.quiet())


def test_the_sample_is_all_that_is_stored(tmp_path: Path) -> None:
    recipe = small.recipe(data=data(tmp_path / "data", sample=8))
    prepared = prepare(recipe, Path())
    assert [len(store) for store in prepared.train] == [7]  # one file has a single pair
    assert isinstance(training_batches(recipe, prepared), StreamedBatches)
    plain = small.recipe()
    assert isinstance(training_batches(plain, prepare(plain, Path())), Batches)


def test_the_next_pool_is_read_while_one_is_used(tmp_path: Path) -> None:
    found = batches_of(tmp_path / "data", buffer=10)
    plan = found.epoch(0)
    assert len(list(islice(taken(found, plan, 0), 1))) == 1
    assert len(found._pools) == 1  # the other one waits in the thread, unseen
