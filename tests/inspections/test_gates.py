"""Gates along what a model reads and writes."""

import numpy as np
import pytest
import torch

from saccade.decoders.base import Decoder
from saccade.errors import RecipeError
from saccade.flow import only
from saccade.inspections.base import Manner, Seen, draw
from saccade.inspections.gates import GatesView, along
from saccade.models.base import Model
from saccade.parts import Part
from tests.inspections.models import other
from tests.look.test_inspection import translator

_DECODER = {"cell": "lstm", "hidden": 6, "attention": "none", "wiring": "luong", "dropout": 0.0}


def test_encoder_and_decoder_along_their_texts() -> None:
    asked = translator("bahdanau")
    seen = Seen(asked, "two cats", Manner())
    panels = along(seen)
    assert [one.name for one in panels] == [
        *("encoder 1 forward, mean of 24 units", "encoder 1 backward, mean of 24 units"),
        "decoder 1, mean of 24 units",
    ]
    read, _, written = panels
    assert "".join(read.symbols) == "two▁cats"
    assert len(written.symbols) == len(seen.translation.hypothesis.tokens)
    assert set(read.gates) == {"reset", "update"}
    assert all(0 < value < 1 for value in read.gates["update"])


def test_values_are_those_of_the_cell() -> None:
    """The forward encoder, step by step, by the equations of the GRU."""
    asked = translator("bahdanau")
    seen = Seen(asked, "two cats", Manner("5 of encoder 1 forward"))
    (panel,) = along(seen)
    (arrays,) = asked.encode([{"source": "two cats"}])
    source = only(asked.batch([arrays], [[]]).sources)
    reading = asked.model.get_submodule("reading")
    cell = reading.get_submodule("encoders.source.layers.0.0")
    with torch.no_grad():
        x = reading.get_submodule("embedders.source")(source).values
        h, found = torch.zeros(1, 24), []
        for t in range(x.shape[1] - 1):
            sums = x[:, t] @ cell.W.T + cell.b + h @ cell.U.T  # type: ignore[operator]
            found.append(float(sums[0, 24 + 5].sigmoid()))
            h = cell(x[:, t], {"h": h}).output
    np.testing.assert_allclose(panel.gates["update"], found, rtol=1e-4)


def test_a_backward_cell_is_turned_round() -> None:
    asked = translator("bahdanau")
    turned = along(Seen(asked, "two cats", Manner("encoder 1 backward")))[0].gates["update"]
    other_end = along(Seen(asked, "one cats", Manner("encoder 1 backward")))[0].gates["update"]
    assert turned[3:] == pytest.approx(other_end[3:])  # what it read before is the same
    assert turned[0] != pytest.approx(other_end[0])


def test_a_language_model_is_shown_at_the_text_it_is_given() -> None:
    asked = other(Part(Model, "language_model", {"decoder": Part(Decoder, "rnn", _DECODER)}))
    (panel,) = along(Seen(asked, "two cats", Manner("max")))
    assert panel.name == "decoder 1, largest of 6 units"
    assert list(panel.gates) == ["input", "forget", "output"]
    (early,) = along(Seen(asked, "two", Manner("max")))
    assert panel.gates["forget"][:3] == pytest.approx(early.gates["forget"])
    assert draw(asked, "two cats", "gates").said == "two cats"


def test_what_is_not_there_is_refused() -> None:
    asked = translator("bahdanau")
    for head, message in (
        ("decoder", "no layer 'decoder' with gates. Did you mean 'decoder 1'"),
        ("7 of x", "no layer 'x' with gates. There are: mean, max, encoder 1 forward"),
        ("24", "no unit 24; expected 0 to 23"),
        ("99 of decoder 1", "no unit 99 of decoder 1; expected 0 to 23"),
    ):
        with pytest.raises(RecipeError, match=message):
            draw(asked, "two cats", "gates", head=head)
    assert not GatesView.suits(translator("pre"))
    with pytest.raises(RecipeError, match="there is no gate to show"):
        draw(translator("pre"), "two cats", "gates")


def test_a_cell_that_reads_and_then_writes_is_shown_along_both() -> None:
    options = {"cell": "lstm", "hidden": 6, "embedding": 6, "feedback": True}
    asked = other(Part(Model, "read_then_write", options))
    seen = Seen(asked, "two", Manner())
    (panel,) = along(seen)
    written = asked.target.vocabulary.pieces(seen.translation.hypothesis.tokens)  # type: ignore[union-attr]
    assert panel.name == "layer 1, mean of 6 units"
    assert list(panel.symbols[:3]) == ["t", "w", "o"]
    assert tuple(panel.symbols[4:]) == written
    longer = along(Seen(asked, "two cats", Manner()))[0]
    assert panel.gates["forget"][:3] == pytest.approx(longer.gates["forget"][:3])
