"""A tiny trained model, and an application that serves it, alone or with a sister."""

import os
import shutil
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from fastapi.testclient import TestClient
from playwright.sync_api import Browser, sync_playwright
from rich.console import Console

from saccade import recipe as recipes
from saccade import run
from saccade.server.app import Settings, create_app
from saccade.server.models import Served, open_models
from tests.captions import make_captions, make_clips, make_scenes
from tests.cli.conftest import RECIPE, SOURCES, TARGETS, call

__all__ = ["call"]  # a fixture, for tests that compare with the command line

BROWSERS = ("chromium", "chromium-browser", "google-chrome", "chrome")
Serve = Callable[..., TestClient]
Launch = Callable[..., Browser]


def make_run(folder: Path, targets: list[str], *changes: str, sources: list[str] = SOURCES) -> Path:
    """Train the tiny model of the command line's tests; return the run's folder."""
    folder.mkdir(exist_ok=True)
    (folder / "train.source").write_text("".join(f"{s}\n" for s in sources), encoding="utf-8")
    (folder / "train.target").write_text("".join(f"{t}\n" for t in targets), encoding="utf-8")
    text = RECIPE.replace("FOLDER", str(folder))
    recipe = recipes.parse(text, overrides=["training.max_steps=30", *changes])
    run.train(recipe, folder / "model", console=Console(quiet=True))
    return folder / "model"


@pytest.fixture(scope="session")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A model that knows its four sentences."""
    return make_run(tmp_path_factory.mktemp("served") / "tiny", TARGETS)


@pytest.fixture(scope="session")
def odd(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A model that was taught wrong, but for one sentence."""
    return make_run(tmp_path_factory.mktemp("served") / "odd", [*TARGETS[2::-1], TARGETS[3]])


@pytest.fixture(scope="session")
def tiny(folder: Path) -> Served:
    return open_models([f"tiny={folder}"])[0]


@pytest.fixture(scope="session")
def talk(tmp_path_factory: pytest.TempPathFactory) -> Served:
    """A model of the same sentences with full stops: it reads one sentence at a time."""
    place = tmp_path_factory.mktemp("served") / "talk"
    targets, sources = ([f"{one}." for one in side] for side in (TARGETS, SOURCES))
    run = make_run(place, targets, "training.max_steps=60", sources=sources)
    return open_models([f"talk={run}"], source="fr", target="en")[0]


@pytest.fixture(scope="session")
def layered(tmp_path_factory: pytest.TempPathFactory) -> Served:
    """A Transformer that knows the four sentences."""
    layers = "{kind: transformer, layers: 2, feed_forward: 16, dropout: 0.0}"
    changes = [f"model.{half}={layers}" for half in ("encoder", "decoder")]
    place = make_run(tmp_path_factory.mktemp("served") / "layered", TARGETS, *changes)
    return open_models([f"layered={place}"])[0]


@pytest.fixture(scope="session")
def letters(tmp_path_factory: pytest.TempPathFactory) -> Served:
    """A model that reads and writes character by character."""
    place = tmp_path_factory.mktemp("served") / "letters"
    sides = [f"data.{side}={{tokenizer: character}}" for side in ("source", "target")]
    run = make_run(place, ["ab", "ba", "aab", "bba"], *sides, sources=["xy", "yx", "xxy", "y yx"])
    return open_models([f"letters={run}"])[0]


@pytest.fixture(scope="session")
def seer(tmp_path_factory: pytest.TempPathFactory) -> Served:
    """A model that reads pictures of any size and writes captions of sorts."""
    place = make_captions(tmp_path_factory.mktemp("served") / "seer")
    return open_models([f"seer={place}"])[0]


@pytest.fixture(scope="session")
def scenes(tmp_path_factory: pytest.TempPathFactory) -> Served:
    """A model that reads a picture and a question."""
    return open_models([f"scenes={make_scenes(tmp_path_factory.mktemp('served') / 'scenes')}"])[0]


@pytest.fixture(scope="session")
def film(tmp_path_factory: pytest.TempPathFactory) -> Served:
    """A model that reads clips."""
    return open_models([f"film={make_clips(tmp_path_factory.mktemp('served') / 'film')}"])[0]


@pytest.fixture(scope="session")
def chromium() -> str:
    """The browser of this machine; nothing is downloaded."""
    found = os.environ.get("SACCADE_BROWSER") or next(
        filter(None, map(shutil.which, BROWSERS)), None
    )
    if not found:
        pytest.skip("no Chromium here: install one, or name it in SACCADE_BROWSER")
    return found


@pytest.fixture(scope="session")
def launch(chromium: str) -> Iterator[Launch]:
    """Return a function that starts a browser with further arguments."""
    with sync_playwright() as playwright:
        yield lambda *arguments: playwright.chromium.launch(
            executable_path=chromium, args=["--no-sandbox", *arguments]
        )


@pytest.fixture(scope="session")
def browser(launch: Launch) -> Iterator[Browser]:
    """A browser that is open for all tests."""
    with launch() as browser:
        yield browser


@pytest.fixture(scope="session")
def pair(folder: Path, odd: Path) -> list[Served]:
    return open_models([f"tiny={folder}", f"odd={odd}"])


@pytest.fixture
def serve(tiny: Served) -> Iterator[Serve]:
    """Return a function that serves models, the tiny one if none is given, with settings."""
    clients: list[TestClient] = []

    def served(*models: Served, **settings: object) -> TestClient:
        app = create_app(models or [tiny], Settings(**settings))  # type: ignore[arg-type]
        clients.append(TestClient(app))
        clients[-1].__enter__()
        return clients[-1]

    yield served
    for client in clients:
        client.__exit__(None, None, None)
