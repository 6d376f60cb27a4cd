import pytest
from torch.testing import assert_close

from saccade.encoders.base import Encoder
from saccade.encoders.words import WordsEncoder
from saccade.errors import ShapeError
from saccade.flow import Padded
from saccade.parts import Part
from tests.samples import mask_of, randn, scramble

RNN = Part(Encoder, "rnn", {"hidden": 4})


def test_attention_sees_words_and_the_summary_has_read_them() -> None:
    encoder, source = scramble(WordsEncoder(8, encoder=RNN)), Padded(randn(2, 5, 8), mask_of(5, 3))
    memory, read = encoder(source), encoder.inner(source)
    assert_close(memory.states[source.mask], source.values[source.mask])
    assert (memory.states[~source.mask] == 0).all()
    assert_close(memory.summary, read.summary)


def test_states_that_an_encoder_carries_are_carried_on() -> None:
    part = Part(Encoder, "rnn", {"hidden": 4, "layers": 2, "carry": True})
    memory = scramble(WordsEncoder(8, encoder=part))(Padded(randn(2, 5, 8), mask_of(5, 3)))
    assert set(memory.carried) == {"0", "1"}


def test_words_and_summary_must_have_one_width() -> None:
    told = r"encoder words: rnn makes a summary of width 8, but the words have 6; expected one wid"
    with pytest.raises(ShapeError, match=told):
        WordsEncoder(6, encoder=RNN)
