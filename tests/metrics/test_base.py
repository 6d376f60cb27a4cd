import math
import random
import subprocess
import sys
from pathlib import Path

import pytest

from saccade.errors import DataError, RecipeError
from saccade.metrics.base import Score, interval, paired, perplexity
from saccade.metrics.bleu import Bleu
from saccade.metrics.chrf import Chrf
from saccade.metrics.exact_match import ExactMatch
from saccade.metrics.wer import Wer

PACKAGE = Path(__file__).parents[2] / "saccade"
WORDS = ["the", "a", "cat", "dog", "house", "tree", "runs", "sees", "near", "under", "old", "blue"]


def _corpus(n: int, noise: float, seed: int) -> tuple[list[str], list[str]]:
    """Sentences and copies of them in which each word is another with chance `noise`."""
    chance, text = random.Random(seed), random.Random(0)
    references = [text.choices(WORDS, k=text.randint(5, 12)) for _ in range(n)]
    spoilt = [
        [chance.choice(WORDS) if chance.random() < noise else w for w in line]
        for line in references
    ]
    return [" ".join(line) for line in spoilt], [" ".join(line) for line in references]


def test_score_prints_short() -> None:
    assert str(Score("BLEU", 34.20999)) == "BLEU 34.21"


def test_counts_that_differ_are_named() -> None:
    with pytest.raises(DataError, match="BLEU: 3 hypotheses but 2 references; line n of one must"):
        Bleu().corpus(["a", "b", "c"], ["a", "b"])


def test_counts_that_differ_are_named_when_systems_are_compared() -> None:
    with pytest.raises(DataError, match="WER: 1 hypotheses but 2 references"):
        paired(Wer(), ["a", "b"], ["a"], ["a", "b"])


def test_empty_corpus_is_refused() -> None:
    with pytest.raises(DataError, match="WER: 0 hypotheses; a score needs one or more"):
        Wer().corpus([], [])


def test_segment_without_reference_is_named() -> None:
    with pytest.raises(DataError, match="WER: segment 2 has 0 references; expected one or more"):
        Wer().corpus(["a", "b"], [["a"], []])


def test_matrix_has_a_row_for_each_segment() -> None:
    rows = Wer().matrix(["a b", "c"], ["a b", "d"])
    assert rows.tolist() == [[0, 0, 0, 2], [1, 0, 0, 1]]


@pytest.mark.parametrize("metric", [Bleu(), Chrf(), Wer(), ExactMatch()], ids=lambda m: m.name)
def test_interval_holds_the_value(metric: Bleu) -> None:
    hypotheses, references = _corpus(60, 0.2, seed=1)
    found = interval(metric, hypotheses, references, samples=200)
    assert found.low < found.value < found.high
    assert found.value == metric.corpus(hypotheses, references).value


def test_interval_is_reproduced_by_its_seed() -> None:
    hypotheses, references = _corpus(40, 0.3, seed=1)
    first, again, other = (
        interval(Wer(), hypotheses, references, samples=100, seed=seed) for seed in (5, 5, 6)
    )
    assert first == again
    assert first != other


def test_interval_narrows_with_level_and_with_more_text() -> None:
    hypotheses, references = _corpus(200, 0.3, seed=1)
    wide = interval(Wer(), hypotheses, references, samples=300)
    narrow = interval(Wer(), hypotheses, references, samples=300, level=0.5)
    few = interval(Wer(), hypotheses[:20], references[:20], samples=300)
    assert wide.low < narrow.low < narrow.high < wide.high
    assert few.high - few.low > wide.high - wide.low


def test_interval_of_a_share_is_the_binomials() -> None:
    """30 right of 100: standard error sqrt(.3 * .7 / 100) = 4.58 points, 95% is 1.96 of those."""
    references = ["x"] * 100
    found = interval(ExactMatch(), ["x"] * 30 + ["y"] * 70, references, samples=4000)
    assert found.low == pytest.approx(30 - 1.96 * 4.58, abs=1.5)
    assert found.high == pytest.approx(30 + 1.96 * 4.58, abs=1.5)


def test_blocks_do_not_change_the_draws(monkeypatch: pytest.MonkeyPatch) -> None:
    hypotheses, references = _corpus(30, 0.3, seed=1)
    whole = interval(Wer(), hypotheses, references, samples=50)
    monkeypatch.setattr("saccade.metrics.base._BLOCK", 100)
    assert interval(Wer(), hypotheses, references, samples=50) == whole


@pytest.mark.parametrize("metric", [Bleu(), Wer()], ids=lambda m: m.name)
def test_a_system_does_not_differ_from_itself(metric: Bleu) -> None:
    hypotheses, references = _corpus(30, 0.2, seed=1)
    found = paired(metric, hypotheses, list(hypotheses), references, samples=100)
    assert found.difference == 0
    assert found.p_value == 1


@pytest.mark.parametrize("metric", [Bleu(), Wer()], ids=lambda m: m.name)
def test_systems_far_apart_differ(metric: Bleu) -> None:
    good, references = _corpus(80, 0.1, seed=1)
    bad, _ = _corpus(80, 0.5, seed=2)
    found = paired(metric, good, bad, references, samples=400)
    turned = paired(metric, bad, good, references, samples=400)
    assert (found.difference > 0) == metric.higher_is_better
    assert found.difference == pytest.approx(found.a - found.b)
    assert found.p_value == turned.p_value == pytest.approx(1 / 401)


def test_chance_alone_is_seldom_significant() -> None:
    """Systems equally good: p below 0.1 in about a tenth of the trials."""
    references = ["x"] * 100
    trials, small = 150, 0
    for trial in range(trials):
        chance = random.Random(trial)
        a, b = ([chance.choice("xxy") for _ in references] for _ in range(2))
        small += paired(ExactMatch(), a, b, references, samples=200).p_value < 0.1
    assert 0.02 * trials < small < 0.2 * trials


def test_bootstrap_options_are_checked() -> None:
    with pytest.raises(RecipeError, match="bootstrap: samples is 0; expected 1 or more"):
        interval(Wer(), ["a"], ["a"], samples=0)
    with pytest.raises(RecipeError, match="interval: level is 95; expected between 0 and 1"):
        interval(Wer(), ["a"], ["a"], level=95)


def test_perplexity() -> None:
    assert perplexity(10 * math.log(1 / 7), 10) == pytest.approx(7)
    assert perplexity(0.0, 3) == 1
    assert perplexity(-1e6, 1) == math.inf
    with pytest.raises(DataError, match="perplexity: a log-probability of 0 symbols; expected 1"):
        perplexity(-1.0, 0)


def test_metrics_need_no_torch() -> None:
    code = (  # the room by itself, without the package's own imports
        "import sys, types; package = types.ModuleType('saccade');"
        f"package.__path__ = [{str(PACKAGE)!r}]; sys.modules['saccade'] = package;"
        "from saccade.metrics.base import Metric;"
        "from saccade.parts import find, kinds;"
        "[find(Metric, kind) for kind in kinds(Metric)]; sys.exit('torch' in sys.modules)"
    )
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0
