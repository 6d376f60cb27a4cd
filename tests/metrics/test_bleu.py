import math
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sacrebleu.metrics.bleu import BLEU

from saccade.metrics.bleu import Bleu, smoothed
from tests.metrics.caption_reference import captions_of_people, peer

words = st.lists(st.sampled_from(["the", "cat", "sat", "on", "a", "mat"]), min_size=4, max_size=12)


def test_by_hand() -> None:
    """Papineni et al. 2002, section 2.1: "the the ..." has a clipped unigram precision of 2/7."""
    found = Bleu().corpus(["the the the the the the the"], ["the cat is on the mat"])
    assert found.detail["precision_1"] == pytest.approx(100 * 2 / 7)
    assert found.detail["bleu_1"] == pytest.approx(100 * 2 / 7)
    assert found.detail["brevity_penalty"] == 1


def test_brevity_penalty_by_hand() -> None:
    found = Bleu().corpus(["a b c d"], ["a b c d e f"])
    assert found.value == pytest.approx(100 * math.exp(1 - 6 / 4))
    assert found.detail["hypothesis_length"] == 4
    assert found.detail["reference_length"] == 6


@pytest.mark.parametrize("order", [1, 2, 3, 4])
@pytest.mark.parametrize("text", ["the cat on a mat sat", "the old trees", "none of it", ""])
def test_cumulative_bleu_is_bleu_of_that_order(order: int, text: str) -> None:
    expected = BLEU(max_ngram_order=order).corpus_score([text], [["the cat sat on a mat"]]).score
    found = Bleu().corpus([text], ["the cat sat on a mat"]).detail[f"bleu_{order}"]
    assert found == pytest.approx(expected, abs=1e-9)


def test_lowercase_and_tokenize_reach_the_scorer() -> None:
    assert Bleu(lowercase=True).corpus(["A B C D"], ["a b c d"]).value == pytest.approx(100)
    assert Bleu().corpus(["A B C D"], ["a b c d"]).value == 0
    assert "tok:char" in Bleu(tokenize="char").corpus(["a"], ["a"]).signature


@pytest.mark.parametrize("order", [1, 2, 3, 4])
@pytest.mark.parametrize("smooth", ["exp", "none"])
def test_order_and_smoothing_reach_the_scorer(order: Any, smooth: Any) -> None:
    texts, wanted = (
        ["the cat on a mat sat", "the old trees"],
        ["the cat sat on a mat", "an old tree"],
    )
    scorer = BLEU(max_ngram_order=order, smooth_method=smooth)
    found = Bleu(order=order, smooth=smooth).corpus(texts, wanted)
    assert found.value == pytest.approx(scorer.corpus_score(texts, [wanted]).score)
    assert found.value == pytest.approx(found.detail[f"bleu_{order}"])
    assert f"bleu_{order + 1}" not in found.detail


def test_without_smoothing_an_order_that_matches_nothing_makes_nothing() -> None:
    assert Bleu().corpus(["the cat a mat"], ["the cat sat on a mat"]).value > 0
    assert Bleu(smooth="none").corpus(["the cat a mat"], ["the cat sat on a mat"]).value == 0


def test_names_say_the_order() -> None:
    assert [Bleu(order=order).name for order in (1, 2, 3, 4)] == [
        "BLEU-1",
        "BLEU-2",
        "BLEU-3",
        "BLEU",
    ]
    assert Bleu(tokenize="captions").name == "BLEU-4"


def test_captions_are_read_without_case_and_punctuation() -> None:
    found = Bleu(tokenize="captions").corpus(["A dog runs , fast ."], ["a dog runs fast"])
    assert found.value == pytest.approx(100)
    assert "tok:captions" in found.signature
    assert "case:lc" in found.signature


def _as_peer(hypotheses: list[str], references: list[list[str]]) -> list[float]:
    scorer = peer("bleu.bleu_scorer").BleuScorer(n=4)
    for hypothesis, row in zip(hypotheses, references, strict=True):
        scorer += (hypothesis, row)
    return [float(value) for value in scorer.compute_score(option="closest", verbose=0)[0]]


@pytest.mark.parametrize("order", [1, 2, 3, 4])
def test_equals_the_peer_on_captions(order: Any) -> None:
    hypotheses, references = captions_of_people(300)
    found = Bleu(order=order, tokenize="captions", smooth="none").corpus(hypotheses, references)
    assert found.value / 100 == pytest.approx(_as_peer(hypotheses, references)[order - 1], abs=1e-6)


