"""Raters choose without knowing; the counts know."""

import json
import math
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from fastapi.testclient import TestClient

from saccade.errors import DataError, RecipeError
from saccade.server.judgements import Judgements, Rating, clopper_pearson
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
        "blind test: 1 models are served; expected two; start the server with two, or with --blind"
        " reference."
    )
    assert serve().get("/v1/blind").json() == {"rival": None}
    assert client.get("/v1/blind").json() == {"rival": "models"}
    told = client.post(
        "/v1/blind",
        json={"id": given["id"], "rater": "ann", "choice": "same", "machine": "left"},
    )
    assert told.status_code == 400
    assert "machine: found left; expected nothing, since both outputs are by machines" in told.text


@pytest.fixture
def wrong(pair: list[Served]) -> Served:
    """A model beside what it should have written."""
    return replace(pair[1], examples=pair[0].examples)


def test_a_model_beside_a_person(serve: Serve, wrong: Served, tmp_path: Path) -> None:
    path = tmp_path / "judgements.jsonl"
    client = serve(wrong, judgements=path, blind="reference")
    assert client.get("/v1/blind").json() == {"rival": "reference"}
    fooled = 0
    for rater in ("ann", "bob", "cleo"):
        while not (given := following(client, rater)).get("done"):
            person = TARGETS[SOURCES.index(given["source"])]
            better = "left" if given["left"] == person else "right"
            assert given[better] == person
            guess = better if rater == "cleo" else {"left": "right", "right": "left"}[better]
            fooled += guess == better
            body = {"id": given["id"], "rater": rater, "choice": better}
            bare = client.post("/v1/blind", json=body)
            assert bare.status_code == 400
            assert "machine: found nothing; expected left or right, the output that" in bare.text
            assert client.post("/v1/blind", json={**body, "machine": guess}).json() == {"ok": True}
    told = client.get(SUMMARY).json()
    assert told["models"] == ["odd", "reference"]
    assert told["wins"] == {"odd": 0, "reference": 6}
    assert told["share"] == told["low"] == 0.0
    assert (told["machine"]["right"], told["machine"]["wrong"], fooled) == (4, 2, 2)
    assert told["machine"]["share"] == pytest.approx(4 / 6)
    near = (told["machine"]["low"], told["machine"]["high"])
    assert near == pytest.approx(clopper_pearson(4, 6))
    assert told["equal"] == 2
    rows = [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]
    assert [row["machine"] for row in rows] == ["odd"] * 4 + ["reference"] * 2
    assert rows[0]["models"] == ["odd", "reference"]
    resumed = serve(wrong, judgements=path, blind="reference")
    assert resumed.get(SUMMARY).json()["machine"] == told["machine"]
    assert serve(wrong, blind="reference").get(SUMMARY).json()["machine"]["share"] is None


def test_who_cannot_be_compared_with_a_person(serve: Serve, tiny: Served) -> None:
    with pytest.raises(RecipeError, match="carries no examples to compare with; expected example"):
        serve(replace(tiny, examples=()), blind="reference")
    with pytest.raises(RecipeError, match="the model is called 'reference' too; expected another"):
        serve(replace(tiny, name="reference"), blind="reference")


def test_a_picture_cannot_be_shown(serve: Serve, seer: Served) -> None:
    with pytest.raises(RecipeError, match="seer does not read and write text; expected a model"):
        serve(seer, blind="reference")


@pytest.mark.parametrize(("wins", "n"), [(0, 7), (1, 1), (3, 10), (8, 10), (17, 17), (40, 90)])
def test_the_interval_is_where_the_exact_tails_are(wins: int, n: int) -> None:
    def chance(counts: range, p: float) -> float:
        return sum(math.comb(n, k) * p**k * (1 - p) ** (n - k) for k in counts)

    low, high = clopper_pearson(wins, n)
    if wins:
        assert chance(range(wins, n + 1), low) == pytest.approx(0.025)
    if wins < n:
        assert chance(range(wins + 1), high) == pytest.approx(0.025)
    assert (low == 0.0, high == 1.0) == (wins == 0, wins == n)
    mirrored = clopper_pearson(n - wins, n)
    assert (1 - mirrored[1], 1 - mirrored[0]) == pytest.approx((low, high), abs=1e-9)


def test_the_interval_of_many_is_narrow() -> None:
    low, high = clopper_pearson(50_000, 100_000)
    assert (low, high) == pytest.approx((0.4969, 0.5031), abs=1e-4)


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
