from functools import cache

import pytest
import torch
from torch.testing import assert_close

from saccade.attention.base import Attention
from saccade.decoders.base import Decoder
from saccade.errors import ShapeError
from saccade.models.base import Model
from saccade.models.language_model import LanguageModel
from saccade.nouns import pair
from saccade.objectives.cross_entropy import cross_entropy
from saccade.parts import Part
from saccade.predict.decode import GREEDY
from saccade.predict.predictor import Predictor
from saccade.recipe import Decoding
from saccade.search.base import Search
from saccade.tokenizers.character import Character
from tests.samples import backward, batch_of, collate, scramble, sides, text_codecs

TEXTS = ["to be or not", "all the world", "what's in a", "brevity is"]
RNN = {"hidden": 32, "dropout": 0.0}
DECODERS = {
    "plain": Part(Decoder, "rnn", {**RNN, "wiring": "luong", "attention": Part(Attention, "none")}),
    "past": Part(Decoder, "rnn_past", RNN),
    "transformer": Part(Decoder, "transformer", {"layers": 1, "feed_forward": 32, "dropout": 0.0}),
}
every = pytest.mark.parametrize("kind", DECODERS)


@cache
def learned(kind: str) -> Predictor:
    """A language model that knows TEXTS by heart."""
    vocabulary = Character().fit(TEXTS, [])
    with torch.random.fork_rng():
        torch.manual_seed(1)
        options = {"decoder": DECODERS[kind], "embedding": 32, "dropout": 0.0}
        model = Part(Model, "language_model", options).build(*sides(len(vocabulary)))
    batch = collate([[]] * len(TEXTS), vocabulary.encode_many(TEXTS))
    optimiser = torch.optim.Adam(model.parameters(), lr=1e-2)
    for _ in range(150):
        loss = cross_entropy(model, batch)
        optimiser.zero_grad()
        backward(loss.total / loss.count)
        optimiser.step()
    decoding = Decoding(search=Part(Search, "greedy"), max_ratio=1.0, max_extra=20)
    return Predictor(model, text_codecs(vocabulary), decoding)


@every
def test_goes_on_from_what_it_is_given(kind: str) -> None:
    translator = learned(kind)
    found = translator.translate([text[:3] for text in TEXTS])
    assert [one.text for one in found] == TEXTS
    assert found[0].source_text == "to "
    assert found[0].attention is None
    assert all(one.finished for one in found)


def test_an_empty_line_is_a_beginning_too() -> None:
    assert learned("plain").translate("").text in TEXTS


def test_prefix_stands_before_what_is_given() -> None:
    assert learned("plain").translate("l th", prefix="al").text == "all the world"


def test_outputs_have_room_behind_what_is_given() -> None:
    (cut,) = learned("plain").stream(["to be"], GREEDY)
    assert cut.finished
    decoding = Decoding(search=Part(Search, "greedy"), max_ratio=0.0, max_extra=3)
    known = learned("plain")
    short = Predictor(known.model, known.codecs, decoding).translate("t")
    assert short.text == "to "
    assert not short.finished


def test_score_is_the_log_probability_whatever_the_source() -> None:
    translator = learned("plain")
    known, odd = translator.score(["", "x"], ["to be or not", "ton eb ro ot"])
    assert known.score > -4 > odd.score
    assert len(known.token_scores) == len("to be or not") + 1
    (written,) = translator.score([""], ["all the world"])
    found = translator.translate("all")
    assert_close(written.score, found.hypothesis.log_prob, atol=1e-3, rtol=1e-4)


def test_what_it_is_given_of_an_example() -> None:
    translator = learned("plain")
    assert translator.given(pair("s", "abcd")) == {"source": "ab"}


def test_the_source_changes_nothing() -> None:
    model = scramble(LanguageModel(*sides(9), decoder=DECODERS["transformer"], embedding=8))
    one, other = batch_of(([4, 5], [6, 7])), batch_of(([8], [6, 7]))
    assert torch.equal(model(one).features, model(other).features)


def test_a_decoder_without_memory_has_no_layer_that_reads_one() -> None:
    model = LanguageModel(*sides(9), decoder=DECODERS["transformer"], embedding=8)
    assert not [name for name, _ in model.named_parameters() if "reading" in name]
    assert model.attention_names == ()


def test_attention_without_memory_is_refused() -> None:
    message = (
        "decoder rnn: attention additive has no memory to read, as no source is given; expected"
        " attention: none. Set it, or use decoder rnn_past, which reads its own past."
    )
    with pytest.raises(ShapeError, match=message):
        LanguageModel(*sides(9), decoder=Part(Decoder, "rnn"))


def test_a_decoder_that_needs_a_memory_is_refused() -> None:
    message = (
        "language_model: decoder instant writes from a memory, but there is no source to make one"
        " of; expected rnn, rnn_past or transformer. Use one of them."
    )
    with pytest.raises(ShapeError, match=message):
        LanguageModel(*sides(9), decoder=Part(Decoder, "instant"))
