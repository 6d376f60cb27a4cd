import math
from pathlib import Path
from types import SimpleNamespace
from typing import cast

import pytest

from saccade.data.prepare import batches_of, prepare
from saccade.metrics.base import Metric, name_of
from saccade.nouns import Example, pair
from saccade.parts import Part, kinds
from saccade.predict.evaluation import (
    Likelihood,
    by_length,
    evaluate,
    figures_of,
    likelihood_of,
    loss_of,
    without_unknown,
)
from saccade.predict.prediction import Prediction
from tests.train import small


def test_the_loss_is_that_of_forced_decoding(tmp_path: Path) -> None:
    recipe = small.recipe(max_steps=1)
    run = small.run(tmp_path, max_steps=1)
    prepared = prepare(recipe, Path())
    batches = batches_of(recipe, [prepared.valid], prepared.codecs, 16)
    examples = list(recipe.data.valid.build(Path()).read())
    mean = loss_of(run.bench.objective, run.predictor.model, batches)
    likely = likelihood_of(run.predictor, examples)
    assert likely is not None
    assert likely.perplexity == pytest.approx(math.exp(mean), rel=1e-4)


def test_the_loss_does_not_depend_on_the_batches(tmp_path: Path) -> None:
    recipe = small.recipe()
    run, prepared = small.run(tmp_path, max_steps=1), prepare(recipe, Path())
    one, two = (
        loss_of(
            run.bench.objective,
            run.predictor.model,
            batches_of(recipe, [prepared.valid], prepared.codecs, size),
        )
        for size in (8, 400)
    )
    assert one == pytest.approx(two, rel=1e-5)


def test_figures_with_intervals() -> None:
    parts = [Part(Metric, "exact_match"), Part(Metric, "bleu", {"lowercase": True})]
    figures = figures_of([*parts, Part(Metric, "bleu")], ["a b", "c"], ["a b", "d"])
    assert figures["exact_match"].score.value == 50.0
    low, high = figures["exact_match"].interval.low, figures["exact_match"].interval.high
    assert low <= 50.0 <= high
    assert len(figures) == 3
    assert list(figures)[1] == "bleu"
    assert "lowercase=False" in list(figures)[2]
    assert set(figures["bleu"].plain()) == {"name", "value", "low", "high", "signature", "detail"}


def test_names() -> None:
    assert name_of(Part(Metric, "wer"), {"bleu"}) == "wer"
    assert name_of(Part(Metric, "mae"), {"mae"}) == "mae (2)"
    named = name_of(Part(Metric, "bleu", {"lowercase": True}), {"bleu"})
    assert named.startswith("bleu ")
    assert "lowercase=True" in named
    second = Part(Metric, "bleu", {"order": 2, "tokenize": "captions"})
    assert name_of(second, {"bleu"}) == "bleu tokenize=captions, order=2"


def test_groups_by_length_are_measured_as_the_whole_set() -> None:
    """CIDEr-D of a set of one segment is 0; each group here has one."""
    outputs = ["a red dog runs fast", "two cats sit on mats"]
    found = [
        cast(Prediction, SimpleNamespace(source_values=[0] * n, output=text))
        for n, text in zip((1, 40), outputs, strict=True)
    ]
    groups = by_length(Part(Metric, "cider"), found, outputs)
    assert [group.n_sentences for group in groups] == [1, 1]
    assert [group.score for group in groups] == pytest.approx([1000, 1000])


def test_metrics_of_captions_stand_side_by_side() -> None:
    """Several references, four orders of BLEU in one table, and a metric that is fitted first."""
    orders = [Part(Metric, "bleu", {"order": n, "tokenize": "captions"}) for n in (1, 2, 3, 4)]
    parts = [*orders, *(Part(Metric, kind) for kind in ("meteor", "rouge", "cider"))]
    outputs = ["a red dog runs in a park", "two cats sit on the mat", "a man rides a bike"]
    references = [
        ["A red dog runs in the park .", "A dog runs ."],
        ["Two cats sit on a mat .", "Cats on a mat ."],
        ["A man rides his bike .", "A man on a bike ."],
    ]
    figures = figures_of(parts, outputs, references)
    titles = [figure.title for figure in figures.values()]
    assert titles[:4] == ["BLEU-1", "BLEU-2", "BLEU-3", "BLEU-4"]
    assert titles[4:] == ["METEOR (words and stems)", "ROUGE-L", "CIDEr-D (x 100)"]
    for figure in figures.values():
        assert figure.interval.low <= figure.score.value <= figure.interval.high


@pytest.mark.parametrize("kind", kinds(Metric))
def test_no_figure_hides_another(kind: str) -> None:
    names: list[str] = []
    for _ in range(4):
        names.append(name_of(Part(Metric, kind), names))
    assert len(set(names)) == 4
    assert all(name.startswith(kind) for name in names)


def test_a_metric_that_stands_twice_is_measured_twice() -> None:
    figures = figures_of([Part(Metric, "exact_match")] * 3, ["a"], ["a"])
    assert [figure.score.value for figure in figures.values()] == [100.0] * 3


def test_nats_are_per_character_and_perplexity_per_piece() -> None:
    likely = Likelihood(log_prob=-6.0, pieces=3, characters=4)
    assert likely.nats_per_character == 1.5
    assert likely.perplexity == pytest.approx(math.exp(2))
    assert Likelihood(-1.0, 1, 0).nats_per_character == 1.0


def test_examples_without_unknown_words_are_measured_by_themselves(tmp_path: Path) -> None:
    run, exact = small.run(tmp_path, max_steps=1), [Part(Metric, "exact_match")]
    ((source, target),) = small.pairs(0, 1)
    several = Example({"source": source}, (target, "ß"))
    examples = [pair("ß", target), pair(source, target), several]
    found = evaluate(run.predictor, examples, metrics=exact)
    assert found.known == (1,)
    assert without_unknown(exact, found)["exact_match"].score.detail["segments"] == 1
    strange = evaluate(run.predictor, examples[:1], metrics=exact)
    assert strange.known == ()
    assert without_unknown(exact, strange) == {}


def test_an_evaluation_shows_its_figures(tmp_path: Path) -> None:
    run = small.run(tmp_path, max_steps=1)
    examples = [pair("a b", "b a"), pair("c <d>", "d c")]
    found = evaluate(run.predictor, examples, split="valid", metrics=[Part(Metric, "exact_match")])
    figure = found.figures["exact_match"]
    low, high = figure.interval.low, figure.interval.high
    value = f"{figure.score.value:.2f}"
    assert str(figure) == f"{figure.score.name} {value} ({low:.2f} to {high:.2f})"
    assert repr(found) == f"<Evaluation of valid, 2 examples: {figure}>"
    html = found._repr_html_()
    assert value in html
    assert f"{low:.2f} to {high:.2f}" in html
    assert "valid: 2 examples" in html
    assert "perplexity" in html
    one = evaluate(run.predictor, examples[:1], metrics=[Part(Metric, "exact_match")])
    assert repr(one).startswith("<Evaluation of 1 example: ")
    assert one._repr_html_().count("given: 1 example") == 1
