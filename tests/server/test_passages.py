"""Several lines and sentences are answered one by one and joined as they stood."""

from typing import Any

import httpx
import pytest

from saccade.predict.passage import ReadingUnit
from saccade.server.limits import Limits
from saccade.server.models import Served
from tests.cli.conftest import SOURCES, TARGETS
from tests.server.conftest import Serve
from tests.server.live import running
from tests.server.test_live import events_of

TEXT = f"  {SOURCES[0]}. {SOURCES[1]}.\n\n\t{SOURCES[2]}.\r\n"
OUTPUT = f"  {TARGETS[0]}. {TARGETS[1]}.\n\n\t{TARGETS[2]}.\r\n"


def ask(serve: Serve, model: Served, **body: Any) -> dict[str, Any]:
    answer = serve(model).post("/v1/predict", json=body)
    assert answer.status_code == 200, answer.text
    (found,) = answer.json()["results"]
    assert isinstance(found, dict)
    return found


def test_what_a_model_reads_follows_from_what_it_learned(
    tiny: Served, talk: Served, letters: Served
) -> None:
    assert talk.unit is ReadingUnit.sentences
    assert tiny.unit is letters.unit is ReadingUnit.lines


def test_sentences_are_answered_alone_and_joined(serve: Serve, talk: Served) -> None:
    told = ask(serve, talk, text=TEXT, want=["tokens", "flags"], nbest=2)
    assert told["text"] == OUTPUT
    alone = [talk.translator.translate(f"{s}.", nbest=2) for s in SOURCES[:3]]
    assert [one["text"] for one in told["sentences"]] == [one.text for one in alone]
    assert [one["score"] for one in told["sentences"]] == [round(a.score, 4) for a in alone]
    assert told["score"] == pytest.approx(sum(one.score for one in alone), abs=2e-4)
    assert [one["source"] for one in told["sentences"]] == [f"{s}." for s in SOURCES[:3]]
    assert [one["before"] for one in told["sentences"]] == ["  ", " ", "\n\n\t"]
    assert told["after"] == "\r\n"
    assert "tokens" not in told
    assert [t["text"] for t in told["sentences"][1]["tokens"]] == list(alone[1].tokens)
    assert len(told["nbest"]) == 2
    assert told["nbest"][0]["text"] == OUTPUT


def test_flags_are_told_with_the_sentence_they_are_of(serve: Serve, talk: Served) -> None:
    told = ask(serve, talk, text=f"{SOURCES[0]}. Zyx wvu tsr qpo nml.", want=["flags"])
    assert told["sentences"][0]["flags"] == []
    assert told["sentences"][1]["flags"]
    assert {flag["sentence"] for flag in told["flags"]} == {1}


def test_lines_are_answered_alone_where_a_model_knows_no_sentences(
    serve: Serve, tiny: Served
) -> None:
    assert ask(serve, tiny, text=f"{SOURCES[0]}\n\n{SOURCES[1]}")["text"] == (
        f"{TARGETS[0]}\n\n{TARGETS[1]}"
    )
    one = ask(serve, tiny, text=f" {SOURCES[0]}\n")
    assert one["text"] == one["nbest"][0]["text"] == f" {TARGETS[0]}\n"
    assert "sentences" not in one


def test_splitting_can_be_chosen(serve: Serve, talk: Served) -> None:
    whole = ask(serve, talk, text=TEXT, split="none")
    assert whole["text"] == talk.translator.translate(TEXT).text
    assert "sentences" not in whole
    assert len(ask(serve, talk, text=TEXT, split="lines")["sentences"]) == 2
    answer = serve(talk).post("/v1/predict", json={"text": "a", "split": "words"})
    assert answer.status_code == 400
    assert "body.split: Input should be 'auto', 'sentences', 'lines' or 'none'" in answer.text


def test_a_prefix_begins_the_first_sentence(serve: Serve, talk: Served) -> None:
    told = ask(serve, talk, text=f"{SOURCES[0]}. {SOURCES[1]}.", prefix="a dog")
    assert told["text"].startswith("a dog")
    assert told["sentences"][1]["text"] == f"{TARGETS[1]}."


def test_more_sentences_than_a_model_takes_are_refused(serve: Serve, talk: Served) -> None:
    client = serve(talk, limits=Limits(queue=2))
    for path, body in (
        ("/v1/predict", {"text": "a\nb\nc"}),
        ("/v1/predict/stream", {"text": "a\nb\nc"}),
    ):
        answer = client.post(path, json=body)
        assert answer.status_code == 413
        assert answer.json()["error"] == (
            "text: 3 lines or sentences; expected at most 2 in a request; send them in several"
            " requests."
        )


def test_a_long_sentence_is_cut_at_what_the_model_was_trained_on(
    serve: Serve, talk: Served
) -> None:
    long = "un chat, " * (talk.most_pieces // 2)
    told = ask(serve, talk, text=long)
    assert len(told["sentences"]) == 2
    sizes = [talk.translator.size(one["source"]) for one in told["sentences"]]
    assert max(sizes) <= talk.most_pieces


def test_a_stream_tells_of_all_sentences(talk: Served) -> None:
    with running(talk) as live:
        answer = httpx.post(f"{live.url}/v1/predict/stream", json={"text": TEXT})
    *partial, (last, told) = events_of(answer.text)
    assert last == "result"
    assert told["results"][0]["text"] == OUTPUT
    assert partial
    assert all(data["text"].startswith("  ") for _, data in partial)


def test_models_tell_what_they_read(serve: Serve, talk: Served, tiny: Served) -> None:
    told = serve(talk, tiny).get("/v1/models").json()
    assert [one["splits"] for one in told["models"]] == ["sentences", "lines"]
    limits = {"characters": 5000, "items": 64, "beam": 16, "picture": 8_000_000, "points": 4000}
    assert told["limits"] == limits
