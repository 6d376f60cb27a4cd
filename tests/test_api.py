import warnings
from collections.abc import Iterator
from pathlib import Path

import pytest

import saccade
from saccade import api
from saccade.fit.outline import outline
from saccade.folders.identity import read_identity
from saccade.predict.prediction import DECIMALS, rounded
from tests.engines.folders import SOURCES, write_noise
from tests.fit.small import shrunk

PAIRS = [("un chat", "a cat"), ("un chien", "a dog"), ("deux chats", "two cats")]
SMALL = {
    "data": {"source": {"tokenizer": "word"}, "target": {"tokenizer": "word"}},
    "model": {
        "kind": "encoder_decoder",
        "embedding": 16,
        "encoder": {"kind": "rnn", "hidden": 16},
        "decoder": {"kind": "rnn", "hidden": 16},
    },
}


def test_train_without_files_then_load(tmp_path: Path) -> None:
    m = saccade.train(
        SMALL, pairs=PAIRS, folder=tmp_path / "run", max_steps=60, learning_rate=0.02,
        schedule="constant", validate_every=20,
    )  # fmt: skip
    assert m.translate("un chien").text == "a dog"
    assert [t.text for t in m.translate(["un chat", "deux chats"])] == ["a cat", "two cats"]
    assert m.score(["un chat"], ["a cat"])[0].score < 0
    assert m.reason == "reached max_steps 60"
    assert "steps=60" in repr(m.history)
    assert "<svg" in m.history._repr_html_()
    assert "training: reached max_steps 60; History(steps=60" in repr(m)
    assert m.evaluate(metrics="exact_match").figures["exact_match"].score.value == 100.0
    assert m.evaluate([("un chat", "a dog")], metrics="exact_match").split == ""
    assert m.save(tmp_path / "saved") == tmp_path / "saved"
    assert saccade.load(tmp_path / "saved").translate("un chien").text == "a dog"
    assert str(m.folder) in m._repr_html_()
    again = saccade.load(tmp_path / "run")
    found = again.translate("un chien", nbest=2)
    assert found.text == "a dog"
    assert found.attention is not None
    assert found.attention.shape == (2, 3)
    assert "<svg" in found._repr_html_()
    assert "→" in again.translate("")._repr_html_()


def test_a_temporary_folder_and_a_held_out_tenth() -> None:
    pairs = [(f"a{i} b", f"b a{i}") for i in range(40)]
    m = saccade.train(SMALL, pairs=pairs, max_steps=1)
    identity = read_identity(m.folder)
    assert len(identity.recipe.data.train[0].options["pairs"]) == 36
    assert len(identity.recipe.data.valid.options["pairs"]) == 4


def test_options_are_checked() -> None:
    with pytest.raises(
        saccade.RecipeError, match=r"no option 'max_epoch'\. Did you mean 'max_epochs'"
    ):
        saccade.train(SMALL, pairs=PAIRS, max_epoch=3)
    with pytest.raises(saccade.RecipeError, match="data: missing"):
        saccade.train(max_epochs=1)
    with pytest.raises(saccade.CheckpointError, match="no such model folder"):
        saccade.load("nowhere")


class Stored:
    """A Dataset of `datasets`, as far as it is used here."""

    def __init__(self, pairs: list[tuple[str, str]]) -> None:
        self.column_names = ["fr", "en"]
        self._pairs = pairs

    def __iter__(self) -> Iterator[dict[str, str]]:
        return (dict(zip(self.column_names, pair, strict=True)) for pair in self._pairs)


def test_tables_are_pairs() -> None:
    m = saccade.train(SMALL, pairs=Stored(PAIRS), valid=Stored(PAIRS[:1]), max_steps=1)
    data = read_identity(m.folder).recipe.data
    assert data.train[0].options["pairs"] == [list(pair) for pair in PAIRS]
    assert data.valid.options["pairs"] == [list(PAIRS[0])]
    assert len(m.evaluate(Stored(PAIRS)).examples) == 3
    with pytest.raises(saccade.DataError, match=r"pairs: found int 3; expected a list of"):
        saccade.train(SMALL, pairs=3)  # type: ignore[arg-type]
    with pytest.raises(saccade.DataError, match=r"valid: found str 'un'; expected a list of"):
        saccade.train(SMALL, pairs=PAIRS, valid="un")


SHOWN = 10.0**-DECIMALS
NOISE = 1e-5  # more than the neighbours of a line change its score by


