"""What was meant, given what was seen."""

from itertools import product
from math import log

import numpy as np
import pytest
import torch
from torch import Tensor

from saccade.errors import CheckpointError, DataError, RecipeError
from saccade.flow import Padded
from saccade.kernels.backoff import ROOT
from saccade.models.base import LaidPairs, LaidSide
from saccade.models.noisy_channel import NoisyChannel, taught
from saccade.nouns import Side
from saccade.tokenizers._vocabulary import END, START, UNK
from tests.samples import batch_of

SIZE = 7
X = [4, 5, 6]


def corpus(n: int = 20) -> LaidPairs:
    chance = np.random.Generator(np.random.PCG64(1))
    sides = [LaidSide(chance.integers(4, SIZE, 3 * n), np.full(n, 3)) for _ in range(2)]
    return LaidPairs({"source": sides[0]}, sides[1])


def fitted(**options: object) -> NoisyChannel:
    model = NoisyChannel({"source": Side(SIZE)}, Side(SIZE), **options)  # type: ignore[arg-type]
    for i in range(3):
        model.count(corpus(), i)
    return model


def written(model: NoisyChannel, y: tuple[int, ...], x: list[int] = X) -> float:
    """Return the log-probability that a model writes y."""
    values = torch.tensor([x])
    state = model.start({"source": Padded(values, torch.ones_like(values).bool())})
    token, total = torch.tensor([START]), 0.0
    for symbol in (*y, END):
        step, state = model.step(token, state)
        total, token = total + float(step[0, symbol]), torch.tensor([symbol])
    return total


def posterior(model: NoisyChannel, y: tuple[int, ...], longest: int = 8) -> float:
    """Return log p(y | x) by listing all texts up to a length, by n-grams and all alignments."""
    texts = [t for n in range(longest) for t in product((UNK, *range(4, SIZE)), repeat=n)]
    scores = list[Tensor]()
    for n in range(longest):
        those = [t for t in texts if len(t) == n]
        rows = torch.tensor(those).long().reshape(len(those), n)
        lengths = [torch.full((len(rows),), k) for k in (len(X), n)]
        seen, _ = model.channel.expect(torch.tensor([X]).expand(len(rows), -1), rows, *lengths)
        context = model.prior.walk(*(torch.full((len(rows),), one) for one in (ROOT, START)))
        for symbol in [*rows.T, torch.full((len(rows),), END)]:
            seen = seen + model.weight * model.prior.look_up(context, symbol)
            context = model.prior.walk(context, symbol)
        scores.append(seen)
    every = torch.cat(scores)
    return float(every[texts.index(y)] - torch.logsumexp(every, dim=0))


@pytest.mark.parametrize(("order", "weight"), [(1, 1.0), (2, 1.0), (2, 0.5)])
def test_bigrams_give_the_true_posterior(order: int, weight: float) -> None:
    model = fitted(order=order, candidates=0, weight=weight)
    for y in ((4, 5, 6), (5, 4), ()):
        assert written(model, y) == pytest.approx(posterior(model, y), abs=2e-3)


def test_texts_of_the_training_data_are_mixed_in() -> None:
    model, alone = fitted(order=2, unseen=0.3), fitted(order=2, candidates=0)
    met = tuple(corpus().target.values[:3].tolist())
    assert written(model, (5, 4)) == pytest.approx(log(0.3) + written(alone, (5, 4)), abs=1e-4)
    assert written(model, met) > log(0.3) + written(alone, met) + 0.1


def test_the_end_of_a_source_is_no_symbol_of_it() -> None:
    model = fitted()
    assert written(model, (4, 5), [4, 5, END]) == pytest.approx(written(model, (4, 5), [4, 5]))


def test_empty_and_long_sources_can_be_read() -> None:
    model = fitted()
    assert np.isfinite(written(model, (4,), [END]))
    assert np.isfinite(written(model, (4,) * 80, [4] * 90))


def test_weights_tell_what_made_each_place() -> None:
    model = fitted()
    weights = model(batch_of(([4, 5, 6], [4, 5, 6])), look=True).weights
    assert weights is not None
    assert weights[0, :3, 0].argmax(dim=1).tolist() == [0, 1, 2]
    assert float(weights[0, 3].sum()) == 0


def test_copies_may_teach_the_prior_alone() -> None:
    source = LaidSide(np.array([4, 5, 4, 6, 7]), np.array([2, 1, 0, 2]))
    target = LaidSide(np.array([4, 5, 5, 6, 7]), np.array([2, 1, 0, 2]))
    assert taught(source, target, copies=True).tolist() == [0, 1, 2, 3]
    assert taught(source, target, copies=False).tolist() == [1]


def test_a_pass_says_how_likely_the_pairs_were() -> None:
    model = NoisyChannel({"source": Side(SIZE)}, Side(SIZE), smoothing=0.0)
    found = [model.count(corpus(), i) for i in range(4)]
    totals = [one.figures["channel"] for one in found]
    assert totals == sorted(totals)
    assert "20 pairs: log p(x | y) was" in found[0].told


def test_nothing_is_refused() -> None:
    nothing = LaidSide(np.zeros(0, np.int64), np.zeros(0, np.int64))
    with pytest.raises(DataError, match="there is nothing to count; expected some pairs"):
        fitted().count(LaidPairs({"source": nothing}, nothing), 0)


@pytest.mark.parametrize(
    ("option", "value"),
    [("passes", 0), ("order", 13), ("weight", -1), ("candidates", 5000), ("unseen", 1.0)],
)
def test_senseless_options_are_refused(option: str, value: float) -> None:
    with pytest.raises(RecipeError, match=rf"noisy_channel.{option}: {value} is not between"):
        NoisyChannel({"source": Side(SIZE)}, Side(SIZE), **{option: value})  # type: ignore[arg-type]


def test_the_tables_of_another_model_are_refused() -> None:
    model = fitted()
    with pytest.raises(CheckpointError, match="x: the table inserted of edits is missing"):
        model.accept({}, "x")
    wrong = {**model.state_dict(), "texts.symbols": model.texts.symbols + 90}
    with pytest.raises(CheckpointError, match="x: in the tree of texts a symbol is out of range"):
        model.accept(wrong, "x")
