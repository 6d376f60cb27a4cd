import threading
from collections.abc import Iterator

import pytest
import torch

from saccade.predict.thread_pool import map_threads


@pytest.fixture
def two_threads() -> Iterator[None]:
    before = torch.get_num_threads()
    torch.set_num_threads(2)
    yield
    torch.set_num_threads(before)


@pytest.mark.usefixtures("two_threads")
def test_all_at_once_and_in_order() -> None:
    together = threading.Barrier(2, timeout=60)  # nobody passes alone

    def work(i: int) -> tuple[int, int]:
        together.wait()
        return i, torch.get_num_threads()

    assert map_threads(work, range(4)) == [(i, 1) for i in range(4)]
    assert torch.get_num_threads() == 2


def test_one_thread_takes_them_in_turn() -> None:
    assert torch.get_num_threads() == 1
    here = threading.get_ident()
    assert map_threads(lambda _: threading.get_ident(), range(3)) == [here] * 3
    assert map_threads(str, []) == []


@pytest.mark.usefixtures("two_threads")
def test_what_fails_is_told() -> None:
    with pytest.raises(ZeroDivisionError):
        map_threads(lambda i: 1 // i, [1, 0, 1])
    assert torch.get_num_threads() == 2
