"""From readers to a trained model: several references, several sources."""

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from saccade import recipe as recipes
from saccade import run
from saccade.data.prepare import batches_of, prepare
from saccade.errors import DataError
from saccade.folders import model as folders
from saccade.predict.evaluation import likelihood_of
from tests.train import small

RNN = {"kind": "rnn", "hidden": 8, "dropout": 0.0}
CHARACTERS = {"tokenizer": "character"}
ROWS = [
    {"a": "one", "b": "un", "target": ["1", "eins"]},
    {"a": "two", "b": "deux", "target": ["2", "zwei", "zwo"]},
    {"a": "three", "b": "trois", "target": "3"},
]


def recipe(folder: Path, *, several: bool, **sections: Any) -> recipes.Recipe:
    """Read ROWS by one source or by two."""
    text = "".join(json.dumps(row) + "\n" for row in ROWS)
    (folder / "rows.jsonl").write_text(text, encoding="utf-8")
    reader: dict[str, Any] = {"kind": "jsonl", "path": str(folder / "rows.jsonl"), "source": "a"}
    sides: dict[str, Any] = {"source": CHARACTERS}
    if several:
        reader["sources"] = {"english": "a", "french": "b"}
        sides = {"sources": {"english": CHARACTERS, "french": CHARACTERS}}
    return recipes.from_plain(
        {
            "data": {
                "train": reader,
                "valid": reader,
                "test": reader,
                "target": CHARACTERS,
                **sides,
            },
            "model": {"kind": "encoder_decoder", "embedding": 8, "encoder": RNN, "decoder": RNN},
            "training": {"max_steps": 2, "metrics": ["chrf"], **sections.get("training", {})},
            "decoding": {"metrics": ["exact_match", "chrf"]},
        }
    )


def test_every_reference_is_a_pair_and_is_learned_from(tmp_path: Path) -> None:
    one = recipe(tmp_path, several=False)
    prepared = prepare(one, Path())
    (store,) = prepared.train
    assert len(store) == 6
    target = prepared.codecs.target.vocabulary
    assert target is not None
    written = [target.decode(store.pair(i).target.tolist()) for i in range(6)]
    assert written == ["1", "eins", "2", "zwei", "zwo", "3"]
    assert set("einszwo123") <= {piece for i in range(len(target)) for piece in target.pieces([i])}
    batches = batches_of(one, prepared.train, prepared.codecs, 4096)
    assert batches.describe() == "6 pairs"
    assert sorted(i for batch in batches for i in batch.index) == list(range(6))


def test_metrics_and_likelihood_see_all_references(tmp_path: Path) -> None:
    one = recipe(tmp_path, several=False, training={"max_steps": 150, "learning_rate": 0.02})
    made = run.train(one, tmp_path / "run", console=small.quiet())
    found = run.evaluate(tmp_path / "run")
    assert [len(example.references) for example in found.examples] == [2, 3, 1]
    hits = [p.text in e.references for p, e in zip(found.predictions, found.examples, strict=True)]
    assert found.figures["exact_match"].score.value == pytest.approx(100 * np.mean(hits))
    assert all(hits)
    likely = likelihood_of(made.predictor, found.examples)
    assert likely is not None
    assert likely.characters == sum(len(r) for e in found.examples for r in e.references)
    assert " | " in (tmp_path / "run" / "report.html").read_text(encoding="utf-8")


def test_several_sources_from_reader_to_output(tmp_path: Path) -> None:
    one = recipe(tmp_path, several=True)
    run.train(one, tmp_path / "run", console=small.quiet())
    names = {path.name for path in (tmp_path / "run").iterdir()}
    assert {"source-english.json", "source-french.json", "target.json"} <= names
    assert "source.json" not in names
    assert len(run.evaluate(tmp_path / "run").predictions) == 3
    model = folders.load(tmp_path / "run")
    given = {"english": "two", "french": "deux"}
    found = model.predict(given)
    turned = model.predict({"french": "deux", "english": "two"})
    assert (turned.text, turned.score) == (found.text, found.score)
    several = model.predict([given, {"english": "one", "french": "un"}])
    assert several[0].text == found.text
    assert found.source_text == "english: two  french: deux"
    assert found.source_tokens == (*"two", "</s>", *"deux", "</s>")
    assert found.attention is not None
    assert found.attention.shape == (len(found.tokens), 4 + 5)
    np.testing.assert_allclose(found.attention.sum(axis=1), 1.0, atol=1e-5)
    other = model.predict({"english": "two", "french": "trois"})
    assert other.score != found.score  # both are read
    (scored,) = model.score([given], ["2"])
    assert scored.score < 0
    with pytest.raises(DataError, match="input 1: has english; expected english, french, the"):
        model.predict("two")
    with pytest.raises(DataError, match="input 1: has english; expected english, french"):
        model.predict({"english": "two"})


def test_a_source_that_no_reader_has_is_named(tmp_path: Path) -> None:
    raw = recipe(tmp_path, several=True).plain()
    raw["data"]["sources"]["german"] = CHARACTERS
    with pytest.raises(DataError, match=r"rows.jsonl:1: has no source 'german'; it has english, f"):
        prepare(recipes.from_plain(raw), Path())
