"""What every metric promises, tried on each that is found in the folder."""

import inspect
import itertools
import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from saccade.metrics.base import Metric
from saccade.parts import find, kinds, schema

KINDS = [kind for kind in kinds(Metric) if find(Metric, kind).raw == "text"]  # see test_forecasters
sentences = st.lists(
    st.sampled_from(["the", "a", "cat", "Dog", "sat,", "on", "é."]), min_size=4, max_size=9
)
texts = sentences.map(" ".join)
pairs = st.lists(st.tuples(texts, st.lists(texts, min_size=1, max_size=3)), min_size=1, max_size=5)
OWN_SCALE = {"cider"}  # identical text is best there too, but its figure depends on the set
loose = st.text("ab .é\u0301\n", max_size=8)


@pytest.fixture(params=KINDS, scope="module")
def metric(request: pytest.FixtureRequest) -> Metric:
    return find(Metric, request.param)()


def _better(metric: Metric, one: float, other: float) -> bool:
    return one >= other - 1e-9 if metric.higher_is_better else one <= other + 1e-9


def test_the_known_ones_are_found() -> None:
    expected = {"bleu", "chrf", "ter", "wer", "per", "cer", "exact_match", "error_rate"}
    assert expected <= set(KINDS)


def test_names_differ() -> None:
    names = [find(Metric, kind)().name for kind in KINDS]
    assert len(set(names)) == len(names)
    labels = [find(Metric, kind).label for kind in KINDS]
    assert len(set(filter(None, labels))) == sum(map(bool, labels))


def test_options_have_defaults(metric: Metric) -> None:
    assert all(
        option.default is not inspect.Parameter.empty for option in schema(type(metric)).values()
    )


@settings(max_examples=25, deadline=None)
@given(corpus=pairs)
def test_corpus_is_the_score_of_the_sum(
    metric: Metric, corpus: list[tuple[str, list[str]]]
) -> None:
    hypotheses, references = [h for h, _ in corpus], [r for _, r in corpus]
    own = metric.fitted(references)
    rows = [own.stats(h, r) for h, r in corpus]
    assert all(row.dtype == np.float64 and row.shape == rows[0].shape for row in rows)
    assert np.array_equal(metric.matrix(hypotheses, references), np.stack(rows))
    whole = metric.corpus(hypotheses, references)
    assert whole == own.score(np.stack(rows).sum(axis=0))
    assert whole.name == metric.name
    assert whole.higher_is_better == metric.higher_is_better
    assert whole.signature


@settings(max_examples=25, deadline=None)
@given(corpus=pairs, data=st.data())
def test_order_does_not_matter(
    metric: Metric, corpus: list[tuple[str, list[str]]], data: st.DataObject
) -> None:
    turned = data.draw(st.permutations(corpus))
    one = metric.corpus([h for h, _ in corpus], [r for _, r in corpus])
    other = metric.corpus([h for h, _ in turned], [list(reversed(r)) for _, r in turned])
    assert other.value == pytest.approx(one.value)


@settings(max_examples=25, deadline=None)
@given(corpus=st.lists(st.tuples(texts, texts), min_size=1, max_size=5))
def test_identical_text_is_best(metric: Metric, corpus: list[tuple[str, str]]) -> None:
    hypotheses, references = [h for h, _ in corpus], [r for _, r in corpus]
    best = metric.corpus(references, references).value
    if type(metric).__module__.rpartition(".")[2] not in OWN_SCALE:
        assert best == pytest.approx(100 if metric.higher_is_better else 0)
    assert _better(metric, best, metric.corpus(hypotheses, references).value)


@settings(max_examples=25, deadline=None)
@given(hypothesis=loose, reference=loose)
def test_any_text_has_a_figure(metric: Metric, hypothesis: str, reference: str) -> None:
    for one, other in itertools.product((hypothesis, ""), (reference, "")):
        found = metric.corpus([one], [other])
        assert math.isfinite(found.value)
        assert found.value >= 0
        assert all(math.isfinite(value) for value in found.detail.values())


def test_what_is_fitted_stays_so(metric: Metric) -> None:
    whole = metric.fitted([["a cat sat on a mat"], ["the dog ran off", "a dog ran"]])
    assert whole.fitted([["nothing of it"]]) is whole
    row = whole.stats("a dog sat on a mat", ["a cat sat on a mat"])
    assert np.array_equal(whole.matrix(["a dog sat on a mat"], ["a cat sat on a mat"]), [row])


def test_a_copy_of_the_corpus_changes_nothing(metric: Metric) -> None:
    hypotheses = ["the cat sat on the mat", "a dog ran off"]
    references = ["the cat lay on the mat", "a dog ran off"]
    own = metric.fitted(references)
    once = own.corpus(hypotheses, references).value
    assert own.corpus(hypotheses * 3, references * 3).value == pytest.approx(once)
