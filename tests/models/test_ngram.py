"""The n-gram model writes what it counted, and says what it cannot be."""

from collections.abc import Sequence

import numpy as np
import pytest
import torch

from saccade.data.codecs import Codecs
from saccade.errors import DataError, RecipeError
from saccade.models.base import LaidPairs, LaidSide
from saccade.models.ngram import MOST, NGram
from saccade.predict.predictor import Predictor
from saccade.recipe import Decoding
from saccade.tokenizers._vocabulary import START
from tests.samples import batch_of, codecs, sides, vocabulary

LINES = ["un chat", "deux chats", "un chat", "trois chats", "un", "un chat"]


def counted(order: int = 4, prune: Sequence[int] = (0,)) -> NGram:
    model = NGram(*sides(len(vocabulary())), order=order, prune=list(prune))
    ids = [vocabulary().encode(line) for line in LINES]
    values, lengths = [i for line in ids for i in line], [len(line) for line in ids]
    model.count(LaidPairs({}, LaidSide(np.array(values), np.array(lengths))), 0)
    return model


def predictor(model: NGram) -> Predictor:
    both: Codecs = codecs()
    return Predictor(model, Codecs({"source": both.target}, both.target), Decoding())


def test_it_goes_on_as_the_texts_went_on() -> None:
    opened = predictor(counted(8))
    assert [one.text for one in opened.predict(["u", "tro", "deux c"])] == [
        *("un chat", "trois chats", "deux chats")
    ]


def test_what_was_seen_often_is_likely() -> None:
    scored = predictor(counted()).score(["", "", ""], ["un chat", "deux chats", "chat un"])
    assert scored[0].score > scored[1].score > scored[2].score
    assert len(scored[0].token_scores) == len("un chat") + 1


def test_a_longer_history_says_more() -> None:
    batch = batch_of(*(([4], vocabulary().encode(line)) for line in LINES))
    gold, mask = batch.target.values, batch.target.mask
    losses = []
    for order in (1, 2, 4):
        model = counted(order)
        losses.append(model.head.loss(model(batch).features[mask], gold[mask])[0].item())
    assert losses == sorted(losses, reverse=True)


def test_the_start_is_a_context_of_its_own() -> None:
    model = counted(3)
    state = model.start({"source": batch_of(([4], [5])).source})
    first = model.step(torch.tensor([START]), state).log_probs[0]
    (u,) = vocabulary().encode("u")
    assert first[u] == first.max()


def test_pruning_leaves_out_what_occurs_once() -> None:
    whole, pruned = counted(3), counted(3, prune=[0, 0, 1])
    assert pruned.n_parameters < whole.n_parameters
    rows = pruned.head.log_probs(torch.arange(len(pruned.head.table.backoffs))[:, None])
    torch.testing.assert_close(rows.exp().sum(dim=1), torch.ones(len(rows)))


def test_figures_tell_of_every_length() -> None:
    model = NGram(*sides(8), order=2)
    laid = LaidSide(np.array([4, 5, 4]), np.array([3]))
    figures, told = model.count(LaidPairs({}, laid), 0)
    assert figures["2-grams"] == 4
    assert figures["discount 2.1"] == 0.5
    assert told.startswith("8, 4 n-grams of 1 to 2 symbols. Too few n-grams of 1, 2 occur once,")


def test_what_cannot_be_is_refused() -> None:
    with pytest.raises(RecipeError, match=r"ngram.order: 0 is not between 1 and 12; 3 to 5 is usu"):
        NGram(*sides(8), order=0)
    with pytest.raises(RecipeError, match=r"ngram.order: 13 is not between 1 and 12"):
        NGram(*sides(8), order=MOST + 1)
    for prune in ([], [1], [0, 2, 1], [0, 0, 0, 0, 1]):
        with pytest.raises(RecipeError, match=r"ngram.prune: \[.*\] does not fit; expected at mos"):
            NGram(*sides(8), order=4, prune=prune)
    nothing = LaidSide(np.zeros(0, np.int64), np.zeros(0, np.int64))
    with pytest.raises(DataError, match="ngram: there is nothing to count; expected some text"):
        NGram(*sides(8)).count(LaidPairs({}, nothing), 0)
