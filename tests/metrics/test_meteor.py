import random
import shutil
from collections.abc import Sequence
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from saccade.errors import RecipeError
from saccade.metrics.base import interval
from saccade.metrics.meteor import Meteor
from tests.metrics.caption_reference import captions_of_people, peer
from tests.metrics.meteor_tables import write_tables

words = st.sampled_from(["a", "the", "dog", "dogs", "runs", "sits", "red", "ball"])
texts = st.lists(words, max_size=7).map(" ".join)


@pytest.fixture
def _known(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SACCADE_METEOR", str(write_tables(tmp_path / "meteor")))


def test_by_hand() -> None:
    """Four of five words in two chunks: P = R = F = 4/5, penalty 0.6 * (2/4)^0.2."""
    found = Meteor().corpus(["red dog sees old ball"], ["red dog hates old ball"])
    assert found.value == pytest.approx(100 * 0.8 * (1 - 0.6 * 0.5**0.2))
    assert found.detail["precision"] == found.detail["recall"] == pytest.approx(80)
    assert found.detail["fragmentation"] == 0.5
    assert found.detail["exact"] == 4


def test_recall_weighs_more() -> None:
    """P = 1, R = 1/2: F = 1 / (0.15 / 1 + 0.85 / 0.5)."""
    found = Meteor().corpus(["old dog"], ["old dog sees balls"])
    assert found.value == pytest.approx(100 / (0.15 + 1.7) * (1 - 0.6 * 0.5**0.2))


@pytest.mark.usefixtures("_known")
def test_tables_by_hand() -> None:
    """One synonym of content, one function word of two: see the equation of `Meteor`."""
    found = Meteor().corpus(["a hound"], ["the dog"])
    share = 0.75 * 0.8 / (0.75 + 0.25)
    assert found.value == pytest.approx(100 * share * (1 - 0.6))
    assert found.detail["synonym"] == 1
    paraphrased = Meteor().corpus(["beside dog"], ["next to dog"])
    assert paraphrased.detail["paraphrase"] == 1
    precision, recall = 1.6 / 2, (0.6 * 2 + 1) / 3
    mean = 1 / (0.15 / precision + 0.85 / recall)
    assert found.name == "METEOR"
    assert paraphrased.value == pytest.approx(100 * mean)


@pytest.mark.usefixtures("_known")
def test_figures_with_and_without_tables_are_not_mistaken() -> None:
    full, plain = (Meteor(matchers=m).corpus(["a hound"], ["a dog"]) for m in ("full", "stem"))
    assert full.name == "METEOR"
    assert plain.name == "METEOR (words and stems)"
    assert "match:exact,stem,synonym,paraphrase|functions:en" in full.signature
    assert "match:exact,stem|" in plain.signature
    assert full.value > plain.value


def test_tables_that_are_missing_are_named() -> None:
    with pytest.raises(RecipeError, match=r"meteor.matchers: full, but no tables of METEOR were"):
        Meteor(matchers="full")
    assert Meteor().name == "METEOR (words and stems)"


def test_what_is_right_adds_no_chunk() -> None:
    lines = ["a red dog", "the ball"]
    assert Meteor().corpus(lines, lines).value == pytest.approx(100)


def test_readings() -> None:
    assert Meteor().corpus(["A dog ."], ["a dog"]).value == pytest.approx(100)
    kept = Meteor(tokenize="none").corpus(["A dog."], ["a dog"])
    assert kept.value < 100
    assert "norm:meteor|" in kept.signature


@settings(deadline=None, max_examples=60)
@given(own=texts, wanted=st.lists(texts, min_size=1, max_size=4))
def test_laws(own: str, wanted: list[str]) -> None:
    metric = Meteor()
    value = metric.corpus([own], [wanted]).value
    assert 0 <= value <= 100 + 1e-9
    assert metric.corpus([own], [wanted[::-1]]).value == pytest.approx(value)
    assert value == pytest.approx(max(metric.corpus([own], [line]).value for line in wanted))
    if wanted[0]:
        assert metric.corpus([wanted[0]], [wanted]).value == pytest.approx(100)


def test_bootstrap() -> None:
    chance = random.Random(1)
    references = [chance.choices("abcdef", k=6) for _ in range(30)]
    texts = [" ".join(row[:4] + chance.choices("xyz", k=2)) for row in references]
    found = interval(Meteor(), texts, [" ".join(row) for row in references], samples=50)
    assert found.low <= found.value <= found.high


def _scores(
    hypotheses: Sequence[str], references: Sequence[list[str]]
) -> tuple[float, list[float]]:
    if shutil.which("java") is None:
        pytest.skip("pycocoevalcap's METEOR needs java")
    scorer = peer("meteor.meteor").Meteor()
    try:
        given = dict(enumerate(references)), {n: [h] for n, h in enumerate(hypotheses)}
        found: tuple[float, list[float]] = scorer.compute_score(*given)
    finally:
        for pipe in (scorer.meteor_p.stdout, scorer.meteor_p.stderr):
            pipe.close()
    return found


@pytest.mark.slow  # reads five million paraphrases, twice: once there and once here
def test_equals_the_peer_on_captions(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("SACCADE_METEOR")
    hypotheses, references = captions_of_people(300)
    odd = ["The U.S. man's T-shirt, 1,000 ... of them.", "I can't see Mr. Smith (yet)"]
    hypotheses += ["a man 's t-shirt of the us", "mr smith ca n't be seen"]
    references += [[line] for line in odd]
    mean, each = _scores(hypotheses, references)
    metric = Meteor(matchers="full", tokenize="none")
    rows = metric.matrix(hypotheses, references)
    assert [metric.score(row).value / 100 for row in rows] == pytest.approx(each, abs=1e-6)
    assert metric.score(rows.sum(axis=0)).value / 100 == pytest.approx(mean, abs=1e-6)
