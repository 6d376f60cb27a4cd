from collections.abc import Iterator
from threading import Event, current_thread, main_thread

import pytest

from saccade.data.ahead import ReadAhead


def test_items_come_in_order_and_the_next_is_computed_while_one_is_used() -> None:
    begun = [Event() for _ in range(3)]

    def items() -> Iterator[int]:
        for i in range(3):
            assert current_thread() is not main_thread()
            begun[i].set()
            yield i

    ahead = ReadAhead(items())
    assert next(ahead) == 0
    assert begun[1].wait(10)  # nobody has asked for it
    assert not begun[2].is_set()
    assert list(ahead) == [1, 2]
    assert list(ahead) == []


def test_an_error_is_raised_where_its_item_would_come() -> None:
    def items() -> Iterator[int]:
        yield 1
        raise ValueError("broken")

    ahead = ReadAhead(items())
    assert next(ahead) == 1
    for _ in range(2):
        with pytest.raises(ValueError, match="broken"):
            next(ahead)
