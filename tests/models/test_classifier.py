import torch
from torch.testing import assert_close

from saccade.attention.base import Attention
from saccade.encoders.base import Encoder
from saccade.models.base import Model
from saccade.models.classifier import Classifier
from saccade.objectives.cross_entropy import cross_entropy
from saccade.parts import Part
from saccade.predict.predictor import Predictor
from saccade.recipe import Decoding
from saccade.tokenizers.line import Line
from saccade.tokenizers.word import Word
from tests.samples import backward, batch_of, collate, scramble, sides, text_codecs

TEXTS = ["a good film", "a bad film", "very good", "not very good", "bad", "not bad at all"]
LABELS = ["positive", "negative", "positive", "negative", "negative", "positive"]
SMALL = {"embedding": 16, "hidden": 16, "dropout": 0.0}


def learned(attention: str = "additive", steps: int = 60) -> Predictor:
    """A classifier that has seen TEXTS many times."""
    source, target = Word().fit(TEXTS, []), Line().fit(LABELS, [])
    with torch.random.fork_rng():
        torch.manual_seed(1)
        encoder = Part(Encoder, "rnn", {"hidden": 8})
        options = {**SMALL, "encoder": encoder, "attention": Part(Attention, attention)}
        model = Part(Model, "classifier", options).build(*sides(len(source), len(target)))
    batch = collate(source.encode_many(TEXTS), target.encode_many(LABELS))
    optimiser = torch.optim.Adam(model.parameters(), lr=2e-2)
    for _ in range(steps):
        loss = cross_entropy(model, batch, 0.1)
        optimiser.zero_grad()
        backward(loss.total / loss.count)
        optimiser.step()
    return Predictor(model, text_codecs(source, target), Decoding())


def test_the_label_is_a_softmax_over_the_pooled_states() -> None:
    encoder = Part(Encoder, "rnn", {"hidden": 6})
    model = scramble(Classifier(*sides(9, 8), encoder=encoder, hidden=5))
    batch = batch_of(([4, 5, 6], [5]), ([7], [6]))
    weights = model(batch, look=True).weights  # [B, T, 1, S]
    memory = model.reading.encoder(model.reading.embedder(batch.source))  # dropout is off
    context = (weights[:, 0, 0, :, None] * memory.states).sum(dim=1)  # [B, D]
    f = torch.tanh(model.mix(torch.cat([context, memory.summary], dim=1)))
    logits = model.head.output(f)
    logits[:, 3] = -torch.inf
    found = model.head.log_probs(model(batch).features)
    others = [v for v in range(8) if v != 3]
    assert_close(found[:, 0, others], logits.log_softmax(dim=1)[:, others])
    assert (found[:, 1, 3] == 0).all()
    assert_close(weights[:, 0], weights[:, 1])


def test_learns_to_tell_texts_apart_and_says_where_it_looked() -> None:
    translator = learned()
    found = translator.translate(TEXTS)
    assert [one.text for one in found] == LABELS
    assert found[0].attention is not None
    assert found[0].attention.shape == (1, 4)
    assert_close(float(found[0].attention.sum()), 1.0)
    assert found[0].source_tokens == ("▁a", "▁good", "▁film", "</s>")


def test_beam_search_ranks_the_labels() -> None:
    translator = learned(steps=20)
    (ranked,) = translator.translate(["a good film"], nbest=2)
    assert {one.text for one in ranked.nbest} == {"positive", "negative"}
    total = sum(torch.tensor(one.hypothesis.log_prob).exp() for one in ranked.nbest)
    assert 0.5 < total <= 1 + 1e-5  # the rest is that of symbols that are no labels
    assert all(one.finished and one.token_scores[-1] == 0 for one in ranked.nbest)


def test_without_attention_the_summary_decides() -> None:
    translator = learned("none")
    assert [one.text for one in translator.translate(TEXTS)] == LABELS
    assert translator.translate(TEXTS[0]).attention is None