def test_equals_the_peer_on_made_up_text() -> None:
    """The shorter of two lengths as near counts: 4 words, of 3 and 5, make no penalty."""
    hypotheses = ["a red dog runs", "two cats sit on a mat"]
    references = [
        ["a red dog", "a red dog runs off"],
        ["two cats sit on mats", "two cats sit on it"],
    ]
    found = Bleu(tokenize="captions", smooth="none").corpus(hypotheses, references)
    assert found.detail["brevity_penalty"] == 1
    expected = _as_peer(hypotheses, references)
    assert [found.detail[f"bleu_{n}"] / 100 for n in (1, 2, 3, 4)] == pytest.approx(
        expected, abs=1e-6
    )


def test_short_segments_score_nothing() -> None:
    assert Bleu().corpus(["yes"], ["yes"]).value == 0


@settings(deadline=None)
@given(words, words)
def test_range_and_best(hypothesis: list[str], reference: list[str]) -> None:
    one, other = " ".join(hypothesis), " ".join(reference)
    assert Bleu().corpus([other], [other]).value == pytest.approx(100)
    assert 0 <= Bleu().corpus([one], [other]).value <= 100 + 1e-9


@settings(deadline=None)
@given(st.data(), words)
def test_shuffling_never_helps(data: st.DataObject, reference: list[str]) -> None:
    shuffled = data.draw(st.permutations(reference))
    found = Bleu().corpus([" ".join(shuffled)], [" ".join(reference)]).value
    assert found <= Bleu().corpus([" ".join(reference)], [" ".join(reference)]).value + 1e-9


def test_smoothed_by_hand() -> None:
    """Lin & Och 2004: 3 of 4 words, (1 + 1) of (3 + 1) pairs, 1 of 3 triples, 1 of 2 fours."""
    found = smoothed(Bleu().stats("a b x d", ["a b c d"]))
    assert found == pytest.approx((3 / 4 * 2 / 4 * 1 / 3 * 1 / 2) ** 0.25)
    short = smoothed(Bleu().stats("a b", ["a b c d"]))
    assert short == pytest.approx(math.exp(1 - 4 / 2))


@pytest.mark.parametrize("text", ["", "a", "a b", "a b c d e"])
def test_smoothed_is_one_for_the_reference_itself(text: str) -> None:
    assert smoothed(Bleu().stats(text, [text])) == pytest.approx(1)
    assert smoothed(Bleu().stats("z", [text])) == 0


@given(words, words)
@settings(max_examples=50, deadline=None)
def test_smoothed_is_a_share(one: list[str], two: list[str]) -> None:
    found = smoothed(Bleu().stats(" ".join(one), [" ".join(two)]))
    assert 0 <= found <= 1


def test_sentences_keep_case_and_the_full_stop() -> None:
    metric = Bleu(tokenize="sentences", smooth="none", order=1)
    found = metric.corpus(["a dog runs"], ["A Dog runs ."])
    assert found.value == pytest.approx(75.0)  # A, runs and . of four
    assert "tok:sentences" in found.signature
    assert metric.name == "BLEU-1"
    lower = Bleu(tokenize="sentences", smooth="none", order=1, lowercase=True)
    assert lower.corpus(["a dog runs"], ["A Dog runs ."]).value == pytest.approx(100.0)
    again = metric.corpus(["A dog runs ."], ["A dog runs ."])
    assert again.value == pytest.approx(100.0)  # one that is written already stays
    assert metric.corpus([""], ["A dog ."]).value == 0.0


def test_code_is_cut_into_names_and_marks() -> None:
    """The figure is that of CoNaLa's own evaluation: `spaced` are its tokens."""
    hypothesis, reference = "df['aName']=sum(x_1)", 'df["aName"] = sum(x_2, 3)'
    spaced = ["df [ ` a Name ` ] = sum ( x_1 )", "df [ ` a Name ` ] = sum ( x_2 , 3 )"]
    found = Bleu(tokenize="code", smooth="none").corpus([hypothesis], [reference])
    assert found.value == Bleu(tokenize="none", smooth="none").corpus(spaced[:1], spaced[1:]).value
    assert "tok:code" in found.signature
    assert found.detail["hypothesis_length"] == 12
