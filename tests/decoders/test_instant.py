import pytest
import torch

from saccade.attention.base import Attention
from saccade.decoders.instant import InstantDecoder
from saccade.errors import ShapeError
from saccade.flow import Memory
from saccade.models.base import writer
from saccade.parts import Part
from saccade.positions.base import Positions
from tests.samples import memory, pairs_batch, randn, scramble, untrained


@pytest.mark.parametrize("attention", ["none", "additive"])
def test_what_was_written_is_not_read(attention: str) -> None:
    decoder = scramble(InstantDecoder(4, 8, hidden=6, attention=Part(Attention, attention)))
    source = memory(3, 5, 1)
    first, second = (decoder(randn(3, 4, 4, seed=s), source).features for s in (1, 2))
    assert torch.equal(first, second)
    assert not torch.allclose(first[:, 0], first[:, 1])


def test_without_attention_only_the_summary_is_known() -> None:
    decoder, x, source = scramble(InstantDecoder(4, 8, hidden=6)), randn(3, 4, 4), memory(3, 5, 1)
    features = decoder(x, source).features
    other = Memory(source.states + 1, source.mask, source.summary)
    assert torch.equal(decoder(x, other).features, features)
    other = Memory(source.states, source.mask, source.summary + 1)
    assert not torch.allclose(decoder(x, other).features, features)


def test_a_model_says_the_same_of_a_place_whatever_it_has_written() -> None:
    model, batch = writer(untrained("instant")), pairs_batch()
    states = [model.start(batch.sources) for _ in range(2)]
    for t in range(3):
        steps = [
            model.step(torch.full((len(batch.prefix),), token + t), state)
            for token, state in zip((3, 5), states, strict=True)
        ]
        assert torch.equal(steps[0].log_probs, steps[1].log_probs)
        states = [step.state for step in steps]


def test_learned_places_end_and_waves_do_not() -> None:
    few = Part(Positions, "learned", {"most": 3})
    decoder, source = InstantDecoder(4, 8, hidden=6, positions=few), memory(3, 5, 1)
    state = decoder.start(source)
    for t in range(3):
        state = decoder.step(randn(3, 4, seed=t), state).state
    with pytest.raises(ShapeError, match="place 4 of a sequence is beyond most=3"):
        decoder.step(randn(3, 4), state)
    with pytest.raises(ShapeError, match="place 5 of a sequence is beyond most=3"):
        decoder(randn(3, 5, 4), source)
    assert InstantDecoder(4, 8, hidden=6)(randn(3, 600, 4), source).features.isfinite().all()


def test_more_layers_are_more_layers() -> None:
    assert [len(InstantDecoder(4, 8, layers=n).layers) for n in (1, 3)] == [1, 3]
