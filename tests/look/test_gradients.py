"""How far back gradients reach."""

import math

import pytest
import torch

from saccade.cells.base import Cell
from saccade.errors import RecipeError
from saccade.look import gradients, inspection
from saccade.look.recording import Reel
from saccade.models.encoder_decoder import EncoderDecoder
from saccade.parts import Part, kinds
from tests import samples
from tests.look.test_inspection import translator


def test_every_cell_has_its_line() -> None:
    flow = gradients.through_cells(length=12, hidden=6)
    assert list(flow) == kinds(Cell)
    for line in flow.values():
        assert len(line) == 13
        assert line[0] == pytest.approx(1.0) or line[0] > 1  # c of an LSTM adds to |v| = 1
        assert all(math.isfinite(norm) for norm in line)


def test_a_linear_recurrence_by_hand() -> None:
    cell = Part(Cell, "elman").build(2, 2)
    with torch.no_grad():
        for parameter in cell.parameters():
            parameter.zero_()
        dict(cell.named_parameters())["U"].copy_(torch.eye(2) * 0.5)
    reel = Reel("elman", cell, torch.zeros(3, 4, 2), cell.start(torch.zeros(3, 2)), backward=False)
    expected = [0.5**k for k in range(5)]  # tanh'(0) = 1
    assert gradients.through(reel) == pytest.approx(expected)


def test_forgetting_less_reaches_further() -> None:
    open_, shut = (Part(Cell, "lstm", {"forget_bias": bias}) for bias in (4.0, -4.0))
    flow = gradients.through_cells([open_, shut], length=30, hidden=8)
    assert list(flow) == ["lstm forget_bias=4.0", "lstm forget_bias=-4.0"]
    far, near = (line[-1] for line in flow.values())
    assert far > 100 * near


def test_the_layers_of_a_model() -> None:
    asked = translator("bahdanau")
    flow = gradients.through_model(asked, length=9)
    assert {name: len(line) for name, line in flow.items()} == {
        "encoder 1 forward": 10,
        "encoder 1 backward": 10,
        "decoder 1": 10,
    }
    one = inspection.translated(asked, "two")
    assert len(gradients.through_sentence(asked, one)["encoder 1 forward"]) == 5
    assert all(p.grad is None and p.requires_grad for p in asked.model.parameters())


def test_a_model_without_cells_says_so() -> None:
    with pytest.raises(RecipeError, match=r"this model has no recurrent cell.*Give a model with"):
        gradients.through_model(translator("pre"))


def test_a_sequence_needs_two_steps() -> None:
    with pytest.raises(RecipeError, match="length is 1; expected 2 or more steps"):
        gradients.through_cells(length=1)
    with pytest.raises(RecipeError, match="length is 0; expected 2 or more steps"):
        gradients.through_model(translator("bahdanau"), length=0)


def test_the_same_seed_gives_the_same_flow() -> None:
    torch.manual_seed(1)
    state = torch.get_rng_state()
    first = gradients.through_cells([Part(Cell, "gru")], length=5, hidden=4)
    assert torch.equal(torch.get_rng_state(), state)
    assert first == gradients.through_cells([Part(Cell, "gru")], length=5, hidden=4)


def test_to_the_source_it_is_the_gradient_of_a_symbol_that_stands_there_once() -> None:
    """The embedding of such a symbol has its gradient, times sqrt(24) by which it is scaled."""
    model = samples.untrained("bahdanau")
    assert isinstance(model, EncoderDecoder)
    batch = samples.batch_of(([5, 6, 7, 8], [6, 5]))
    found = gradients.to_source(model, batch, place=1)
    log_probs = model.head.log_probs(model.eval()(batch).features[:, 1])
    samples.backward(log_probs[0, 5])
    grad = model.reading.embedder.get_parameter("weight").grad
    assert grad is not None
    by_hand = [float(grad[int(one)].norm()) / 24**0.5 for one in batch.source.values[0].flip(0)]
    assert found == pytest.approx(by_hand, rel=1e-4)
    assert len(found) == 5  # four symbols and END
