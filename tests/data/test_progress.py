"""Nothing is said of what is soon over; then how many, and how long it takes."""

import io

import pytest
from rich.console import Console

from saccade.data import progress
from saccade.data.progress import EncodingProgress, say


class Clock:
    """A clock that a test moves."""

    now = 100.0

    def monotonic(self) -> float:
        return self.now


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> Clock:
    found = Clock()
    monkeypatch.setattr(progress, "time", found)
    return found


def told(clock: Clock, *, terminal: bool = False, total: int | None = 1000) -> str:
    file, asked = io.StringIO(), list[int]()

    def count() -> int:
        asked.append(1)
        return total or 0

    console = Console(file=file, force_terminal=terminal, width=100)
    one = EncodingProgress(count if total else None, console)
    one.report(100)  # of an earlier build
    for n in range(200, 1001, 100):
        clock.now += 1.5
        one.report(n)
        assert len(asked) == (clock.now > 102 and total is not None)
    one.close()
    return file.getvalue()


def test_lines_come_now_and_then_where_there_is_no_terminal(clock: Clock) -> None:
    assert told(clock) == "encoding: 300 of 1,000 examples, 0:10 left\n"
    assert told(clock, total=None) == ""


def test_a_terminal_has_a_line_that_is_taken_away(clock: Clock) -> None:
    text = told(clock, terminal=True)
    assert "1,000 of 1,000 examples, 0:00 left" in text
    assert text.endswith("\x1b[2K")
    assert "1,000 examples" in told(clock, terminal=True, total=None)


def test_what_is_soon_over_says_nothing(clock: Clock) -> None:
    file = io.StringIO()
    one = EncodingProgress(lambda: 9, Console(file=file))
    for n in (0, 5, 9):
        clock.now += 0.6
        one.report(n)
    one.close()
    assert file.getvalue() == ""


def test_long_times_have_hours(clock: Clock) -> None:
    file = io.StringIO()
    one = EncodingProgress(lambda: 100_000, Console(file=file, width=100))
    one.report(0)
    clock.now += 4
    one.report(64)
    assert file.getvalue() == "encoding: 64 of 100,000 examples, 1:44:06 left\n"


def test_quiet_is_quiet(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    say("one")
    monkeypatch.setenv("SACCADE_LOG", "quiet")
    say("two")
    assert capsys.readouterr().err == "one\n"
