"""A server whose translations another engine writes: the same answers, and torch for the rest."""

from pathlib import Path

import pytest

from saccade.engines._converted import Converted
from saccade.errors import RecipeError
from saccade.predict.predictor import Predictor
from saccade.server.models import Served, open_models
from tests.engines.folders import SOURCES, write_noise
from tests.server.conftest import Serve


@pytest.fixture(scope="module")
def noise(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return write_noise(tmp_path_factory.mktemp("fast") / "noise")


@pytest.fixture
def slow(noise: Path) -> Served:
    return open_models([str(noise)])[0]


@pytest.fixture
def fast(noise: Path) -> Served:
    return open_models([str(noise)], engine="ctranslate2")[0]


@pytest.fixture
def counted(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """Note who streams."""
    who: list[str] = []

    for kind in (Converted, Predictor):
        inner = kind.stream

        def stream(self, *args, _inner=inner, _name=kind.__name__, **options):  # type: ignore[no-untyped-def]
            who.append(_name)
            return _inner(self, *args, **options)

        monkeypatch.setattr(kind, "stream", stream)
    return who


def test_the_same_answers_from_another_engine(
    serve: Serve, slow: Served, fast: Served, counted: list[str]
) -> None:
    asked = {"text": SOURCES, "nbest": 2}
    slowly, quickly = (serve(one).post("/v1/predict", json=asked).json() for one in (slow, fast))
    assert [*dict.fromkeys(counted)] == ["Predictor", "Converted"]
    for a, b in zip(slowly["results"], quickly["results"], strict=True):
        assert [n["text"] for n in a["nbest"]] == [n["text"] for n in b["nbest"]]
        assert a["score"] == pytest.approx(b["score"], abs=2e-4)
    told = serve(fast).post("/translate", json={"q": SOURCES[0], "source": "src", "target": "tgt"})
    assert told.json()["translatedText"] == slowly["results"][0]["text"]


@pytest.mark.parametrize("wish", [{"prefix": "t"}, {"want": ["tree"]}, {"views": ["beam"]}])
def test_what_needs_torch_gets_it(
    serve: Serve, fast: Served, counted: list[str], wish: dict[str, object]
) -> None:
    answer = serve(fast).post("/v1/predict", json={"text": SOURCES[0], **wish})
    assert answer.status_code == 200, answer.text
    assert "Predictor" in counted


def test_maps_come_from_the_model_that_is_open(
    fast: Served, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert fast.fast is not None
    found = fast.fast.translate(SOURCES[0])
    looked: list[object] = []
    inner = Predictor.look

    def look(self: Predictor, *given: object) -> object:
        looked.append(self)
        return inner(self, *given)  # type: ignore[arg-type]

    monkeypatch.setattr(Predictor, "look", look)
    assert found.attention is not None
    assert looked == [fast.translator]


def test_a_single_line_gets_a_single_thread_in_a_server(fast: Served) -> None:
    assert isinstance(fast.fast, Converted)
    assert fast.fast._runner.crowded


def test_an_engine_that_cannot_is_refused_at_the_start(tmp_path: Path) -> None:
    rnn = {"kind": "rnn", "hidden": 8}
    folder = write_noise(tmp_path / "model", {"encoder": rnn, "decoder": rnn})
    with pytest.raises(RecipeError, match=r"model.encoder.kind is rnn"):
        open_models([str(folder)], engine="ctranslate2")
    assert open_models([str(folder)], engine="auto")[0].fast is None
