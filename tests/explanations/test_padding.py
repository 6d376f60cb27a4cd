"""What is counted with padding and without, by hand."""

import pytest
import torch

from saccade.explanations import padding
from saccade.explanations._toys import FIRST, batch_of, guesses, padding_counted, trained
from saccade.explanations.base import explain
from saccade.flow import Batch
from saccade.tokenizers._vocabulary import END, PAD

PAIRS = [([FIRST], [FIRST]), ([FIRST], [FIRST + 1, FIRST, FIRST]), ([FIRST + 1], [FIRST + 1])]


def test_padding_is_a_place_only_where_it_is_counted() -> None:
    plain = batch_of([source for source, _ in PAIRS], [target for _, target in PAIRS])
    counted = padding_counted(plain)
    assert int(plain.target.mask.sum()) == 2 + 4 + 2
    assert int(counted.target.mask.sum()) == 12
    assert counted.target.values[0].tolist() == [FIRST, END, PAD, PAD]


def test_counts_are_those_of_every_place() -> None:
    def drawn(_: torch.Generator) -> Batch:
        return padding_counted(padding._batch(PAIRS))

    model = trained(padding._MODEL, FIRST + 2, drawn, steps=40, seed=1, rate=1e-2)
    batch = padding._batch(PAIRS)
    right = (guesses(model, batch) == batch.target.values).tolist()
    real = batch.target.mask.tolist()
    found = padding._counts(model, batch)
    assert found.places == 12
    assert found.real == sum(map(sum, real))
    assert found.right == sum(map(sum, right))
    assert found.right_real == sum(
        r and m
        for row, mask in zip(right, real, strict=True)
        for r, m in zip(row, mask, strict=True)
    )
    assert found.right > found.right_real  # it has learned to write padding
    assert found.share == pytest.approx(1 / 3)
    alone = padding._measured(model, PAIRS, 1)
    assert alone.places == alone.real == found.real
    assert alone.right == found.right_real


@pytest.mark.slow
def test_counting_padding_is_a_gain_that_grows_with_it() -> None:
    found = explain("padding").figures
    assert found["right"] < found["right sorted"] < found["right counted"]
    assert found["perplexity counted"] < found["perplexity"]
