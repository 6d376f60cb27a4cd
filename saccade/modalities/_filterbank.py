"""Log mel filterbanks as Kaldi computes them, for a whole sound or for chunks of it."""

from dataclasses import dataclass
from functools import lru_cache
from typing import final

import numpy as np
from numpy.typing import NDArray

Signal = NDArray[np.float32]  # [n], in the scale of 16 bits
Frames = NDArray[np.float32]  # [T, F]

_EPSILON = np.float32(np.finfo(np.float32).eps)
_BLOCK = 4096  # frames that are computed at once


@dataclass(frozen=True, slots=True)
class Filterbank:
    """A frame of 25 ms every 10 ms, and the energies of `bins` bands in it.

        x = frame - mean(frame);   x[i] = x[i] - 0.97 x[i-1];   x = x povey
        povey[i] = (0.5 - 0.5 cos(2 pi i / (N - 1)))^0.85
        f[b] = log max(sum_k m[b, k] |FFT(x)[k]|^2, 1.2e-7)

    m are triangles of equal width on the mel scale 1127 ln(1 + h / 700) from `low` hertz to half
    the rate. These are the defaults of Kaldi's `compute-fbank-feats` with dither 0 and snip_edges
    true: only frames that lie in the sound as a whole are there. The test compares with
    kaldi-native-fbank.
    """

    rate: int
    bins: int = 40
    low: float = 20.0

    @property
    def length(self) -> int:
        """Samples of a frame."""
        return self.rate * 25 // 1000

    @property
    def shift(self) -> int:
        """Samples from one frame to the next."""
        return self.rate * 10 // 1000

    def count(self, n: int) -> int:
        """Return how many frames `n` samples have.

        >>> [Filterbank(8000).count(n) for n in (199, 200, 279, 280)]
        [0, 1, 1, 2]
        """
        return 0 if n < self.length else 1 + (n - self.length) // self.shift

    def frames(self, signal: Signal) -> Frames:
        """Return the features of a sound `[n]`: `[T, F]`."""
        found = np.empty((self.count(len(signal)), self.bins), dtype=np.float32)
        if not len(found):
            return found
        windows = np.lib.stride_tricks.sliding_window_view(signal, self.length)[:: self.shift]
        for begin in range(0, len(found), _BLOCK):
            block = slice(begin, min(begin + _BLOCK, len(found)))
            found[block] = self._logs(windows[block])
        return found

    def _logs(self, windows: NDArray[np.float32]) -> Frames:
        """Return the features of frames `[T, N]`."""
        x = windows - windows.mean(axis=1, keepdims=True, dtype=np.float32)
        before = np.concatenate([x[:, :1], x[:, :-1]], axis=1)
        x = (x - np.float32(0.97) * before) * _povey(self.length)
        size = 1 << (self.length - 1).bit_length()
        spectrum = np.fft.rfft(x, size, axis=1)[:, :-1]  # [T, size / 2]
        power = spectrum.real**2 + spectrum.imag**2
        energies = power @ _triangles(self.rate, self.bins, self.low, size)
        return np.asarray(np.log(np.maximum(energies, _EPSILON)), dtype=np.float32)


@final
class FilterbankStream:
    """The features of a sound that comes in chunks; together they are those of the whole."""

    def __init__(self, bank: Filterbank) -> None:
        self.bank = bank
        self._tail: Signal = np.zeros(0, dtype=np.float32)

    def feed(self, chunk: Signal) -> Frames:
        """Take the next samples, any number of them; return the frames that are whole now."""
        heard = np.concatenate([self._tail, np.asarray(chunk, dtype=np.float32)])
        found = self.bank.frames(heard)
        self._tail = heard[len(found) * self.bank.shift :]
        return found


@lru_cache(maxsize=16)
def _povey(n: int) -> NDArray[np.float32]:
    hann = 0.5 - 0.5 * np.cos(2 * np.pi * np.arange(n) / (n - 1))
    return np.asarray(hann**0.85, dtype=np.float32)


@lru_cache(maxsize=16)
def _triangles(rate: int, bins: int, low: float, size: int) -> NDArray[np.float32]:
    """Return the weight of every frequency in every band, `[size / 2, F]`."""
    edges = np.linspace(_mel(low), _mel(rate / 2), bins + 2)
    mel = _mel(np.arange(size // 2) * rate / size)[:, None]
    left, middle, right = edges[:-2], edges[1:-1], edges[2:]
    rising, falling = (mel - left) / (middle - left), (right - mel) / (right - middle)
    return np.asarray(np.clip(np.minimum(rising, falling), 0, None), dtype=np.float32)


def _mel(hertz: "NDArray[np.float64] | float") -> NDArray[np.float64]:
    return np.asarray(1127.0 * np.log1p(np.asarray(hertz) / 700.0))
