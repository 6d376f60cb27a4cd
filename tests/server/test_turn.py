"""Whoever has waited longest is next."""

import threading

from saccade.server.turn import Turn
from tests.server.live import until


def test_those_who_wait_come_in_their_order() -> None:
    turn, order = Turn(), list[int]()

    def work(number: int) -> None:
        with turn:
            order.append(number)

    threads = [threading.Thread(target=work, args=(number,)) for number in range(4)]
    turn.acquire()
    turn.pass_on()  # nobody waits: nothing happens
    for number, thread in enumerate(threads):
        thread.start()
        until(lambda n=number: len(turn._line) == n + 2)  # type: ignore[misc]
    turn.pass_on()
    assert order == [0, 1, 2, 3]
    turn.release()
    for thread in threads:
        thread.join()
