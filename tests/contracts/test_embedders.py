"""What every embedder must do: turn each real place into a vector, whatever stands beside it."""

from collections.abc import Callable

import pytest
import torch
from torch import Tensor
from torch.testing import assert_close

from saccade.embedders.base import Embedder, PlaceEmbedder
from saccade.flow import Padded
from saccade.parts import Part, kinds
from tests.samples import backward, mask_of, missing_gradients, name, randn, scramble, variants

SIZE, DIM, LENGTHS = 9, 8, (4, 6, 1)


def symbols(seed: int, *shape: int) -> Tensor:
    return (randn(*shape, seed=seed).abs() * 100).long() % SIZE


def numbers(seed: int, *shape: int) -> Tensor:
    return randn(*shape, SIZE, seed=seed)


GIVEN: dict[str, Callable[..., Tensor]] = {"linear": numbers, "symbols": symbols}
every = pytest.mark.parametrize("part", variants(Embedder), ids=name)


def build(part: Part[Embedder]) -> Embedder:
    return scramble(part.build(SIZE, DIM))


def source(part: Part[Embedder], extra: int = 0) -> Padded:
    """Make a batch with `extra` places of something else behind its padding."""
    given, shape = GIVEN[part.kind], (len(LENGTHS), max(LENGTHS))
    values = torch.cat([given(1, *shape), given(2, len(LENGTHS), extra)], dim=1)
    return Padded(values, mask_of(*LENGTHS, size=values.shape[1]))


def test_all_are_tried() -> None:
    assert sorted(GIVEN) == kinds(Embedder)


@every
def test_every_place_has_a_vector(part: Part[Embedder]) -> None:
    embedder, given = build(part), source(part)
    found = embedder(given)
    assert (embedder.size, embedder.dim) == (SIZE, DIM)
    assert found.values.shape == (*found.mask.shape, DIM)
    for row, length in enumerate(LENGTHS):
        shape = tuple(given.values[row, :length].shape)
        (n,) = embedder.grid(shape)
        assert n == int(found.mask[row].sum())


@every
def test_padding_changes_nothing(part: Part[Embedder]) -> None:
    embedder, before = build(part), build(part)(source(part))
    after = embedder(source(part, extra=3))
    n = before.mask.shape[1]
    assert torch.equal(after.mask[:, :n], before.mask)
    assert not after.mask[:, n:].any()
    assert_close(after.values[:, :n][before.mask], before.values[before.mask])


@every
def test_what_stands_in_the_padding_changes_nothing(part: Part[Embedder]) -> None:
    embedder, one = build(part), source(part)
    other = one.values.clone()
    other[~one.mask] = GIVEN[part.kind](3, int((~one.mask).sum()))
    first, second = embedder(one), embedder(Padded(other, one.mask))
    assert torch.equal(first.mask, second.mask)
    assert_close(first.values[first.mask], second.values[first.mask])


@every
def test_a_row_alone_is_a_row_of_the_batch(part: Part[Embedder]) -> None:
    embedder, one = build(part), source(part)
    whole = embedder(one)
    for i, length in enumerate(LENGTHS):
        alone = embedder(Padded(one.values[i : i + 1, :length], one.mask[i : i + 1, :length]))
        assert_close(alone.values[alone.mask], whole.values[i][whole.mask[i]])


@every
def test_turns_are_embedded_as_they_stand(part: Part[Embedder]) -> None:
    embedder = build(part)
    values, mask = GIVEN[part.kind](1, 2, 3, 4), mask_of(4, 2, 1, 3, 0, 0).view(2, 3, 4)
    found = embedder(Padded(values, mask))
    assert found.values.shape == (2, 3, 4, DIM)
    alone = embedder(Padded(values[1, :1], mask[1, :1]))
    assert_close(found.values[1, :1][alone.mask], alone.values[alone.mask])


@every
def test_a_place_embedder_embeds_single_places(part: Part[Embedder]) -> None:
    embedder, one = build(part), source(part)
    if isinstance(embedder, PlaceEmbedder):
        assert_close(embedder.embed(one.values[:, 0]), embedder(one).values[:, 0])
        assert embedder.matrix is None or embedder.matrix.shape == (SIZE, DIM)


@every
def test_every_parameter_gets_a_gradient(part: Part[Embedder]) -> None:
    embedder = build(part).train()
    found = embedder(source(part))
    backward((found.values * randn(*found.values.shape, seed=3))[found.mask].sum())
    assert missing_gradients(embedder) == []


@every
def test_weights_survive_saving(part: Part[Embedder]) -> None:
    embedder, other = build(part), scramble(part.build(SIZE, DIM), seed=7)
    other.load_state_dict(embedder.state_dict())
    assert torch.equal(embedder(source(part)).values, other(source(part)).values)
