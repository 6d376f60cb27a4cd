"""Translating and scoring over HTTP."""

from typing import Any

import pytest

from saccade.predict.prediction import rounded
from saccade.server.limits import Limits
from saccade.server.models import Served
from tests.cli.conftest import SOURCES, TARGETS
from tests.server.conftest import Serve


def predict(serve: Serve, **body: Any) -> dict[str, Any]:
    answer = serve().post("/v1/predict", json=body)
    assert answer.status_code == 200, answer.text
    found: dict[str, Any] = answer.json()
    return found


def test_one_text_or_several(serve: Serve) -> None:
    one = predict(serve, text=SOURCES[0])
    assert one["model"] == "tiny"
    assert one["seconds"] >= 0
    assert [r["text"] for r in one["results"]] == TARGETS[:1]
    assert set(one["results"][0]) == {"text", "score", "finished", "nbest"}
    many = predict(serve, text=[*SOURCES, "", "zzz"], model="tiny")["results"]
    assert [r["text"] for r in many[:5]] == [*TARGETS, ""]
    assert predict(serve, text=[])["results"] == []


def test_nbest_beam_and_penalty(serve: Serve, tiny: Served) -> None:
    body = {"text": SOURCES[1], "beam": 4, "nbest": 3, "length_penalty": 0.5}
    (told,) = predict(serve, **body)["results"]
    expected = tiny.translator.translate(SOURCES[1], beam=4, nbest=3, length_penalty=0.5)
    assert [n["text"] for n in told["nbest"]] == [n.text for n in expected.nbest]
    assert [n["score"] for n in told["nbest"]] == [rounded(n.score) for n in expected.nbest]


def test_a_forced_beginning(serve: Serve, tiny: Served) -> None:
    (told,) = predict(serve, text=SOURCES[0], prefix="a dog")["results"]
    assert told["text"].startswith("a dog")
    assert told["text"] == tiny.translator.translate(SOURCES[0], prefix="a dog").text


def test_everything_that_can_be_wanted(serve: Serve, tiny: Served) -> None:
    want = ["tokens", "attention", "alignment", "tree", "flags"]
    (told,) = predict(serve, text=SOURCES[0], want=want)["results"]
    one = tiny.translator.translate(SOURCES[0], trace=True)
    assert [t["text"] for t in told["tokens"]] == list(one.tokens)
    assert [t["log_prob"] for t in told["tokens"]] == [rounded(s) for s in one.token_scores[:-1]]
    assert told["source_tokens"] == [*one.source_tokens]
    assert told["source_tokens"][-1] == "</s>"
    assert told["attention"]["names"] == list(tiny.translator.attention_names)
    weights = one.attention
    assert weights is not None
    assert told["attention"]["maps"][0][1] == pytest.approx(weights[1], abs=1e-4)
    assert told["alignment"] == [list(point) for point in one.alignment]
    assert told["source_words"] == SOURCES[0].split()
    assert told["target_words"] == TARGETS[0].split()
    assert [len(level) for level in told["tree"]] == [len(level) for level in one.tree]
    assert told["tree"][0][0]["parent"] == -1
    assert told["greedy"] == [*one.tokens, "</s>"]
    assert told["flags"] == []


def test_self_attention_can_be_wanted(serve: Serve, layered: Served) -> None:
    client = serve(layered)
    names = list(layered.translator.self_attention_names)
    assert len(names) == 16
    assert client.get("/v1/models").json()["models"][0]["self_attention"] == names
    asked = {"text": SOURCES[0], "want": ["self_attention"]}
    (told,) = client.post("/v1/predict", json=asked).json()["results"]
    one = layered.translator.translate(SOURCES[0])
    assert [found["name"] for found in told["self_attention"]] == names
    first, last = told["self_attention"][0], told["self_attention"][-1]
    assert (first["side"], last["side"]) == ("encoder", "decoder")
    assert first["rows"] == first["columns"] == [*one.source_tokens]
    assert last["columns"] == ["<s>", *one.tokens[:-1]]
    for found in told["self_attention"]:
        expected = one.self_attention[found["name"]]
        assert [*map(list, found["weights"])] == [pytest.approx(row, abs=1e-4) for row in expected]


