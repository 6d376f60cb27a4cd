"""Windows of numbers to batches: the forecaster's counterpart of stores of ids.

They are kept in memory, on the scale of the training data; no symbol begins or ends them.
"""

from collections.abc import Callable, Sequence
from typing import Any, final

import numpy as np
import torch
from numpy.typing import NDArray

from saccade.data.batching import Ids
from saccade.data.store import Pairs
from saccade.errors import DataError
from saccade.flow import Batch, Padded
from saccade.modalities._numbers import Numbers, Scale, Scales, parse
from saccade.readers.base import Reader

Vectors = NDArray[np.float32]  # [S, C]


@final
class Windows(Pairs):
    """Pairs of vectors, of any lengths."""

    def __init__(self, sources: list[Vectors], targets: list[Vectors], origins: list[str]) -> None:
        self._sources, self._targets, self._origins = sources, targets, origins
        self.source_lengths = np.array([len(one) for one in sources], dtype=np.int32)
        self.target_lengths = np.array([len(one) for one in targets], dtype=np.int32)

    def __len__(self) -> int:
        return len(self._sources)

    def pair(self, i: int) -> tuple[NDArray[Any], NDArray[Any]]:
        """Return both sides of pair `i`: `[S, C]` and `[T, C']`."""
        return self._sources[i], self._targets[i]

    def origin(self, i: int) -> str:
        """Name the file and line of the first place that is forecast."""
        return self._origins[i]


def measured(readers: Sequence[Reader]) -> Scales:
    """Measure the scale of what readers read: the places of all sources, as often as they occur."""
    examples = [example for reader in readers for example in reader.read()]
    scale = Scale.of(parse(example.source, example.origin) for example in examples)
    shapes = [parse(example.target, example.origin).shape for example in examples]
    horizon, n_target = (max(sizes) for sizes in zip(*shapes, strict=True))
    if not 1 <= n_target <= len(scale):
        raise DataError(
            f"data.train: targets have {n_target} columns but sources {len(scale)}; expected those"
            " of the target to be the first of the source. Check its readers."
        )
    return Scales(scale, n_target, horizon)


def read_windows(reader: Reader, scales: Scales) -> Windows:
    """Read all that a reader has, on the scale of the training data."""
    sources, targets, origins = [], [], []
    for example in reader.read():
        sources.append(_scaled(scales.source.apply, example.source, example.origin))
        targets.append(_scaled(scales.target.apply, example.target, example.origin))
        origins.append(example.origin)
    return Windows(sources, targets, origins)


def _scaled(apply: Callable[[Numbers], Vectors], text: str, where: str) -> Vectors:
    values = parse(text, where)
    try:
        return apply(values)
    except DataError as error:
        raise DataError(f"{where}: {error}") from None


def pad(sequences: Sequence[Ids]) -> Padded:
    """Put `[S, C]` vectors into one tensor, zeros behind.

    >>> pad([np.ones((2, 1)), np.ones((1, 1))]).values.tolist()
    [[[1.0], [1.0]], [[1.0], [0.0]]]
    """
    arrays = [np.asarray(one, dtype=np.float32) for one in sequences]
    lengths = np.array([len(one) for one in arrays])
    mask = np.arange(int(lengths.max(initial=0))) < lengths[:, None]  # [B, S]
    values = np.zeros((*mask.shape, arrays[0].shape[1]), dtype=np.float32)  # [B, S, C]
    for row, one in zip(values, arrays, strict=True):
        row[: len(one)] = one
    return Padded(torch.from_numpy(values), torch.from_numpy(mask))


def collate(sources: Sequence[Ids], targets: Sequence[Ids], index: Sequence[int] = ()) -> Batch:
    """Make a batch of vectors; what is read before the first target is the last of the source.

    >>> batch = collate([np.array([[1.0], [2.0]])], [np.array([[3.0], [4.0]])])
    >>> batch.prefix.tolist(), batch.target.values.tolist()
    ([[[2.0], [3.0]]], [[[3.0], [4.0]]])
    """
    width = np.asarray(targets[0]).shape[1]
    pairs = zip(sources, targets, strict=True)
    shifted = [np.concatenate([np.asarray(s)[-1:, :width], np.asarray(t)[:-1]]) for s, t in pairs]
    return Batch(pad(sources), pad(targets), pad(shifted).values, tuple(int(i) for i in index))
