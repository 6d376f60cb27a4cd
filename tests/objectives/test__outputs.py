"""Outputs: drawn as often as they are likely, judged as text, forced upon the model."""

import re
from collections import Counter

import pytest
import torch
from torch.testing import assert_close

from saccade.errors import RecipeError
from saccade.objectives._outputs import (
    Output,
    Risk,
    counted,
    evaluating,
    greedy,
    log_probs_of,
    references_of,
    risks_of,
    sampled,
    weighed,
)
from saccade.objectives.cross_entropy import cross_entropy
from saccade.tokenizers._vocabulary import END
from tests.objectives import small
from tests.samples import MODELS, pairs_batch, trained, vocabulary

models = pytest.mark.parametrize("kind", MODELS)


@pytest.mark.parametrize(
    ("risk", "text", "expected"),
    [
        ("exact", "a cat sat", 0.0),
        ("exact", "a cat sits", 1.0),
        ("wer", "a cat sits", 1 / 3),
        ("cer", "a cat sits", 2 / 9),
        ("bleu", "a cat sat", 0.0),
        ("bleu", "dogs", 1.0),
        ("bleu", "a cat sits", 1 - (2 / 3 * 2 / 3 * 1 / 2 * 1 / 1) ** 0.25),
    ],
)
def test_risks_by_hand(risk: Risk, text: str, expected: float) -> None:
    """Characters in, words judged: what makes word errors of a character model."""

    def decode(ids: object) -> str:
        assert isinstance(ids, tuple)
        return "".join(map(chr, ids))

    one, reference = tuple(map(ord, text)), tuple(map(ord, "a cat sat"))
    assert risks_of(risk, decode, [[one]], [reference])[0][0] == pytest.approx(expected)


@models
def test_the_forced_references_have_the_cross_entropy(kind: str) -> None:
    model, batch = small.model(kind), small.batch()
    references = references_of(batch)
    assert references == [(4, 5, END), (5, END)]
    log_probs = log_probs_of(model, batch.sources, [[one] for one in references])  # [B, 1]
    assert_close(-log_probs.sum(), cross_entropy(model, batch).total)


def test_outputs_are_forced_upon_the_turns_that_validation_reads() -> None:
    model, batch = small.hierarchical(), small.turns()
    references = [[one] for one in references_of(batch)]
    log_probs = log_probs_of(model, batch.sources, references)  # [B, 1]
    assert_close(-log_probs.sum(), cross_entropy(model, batch).total)
    flat = {"source": batch.source.flat()}
    assert not torch.allclose(log_probs_of(model, flat, references), log_probs)


def test_outputs_are_drawn_from_the_turns_that_validation_reads() -> None:
    model, batch, n = small.hierarchical(), small.turns(), 4000
    for b, row in enumerate(sampled(model, batch, n, small.moment().generator)):
        one = {"source": batch.source.rows(torch.tensor([b]))}
        (output, count), *_ = Counter(row).most_common(1)
        p = log_probs_of(model, one, [[output]]).exp().item()
        assert count / n == pytest.approx(p, abs=5 * (p / n) ** 0.5)


@models
def test_all_outputs_together_have_probability_one(kind: str) -> None:
    model, batch = small.model(kind), small.batch()
    log_probs = log_probs_of(model, batch.sources, [small.outputs(2)] * 2)  # [B, N]
    assert_close(log_probs.exp().sum(dim=1), torch.ones(2, dtype=torch.float64))


def test_rows_may_be_of_unequal_length() -> None:
    model, batch = small.model(), small.batch()
    outputs: list[list[Output]] = [[(4, END)], [(4, END), (5, 5, END)]]
    found = log_probs_of(model, batch.sources, outputs)  # [2, 2]
    assert found[0, 1] == 0
    for b, row in enumerate(outputs):
        one = {"source": batch.source.rows(torch.tensor([b]))}
        for n, output in enumerate(row):
            assert_close(found[b, n], log_probs_of(model, one, [[output]])[0, 0])


def test_outputs_come_as_often_as_they_are_likely() -> None:
    model, batch, n = small.model(scale=0.6), small.batch(), 4000
    drawn = sampled(model, batch, n, small.moment().generator)
    for b, row in enumerate(drawn):
        assert len(row) == n
        one = {"source": batch.source.rows(torch.tensor([b]))}
        commonest = Counter(row).most_common(8)
        likely = log_probs_of(model, one, [[output for output, _ in commonest]]).exp()[0]
        for (_, count), p in zip(commonest, likely.tolist(), strict=True):
            assert count / n == pytest.approx(p, abs=5 * (p / n) ** 0.5)


def test_greedy_output_of_a_trained_model_is_right() -> None:
    references = references_of(pairs_batch())
    found = [row[0] for row in greedy(trained("bahdanau"), pairs_batch())]
    assert found == references
    assert vocabulary().decode(found[0]) == "un"


def test_an_output_that_finds_no_end_is_cut_short() -> None:
    model, batch = small.model(), small.batch()
    with torch.no_grad():
        model.get_parameter("head.bias")[END] = -1e4
    assert [len(row[0]) for row in greedy(model, batch)] == [int(3 * 1.5) + 5, int(2 * 1.5) + 5]
    assert all(END not in row[0] for row in greedy(model, batch))


def test_evaluation_ends_even_by_an_error() -> None:
    model = small.model().train()
    with pytest.raises(ZeroDivisionError), evaluating(model):
        _ = 1 / model.training
    assert all(module.training for module in model.modules())


def test_refuses() -> None:
    text = "reinforce.samples: 1 is below 2; draw 2 outputs a sentence or more."
    with pytest.raises(RecipeError, match=re.escape(text)):
        counted("reinforce", 1, least=2)
    text = "reinforce.likelihood: -0.5 is below 0; 0 leaves the reference's likelihood out."
    with pytest.raises(RecipeError, match=re.escape(text)):
        weighed("reinforce", -0.5)
