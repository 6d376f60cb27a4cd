"""Values that are drawn: the same for the same seed and text, whatever the batch."""

import math
from typing import Any

import numpy as np
import pytest
import torch

from saccade.data.codecs import Codecs
from saccade.errors import RecipeError
from saccade.metrics.base import Metric
from saccade.modalities._strokes import Strokes
from saccade.modalities.base import Modality
from saccade.modalities.strokes import StrokesCodec
from saccade.models.base import Model
from saccade.nouns import pair
from saccade.parts import Part
from saccade.predict.density import NAME, nats_of
from saccade.predict.evaluation import evaluate
from saccade.predict.following import DrawOptions
from saccade.predict.predictor import Predictor
from saccade.recipe import Decoding
from saccade.tokenizers.base import Tokenizer
from tests.samples import scramble

TEXTS = ["ab", "a", "cab", "bcbcbcbc", "c"]
MODEL = {
    "embedding": 8,
    "dropout": 0.0,
    "tie": "none",
    "encoder": {"kind": "none"},
    "decoder": {"kind": "window", "hidden": 8, "dropout": 0.0},
    "head": {"kind": "mixture_density", "components": 3},
}


@pytest.fixture(scope="module")
def predictor() -> Predictor:
    letters = Part(Modality, "text", {"tokenizer": Part(Tokenizer, "character")}).build()
    source, target = letters.fit([["abc"]]), StrokesCodec(2.0, 30)
    codecs = Codecs({"source": source}, target)
    model = scramble(Part(Model, "encoder_decoder", MODEL).build(*codecs.shape), scale=0.3)
    with torch.no_grad():
        model.get_parameter("head.output.bias")[-2:] = torch.tensor(
            [-2.0, 0.0]
        )  # the pen is lifted now and then
    return Predictor(model, codecs, Decoding(metrics=list[Part[Metric]]()))


def drawn(predictor: Predictor, texts: list[str], **options: Any) -> list[str]:
    return [one.text for one in predictor.predict(texts, **options)]


@pytest.mark.parametrize("options", [{}, {"sample": {"seed": 3}}, {"sample": {"bias": 1.0}}])
def test_a_text_alone_is_the_text_of_a_batch(predictor: Predictor, options: Any) -> None:
    together = drawn(predictor, TEXTS, **options)
    assert [predictor.predict(text, **options).text for text in TEXTS] == together
    assert drawn(predictor, TEXTS[::-1], **options) == together[::-1]
    assert drawn(predictor, TEXTS, chunk=2, **options) == together


def test_another_seed_draws_other_strokes(predictor: Predictor) -> None:
    one, same, other = (drawn(predictor, TEXTS, sample={"seed": n}) for n in (1, 1, 2))
    assert one == same
    assert all(a != b for a, b in zip(one, other, strict=True))


def test_a_bias_without_end_draws_the_best(predictor: Predictor) -> None:
    assert drawn(predictor, TEXTS, sample={"bias": math.inf}) == drawn(predictor, TEXTS)
    assert drawn(predictor, TEXTS, sample={"bias": 0.0}) != drawn(predictor, TEXTS)


def test_writing_ends_where_the_pen_says_so_or_at_the_limit(predictor: Predictor) -> None:
    found = [p for n in range(12) for p in predictor.predict(TEXTS, sample={"seed": n})]
    assert {one.finished for one in found} == {True, False}
    for one in found:
        pens = np.asarray(one.hypothesis.tokens)[:, 2].tolist()
        assert 2.0 not in pens[:-1]
        assert (pens[-1] == 2.0) == one.finished
        assert one.finished or len(pens) == 30
    assert len(predictor.predict("a", steps=3).hypothesis.tokens) <= 3


def test_where_the_window_was_goes_with_the_strokes(predictor: Predictor) -> None:
    one = predictor.predict("cab")
    assert one.attention is not None
    assert one.attention.shape == (len(one.hypothesis.tokens), 4)  # with END
    assert one.source_tokens[:3] == ("c", "a", "b") or one.source_tokens[:1] == ("▁c",)
    assert isinstance(one.output, Strokes)


@pytest.mark.parametrize(
    "given", [{"bias": -1}, {"temperature": 2.0}, {"seed": 1.5}, {"bias": "x"}]
)
def test_other_options_are_refused(given: dict[str, Any], predictor: Predictor) -> None:
    with pytest.raises(RecipeError, match=r"sample: found .*; expected bias, 0 to 100 or inf, and"):
        drawn(predictor, ["a"], sample=given)
    with pytest.raises(RecipeError, match="forecast: beam: for models that choose among symbols"):
        predictor.predict("a", beam=3)


def test_options_have_defaults() -> None:
    assert DrawOptions.of({}) == DrawOptions(0.0, 1)
    assert DrawOptions.of({"bias": 2, "seed": 5}) == DrawOptions(2.0, 5)


def test_an_evaluation_tells_the_nats_of_a_point(predictor: Predictor) -> None:
    examples = [
        pair("ab", Strokes.of([[(0, 0), (1, 2), (2, 2)]])),
        pair("c", Strokes.of([[(0, 0), (3, 1)], [(4, 4), (5, 5)]])),
    ]
    nats = nats_of(predictor, examples)
    assert [len(row) for row in nats] == [2, 3]
    alone = [nats_of(predictor, [one])[0] for one in examples]
    assert all(np.allclose(*both, atol=1e-5) for both in zip(nats, alone, strict=True))
    found = evaluate(predictor, examples)
    assert found.figures[NAME].score.value == pytest.approx(np.concatenate(nats).mean())
    assert found.likelihood is None
    assert not found.baselines


def test_an_empty_text_is_written_too(predictor: Predictor) -> None:
    assert isinstance(predictor.predict("").output, Strokes)