def test_views_of_a_map_and_a_word(serve: Serve, layered: Served) -> None:
    client, word = serve(layered), SOURCES[0].split()[1]
    asked = {"text": SOURCES[0], "views": ["lines", "steps"], "head": "encoder layer 2 head 1"}
    (told,) = client.post("/v1/predict", json={**asked, "word": word}).json()["results"]
    assert 'data-row="0"' not in told["views"]["lines"]
    assert f"{word}, encoder layer 2 head 1" in told["views"]["steps"]
    answer = client.post("/v1/predict", json={**asked, "word": "xyz"})
    assert answer.status_code == 400
    assert "--word: 'xyz' is not there" in answer.json()["error"]


def test_views_are_pictures_with_data_the_page_can_read(serve: Serve) -> None:
    views = ["attention", "heads", "lines", "beam", "distribution"]
    told, empty = predict(serve, text=[SOURCES[0], ""], views=views, words=True)["results"]
    assert list(told["views"]) == views
    assert all(svg.startswith("<svg ") for svg in told["views"].values())
    assert 'data-row="0" data-column="1" data-value="' in told["views"]["attention"]
    assert 'data-step="1" data-fate="kept"' in told["views"]["beam"]
    assert empty["views"] == {}


def test_markup_in_a_text_is_text_in_a_picture(serve: Serve) -> None:
    text = "<script>alert(1)</script> un \"chat' & dort"
    (told,) = predict(serve, text=text, views=["attention", "lines", "beam"])["results"]
    assert not any("<script" in svg for svg in told["views"].values())


def test_words_are_joined(serve: Serve) -> None:
    (told,) = predict(serve, text=SOURCES[0], want=["attention"], words=True)["results"]
    rows = told["attention"]["maps"][0]
    assert len(rows) == len(told["target_words"])
    assert len(rows[0]) == len(told["source_words"]) + 1
    assert all(sum(row) == pytest.approx(1.0, abs=1e-3) for row in rows)


def test_characters_are_not_joined(serve: Serve, letters: Served) -> None:
    body = {"text": "y yx", "want": ["tokens", "attention", "alignment"], "words": True}
    (told,) = serve(letters).post("/v1/predict", json=body).json()["results"]
    assert told["source_words"] == ["y", " ", "y", "x"]
    assert told["target_words"] == list(told["text"])
    rows = told["attention"]["maps"][0]
    assert (len(rows), len(rows[0])) == (len(told["text"]), 5)
    assert [t for _, t in told["alignment"]] == list(range(len(told["text"])))
    assert [token["word"] for token in told["tokens"]] == list(range(len(told["text"])))


def test_score(serve: Serve, tiny: Served) -> None:
    body = {"source": SOURCES[0], "target": TARGETS[0]}
    (told,) = serve().post("/v1/score", json=body).json()["results"]
    (expected,) = tiny.translator.score(SOURCES[:1], TARGETS[:1])
    assert told["score"] == rounded(expected.score)
    assert [t["text"] for t in told["tokens"]] == list(expected.tokens)
    assert sum(t["log_prob"] for t in told["tokens"]) == pytest.approx(told["score"], abs=1e-3)
    answer = serve().post("/v1/score", json={"source": ["a", "b"], "target": "c"})
    assert answer.status_code == 400
    assert answer.json()["error"] == (
        "score: 2 sources but 1 targets; expected one target for each source; send two lists of"
        " one length."
    )


