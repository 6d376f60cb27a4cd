"""What every test gets: one processor thread, and a home of its own for stored ids."""

import os
from collections.abc import Iterator
from pathlib import Path

import pytest
import torch
from hypothesis import settings

from saccade.kernels.library import SWITCH, found
from tests import classical

os.environ.setdefault(SWITCH, str(Path.home() / ".cache" / "saccade" / "native"))  # built once
os.environ["SACCADE_METEOR"] = "off"  # its tables take seconds; a test that reads them says so

settings.register_profile("saccade", deadline=None)  # a busy machine is no mistake
settings.load_profile("saccade")


@pytest.fixture(autouse=True, scope="session")
def _one_thread_at_first() -> None:
    torch.set_num_threads(1)


@pytest.fixture(autouse=True)
def _one_thread() -> None:
    """Whatever the test before has left."""
    torch.set_num_threads(1)


@pytest.fixture(autouse=True)
def _home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SACCADE_HOME", str(tmp_path / "home"))


@pytest.fixture(autouse=True)
def _no_waiting_for_the_disk(monkeypatch: pytest.MonkeyPatch) -> None:
    """Syncing guards against power cuts, which no test makes; a test of it asks for it itself."""
    monkeypatch.setattr(os, "fsync", lambda _: None)


@pytest.fixture(scope="session")
def classical_runs(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with a finished run of every model without a network, each named after its kind."""
    place = tmp_path_factory.mktemp("classical")
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("SACCADE_HOME", str(place / "home"))
        return classical.train_all(place)


@pytest.fixture(params=["kernels", "torch"])
def each_form(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> Iterator[str]:
    """Run a test by the kernels of `native`, and again as if there were no compiler."""
    found.cache_clear()
    if request.param == "torch":
        monkeypatch.setenv(SWITCH, "off")
    elif found().kernels is None:
        pytest.skip(f"no kernels: {found().told}")
    yield request.param
    found.cache_clear()
