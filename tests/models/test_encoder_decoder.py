import pytest
import torch

from saccade.decoders.base import Decoder
from saccade.encoders.base import Encoder
from saccade.errors import ShapeError
from saccade.models.encoder_decoder import EncoderDecoder
from saccade.parts import Part
from saccade.search.base import Task
from saccade.search.greedy import Greedy
from saccade.tokenizers._vocabulary import END, PAD, START, UNK
from tests.samples import MODELS, PAIRS, pairs_batch, trained, vocabulary

RNN = {"hidden": 6}


def names(**options: object) -> set[str]:
    parts = {"encoder": Part(Encoder, "rnn", RNN), "decoder": Part(Decoder, "rnn", RNN)}
    model = EncoderDecoder(9, 9, **{**parts, **options})  # type: ignore[arg-type]
    return {name.partition(".")[0] for name, _ in model.named_parameters()}


def test_tying_shares_matrices() -> None:
    common = {"encoder", "decoder", "bias", "target_embedding"}
    assert names(embedding=6, tie="none") == common | {"source_embedding", "output"}
    assert names(embedding=6, tie="output") == common | {"source_embedding"}
    assert names(embedding=6, tie="all") == common
    assert names(embedding=5, tie="output") == common | {"source_embedding", "narrow"}


def test_one_matrix_for_all_needs_one_vocabulary() -> None:
    message = (
        "model.tie: all needs one vocabulary, but the source has 9 symbols and the target 8. Set"
        " data.joint: true, or tie: output."
    )
    with pytest.raises(ShapeError, match=message):
        EncoderDecoder(9, 8, tie="all")


@pytest.mark.parametrize("kind", MODELS)
def test_learns_eight_pairs_exactly(kind: str) -> None:
    model, batch = trained(kind), pairs_batch()
    task = Task(START, END, torch.full((8,), 20), banned=(PAD, START, UNK))
    found = Greedy()(model.step, model.start(batch.sources), task)
    written = [vocabulary().decode(one.hypotheses[0].tokens) for one in found]
    assert written == [target for _, target in PAIRS]


def test_a_step_looks_over_the_source_even_if_the_memory_is_shorter() -> None:
    model = EncoderDecoder(
        len(vocabulary()),
        len(vocabulary()),
        encoder=Part(Encoder, "pyramid", {"hidden": 6}),
        decoder=Part(Decoder, "rnn", RNN),
        embedding=6,
        dropout=0.0,
    ).eval()
    batch = pairs_batch()
    whole = model(batch, look=True).weights
    state, weights = model.start(batch.sources), []
    for t in range(3):
        _, one, state = model.look_step(batch.prefix[:, t], state)
        assert one is not None
        weights.append(one)
    assert whole is not None
    torch.testing.assert_close(torch.stack(weights, dim=1), whole[:, :3])
    torch.testing.assert_close(whole.sum(dim=3), torch.ones_like(whole[..., 0]))