def test_models(serve: Serve) -> None:
    (told,) = serve().get("/v1/models").json()["models"]
    assert told["name"] == "tiny"
    assert told["description"] == "tiny: rnn encoder, rnn decoder"
    assert (told["source"], told["target"]) == ("src", "tgt")
    assert told["parameters"] > 1000
    assert told["attention"]
    assert told["examples"][0] == {"source": SOURCES[0], "reference": TARGETS[0]}
    assert told["splits"] == "lines"
    assert told["trains"]


LIMITS = Limits(characters=20, items=2, beam=3, cells=30)


@pytest.mark.parametrize(
    ("body", "status", "message"),
    [
        ({"text": "x" * 21}, 413, "text: 21 characters; expected at most 20 in a text; split"),
        ({"text": ["a", "b" * 30]}, 413, "text[1]: 30 characters; expected at most 20"),
        ({"text": ["a"] * 3}, 413, "text: 3 texts; expected at most 2 in a request; send"),
        ({"text": "a", "prefix": "x" * 21}, 413, "prefix: 21 characters; expected at most 20"),
        ({"text": "a", "beam": 4}, 400, "beam: 4 is too wide; expected at most 3 here; lower it."),
        ({"text": "a", "nbest": 4}, 400, "nbest: 4 is too wide; expected at most 3 here"),
        (
            {"text": "un chat dort un chat", "views": ["beam"]},
            413,
            "weights or nodes to show; expected at most 30 in a request; send shorter",
        ),
        ({"text": "a", "model": "tony"}, 404, "model: 'tony' is not served. Did you mean 'tiny'?"),
        ({"text": "a", "model": "../tiny"}, 404, "Expected one of: tiny; name one of them."),
        ({"text": "un", "views": ["attention"], "head": "x"}, 400, "--head: no map 'x'."),
        ({}, 400, "body.text: Field required; found {}; see /openapi.json."),
        ({"text": "a", "txet": 1}, 400, "body.txet: Extra inputs are not permitted; found 1;"),
        ({"text": "a", "beam": "3"}, 400, "body.beam: Input should be a valid integer; found '3'"),
        ({"text": "a", "beam": 0}, 400, "body.beam: Input should be greater than or equal to 1"),
        ({"text": "a", "views": ["x"]}, 400, "body.views.0: Value error, Input should be one of w"),
        ({"text": "a", "length_penalty": 11}, 400, "body.length_penalty: Input should be less"),
    ],
)
def test_what_is_refused(serve: Serve, body: dict[str, Any], status: int, message: str) -> None:
    answer = serve(limits=LIMITS).post("/v1/predict", json=body)
    assert answer.status_code == status, answer.text
    assert message in answer.json()["error"]


@pytest.mark.parametrize("raw", [b"", b"{", b"[1", b'"x"', b"null", b"\xff\xfe", b'{"text": NaN}'])
def test_what_is_not_json_is_refused(serve: Serve, raw: bytes) -> None:
    headers = {"content-type": "application/json"}
    answer = serve().post("/v1/predict", content=raw, headers=headers)
    assert answer.status_code == 400
    assert answer.json()["error"].startswith("body")


def test_half_a_character_is_refused(serve: Serve) -> None:
    headers = {"content-type": "application/json"}
    for raw in (b'{"text": "\\ud800"}', b'{"text": "a", "prefix": "\\udc00"}'):
        answer = serve().post("/v1/predict", content=raw, headers=headers)
        assert answer.status_code == 400
        assert "Text holds half a character, a lone surrogate" in answer.json()["error"]


def test_numbers_that_json_lacks_are_refused(serve: Serve) -> None:
    headers = {"content-type": "application/json"}
    raw = b'{"text": "a", "length_penalty": NaN}'
    answer = serve().post("/v1/predict", content=raw, headers=headers)
    assert answer.status_code == 400


def test_a_view_of_values_is_not_drawn_of_text(serve: Serve) -> None:
    answer = serve().post("/v1/predict", json={"text": SOURCES[0], "views": ["output"]})
    assert answer.status_code == 400
    assert "views: output draws values, but this model writes text" in answer.json()["error"]
