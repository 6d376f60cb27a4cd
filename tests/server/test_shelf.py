"""Files are kept for a while, so many and no more."""

import pytest

from saccade.server.refusal import Refused
from saccade.server.shelf import Shelf


def test_a_file_is_there_until_its_time_is_over() -> None:
    now = 0.0
    shelf = Shelf(seconds=10, clock=lambda: now)
    ticket, other = shelf.put("a.txt", b"x"), shelf.put("a.txt", b"y")
    assert ticket != other
    assert ticket.endswith(".a.txt")
    assert len(ticket) > 32
    assert shelf.take(ticket).body == b"x"
    assert shelf.take(ticket).name == "a.txt"
    now = 10.5
    with pytest.raises(Refused, match="there is none of this name; expected one that") as refused:
        shelf.take(ticket)
    assert refused.value.status == 404


def test_a_full_shelf_refuses_and_says_how_long() -> None:
    now = 0.0
    shelf = Shelf(count=2, room=10, seconds=60, clock=lambda: now)
    shelf.put("a.txt", b"12345")
    with pytest.raises(Refused, match="1 of 5 bytes are kept; expected at most 2 of 10") as big:
        shelf.put("b.txt", b"123456")
    assert (big.value.status, big.value.retry) == (429, 61)
    shelf.put("b.txt", b"1")
    with pytest.raises(Refused, match="2 of 6 bytes are kept"):
        shelf.put("c.txt", b"1")
    now = 61
    assert shelf.put("c.txt", b"1234567890")
