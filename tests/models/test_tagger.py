from collections.abc import Mapping

import pytest
import torch
from torch.testing import assert_close

from saccade.encoders.base import Encoder
from saccade.errors import ShapeError
from saccade.models.base import Model
from saccade.models.tagger import Tagger
from saccade.objectives.cross_entropy import cross_entropy
from saccade.parts import Part
from saccade.predict.predictor import Predictor
from saccade.recipe import Decoding
from saccade.tokenizers._vocabulary import END
from saccade.tokenizers.word import Word
from tests.samples import backward, batch_of, collate, scramble, sides, text_codecs

TEXTS = ["the￨D cat￨N sleeps￨V", "a￨D dog￨N", "dogs￨N sleep￨V", "sleep￨N"]
TAGS = ["B I O", "B I", "B O", "B"]
RNN = Part(Encoder, "rnn", {"hidden": 8})
WORDS = {"embedding": 8, "hidden": 8, "dropout": 0.0, "encoder": RNN}


def build(n_words: int, n_tags: int, options: Mapping[str, object]) -> Tagger:
    model = scramble(Part(Model, "tagger", options).build(*sides(n_words, n_tags)))
    assert isinstance(model, Tagger)
    return model


def test_a_tag_is_a_softmax_over_the_state_of_its_word() -> None:
    model = scramble(Tagger(*sides(9, 8), encoder=RNN, hidden=5))
    batch = batch_of(([4, 5, 6], [5, 6, 7]), ([7], [6]))
    memory = model.encoder(model.source_embedding(batch.source))
    logits = model.head.output(torch.tanh(model.mix(memory.states)))
    found = model.head.log_probs(model(batch).features)
    others = [v for v in range(8) if v != END]
    expected = logits[..., others].log_softmax(dim=-1)
    assert_close(found[0, :3, others], expected[0, :3])
    assert_close(found[1, :1, others], expected[1, :1])
    assert found[0, 3, END] == 0
    assert (found[1, 1:, END] == 0).all()


@pytest.mark.parametrize("previous", [0, 4])
def test_factors_are_joined_and_steps_agree(previous: int) -> None:
    model = build(12, 9, {**WORDS, "factors": 2, "previous": previous})
    batch = batch_of(([4, 5, 6, 7, 8, 9], [4, 5, 6]), ([10, 11], [7]), ([], []))
    whole, state = model.head.log_probs(model(batch).features), model.start(batch.sources)
    for t in range(4):
        step, state = model.step(batch.prefix[:, t], state)
        assert_close(step, whole[:, t], atol=1e-5, rtol=1e-5)
    alone = model.head.log_probs(model(batch_of(([10, 11], [7]))).features)
    assert_close(alone[0], whole[1, :2], atol=1e-5, rtol=1e-5)
    assert model.pieces_each == 2


def test_learns_tags_and_writes_as_many_as_there_are_words() -> None:
    source = Word(factors=True).fit(TEXTS, [])
    target = Word(punctuation=False).fit(TAGS, [])
    with torch.random.fork_rng():
        torch.manual_seed(1)
        options = {**WORDS, "factors": 2, "previous": 4}
        model = Part(Model, "tagger", options).build(*sides(len(source), len(target)))
    batch = collate(source.encode_many(TEXTS), target.encode_many(TAGS))
    optimiser = torch.optim.Adam(model.parameters(), lr=2e-2)
    for _ in range(60):
        loss = cross_entropy(model, batch, 0.1)
        optimiser.zero_grad()
        backward(loss.total / loss.count)
        optimiser.step()
    translator = Predictor(model, text_codecs(source, target), Decoding())
    assert [one.text for one in translator.translate(TEXTS)] == TAGS
    many = translator.translate("a￨D odd￨N odd￨V odd￨X odd￨N", nbest=3)
    assert {len(one.tokens) for one in many.nbest} == {5}
    with pytest.raises(
        ShapeError,
        match=r"tagger: a sentence has 3 pieces; expected a multiple of factors, 2: every word",
    ):
        translator.translate("the cat￨N")


def test_an_encoder_that_joins_words_is_refused() -> None:
    model = Tagger(*sides(9, 8), encoder=Part(Encoder, "pyramid", {"hidden": 4}))
    with pytest.raises(
        ShapeError, match=r"tagger: the encoder makes \d+ states of 5 words; expect"
    ):
        model(batch_of(([4, 5, 6, 7], [4, 5, 6, 7])))
