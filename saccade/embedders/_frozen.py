"""A picture network that does not learn, run once over each picture: arrays in, arrays out."""

from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray

from saccade.embedders._trunk import Trunk, read_trained

Pixels = NDArray[np.uint8]  # [H, W, 3]
Grid = NDArray[np.float16]  # [H', W', C]


class FrozenTrunk:
    """Computes the features of pictures, each by itself and on one thread.

    So the bits of a picture's features do not depend on the pictures beside it or on the number of
    threads: there are as many pictures at once as torch has threads. One at a time is also fastest,
    for what a layer writes is still in the cache when the next one reads it.

    Args:
        build: makes the network.
    """

    def __init__(self, build: Callable[[], Trunk]) -> None:
        with torch.random.fork_rng(devices=[]):
            torch.manual_seed(0)  # weights that are drawn are always the same
            trunk = build()
        read_trained(trunk)
        self._trunk = trunk.eval().requires_grad_(requires_grad=False)
        self.fingerprint, self.channels = trunk.fingerprint(), trunk.channels

    def features(self, pictures: Sequence[Pixels]) -> list[Grid]:
        """Return the features `[H', W', C]` of every picture, rounded to half precision."""
        n_threads = torch.get_num_threads()
        try:
            with ThreadPoolExecutor(
                n_threads, initializer=torch.set_num_threads, initargs=(1,)
            ) as pool:
                return list(pool.map(self._one, pictures))
        finally:
            torch.set_num_threads(n_threads)  # what threads to come begin with

    @torch.inference_mode()
    def _one(self, picture: Pixels) -> Grid:
        pixels = torch.from_numpy(picture.astype(np.float32))
        found: NDArray[Any] = self._trunk(pixels[None])[0].numpy()  # [H', W', C]
        return found.astype(np.float16)


def sketched(build: Callable[[], Trunk]) -> Trunk:
    """Build a network without weights, to see how large it is."""
    with torch.device("meta"):
        return build()
