"""Every figure made from private statistics equals the one sacrebleu makes in public."""

import subprocess
import sys

import pytest
import sacrebleu
from sacrebleu.metrics.bleu import BLEU
from sacrebleu.metrics.chrf import CHRF
from sacrebleu.metrics.ter import TER

from saccade.metrics.bleu import Bleu
from saccade.metrics.chrf import Chrf
from saccade.metrics.ter import Ter

HYPOTHESES = [
    "The minister said on Tuesday that the talks had been put off until next week.",
    "It's raining (again), and the 3,500 visitors don't mind.",
    "Where did you put the keys of my car?",
    "",
    "Yes.",
    "Der Zug nach München fährt um 8:15 Uhr ab – hoffentlich.",
]
FIRST = [
    "On Tuesday the minister said that the talks had been postponed until next week.",
    "It is raining again, and the 3,500 visitors do not mind.",
    "Where have you put the keys to my car?",
    "Nothing was said.",
    "Yes.",
    "Der Zug nach München fährt um 8:15 Uhr – hoffentlich.",
]
SECOND = [
    "The talks were put off until next week, the minister said on Tuesday.",
    "It's raining, again, but the 3500 visitors don't mind!",
    "Where did you leave my car keys?",
    "No word was spoken.",
    "Yes, it is.",
    "Um 8:15 Uhr fährt hoffentlich der Zug nach München ab.",
]
BOTH = [list(pair) for pair in zip(FIRST, SECOND, strict=True)]
CLOSE = pytest.approx


@pytest.mark.parametrize("tokenize", ["13a", "none", "intl", "char", "zh"])
@pytest.mark.parametrize("lowercase", [False, True])
def test_bleu_is_sacrebleus(tokenize: str, lowercase: bool) -> None:
    ours = Bleu(tokenize=tokenize, lowercase=lowercase)  # type: ignore[arg-type]
    theirs = BLEU(tokenize=tokenize, lowercase=lowercase)
    one, two = ours.corpus(HYPOTHESES, FIRST), ours.corpus(HYPOTHESES, BOTH)
    assert one.value == CLOSE(theirs.corpus_score(HYPOTHESES, [FIRST]).score, abs=1e-9)
    assert one.signature == str(theirs.get_signature())
    assert two.value == CLOSE(theirs.corpus_score(HYPOTHESES, [FIRST, SECOND]).score, abs=1e-9)
    assert two.signature == str(theirs.get_signature())
    assert 0 < one.value < two.value < 100


def test_plain_functions_agree() -> None:
    references = [FIRST, SECOND]
    bleu, chrf, ter = Bleu(), Chrf(word_order=2), Ter()
    expected = sacrebleu.corpus_bleu(HYPOTHESES, references).score
    assert bleu.corpus(HYPOTHESES, BOTH).value == CLOSE(expected, abs=1e-9)
    expected = sacrebleu.corpus_chrf(HYPOTHESES, references, word_order=2).score
    assert chrf.corpus(HYPOTHESES, BOTH).value == CLOSE(expected, abs=1e-9)
    expected = sacrebleu.corpus_ter(HYPOTHESES, references).score
    assert ter.corpus(HYPOTHESES, BOTH).value == CLOSE(expected, abs=1e-9)


@pytest.mark.parametrize("word_order", [0, 1, 2])
def test_chrf_is_sacrebleus(word_order: int) -> None:
    ours, theirs = Chrf(word_order=word_order), CHRF(word_order=word_order)  # type: ignore[arg-type]
    for mine, columns in ((FIRST, [FIRST]), (BOTH, [FIRST, SECOND])):
        found, expected = ours.corpus(HYPOTHESES, mine), theirs.corpus_score(HYPOTHESES, columns)
        assert found.value == CLOSE(expected.score, abs=1e-9)
        assert found.name == expected.name
        assert found.signature == str(theirs.get_signature())


def test_ter_is_sacrebleus() -> None:
    ours, theirs = Ter(), TER()
    for mine, columns in ((FIRST, [FIRST]), (BOTH, [FIRST, SECOND])):
        found, expected = ours.corpus(HYPOTHESES, mine), theirs.corpus_score(HYPOTHESES, columns)
        assert found.value == CLOSE(expected.score, abs=1e-9)
        assert found.signature == str(theirs.get_signature())
        assert found.detail["edits"] == expected.num_edits


def test_signature_counts_references() -> None:
    one = Bleu().corpus(["a b", "c d"], ["a b", "c d"])
    two = Bleu().corpus(["a b", "c d"], [["a b", "b"], ["c d", "d"]])
    mixed = Bleu().corpus(["a b", "c d"], [["a b", "b"], ["c d"]])
    assert one.signature.startswith("nrefs:1|")
    assert two.signature.startswith("nrefs:2|")
    assert mixed.signature.startswith("nrefs:var|")
    assert one.signature.endswith(f"|version:{sacrebleu.__version__}")


def test_it_is_imported_when_a_metric_is_built() -> None:
    code = (
        "import sys; from saccade.metrics.bleu import Bleu; assert 'sacrebleu' not in sys.modules;"
        " Bleu(); assert 'sacrebleu' in sys.modules"
    )
    subprocess.run([sys.executable, "-c", code], check=True)
