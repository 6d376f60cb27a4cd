import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from saccade.metrics.rouge import Rouge
from tests.metrics.caption_reference import captions_of_people, peer

words = st.sampled_from(["a", "the", "dog", "cat", "runs", "sits", "red"])
texts = st.lists(words, max_size=7).map(" ".join)
KINDS = [
    Rouge(),
    Rouge(measure="f1"),
    Rouge(variant="rouge_1", measure="f1"),
    Rouge(variant="rouge_2"),
]


def test_by_hand() -> None:
    """Lin 2004, section 3: S1 "police killed the gunman", S2 "police kill the gunman", S3
    "the gunman kill police": ROUGE-L with beta 1 is 3/4 and 2/4; both have one pair of words."""
    longest = Rouge(measure="f1")
    assert longest.corpus(["police kill the gunman"], ["police killed the gunman"]).value == 75
    assert longest.corpus(["the gunman kill police"], ["police killed the gunman"]).value == 50
    pairs = Rouge(variant="rouge_2", measure="f1")
    for text in ("police kill the gunman", "the gunman kill police"):
        assert pairs.corpus([text], ["police killed the gunman"]).value == pytest.approx(100 / 3)


def test_captions_take_precision_and_recall_of_different_references() -> None:
    found = Rouge().corpus(["a b"], [["a b c d", "a"]])
    assert found.detail == {"precision": 100, "recall": 100}
    assert found.value == 100
    alone = Rouge(measure="f1").corpus(["a b"], [["a b c d", "a"]])
    assert alone.value == pytest.approx(100 * 2 / 3)


def test_beta_by_hand() -> None:
    found = Rouge().corpus(["a b"], ["a b c d"]).value
    assert found == pytest.approx(100 * (1 + 1.44) * 0.5 / (0.5 + 1.44))


def test_readings() -> None:
    assert Rouge().corpus(["A dog."], ["a dog"]).value == 100
    assert Rouge(tokenize="none").corpus(["A dog."], ["a dog"]).value == 0
    assert Rouge(tokenize="alphanumeric").corpus(["A-dog"], ["a dog"]).value == 100
    assert "tok:alphanumeric" in Rouge(tokenize="alphanumeric").corpus(["a"], ["a"]).signature


def test_names_say_the_variant() -> None:
    assert [kind.name for kind in KINDS] == ["ROUGE-L", "ROUGE-L", "ROUGE-1", "ROUGE-2"]


def test_means_of_segments() -> None:
    found = Rouge().corpus(["a", "b"], ["a", "a"])
    assert found.value == 50


@pytest.mark.parametrize("metric", KINDS)
@settings(deadline=None, max_examples=40)
@given(own=texts, wanted=st.lists(texts, min_size=1, max_size=4))
def test_laws(metric: Rouge, own: str, wanted: list[str]) -> None:
    value = metric.corpus([own], [wanted]).value
    assert 0 <= value <= 100 + 1e-9
    assert metric.corpus([own], [wanted[::-1]]).value == pytest.approx(value)
    assert value >= max(metric.corpus([own], [line]).value for line in wanted) - 1e-9
    assert metric.corpus([wanted[0]], [wanted]).value == pytest.approx(100)


def test_equals_the_peer() -> None:
    scorer = peer("rouge.rouge").Rouge()
    hypotheses, references = captions_of_people(300)
    expected = [
        scorer.calc_score([own], row) for own, row in zip(hypotheses, references, strict=True)
    ]
    found = Rouge().matrix(hypotheses, references)[:, 0]
    assert found == pytest.approx(expected, abs=1e-9)


@pytest.mark.parametrize("text", ["a b c", "c b a", "", "b"])
def test_equals_the_peer_on_made_up_text(text: str) -> None:
    scorer = peer("rouge.rouge").Rouge()
    row = ["a b", "c d e b"]
    assert Rouge().stats(text, row)[0] == pytest.approx(scorer.calc_score([text], row))
