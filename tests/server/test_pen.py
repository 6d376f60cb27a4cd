"""Strokes in requests and answers: what a pen wrote, what a pen is to write, and how much of it."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import pytest
from fastapi.testclient import TestClient
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from saccade.corpora.handwriting import written_by
from saccade.modalities._strokes import from_text, to_text
from saccade.server.app import Settings, create_app
from saccade.server.limits import Limits
from saccade.server.models import Served
from tests.server.pens import make_pen

Serve = Callable[..., TestClient]
LINE = json.dumps([s.tolist() for s in written_by("cab", 1)])


@pytest.fixture(scope="module")
def writer(tmp_path_factory: pytest.TempPathFactory) -> Served:
    return make_pen(tmp_path_factory.mktemp("writer"), "write")


@pytest.fixture(scope="module")
def reader(tmp_path_factory: pytest.TempPathFactory) -> Served:
    return make_pen(tmp_path_factory.mktemp("reader"), "read")


def asked(client: TestClient, **body: Any) -> Any:
    answer = client.post("/v1/predict", json=body)
    assert answer.status_code == 200, answer.text
    return answer.json()["results"][0]


def test_models_say_what_a_pen_is_for(serve: Serve, writer: Served, reader: Served) -> None:
    told = serve(writer, reader).get("/v1/models").json()
    writes, reads = told["models"]
    assert (writes["draws"], reads["draws"]) == (True, False)
    assert writes["views"][:2] == ["writing", "output"]
    (source,) = reads["inputs"]
    assert source["kind"] == "strokes"
    assert 60 < source["limit"] < 140  # how high letters are written
    assert told["limits"]["points"] == Limits().points


def test_strokes_are_read_in_every_form(serve: Serve, reader: Served) -> None:
    client, line = serve(reader), from_text(LINE)
    texts = [asked(client, text=form)["text"] for form in (LINE, to_text(line))]
    assert texts[0] == texts[1] == reader.translator.predict(LINE).text
    seen = asked(client, text=LINE, want=["attention"], nbest=2)
    (part,) = seen["layout"]
    n_places = part["end"] - part["start"]
    assert len(from_text(part["strokes"])) == n_places + 1  # the points that the model saw


def test_a_pen_draws_by_bias_and_seed(serve: Serve, writer: Served) -> None:
    client = serve(writer)
    plain, drawn, same, other, neat = (
        asked(client, text="ab", **more)["text"]
        for more in (
            {},
            {"bias": 0.5},
            {"bias": 0.5, "seed": 1},
            {"bias": 0.5, "seed": 2},
            {"bias": 5},
        )
    )
    assert drawn == same
    assert len({plain, drawn, other, neat}) == 4
    expected = writer.translator.predict("ab", sample={"bias": 0.5, "seed": 1})
    assert drawn == expected.text


def test_the_picture_moves(serve: Serve, writer: Served) -> None:
    views = asked(serve(writer), text="cab", bias=1.0, views=["writing", "output"])["views"]
    root = ElementTree.fromstring(views["writing"])
    moving = root.findall(".//{http://www.w3.org/2000/svg}animate")
    assert {one.get("attributeName") for one in moving} >= {"stroke-dashoffset", "fill-opacity"}
    assert float(root.get("data-seconds", "0")) >= 1
    assert "window on the letters" in views["output"]


def test_bias_is_for_models_that_draw(serve: Serve, reader: Served, tiny: Served) -> None:
    client = serve(reader, tiny)
    for model in ("read", tiny.name):
        answer = client.post("/v1/predict", json={"text": LINE[:50], "model": model, "bias": 1.0})
        assert answer.status_code == 400
        assert f"bias: 1, but {model} draws no values; expected" in answer.json()["error"]
    answer = client.post(
        "/v1/predict", json={"text": "a", "model": tiny.name, "views": ["writing"]}
    )
    assert "writing draws what a pen does" in answer.json()["error"]


@pytest.mark.parametrize(
    ("line", "status", "said"),
    [
        ("[]", 400, "text: no point at all"),
        ("[[]]", 400, "text: no point at all"),
        ("[[[NaN, 0], [1, 1]]]", 400, "for a stroke; expected"),
        ("[[[0, 0], [Infinity, 1]]]", 400, "for a stroke; expected"),
        ("[[[0, 0], [1e300, 1]]]", 400, "for a stroke; expected"),
        ("[[[0, 0], [1e9, 1e9]]]", 400, "points that are 12 apart; expected fewer"),
        ("[[[0, 0], [99999, 0]]]", 413, "strokes of 8,333 points as the model reads them"),
        (json.dumps([[[0, 0]]] * 3000), 413, "strokes of 5,999 points"),
        (
            "M0 0L" + "1 1 " * 60_000,
            413,
            "characters; expected at most 200000 in a text; send fewer",
        ),
        ("[" * 9000, 400, "expected an SVG path"),
        ("M0 0Q1 1 2 2", 400, "expected an SVG path"),
        ("hello", 400, "expected an SVG path"),
        ('<svg><path d="M0 0L"/></svg>', 200, ""),
    ],
)
def test_what_cannot_be_read_is_refused(
    serve: Serve, reader: Served, line: str, status: int, said: str
) -> None:
    answer = serve(reader).post("/v1/predict", json={"text": line})
    assert (answer.status_code, said in answer.text) == (status, True), answer.text[:300]


_NUMBERS = st.one_of(st.floats(), st.integers(), st.sampled_from([1e308, -1e308, 1e9, 5e-324]))
_LINES = st.lists(
    st.lists(st.lists(st.one_of(_NUMBERS, st.none(), st.text(max_size=2)), max_size=4), max_size=6),
    max_size=5,
)


def test_whatever_is_written_nothing_breaks(reader: Served, writer: Served) -> None:
    app = create_app([reader, writer], Settings(limits=Limits(points=200)))

    @settings(
        max_examples=60,
        deadline=None,
        derandomize=True,
        database=None,
        suppress_health_check=list(HealthCheck),
    )
    @given(_LINES, st.text(max_size=12), st.one_of(st.none(), _NUMBERS))
    def attack(lines: list[Any], text: str, bias: object) -> None:
        for body in ({"text": json.dumps(lines)}, {"text": text}):
            assert client.post("/v1/predict", json=body).status_code in (200, 400, 413)
        asked_for = json.dumps({"model": "write", "text": text, "bias": bias})
        answer = client.post("/v1/predict", content=asked_for.encode("utf-8", "replace"))
        assert answer.status_code in (200, 400)

    with TestClient(app) as client:
        attack()


def test_a_folder_of_a_pen_is_small(reader: Served) -> None:
    held = json.loads((Path(reader.folder) / "source.json").read_text(encoding="utf-8"))
    assert set(held) == {"scale", "horizon", "step", "height"}
