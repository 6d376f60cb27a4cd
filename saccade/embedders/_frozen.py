"""A picture network that does not learn, run once over each picture: arrays in, arrays out."""

from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from hashlib import blake2b
from pathlib import Path
from threading import Lock
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from saccade.embedders._trunk import Trunk, put_kept, read_trained

Pixels = NDArray[np.uint8]  # [H, W, 3]
Grid = NDArray[np.float16]  # [H', W', C]
_REMEMBERED = 1 << 27  # bytes of features: 1,070 grids of 7 x 7 x 1,280


class FrozenTrunk:
    """Computes the features of pictures, each by itself and on one thread.

    So the bits of a picture's features do not depend on the pictures beside it or on the number of
    threads: there are as many pictures at once as torch has threads. One at a time is also fastest,
    for what a layer writes is still in the cache when the next one reads it. The features of the
    last thousand pictures or so are remembered: a validation set is read often, and a picture on a
    page is asked for again with every word that is edited.

    Args:
        build: makes the network.
        kept: a file of its weights, if they are not to be had where the network says.
    """

    def __init__(self, build: Callable[[], Trunk], kept: Path | None = None) -> None:
        with torch.random.fork_rng(devices=[]):
            torch.manual_seed(0)  # weights that are drawn are always the same
            trunk = build()
        if kept is None:
            read_trained(trunk)
        else:
            put_kept(trunk, kept)
        self._trunk = trunk.eval().requires_grad_(requires_grad=False)
        self._memory = _Memory(_REMEMBERED)
        self.fingerprint, self.channels = trunk.fingerprint(), trunk.channels

    @property
    def weights(self) -> Mapping[str, Tensor]:
        """The weights, by the network's own names."""
        return dict(self._trunk.named_parameters())

    def features(self, pictures: Sequence[Pixels]) -> list[Grid]:
        """Return the features `[H', W', C]` of every picture, rounded to half precision."""
        keys = [_key(picture) for picture in pictures]
        found = {key: grid for key in keys if (grid := self._memory.get(key)) is not None}
        new = {key: p for key, p in zip(keys, pictures, strict=True) if key not in found}
        for key, grid in zip(new, self._computed(list(new.values())), strict=True):
            found[key] = grid
            self._memory.put(key, grid)
        return [found[key] for key in keys]

    def _computed(self, pictures: Sequence[Pixels]) -> list[Grid]:
        if not pictures:
            return []
        n_threads = torch.get_num_threads()
        try:
            with ThreadPoolExecutor(
                min(n_threads, len(pictures)), initializer=torch.set_num_threads, initargs=(1,)
            ) as pool:
                return list(pool.map(self._run, pictures))
        finally:
            torch.set_num_threads(n_threads)  # what threads to come begin with

    @torch.inference_mode()
    def _run(self, picture: Pixels) -> Grid:
        pixels = torch.from_numpy(picture.astype(np.float32))
        found: NDArray[Any] = self._trunk(pixels[None])[0].numpy()  # [H', W', C]
        grid = found.astype(np.float16)
        grid.flags.writeable = False  # it is shared
        return grid


class _Memory:
    """The features of the pictures that were asked for last, of at most so many bytes."""

    def __init__(self, most: int) -> None:
        self._most, self._size = most, 0
        self._grids: dict[bytes, Grid] = {}  # in the order in which they were asked for
        self._lock = Lock()

    def get(self, key: bytes) -> Grid | None:
        with self._lock:
            grid = self._grids.pop(key, None)
            if grid is not None:
                self._grids[key] = grid
            return grid

    def put(self, key: bytes, grid: Grid) -> None:
        with self._lock:
            old = self._grids.pop(key, None)  # another thread may have been as quick
            self._size += grid.nbytes - (0 if old is None else old.nbytes)
            self._grids[key] = grid
            while self._size > self._most:
                self._size -= self._grids.pop(next(iter(self._grids))).nbytes


def _key(picture: Pixels) -> bytes:
    found = blake2b(repr(picture.shape).encode(), digest_size=16)
    found.update(np.ascontiguousarray(picture).data)
    return found.digest()


def sketched(build: Callable[[], Trunk]) -> Trunk:
    """Build a network without weights, to see how large it is."""
    with torch.device("meta"):
        return build()
