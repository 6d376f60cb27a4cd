"""Sentences as sums of words, against direct sums."""

from typing import Literal

import pytest
import torch
from torch.testing import assert_close

from saccade.embedders.sentences import SentenceEmbedder, bags
from saccade.flow import Padded
from saccade.tokenizers._vocabulary import END, PAD, UNK

SIZE, DIM = 11, 6


def summed(words: list[int], E: torch.Tensor, encoding: str) -> torch.Tensor:
    """Add up the words of one sentence, number by number, as the paper writes it."""
    J, d = len(words), E.shape[1]
    total = torch.zeros(d, dtype=E.dtype)
    for j, word in enumerate(words, start=1):
        for k in range(1, d + 1):
            weights = {
                "position": (1 - j / J) - (k / d) * (1 - 2 * j / J),
                "place": 1 + 4 * (min(j, 12) - 13 / 2) * (k - (d + 1) / 2) / (12 * d),
                "bag": 1.0,
            }
            total[k - 1] += weights[encoding] * E[word, k - 1]
    return total


@pytest.mark.parametrize("encoding", ["position", "place", "bag"])
def test_sums_are_those_of_the_paper(encoding: Literal["position", "place", "bag"]) -> None:
    E = torch.randn(SIZE, DIM, dtype=torch.float64)
    told = [[4, 5, 6, 7], [8], [10, 4, 5, 6, 7, 8, 9, 10, 4, 5, 6, 7, 8, 9]]
    ids = torch.zeros(1, 3, 15, dtype=torch.long)
    for row, words in zip(ids[0], told, strict=True):
        row[: len(words)] = torch.tensor(words)
    found = bags(ids, E, DIM, encoding)
    expected = torch.stack([summed(words, E, encoding) for words in told])
    assert_close(found[0], expected)


def test_order_counts_only_with_positions() -> None:
    E, one, other = torch.randn(SIZE, DIM), torch.tensor([[4, 5, 6]]), torch.tensor([[6, 5, 4]])
    assert_close(bags(one, E, DIM, "bag"), bags(other, E, DIM, "bag"))
    assert not torch.allclose(bags(one, E, DIM), bags(other, E, DIM))


def test_a_place_counts_the_same_in_short_and_long_sentences() -> None:
    E, short, long = torch.randn(SIZE, DIM), torch.tensor([[4, 5]]), torch.tensor([[4, 5, 6]])
    more = bags(long, E, DIM, "place") - bags(short, E, DIM, "place")
    (scale,) = more / E[6]
    assert_close(scale, 1 - 3.5 / 3 * (torch.arange(1, DIM + 1) - (DIM + 1) / 2) / DIM)


def test_what_is_no_known_word_counts_for_nothing() -> None:
    E = torch.randn(SIZE, DIM)
    whole = bags(torch.tensor([[4, UNK, 5, END, PAD]]), E, DIM)
    assert_close(whole, bags(torch.tensor([[4, 5]]), E, DIM))
    assert not bags(torch.tensor([[UNK, END]]), E, DIM).any()


def test_several_matrices_at_once() -> None:
    E, ids = torch.randn(SIZE, 2, DIM), torch.tensor([[4, 5, 6], [7, 8, 0]])
    found = bags(ids, E.flatten(1), DIM).view(2, 2, DIM)
    for m in range(2):
        assert_close(found[:, m], bags(ids, E[:, m].contiguous(), DIM))


def test_padding_is_zero() -> None:
    embedder = SentenceEmbedder(SIZE, DIM)
    mask = torch.tensor([[True, False]])
    found = embedder(Padded(torch.full((1, 2, 3), 5), mask))
    assert found.values[0, 0].any()
    assert not found.values[0, 1].any()
