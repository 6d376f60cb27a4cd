"""A picture with the weights of its words, checked: what every form of the view is drawn from."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from saccade.errors import ShapeError
from saccade.views.cells import (
    MOST,
    Box,
    Floats,
    cell_size,
    entropy,
    share_in_box,
    share_of_most,
    smooth,
    top_of,
)
from saccade.views.weights import Weights

Pixels = npt.NDArray[np.uint8]  # [H, W, 3]

VEIL = 0.85  # opacity of the veil over a cell without weight
SHADE, GLOW = 0.65, 0.4  # opacity of black where a smooth map has no weight, of white where most


@dataclass(frozen=True, slots=True)
class PictureLook:
    """A picture with the weights `[T, H', W']` of its words.

    boxes: what a word names, by the word's place.  smoothly: without edges between the cells, each
    word on a scale of its own; else `top` gets the full light for all words.
    """

    picture: Pixels
    weights: Floats
    words: tuple[str, ...]
    boxes: Mapping[int, Box]
    smoothly: bool
    top: float

    @property
    def cell(self) -> tuple[int, int]:
        """Pixels of a cell, down and across."""
        return cell_size(self.weights.shape[1:], self.picture.shape)

    def light(self, word: int, shape: tuple[int, int]) -> Floats:
        """Return how much light falls on a word's picture, `[h, w]` from 0 to 1."""
        height, width = self.picture.shape[:2]
        grid = self.weights[word]
        if self.smoothly:
            found = smooth(grid, (height, width), shape)
            return np.asarray(found / max(float(found.max()), 1e-9))
        rows = (np.arange(shape[0]) * height // shape[0]) // self.cell[0]  # [h]
        columns = (np.arange(shape[1]) * width // shape[1]) // self.cell[1]  # [w]
        lit = np.where(np.isfinite(grid), grid, 0.0)[rows][:, columns]
        return np.asarray((lit / self.top).clip(0.0, 1.0))

    def overlay(self, word: int, shape: tuple[int, int]) -> Floats:
        """Return grey and opacity, `[h, w, 2]` from 0 to 1, of what lies over a word's picture.

            opacity = shade (1 - l) + glow l,      grey = glow l / opacity

        l is the light. Smooth maps darken what was not looked at and whiten the rest, as the
        figures of Xu et al. 2015, so that black and white things can be told apart; the veil of a
        grid is black alone.
        """
        return self._laid(self.light(word, shape))

    def _laid(self, light: Floats) -> Floats:
        shade, glow = (SHADE, GLOW) if self.smoothly else (VEIL, 0.0)
        opacity = shade * (1 - light) + glow * light
        return np.stack([glow * light / np.maximum(opacity, 1e-9), opacity], axis=-1)

    def greys(self) -> list[int]:
        """Return what is made of a middle grey, in ten steps from no weight to the most."""
        grey, opacity = self._laid(np.linspace(0.0, 1.0, 10)).T
        return [round(value) for value in (128 * (1 - opacity) + 255 * grey * opacity).tolist()]

    def spread(self, word: int) -> str:
        """Tell how spread the weight of a word is: its entropy, and the share of five cells."""
        grid = self.weights[word]
        return f"{entropy(grid):.1f} bits, top {MOST} {share_of_most(grid):.0%}"

    def inside(self, word: int) -> str:
        """Tell how much of a word's weight lies in its box, or nothing if it has none."""
        if word not in self.boxes:
            return ""
        inside = share_in_box(self.weights[word], self.boxes[word], self.picture.shape)
        return f"{inside:.0%} in its box"

    @property
    def end(self) -> str:
        """What stands at the end of the scale."""
        return "the word's largest" if self.smoothly else f"{self.top:.2g}"

    @property
    def legend(self) -> tuple[str, str]:
        """Say what `spread` tells, in two lines."""
        n_cells = int(np.prod(self.weights.shape[1:]))
        return (
            f"bits: entropy of the weights, at most {np.log2(n_cells):.1f}",
            f"top {MOST}: share of the {MOST} heaviest of {n_cells} cells",
        )


def look_at(
    where: str,
    picture: Pixels,
    weights: Weights,
    words: Sequence[str],
    boxes: Mapping[int, Box] | None = None,
    *,
    smoothly: bool = True,
) -> PictureLook:
    """Check that a picture, weights and words belong together."""
    found = np.asarray(weights, dtype=np.float64)
    if picture.ndim != 3 or picture.shape[2] != 3 or not picture.size:
        raise ShapeError(
            f"{where}: the picture has shape {list(picture.shape)}; expected [H, W, 3]. Pass red,"
            " green and blue of every pixel."
        )
    if found.ndim != 3 or len(found) != len(words) or 0 in found.shape[1:]:
        raise ShapeError(
            f"{where}: weights have shape {list(found.shape)}; {len(words)} words need"
            f" [{len(words)}, H', W']; pass one grid for each word."
        )
    return PictureLook(picture, found, tuple(words), dict(boxes or {}), smoothly, top_of(found))


def averaged(values: npt.NDArray[np.generic], block: int) -> Pixels:
    """Average squares of pixels `[H, W, 3]`; those at the edges may be smaller."""
    rows = np.arange(0, values.shape[0], block)
    columns = np.arange(0, values.shape[1], block)
    whole = values.astype(np.float64)
    summed = np.add.reduceat(np.add.reduceat(whole, rows, axis=0), columns, axis=1)
    counts = np.diff([*rows, values.shape[0]])[:, None] * np.diff([*columns, values.shape[1]])
    return np.asarray(np.rint(summed / counts[:, :, None]), dtype=np.uint8)
