"""Features of pictures: ours beside the package that the weights come from, in plain torch.

    python -m benchmarks.features --images ../shared/data/flickr8k/images
    python -m benchmarks.features --growth 4000

Both read the same pixels of 224 x 224 and end with arrays of half precision. The package takes
one picture at a time and in batches of 8 and 32, and its best counts. The two sides take turns,
so that the machine's load falls on both alike. `--growth` builds a store of so many pictures and
tells the highest memory by then.
"""

import argparse
import shutil
import statistics
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from functools import partial
from pathlib import Path

import numpy as np
import torch
from efficientnet_lite_pytorch import EfficientNet

from benchmarks.meter import peak_mib
from saccade.data import store
from saccade.data.codecs import Codecs
from saccade.embedders._frozen import FrozenTrunk, Grid, Pixels
from saccade.embedders._pretrained import read_packaged
from saccade.embedders.efficientnet_lite import PACKAGED, EfficientNetLite
from saccade.modalities._picture import Picture, PictureFile
from saccade.modalities._resize import Sizing
from saccade.modalities.features import Features
from saccade.modalities.text import TextCodec
from saccade.nouns import Example, pair
from saccade.readers.base import Reader
from saccade.tokenizers.word import Word

SIZE = 224
_BATCHES = (1, 8, 32)
Side = Callable[[Sequence[Pixels]], list[Grid]]


def package() -> dict[str, Side]:
    """Return the network of the package, run as its README shows, in batches of some sizes."""
    network = EfficientNet.from_name("efficientnet-lite0")
    network.load_state_dict(read_packaged(PACKAGED[0], "benchmark"))
    network.eval()

    def run(pictures: Sequence[Pixels], batch: int) -> list[Grid]:
        found = list[Grid]()
        with torch.inference_mode():
            for start in range(0, len(pictures), batch):
                pixels = torch.from_numpy(np.stack(pictures[start : start + batch]))
                given = ((pixels.float() - 127) / 128).permute(0, 3, 1, 2).contiguous()
                features = network.extract_features(given).permute(0, 2, 3, 1)
                found.extend(features.half().numpy())
        return found

    return {f"package, {n} at a time": partial(run, batch=n) for n in _BATCHES}


def compare(pictures: Sequence[Pixels], rounds: int) -> dict[str, list[float]]:
    """Return pictures per second of every side in every round."""
    ours = FrozenTrunk(EfficientNetLite)
    sides: dict[str, Side] = {"saccade": ours.features, **package()}
    _check(sides, pictures[:4])
    rates: dict[str, list[float]] = {name: [] for name in sides}
    for n in range(rounds):
        turned = [np.roll(picture, n + 1, axis=1) for picture in pictures]  # none is remembered
        for name, side in sides.items():
            start = time.perf_counter()
            side(turned)
            rates[name].append(len(turned) / (time.perf_counter() - start))
    return rates


def _check(sides: dict[str, Side], pictures: Sequence[Pixels]) -> None:
    wanted, *others = (np.stack(side(pictures)).astype(np.float32) for side in sides.values())
    for other in others:
        np.testing.assert_allclose(other, wanted, atol=1e-2)  # half precision of up to 6


def tell(rates: dict[str, list[float]], threads: int) -> None:
    """Print a row for each side, and how many times the package's best we are."""
    best = max(statistics.median(found) for name, found in rates.items() if name != "saccade")
    for name, found in rates.items():
        middle = statistics.median(found)
        times = f", {middle / best:.2f} x the package's best" if name == "saccade" else ""
        print(
            f"{threads} thread{'s' * (threads > 1)}: {name:24} {middle:6.1f} pictures/s"
            f" ({min(found):.1f} to {max(found):.1f}){times}"
        )


class Drawn(Reader):
    """Reads so many pictures of noise."""

    def __init__(self, n: int) -> None:
        super().__init__(Path())
        self.n = n

    def read(self) -> Iterator[Example]:
        """Yield pictures that are all different."""
        for i in range(self.n):
            noise = np.random.default_rng([self.n, i]).integers(
                0, 256, (96, 128, 3), dtype=np.uint8
            )
            yield pair(Picture(noise), "a picture", f"noise:{i + 1}")

    def fingerprint(self) -> str:
        """Tell how many there are."""
        return f"noise {self.n}"


def growth(n: int) -> None:
    """Build stores of n / 8, n / 4, ... pictures; print the highest memory after each."""
    folder = Path(tempfile.mkdtemp())
    codecs = Codecs({"source": Features().fit([])}, TextCodec(Word().fit(["a picture"], [])))
    codecs.sources["source"].encode([Picture(np.zeros((8, 8, 3), np.uint8))])
    print(f"before: peak {peak_mib():,.0f} MiB")
    try:
        for size in (n // 8, n // 4, n // 2, n):
            start = time.perf_counter()
            store.build(Drawn(size), codecs, folder)
            rate = size / (time.perf_counter() - start)
            print(f"{size:,} pictures: peak {peak_mib():,.0f} MiB, {rate:.0f} pictures/s")
    finally:
        shutil.rmtree(folder)


def main() -> None:
    """Compare with one thread and with two, or show how memory grows."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--images", type=Path, default=Path("../shared/data/flickr8k/images"))
    parser.add_argument("--pictures", type=int, default=64)
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--growth", type=int, default=0)
    options = parser.parse_args()
    if options.growth:
        growth(options.growth)
        return
    files = sorted(options.images.glob("*.jpg"))
    chosen = files[:: max(1, len(files) // options.pictures)][: options.pictures]
    pictures = Sizing(SIZE, "squash").arrays([PictureFile(path) for path in chosen])
    for threads in (1, 2):
        torch.set_num_threads(threads)
        tell(compare(pictures, options.rounds), threads)


if __name__ == "__main__":
    main()
