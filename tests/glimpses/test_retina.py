"""The retina against direct sums over pixels."""

import pytest
import torch

from saccade.errors import RecipeError
from saccade.flow import Padded
from saccade.glimpses.base import Pictures, pictures_of
from saccade.glimpses.retina import Retina


def pictures(*sizes: tuple[int, int], channels: int = 1) -> tuple[Padded, Pictures]:
    height, width = (max(size[i] for size in sizes) for i in (0, 1))
    generator = torch.Generator().manual_seed(1)
    values = torch.randint(0, 256, (len(sizes), height, width, channels), generator=generator)
    mask = torch.zeros(len(sizes), height, width, dtype=torch.bool)
    for i, (h, w) in enumerate(sizes):
        mask[i, :h, :w] = True
    source = Padded(values.to(torch.uint8), mask)
    return source, pictures_of(source, torch.float64)


def direct(
    picture: torch.Tensor, size: tuple[int, int], where: list[float], side: int, sharp: int
) -> list[float]:
    """Return a square of `picture [H, W]` around a place, pixel by pixel."""
    middle = [sharp / 2 + (w + 1) / 2 * (n - sharp) for w, n in zip(where, size, strict=True)]
    first = [round(one - side / 2) for one in middle]
    found = []
    for i in range(first[0], first[0] + side):
        for j in range(first[1], first[1] + side):
            inside = 0 <= i < size[0] and 0 <= j < size[1]
            found.append(float(picture[i, j]) if inside else 0.0)
    return found


def test_one_scale_is_a_square_around_the_place() -> None:
    sizes = [(9, 7), (5, 11)]
    _, given = pictures(*sizes)
    where = torch.tensor([[0.1, -0.9], [0.95, 0.3]], dtype=torch.float64)
    seen = Retina(1, size=3)(given, where)
    for row in range(2):
        expected = direct(given.pixels[row, 0], sizes[row], where[row].tolist(), 3, 3)
        assert seen[row].tolist() == pytest.approx(expected)


def test_a_second_scale_averages_twice_as_large_a_square() -> None:
    _, given = pictures((12, 12))
    where = torch.tensor([[0.2, 0.0]], dtype=torch.float64)
    seen = Retina(1, size=2, scales=2)(given, where).view(2, 2, 2)
    wide = torch.tensor(direct(given.pixels[0, 0], (12, 12), [0.2, 0.0], 4, 2)).view(2, 2, 2, 2)
    assert seen[1].flatten().tolist() == pytest.approx(wide.mean(dim=(1, 3)).flatten().tolist())


def test_what_was_prepared_is_seen_as_if_it_were_not() -> None:
    """Three scales, also beyond every edge, against direct sums."""
    size = (9, 11)
    _, given = pictures(size, size, channels=2)
    retina = Retina(2, size=3, scales=3)
    where = torch.tensor([[-1.0, 1.0], [0.9, -0.4]], dtype=torch.float64)
    seen = retina(retina.prepare(given), where)
    assert torch.equal(seen, retina(given, where))
    for row in range(2):
        wide = direct(given.pixels[row, 1], size, where[row].tolist(), 12, 3)
        expected = torch.tensor(wide).view(3, 4, 3, 4).mean(dim=(1, 3)).flatten().tolist()
        assert seen.view(2, 3, 2, 9)[row, 2, 1].tolist() == pytest.approx(expected)


def test_places_belong_to_the_picture_and_not_to_its_batch() -> None:
    source, both = pictures((6, 6), (10, 12))
    alone = pictures_of(Padded(source.values[:1, :6, :6], source.mask[:1, :6, :6]), torch.float64)
    where = torch.tensor([[0.7, 0.9], [0.0, 0.0]], dtype=torch.float64)
    retina = Retina(1, size=4, scales=2)
    assert torch.equal(retina(both, where)[0], retina(alone, where[:1])[0])


def test_the_window_sums_to_one_inside_and_to_less_at_the_edge() -> None:
    source, given = pictures((8, 8), (8, 8))
    where = torch.tensor([[0.0, 0.0], [-1.0, -1.0]], dtype=torch.float64)
    retina = Retina(1, size=2, scales=2)
    window = retina.window(source.mask, where)
    assert window.sum(dim=(1, 2)).tolist() == pytest.approx([1.0, (1 + 9 / 16) / 2])
    assert retina.boxes(given.sizes, where)[1].tolist() == [[0, 0, 2, 2], [-1, -1, 3, 3]]


def test_absurd_sizes_are_refused() -> None:
    with pytest.raises(RecipeError, match="expected 1 to 64 pixels and 1 to 5 scales"):
        Retina(1, size=0)
