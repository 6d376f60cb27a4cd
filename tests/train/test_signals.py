import os
import signal
import threading

import pytest

from saccade.train.signals import Signals


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_the_first_signal_is_noted_and_the_second_acts(number: signal.Signals) -> None:
    acted: list[int] = []
    before = signal.signal(number, lambda n, _: acted.append(n))
    try:
        with Signals() as signals:
            os.kill(os.getpid(), number)
            assert (signals.caught, acted) == (number, [])
            os.kill(os.getpid(), number)
            assert acted == [number]
        os.kill(os.getpid(), number)
        assert acted == [number, number]
    finally:
        signal.signal(number, before)


def test_another_thread_leaves_signals_alone() -> None:
    handler = signal.getsignal(signal.SIGINT)
    seen: list[object] = []

    def work() -> None:
        with Signals():
            seen.append(signal.getsignal(signal.SIGINT))

    thread = threading.Thread(target=work)
    thread.start()
    thread.join()
    assert seen == [handler]
