"""Many batches at once, each on a thread of its own."""

from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import TypeVar

import torch

T = TypeVar("T")
R = TypeVar("R")


def map_threads(function: Callable[[T], R], items: Sequence[T]) -> list[R]:
    """Return `function(item)` of every item; as many at once as torch has threads.

    A product whose rows are shared out waits at its end for the last thread; batches that have a
    thread each never wait for each other. Torch lets go of Python's lock while it computes.
    """
    n_threads = torch.get_num_threads()
    if min(n_threads, len(items)) < 2:
        return [function(item) for item in items]
    try:
        with ThreadPoolExecutor(
            min(n_threads, len(items)), initializer=torch.set_num_threads, initargs=(1,)
        ) as pool:
            return list(pool.map(function, items))
    finally:
        torch.set_num_threads(n_threads)  # what threads to come begin with
