"""A tiny trained model, and a way to call a verb and see what it said."""

import gc
import io
import sys
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest
from rich.console import Console

from saccade import recipe as recipes
from saccade import run
from saccade.cli import main

RECIPE = """
name: tiny
data:
  train: {kind: text, source: FOLDER/train.source, target: FOLDER/train.target}
  valid: {kind: text, source: FOLDER/train.source, target: FOLDER/train.target}
  test: {flickr: {kind: text, source: FOLDER/train.source, target: FOLDER/train.target}}
  source: {tokenizer: word}
  target: {tokenizer: word}
model:
  kind: encoder_decoder
  embedding: 16
  encoder: {kind: rnn, hidden: 16, dropout: 0.0}
  decoder: {kind: rnn, hidden: 16, dropout: 0.0}
training:
  {max_steps: 90, learning_rate: 0.01, schedule: constant, validate_every: 30, keep_last: 3,
   report_every: 30, objective: {kind: cross_entropy, smoothing: 0.0}}
decoding: {search: {kind: beam, width: 3}, metrics: [exact_match, chrf]}
"""
SOURCES = ["un chat dort", "un chien dort", "un chat court", "un chien court"]
TARGETS = ["a cat sleeps", "a dog sleeps", "a cat runs", "a dog runs"]


@dataclass(frozen=True)
class Outcome:
    """What a call left behind."""

    code: int
    out: str
    err: str


Call = Callable[..., Outcome]


@pytest.fixture(scope="session", autouse=True)
def home(tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    """Keep the session's cache away from the user's, and the user's wishes from the tests."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("SACCADE_HOME", str(tmp_path_factory.mktemp("home")))
        for name in ("SACCADE_DEVICE", "SACCADE_LOG", "NO_COLOR"):
            patch.delenv(name, raising=False)
        yield


@pytest.fixture(scope="session")
def work(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with a recipe, its data and a finished run."""
    folder = tmp_path_factory.mktemp("work")
    (folder / "train.source").write_text("".join(f"{s}\n" for s in SOURCES), encoding="utf-8")
    (folder / "train.target").write_text("".join(f"{t}\n" for t in TARGETS), encoding="utf-8")
    (folder / "tiny.yaml").write_text(RECIPE.replace("FOLDER", str(folder)), encoding="utf-8")
    recipe = recipes.load(folder / "tiny.yaml")
    run.train(recipe, folder / "model", console=Console(quiet=True))
    return folder


@pytest.fixture
def call(
    capsysbinary: pytest.CaptureFixture[bytes], monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> Call:
    """Return a function that runs a verb in an empty folder."""
    monkeypatch.chdir(tmp_path)

    def called(*arguments: object, stdin: bytes = b"") -> Outcome:
        monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(stdin), encoding="utf-8"))
        with pytest.raises(SystemExit) as left:
            main([str(argument) for argument in arguments])
        gc.unfreeze()  # this process goes on
        captured = capsysbinary.readouterr()
        code = left.value.code
        assert code is None or isinstance(code, int)
        return Outcome(code or 0, captured.out.decode(), captured.err.decode())

    return called
