import warnings
from pathlib import Path

import pytest

import saccade
from saccade.folders import model as folders

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
    identity = folders.read_identity(m.folder)
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


def test_public_names() -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert all(hasattr(saccade, name) for name in saccade.__all__)
    assert callable(saccade.train)
    assert saccade.__version__
