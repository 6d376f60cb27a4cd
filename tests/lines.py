"""Lines of print for tests: letters of 3 to 5 columns each, drawn from a seed."""

import random
from pathlib import Path

import numpy as np

from saccade.modalities import _png
from saccade.modalities._png import Pixels

HEIGHT = 8
LETTERS = "abcd"


def glyph(letter: str) -> Pixels:
    """Draw a letter, `[8, W]`: 0 is ink."""
    generator = np.random.default_rng(ord(letter))
    width = 4 + ord(letter) % 3
    return (255 * (generator.random((HEIGHT, width)) < 0.5)).astype(np.uint8)


def printed(text: str) -> Pixels:
    """Print a text as a line, `[8, W, 3]`, with two columns of paper around every letter."""
    gap = np.full((HEIGHT, 2), 255, np.uint8)
    parts = [gap]
    for letter in text:
        parts += [glyph(letter), gap]
    return np.repeat(np.concatenate(parts, axis=1)[:, :, None], 3, axis=2)


def save(folder: Path, texts: dict[str, str]) -> None:
    """Write lines as files, by name."""
    folder.mkdir(parents=True, exist_ok=True)
    for name, text in texts.items():
        (folder / name).write_bytes(_png.encode(printed(text)))


def words(n: int, seed: int = 0) -> list[str]:
    """Draw different words of one to four letters."""
    chance, found = random.Random(seed), dict[str, None]()
    while len(found) < n:
        found["".join(chance.choice(LETTERS) for _ in range(chance.randint(1, 4)))] = None
    return list(found)
