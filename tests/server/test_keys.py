from pathlib import Path

import pytest

from saccade.server.keys import Keys, Rates
from saccade.server.refusal import Refused


def test_keys_are_read_from_lines(tmp_path: Path) -> None:
    path = tmp_path / "keys"
    path.write_text("# of the team\n  alpha \n\nbêta\n", encoding="utf-8")
    keys = Keys.read(path)
    assert [keys.knows(k) for k in ("alpha", "bêta", "", "# of the team", "alph", "\ud800")] == [
        *(True, True),
        *(False,) * 4,
    ]


def test_a_bucket_fills_again() -> None:
    now = [0.0]
    rates = Rates(6, clock=lambda: now[0])
    for _ in range(6):
        rates.take("a")
    with pytest.raises(Refused, match="more than 6 requests a minute") as found:
        rates.take("a")
    assert (found.value.status, found.value.retry) == (429, 11)
    rates.take("b")
    now[0] = 10.0
    rates.take("a")
    with pytest.raises(Refused):
        rates.take("a")
