"""Predictions about a story: what is told of it, and how it is drawn."""

import dataclasses
from functools import cache

import torch

from saccade.models.memory_network import MemoryNetwork
from saccade.predict.evaluation import outputs_for
from saccade.predict.prediction import Prediction
from saccade.predict.predictor import Predictor
from saccade.recipe import Decoding
from tests import stories

LONG = "Ida went home. Ben slept. Ida took the lamp. Ben flew."


@cache
def predictor() -> Predictor:
    torch.manual_seed(1)
    model = MemoryNetwork(*stories.sides(), embedding=8)
    return Predictor(model, stories.codecs(3), Decoding())


def predicted(story: str = LONG, question: str = "Where is Ida?") -> Prediction:
    found: Prediction = predictor().predict({"story": story, "question": question})
    return found


def test_places_are_sentences_and_words() -> None:
    one = predicted()
    assert one.source_tokens[:3] == ("Ben slept", "Ida took the lamp", "Ben flew")
    assert list(one.attention_maps) == ["hop 1", "hop 2", "hop 3"]
    assert one.attention_maps["hop 1"].shape == (1, len(one.source_tokens))


def test_flags_tell_of_what_was_not_read() -> None:
    told = [(flag.kind, flag.severity, flag.message) for flag in predicted().flags]
    assert ("coverage", "note", "The story has 4 sentences; the model reads the last 3.") in told
    assert ("unknown", "note", "The model does not know 'flew'.") in told
    assert not predicted("Ida slept.").flags
    (odd,) = predicted("Ida slept.", "Why zebra?").flags
    assert (odd.kind, odd.severity) == ("unknown", "warning")


def test_a_drawing_has_a_line_for_each_sentence() -> None:
    one = dataclasses.replace(predicted(), supporting=(2,))
    drawing = one.drawing()
    assert drawing is not None
    lines = drawing.terminal(100).splitlines()
    assert lines[0] == f"Where is Ida? → {one.text}"
    assert [line.split()[0] for line in lines[2:5]] == ["2", "*", "4"]
    assert "hop 3" in drawing.svg
    assert drawing.html


def test_what_supports_an_answer_goes_with_the_example() -> None:
    example = dataclasses.replace(stories.EXAMPLES[0], supporting=(0,))
    (found,) = outputs_for(predictor(), [example])
    assert found.supporting == (0,)
