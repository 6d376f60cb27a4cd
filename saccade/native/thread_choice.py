"""How many threads share a call of the kernels."""

from collections.abc import Callable
from time import perf_counter

import torch

_SMALL = 1 << 20  # products of two numbers below which work ends before a second thread wakes
_TRIALS = 8  # calls at first that are made both ways in turn
_SOON, _LATE = 32, 4096  # calls after which the slower way is tried again: at first, and at last
_NEW = 0.125  # share of the last call in what is expected of the next


class ThreadChoice:
    """Shares the work of like calls among threads if that has been faster lately.

    The threads of a call wait for each other some thirty times. On a free machine that takes
    microseconds; where all cores are busy with something else each time may cost a slice of the
    scheduler's, and one thread alone is many times as fast. Nobody tells which of the two it is, so
    both ways are timed, and the slower one is tried again now and then. What is computed is the
    same either way.
    """

    def __init__(self) -> None:
        self._sizes: dict[int, _Size] = {}

    def run(self, n_products: int, call: Callable[[int], int | None]) -> None:
        """Call with a number of threads, for work of so many products of two numbers.

        A call that did such work several times says how often.
        """
        many = torch.get_num_threads()
        if many == 1 or n_products < _SMALL:
            call(1)
            return
        size = self._sizes.setdefault(n_products.bit_length(), _Size())
        shared = size.shares()
        begun = perf_counter()
        times = call(many if shared else 1) or 1
        size.took((perf_counter() - begun) / (times * n_products), shared=shared)


class _Size:
    """Calls of about one size: what a product took alone and shared, and when to try again."""

    def __init__(self) -> None:
        self._seconds = {False: 0.0, True: 0.0}  # nothing is known
        self._calls, self._wait = 0, _SOON
        self._next = _TRIALS + _SOON

    @property
    def _best(self) -> bool:
        return self._seconds[True] <= self._seconds[False]

    def shares(self) -> bool:
        """Tell whether to share the next call."""
        self._calls += 1
        if self._calls <= _TRIALS:
            return self._calls % 2 == 0
        if self._calls < self._next:
            return self._best
        return not self._best

    def took(self, seconds: float, *, shared: bool) -> None:
        """Hear how long a product took."""
        best, known, tries = self._best, self._seconds[shared], self._calls >= self._next
        fresh = tries or not known  # what was known of it is old, or nothing
        self._seconds[shared] = seconds if fresh else known + _NEW * (seconds - known)
        if tries:
            self._wait = min(2 * self._wait, _LATE) if self._best == best else _SOON
            self._next = self._calls + self._wait
