"""Which outputs are the best and the worst, and how widely a model looked for which words."""

from collections.abc import Mapping

import numpy as np
import pytest

from saccade.look import grounding as room
from saccade.look.gallery import gallery_of, usual_metric
from saccade.look.grounding import FUNCTION_WORDS, NOUNS, attended, grounding
from saccade.look.inspection import attention_maps
from saccade.metrics.base import Metric
from saccade.nouns import Example
from saccade.parts import Part
from saccade.predict.evaluation import Evaluation, evaluate
from saccade.views.cells import entropy, share_of_most
from tests.look.test_inspection import translator

CHRF = Part(Metric, "chrf")


@pytest.fixture(scope="module")
def found() -> Evaluation:
    asked = translator("bahdanau")
    several = [f"{a} {b}" for a in ("two", "a", "cats") for b in ("cats", "cat", "two a")]
    written = {text: one.text for text, one in zip(several, asked.predict(several), strict=True)}
    texts = [text for text in several if len(written[text]) > 3][:4]
    outputs = [written[text] for text in texts]
    references = [(outputs[0],), ("zzz", "yyy"), (f"{outputs[2]} and so on",), (outputs[3],)]
    examples = [Example({"source": text}, row) for text, row in zip(texts, references, strict=True)]
    return evaluate(asked, examples, split="test", metrics=[CHRF])


def test_best_come_first_and_worst_last(found: Evaluation) -> None:
    shown = gallery_of("x", found, CHRF, n=2)
    scores = [one.score for one in (*shown.best, *shown.worst)]
    assert [one.rank for one in shown.best] == [1, 2]
    assert [one.rank for one in shown.worst] == [4, 3]
    assert scores[0] == scores[1] == pytest.approx(100.0)
    assert shown.worst[0].references == ["zzz", "yyy"]
    assert shown.worst[0].score < shown.worst[1].score < 100
    assert shown.summary["of all"] == f"{found.figures['chrf'].score.value:.2f}"
    assert all(one.picture.startswith("<svg") for one in shown.best)


def test_equal_scores_are_ranked_by_the_model(found: Evaluation) -> None:
    best = gallery_of("x", found, CHRF, n=2).best
    own = {one.source_text: one.score for one in found.predictions}
    assert own[best[0].sources["Source"]] >= own[best[1].sources["Source"]]


def test_a_metric_of_errors_is_turned_round(found: Evaluation) -> None:
    shown = gallery_of("x", found, Part(Metric, "cer"), n=1)
    assert shown.best[0].score == 0.0
    assert shown.worst[0].references == ["zzz", "yyy"]


def test_none_is_both_best_and_worst(found: Evaluation) -> None:
    ranks = gallery_of("x", found, CHRF, n=50)
    assert [one.rank for one in (*ranks.best, *ranks.worst)] == [1, 2, 4, 3]


def test_the_usual_metric_tells_sentences_apart() -> None:
    assert usual_metric([Part(Metric, "bleu"), Part(Metric, "ter")]).kind == "ter"
    assert usual_metric([Part(Metric, "bleu")]).kind == "chrf"


def test_no_word_is_of_two_kinds() -> None:
    assert not FUNCTION_WORDS & NOUNS
    assert {"of", "with", "is"} <= FUNCTION_WORDS
    assert {"dog", "circle"} <= NOUNS


def test_words_have_the_attention_of_their_pieces(found: Evaluation) -> None:
    one = found.predictions[0]
    rows = attended(one)
    assert "".join(word for word, _ in rows) == one.text.replace(" ", "").lower()
    for _, weights in rows:
        assert weights.sum() == pytest.approx(1.0, abs=1e-4)
    assert len(attention_maps(one)) == 1


def test_kinds_of_words_are_measured(found: Evaluation, monkeypatch: pytest.MonkeyPatch) -> None:
    sharp, wide = np.eye(8)[2], np.full(8, 1 / 8)
    rows = [("dog", sharp), ("of", wide), ("a", wide), ("red", np.array([0.5, 0.5, *[0] * 6]))]
    monkeypatch.setattr(room, "attended", lambda _: rows)
    table = {row.kind: row for row in grounding(found.predictions)}
    assert [*table] == ["nouns", "function words", "other words"]
    assert {kind: row.count for kind, row in table.items()} == {
        "nouns": 4,
        "function words": 8,
        "other words": 4,
    }
    assert [row.entropy for row in table.values()] == [entropy(sharp), 3.0, 1.0]
    assert table["function words"].share == pytest.approx(share_of_most(wide))
    assert table["function words"].words == ("of", "a")
    monkeypatch.setattr(room, "attended", lambda _: [("chien", sharp)] * 20)
    assert grounding(found.predictions) == []  # hardly English
    assert grounding([]) == []


def test_a_model_without_attention_has_none() -> None:
    class Blind:
        attention_maps: Mapping[str, object] = {}

    assert attended(Blind()) == []  # type: ignore[arg-type]
