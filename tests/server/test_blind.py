"""Raters choose without knowing; the counts know."""

import json
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest
from fastapi.testclient import TestClient

from saccade.errors import DataError
from saccade.server.judgements import Judgements, Rating
from saccade.server.models import Served
from tests.cli.conftest import SOURCES, TARGETS
from tests.server.conftest import Serve

NEXT, SUMMARY = "/v1/blind/next", "/v1/blind/summary"


def following(client: TestClient, rater: str) -> dict[str, Any]:
    answer = client.get(NEXT, params={"rater": rater})
    assert answer.status_code == 200, answer.text
    found: dict[str, Any] = answer.json()
    return found


def test_a_rater_who_knows_the_truth_finds_the_better_model(
    serve: Serve, pair: list[Served], tmp_path: Path
) -> None:
    path = tmp_path / "judgements.jsonl"
    client = serve(*pair, judgements=path)
    sides = []
    raters = ["ann", "bob <b>", "ann & co", *(f"rater {i}" for i in range(9))]
    for rater in raters:
        while not (given := following(client, rater)).get("done"):
            assert following(client, rater) == given  # asking again changes nothing
            right = TARGETS[SOURCES.index(given["source"])]
            sides.append("left" if given["left"] == right else "right")
            body = {"id": given["id"], "rater": rater, "choice": sides[-1]}
            assert client.post("/v1/blind", json=body).json() == {"ok": True}
            again = client.post("/v1/blind", json=body)
            assert again.status_code == 400
            assert "has judged this sentence before; expected one judgement" in again.text
    told = client.get(SUMMARY).json()
    assert told["models"] == ["tiny", "odd"]
    assert told["wins"] == {"tiny": len(sides), "odd": 0}
    assert told["ratings"] == len(sides) == 2 * len(raters)
    assert told["equal"] == 2  # the last sentence, and the one that reversing left in place
    assert (told["same"], told["share"]) == (0, 1.0)
    assert told["high"] == pytest.approx(1.0)
    assert told["p"] == pytest.approx(2 * 0.5 ** len(sides))
    assert set(sides) == {"left", "right"}  # by chance one of them alone in one of 8 million runs
    rows = [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]
    assert rows[0]["choice"] == "tiny"
    assert set(rows[0]) == {"time", "rater", "models", "source", "outputs", "choice"}

    resumed = serve(*reversed(pair), judgements=path)
    assert resumed.get(SUMMARY).json()["wins"] == {"tiny": len(sides), "odd": 0}
    assert following(resumed, "ann") == {"done": True}


def test_what_is_refused(serve: Serve, pair: list[Served]) -> None:
    client = serve(*pair)
    given = following(client, "ann")
    for wrong in (
        {"rater": "bob"},
        {"id": "0-abc"},
        {"id": "x"},
        {"id": "0-\u00dc"},
        {"id": "99-" + "0" * 24},
    ):
        body = {"id": given["id"], "rater": "ann", "choice": "same"} | wrong
        answer = client.post("/v1/blind", json=body)
        assert answer.status_code == 404
        assert "expected one of /v1/blind/next, and the same rater; ask for" in answer.text
    assert client.get(NEXT).status_code == 400
    assert client.get(NEXT, params={"rater": "x" * 65}).status_code == 400
    empty = client.get(SUMMARY).json()
    assert (empty["ratings"], empty["share"], empty["p"]) == (0, None, 1.0)
    alone = serve().get(SUMMARY)
    assert alone.status_code == 404
    assert alone.json()["error"] == (
        "blind test: 1 models are served; expected two; start the server with two."
    )


def rating(rater: str, source: str = "s") -> Rating:
    return Rating("now", rater, ("a", "b"), source, ("x", "y"), "a")


def test_many_raters_at_once_lose_nothing(tmp_path: Path) -> None:
    path = tmp_path / "j.jsonl"
    judgements = Judgements(("a", "b"), path)
    with ThreadPoolExecutor(8) as pool:
        added = list(pool.map(lambda i: judgements.add(rating(f"r{i % 50}")), range(100)))
    assert sum(added) == 50
    assert Judgements(("b", "a"), path).summary()["wins"] == {"a": 50, "b": 0}
    assert Judgements(("a", "c"), path).summary()["ratings"] == 0


def test_a_line_that_was_cut_off_is_left_behind(tmp_path: Path) -> None:
    path = tmp_path / "j.jsonl"
    Judgements(("a", "b"), path).add(rating("r"))
    with path.open("a", encoding="utf-8") as file:
        file.write('{"time": "no')
    assert Judgements(("a", "b"), path).add(rating("s"))
    with pytest.raises(DataError, match=r"j.jsonl:2: not a judgement .*; take it out, or name"):
        Judgements(("a", "b"), path)
