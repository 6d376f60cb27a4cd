"""The outputs are what they are called, and the scores are those of sacrebleu."""

import random

import pytest
import sacrebleu

from saccade.explanations import bleu
from saccade.explanations.base import explain
from saccade.explanations.bleu import _GROUPS


def words(text: str) -> list[str]:
    return sorted(text.lower().removesuffix(".").replace(",", "").split())


@pytest.mark.parametrize("group", _GROUPS, ids=lambda group: group.wrong)
def test_what_is_wrong_has_the_words_of_the_reference(group: bleu._Group) -> None:
    first = group.references[0]
    assert words(group.wrong) == words(first)
    assert group.wrong != first
    assert words(bleu._shuffled(first, random.Random(3))) == words(first)
    assert group.paraphrase not in group.references


def test_bleu_is_that_of_sacrebleu() -> None:
    found = explain("bleu").figures
    outputs = [group.paraphrase for group in _GROUPS]
    columns = [[group.references[i] for group in _GROUPS] for i in range(3)]
    several = sacrebleu.corpus_bleu(outputs, columns).score
    assert found["BLEU right, 3 references"] == pytest.approx(several)
    one = sacrebleu.corpus_bleu(outputs, columns[:1]).score
    assert found["BLEU right, 1 reference"] == pytest.approx(one)


def test_the_wrong_sentences_are_preferred() -> None:
    found = explain("bleu")
    for metric in ("BLEU", "chrF", "METEOR", "ROUGE-L"):
        wrong = found.figures[f"{metric} wrong, same words"]
        assert found.figures[f"{metric} right, 1 reference"] < wrong
    assert "4 of 4 metrics prefer the wrong sentences" in found.said
