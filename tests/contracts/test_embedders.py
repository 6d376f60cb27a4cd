"""What every embedder must do: turn each real place into a vector, whatever stands beside it."""

from collections.abc import Callable
from math import prod

import pytest
import torch
from torch import Tensor
from torch.testing import assert_close

from saccade.embedders.base import Embedder, PlaceEmbedder
from saccade.flow import Padded
from saccade.parts import Part, kinds
from tests.samples import backward, missing_gradients, name, randn, scramble, variants

SIZE, DIM = 9, 8
Rows = list[Tensor]


def _symbols() -> Rows:
    return [(randn(n, seed=n).abs() * 100).long() % SIZE for n in (4, 6, 1)]


def _sentences() -> Rows:
    """Ids of words, all known: others count for nothing."""
    return [(randn(n, 3, seed=n).abs() * 100).long() % 5 + 4 for n in (4, 6, 1)]


def _numbers() -> Rows:
    return [randn(n, SIZE, seed=n) for n in (4, 6, 1)]


def _pictures(channels: int = SIZE, scale: int = 1) -> Rows:
    sizes = ((9 * scale, 5 * scale), (8 * scale, 12 * scale), (2, 3))
    return [(randn(*size, channels, seed=sum(size)).abs() * 99).to(torch.uint8) for size in sizes]


def _photos() -> Rows:
    return _pictures(3, scale=5)


def _grids() -> Rows:
    return [randn(*size, SIZE, seed=sum(size)) for size in ((3, 2), (2, 4), (1, 1))]


def _clips() -> Rows:
    return [(randn(n, 8, 7, SIZE, seed=n).abs() * 99).to(torch.uint8) for n in (4, 6, 1)]


def _lines() -> Rows:
    return [(randn(n, SIZE, seed=n).abs() * 99).to(torch.uint8) for n in (9, 12, 1)]


GIVEN: dict[str, tuple[int, Callable[[], Rows]]] = {  # dimensions of places, and rows
    "cnn": (2, _pictures),
    "columns": (1, _lines),
    "conv3d": (1, _clips),
    "efficientnet_lite": (2, _photos),
    "frames": (1, _clips),
    "frames_conv3d": (1, _clips),
    "linear": (1, _numbers),
    "patches": (2, _pictures),
    "projected": (2, _grids),
    "sentences": (1, _sentences),
    "spectrogram": (1, _numbers),
    "symbols": (1, _symbols),
    "vgg": (2, _photos),
}
DRAWN: dict[str, str | None] = {"efficientnet_lite": "none"}  # nothing is read from packages
PHOTOS = ("efficientnet_lite", "vgg")  # networks that read red, green and blue
FREE = {"variant": 0, "train": 99, "width": 16, "patch": 4}  # nothing is frozen
PARTS = [
    part
    for part in variants(Embedder, **FREE)
    if part.options.get("weights") == DRAWN.get(part.kind)
]
every = pytest.mark.parametrize("part", PARTS, ids=name)


def size_of(part: Part[Embedder]) -> int:
    return 3 if part.kind in PHOTOS else SIZE


def build(part: Part[Embedder], seed: int = 1) -> Embedder:
    """Build with noise for weights; a deep network keeps what it draws, and gets biases."""
    torch.manual_seed(seed)
    embedder = part.build(size_of(part), DIM)
    if part.kind not in PHOTOS:
        return scramble(embedder, seed=seed)
    for parameter in embedder.parameters():
        if parameter.ndim == 1:
            parameter.data.copy_(randn(*parameter.shape, seed=seed) * 0.1)
    return embedder.eval()


def source(part: Part[Embedder], *rows: int, extra: int = 0, filled: int = 0) -> Padded:
    """Make a batch of rows, or of all, with `extra` places of padding, where `filled` stands."""
    n_dims, given = GIVEN[part.kind]
    chosen = [given()[i] for i in rows or range(3)]
    places = [max(one.shape[d] for one in chosen) + extra for d in range(n_dims)]
    mask = torch.zeros(len(chosen), *places, dtype=torch.bool)
    values = torch.full((*mask.shape, *chosen[0].shape[n_dims:]), filled, dtype=chosen[0].dtype)
    for i, one in enumerate(chosen):
        here = tuple(slice(n) for n in one.shape[:n_dims])
        values[i][here], mask[i][here] = one, True
    return Padded(values, mask)


def assert_same(one: Padded, other: Padded) -> None:
    """Compare the vectors of all real places, row by row."""
    for row in range(len(one.mask)):
        assert_close(one.values[row][one.mask[row]], other.values[row][other.mask[row]])


def test_all_are_tried() -> None:
    assert sorted(GIVEN) == kinds(Embedder) == sorted({part.kind for part in PARTS})


@every
def test_every_place_has_a_vector(part: Part[Embedder]) -> None:
    embedder, given = build(part), GIVEN[part.kind][1]()
    found = embedder(source(part))
    assert (embedder.size, embedder.dim) == (size_of(part), DIM)
    assert found.values.shape == (*found.mask.shape, DIM)
    assert found.lengths.tolist() == [prod(embedder.grid(tuple(one.shape))) for one in given]


@every
def test_padding_changes_nothing(part: Part[Embedder]) -> None:
    embedder = build(part)
    before = embedder(source(part))
    assert_same(embedder(source(part, extra=3)), before)
    assert_same(embedder(source(part, extra=2, filled=7)), before)


@every
def test_a_row_alone_is_a_row_of_the_batch(part: Part[Embedder]) -> None:
    embedder = build(part)
    whole = embedder(source(part))
    for i in range(3):
        assert_same(embedder(source(part, i)), whole.rows(torch.tensor([i])))
    turned = torch.tensor([2, 0, 1])
    assert_same(embedder(source(part).rows(turned)), whole.rows(turned))


@every
def test_a_place_embedder_embeds_single_places_and_turns(part: Part[Embedder]) -> None:
    embedder, one = build(part), source(part)
    if isinstance(embedder, PlaceEmbedder):
        found = embedder(one).values
        assert_close(embedder.embed(one.values[:, 0]), found[:, 0])
        turns = embedder(Padded(one.values[None], one.mask[None]))
        assert_close(turns.values[0], found)
        assert embedder.matrix is None or embedder.matrix.shape == (SIZE, DIM)


@every
def test_every_parameter_gets_a_gradient(part: Part[Embedder]) -> None:
    embedder = build(part).train()
    found = embedder(source(part))
    backward((found.values * randn(*found.values.shape, seed=3))[found.mask].sum())
    assert missing_gradients(embedder) == []


@every
def test_weights_survive_saving(part: Part[Embedder]) -> None:
    embedder, other = build(part), build(part, seed=7)
    other.load_state_dict(embedder.state_dict())
    assert torch.equal(embedder(source(part)).values, other(source(part)).values)
