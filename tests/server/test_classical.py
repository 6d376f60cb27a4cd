"""Models without a network on the server: what they write, how likely it is, and their pictures."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from fastapi.testclient import TestClient
from rich.console import Console

from saccade import recipe as recipes
from saccade import run
from saccade.inspections.base import views_of_page
from saccade.server.app import create_app
from saccade.server.models import open_models
from tests.cli.conftest import SOURCES, TARGETS

PAIRS = """
name: {name}
data:
  train: {{kind: text, source: {place}/train.source, target: {place}/train.target}}
  valid: {{kind: text, source: {place}/train.source, target: {place}/train.target}}
  {joint}source: {{tokenizer: {tokenizer}}}
  target: {{tokenizer: {tokenizer}}}
model: {{kind: {name}}}
training: {{threads: 1, metrics: []}}
decoding: {{search: {search}, metrics: []}}
"""
BLOCKS = """
name: ngram
data:
  train: {{kind: blocks, path: {place}/train.target, size: 16}}
  valid: {{kind: blocks, path: {place}/train.target, size: 16}}
  target: {{tokenizer: character}}
model: {{kind: ngram, order: 3}}
training: {{threads: 1}}
decoding: {{search: {{kind: sample, temperature: 0.8}}, max_extra: 20, metrics: []}}
"""
NUMBERS = """
name: kalman
data:
  train: {{kind: tsv, path: {place}/train.tsv}}
  valid: {{kind: tsv, path: {place}/train.tsv}}
  source: {{kind: numbers}}
  target: {{kind: numbers}}
model: {{kind: kalman, structure: trend, iterations: 2}}
training: {{threads: 1}}
decoding: {{metrics: [mae]}}
"""
SEARCHES = {  # of models of pairs; True if a beam can stand for it
    "ibm1": ("greedy", True),
    "hmm_alignment": ("beam", True),
    "hmm": ("viterbi", False),
    "phrase_based": ("stack", True),
    "noisy_channel": ("beam", True),
}
VIEWS = {"hmm": "trellis", "phrase_based": "phrases", "kalman": "output"}


@pytest.fixture(scope="module")
def client(tmp_path_factory: pytest.TempPathFactory) -> Iterator[TestClient]:
    place = tmp_path_factory.mktemp("classical")
    (place / "train.source").write_text("".join(f"{one}\n" for one in SOURCES * 2))
    (place / "train.target").write_text("".join(f"{one}\n" for one in TARGETS * 2))
    waves = [" ".join(str((k + n) % 4) for n in range(12)) for k in range(4)]
    (place / "train.tsv").write_text("".join(f"{one}\t1 2 3\n" for one in waves))
    texts = {"ngram": BLOCKS, "kalman": NUMBERS}
    for name, (search, _) in SEARCHES.items():
        letters = name == "noisy_channel"
        texts[name] = PAIRS
        texts[name] = PAIRS.replace("{search}", search)
        texts[name] = texts[name].replace("{tokenizer}", "character" if letters else "word")
        texts[name] = texts[name].replace("{joint}", "joint: true\n  " if letters else "")
    for name, text in texts.items():
        recipe = recipes.parse(text.format(name=name, place=place))
        run.train(recipe, place / name, console=Console(quiet=True))
    with TestClient(create_app(open_models([str(place / name) for name in texts]))) as found:
        yield found


@pytest.mark.parametrize("name", ["ngram", "kalman", *SEARCHES])
def test_everything_is_answered(client: TestClient, name: str) -> None:
    (told,) = (m for m in client.get("/v1/models").json()["models"] if m["name"] == name)
    assert told["beams"] is SEARCHES.get(name, ("", False))[1]
    assert VIEWS.get(name, "beam") in told["views"]
    text = "0 1 2 3 0 1 2 3" if name == "kalman" else SOURCES[1]
    asked = {"model": name, "text": text}
    answer = client.post("/v1/predict", json=asked)
    assert answer.status_code == 200, answer.text
    plain = answer.json()["results"][0]
    assert plain["text"]
    for view in told["views"]:
        for words in (False, True):
            more = {"views": [view], "words": words, "want": ["alignment"] * ("attention" in view)}
            answer = client.post("/v1/predict", json={**asked, **more})
            assert answer.status_code == 200, answer.text
            seen = answer.json()["results"][0]
            assert seen["text"] == plain["text"]
            assert seen["views"][view].startswith("<svg")
    score = client.post("/v1/score", json={"model": name, "source": text, "target": TARGETS[1]})
    if name == "kalman":
        assert score.status_code == 400
        assert "this model writes values, which have no probability" in score.text
    else:
        assert score.json()["results"][0]["score"] < 0


def test_the_page_has_a_title_for_every_view() -> None:
    page = Path(__file__).parents[2] / "saccade" / "server" / "page" / "answer.js"
    (line,) = (x for x in page.read_text("utf-8").splitlines() if x.startswith("const VIEWS ="))
    assert [name for name in views_of_page() if f" {name}: " not in line] == []
