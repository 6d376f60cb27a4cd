"""Attention by hand: the numbers are those of the model, and the word is the one that was named."""

from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from saccade.decoders.base import Decoder
from saccade.errors import RecipeError
from saccade.look.working import work_out
from saccade.models.base import Model
from saccade.parts import Part
from saccade.predict.prediction import Prediction
from saccade.predict.predictor import Predictor
from saccade.views.steps import Calculation
from tests.inspections.models import other
from tests.look.test_inspection import translator


def asked(kind: str) -> tuple[Predictor, Prediction]:
    found = translator(kind)
    return found, found.translate("two cats", prefix="un chat")


def value(found: Calculation, equation: str) -> NDArray[Any]:
    (step,) = [step for step in found.steps if step.equation == equation]
    return step.value


def check(found: Calculation) -> None:
    """Recompute weights from scores and the sum from weights and values."""
    scores = next(s.value for s in found.steps if s.equation.startswith("e = "))
    a = np.exp(scores - scores.max())
    np.testing.assert_allclose(value(found, "a = softmax(e)"), a / a.sum(), atol=1e-6)
    read = (a / a.sum()) @ value(found, "v")
    np.testing.assert_allclose(value(found, "c = Σ a v"), read, atol=1e-5)


HEADS = ["layer 2 head 3", "encoder layer 1 head 2", "decoder layer 2 head 1"]


@pytest.mark.parametrize("head", HEADS)
def test_every_head_of_a_transformer(head: str) -> None:
    model, one = asked("pre")
    word = "cats" if head.startswith("encoder") else "h"
    found = work_out(model, one, word, head)
    check(found)
    q, k = value(found, "q = W^Q x"), value(found, "k = W^K h")
    np.testing.assert_allclose(value(found, "q·k"), k @ q, atol=1e-4)
    np.testing.assert_allclose(value(found, "e = q·k / √d"), k @ q / np.sqrt(len(q)), atol=1e-4)
    row = 4  # of either side
    expected = {**one.attention_maps, **one.self_attention}[head][row]
    np.testing.assert_allclose(value(found, "a = softmax(e)"), expected[expected > 0], atol=1e-5)
    assert found.name == head
    if head.startswith("decoder"):
        assert found.places == ("<s>", "u", "n", "▁", "c")  # what was written before


@pytest.mark.parametrize(
    ("attention", "equations"),
    [
        ("additive", ["W q", "U h + b", "tanh(W q + U h + b)"]),
        ("concat", ["A q", "C h", "tanh(W1 [q; h])"]),
        ("bilinear", ["W h", "e = q·W h"]),
        ("dot", ["h", "e = q·h"]),
    ],
)
def test_the_scores_of_recurrent_decoders(attention: str, equations: list[str]) -> None:
    options = {"attention": attention, "hidden": 8, "dropout": 0.0}
    encoder = {"kind": "rnn", "hidden": 4, "bidirectional": True}
    model = Part(
        Model,
        "encoder_decoder",
        {"embedding": 8, "encoder": encoder, "decoder": Part(Decoder, "rnn", options)},
    )
    predictor = other(model)
    one = predictor.translate("two cats", prefix="un chat")
    found = work_out(predictor, one, "h")
    check(found)
    assert set(equations) <= {step.equation for step in found.steps}
    np.testing.assert_allclose(value(found, "a = softmax(e)"), one.attention_maps[""][4], atol=1e-5)
    assert found.places == one.source_tokens


def test_the_map_follows_from_the_word() -> None:
    model, one = asked("pre")
    assert work_out(model, one, "cats").name == "encoder layer 1 head 1"
    assert work_out(model, one, "h").name == "layer 1 head 1"
    assert work_out(model, one, "h", "decoder").name == "decoder layer 1 head 1"
    assert work_out(model, one, "h", "layer 2 all").name == "layer 2 head 1"
    assert work_out(model, one).asker == "t"
    assert work_out(model, one, "cats").asker == "c of cats"
    assert work_out(model, one, "t:2").asker == "t"


REFUSED = [
    ("dog", "mean", "--word: 'dog' is not there, or not that often"),
    ("cats:2", "mean", "--word: 'cats:2' is not there"),
    ("cats", "decoder layer 1 head 1", r"--word: 'cats' is not there.*Expected one of: u, n,"),
    ("cats", "head 9", r"no map 'head 9' whose steps can be shown.*one of: layer 1 head 1"),
]


@pytest.mark.parametrize(("word", "head", "message"), REFUSED)
def test_what_cannot_be_worked_out(word: str, head: str, message: str) -> None:
    with pytest.raises(RecipeError, match=message):
        work_out(*asked("pre"), word, head)


def test_a_model_without_attention_has_no_steps() -> None:
    with pytest.raises(RecipeError, match="inspect: this model has no attention"):
        work_out(*asked("sutskever"), "cats")


def test_the_end_is_written_too() -> None:
    model, one = asked("pre")
    check(found := work_out(model, one, "</s>", "layer 1 head 1"))
    assert found.asker == "</s>"
