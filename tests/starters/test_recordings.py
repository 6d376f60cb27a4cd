"""Recipes for somebody's own recordings: they load, they suit, and they take a few steps."""

from pathlib import Path

import numpy as np
import pytest

from saccade import recipe, run
from saccade.errors import RecipeError
from saccade.modalities._wave import write_wave
from saccade.starters.recordings import look_at_recordings, speech_recipe
from tests.cli.conftest import Call, call

__all__ = ["call"]


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    chance = np.random.default_rng(0)
    (tmp_path / "sounds").mkdir()
    for n in range(40):
        noise = chance.integers(-900, 900, 3000 + 50 * n).astype(np.int16)
        (tmp_path / "sounds" / f"{'yes' if n % 2 else 'no'}_ann_{n}.wav").write_bytes(
            write_wave(noise, 11_025)
        )
    return tmp_path


def test_a_folder_of_labels(folder: Path) -> None:
    found = look_at_recordings(folder / "sounds", None, "{label}_{speaker}_{index}")
    assert (found.count, found.n_speakers, found.rate) == (40, 1, 11_025)
    made = recipe.parse(speech_recipe(found, Path("words.yaml")))
    assert made.name == "words"
    assert made.data.source.options["rate"] == 8000
    assert made.data.target.options["tokenizer"].kind == "line"
    small = ("training.max_steps=2", "training.validate_every=1", "model.encoder.hidden=8")
    shrunk = recipe.parse(speech_recipe(found, Path("words.yaml")), overrides=small)
    run.train(shrunk, folder / "run")
    assert (folder / "run" / "model.safetensors").exists()


def test_a_list_of_sentences(folder: Path) -> None:
    names = sorted(path.name for path in (folder / "sounds").iterdir())
    lines = [f"{name}\tthis is sentence number {n} of all\n" for n, name in enumerate(names)]
    (folder / "texts.tsv").write_text("".join([*lines, "gone.wav\tit is not here\n"]))
    found = look_at_recordings(folder / "sounds", folder / "texts.tsv", "")
    assert (found.count, found.n_lost) == (40, 1)
    text = speech_recipe(found, Path("a.yaml"))
    made = recipe.parse(text)
    assert made.data.target.options["tokenizer"].kind == "character"
    assert 'missing: "skip"' in text
    (folder / "texts.tsv").write_text("gone.wav\tit is not here\n")
    with pytest.raises(RecipeError, match=r"none of the 1 recordings is there, as .*gone.wav; exp"):
        look_at_recordings(folder / "sounds", folder / "texts.tsv", "")


def test_init_writes_it(folder: Path, call: Call) -> None:
    options = ("--folder", folder / "sounds", "--names", "{label}_{speaker}_{index}")
    done = call("init", "speech", *options)
    assert done.code == 0, done.err
    assert "40 recordings, about 0." in done.err
    assert recipe.load(Path("recipe.yaml")).model.kind == "ctc"
    assert "are for speech: saccade init speech." in call("init", "dates", *options).err
    refused = call("init", "speech", *options, "--images", folder, "-o", "b.yaml")
    assert "speech takes --folder DIR with --names TEMPLATE, or --tsv FILE" in refused.err