def test_what_is_promised_of_scores(tmp_path: Path) -> None:
    """Text is the same whatever the neighbours; a shown score too, but at the edge of rounding."""
    model = saccade.load(write_noise(tmp_path))
    lines = [" ".join(SOURCES[i:j]) for i in range(8) for j in range(i + 1, 9)]
    together = model.translate(lines, nbest=2)
    at_edge = 0
    for line, one in zip(lines, together, strict=True):
        for a, b in zip(one.nbest, model.translate(line, nbest=2).nbest, strict=True):
            assert a.text == b.text
            assert abs(a.score - b.score) < NOISE
            edge = abs((a.score / SHOWN) % 1 - 0.5) * SHOWN < NOISE
            at_edge += edge
            assert edge or rounded(a.score) == rounded(b.score)
    assert at_edge < len(lines)  # of twice as many


def test_public_names() -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert all(hasattr(saccade, name) for name in saccade.__all__)
    assert callable(saccade.train)
    assert saccade.__version__


@pytest.fixture
def _short_runs(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(api, "outline", lambda *a, **k: shrunk(outline(*a, **k), 24))


@pytest.mark.usefixtures("_short_runs")
def test_fit_takes_pairs_in_memory(tmp_path: Path) -> None:
    pairs = [(f"{a}{b}", f"{a} {b}") for a in "abcdefgh" for b in "uvwxyz"]
    rows = [{"word": a, "spaced": b} for a, b in pairs]
    columns = {"source": "word", "target": "spaced"}
    fitted = saccade.fit(
        rows[:40], valid=rows[40:44], test=pairs[44:], columns=columns, folder=tmp_path / "m",
        within="60s",
    )  # fmt: skip
    assert [len(fitted.evaluate(split=name).examples) for name in ("valid", "test")] == [4, 4]
    assert saccade.inspect(fitted, "au").name == "Attention"
    assert (tmp_path / "m-data" / "pairs.jsonl").exists()
    assert fitted.folder == tmp_path / "m"
    assert fitted.predict("au").score < 0
    assert fitted.evaluate().figures


@pytest.mark.usefixtures("_short_runs")
def test_fit_takes_a_data_set_with_its_labels_and_splits(tmp_path: Path) -> None:
    datasets = pytest.importorskip("datasets", reason="the package datasets is not installed")
    labels = datasets.ClassLabel(names=["vowel", "other"])
    texts = [f"{a}{b}" for a in "abcdefgh" for b in "uvwxyz"]
    rows = {"text": texts, "label": [int(text[0] not in "ae") for text in texts]}
    whole = datasets.Dataset.from_dict(
        rows, features=datasets.Features({"text": datasets.Value("string"), "label": labels})
    )
    parts = datasets.DatasetDict(train=whole, validation=whole, test=whole.select(range(5)))
    fitted = saccade.fit(parts, folder=tmp_path / "m", within="60s")
    evaluation = fitted.evaluate()
    assert len(evaluation.examples) == 5
    assert {one.target for one in evaluation.examples} <= {"vowel", "other"}


def test_what_cannot_be_fitted_is_refused(tmp_path: Path) -> None:
    def refused(data: object, said: str, **options: object) -> None:
        with pytest.raises(saccade.SaccadeError, match=said):
            saccade.fit(data, folder=tmp_path / "m", **options)  # type: ignore[arg-type]

    refused([], r"data: no rows; expected pairs of source and target")
    refused(None, r"data: found None; expected a list of")
    refused(PAIRS, r"within: found int 30; expected a time as text, such as '90s'", within=30)
    refused(PAIRS, r"columns: no side 'sauce'. Did you mean 'source'", columns={"sauce": "a"})
    refused(PAIRS, r"columns: found tuple \('a', 'b'\); expected a dict", columns=("a", "b"))
    refused(PAIRS, r"valid: no rows; expected pairs", valid=[])


def test_what_is_no_model_is_refused() -> None:
    for odd in (None, 3):
        with pytest.raises(saccade.DataError, match=r"load: found .* expected the path of a file"):
            saccade.load(odd)  # type: ignore[call-overload]
    with pytest.raises(saccade.DataError, match=r"saccade.train: found int 3; expected the path"):
        saccade.train(3)  # type: ignore[arg-type]
    with pytest.raises(saccade.RecipeError, match=r"inspect: found str 'runs/demo'; expected a mo"):
        saccade.inspect("runs/demo", "a")  # type: ignore[arg-type]
