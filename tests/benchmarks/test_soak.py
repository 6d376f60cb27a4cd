"""The verdict of the soak: it notices what grows, not what wanders; and a moment of a real one."""

import xml.etree.ElementTree as ET
from collections import Counter
from pathlib import Path

import pytest

from benchmarks.soak import Load, Look, Soak, picture, slope_of, soak, verdict
from tests.cli.conftest import TARGETS
from tests.server.conftest import make_run


def seen(growth: float, *, more: int = 0, **did: int) -> Soak:
    """An hour at 300 MiB, with `growth` MiB in it, and `more` descriptors at its end."""
    looks = [Look(n / 2, 300.0 + growth * n / 120 + 2 * (n % 3), 40, 9) for n in range(121)]
    rests = [Look(10.0, 300.0, 40, 9), Look(60.0, 300.0, 40 + more, 9)]
    return Soak([], looks, rests, Counter(did or {"predict 200": 5}))


def test_an_hour_is_judged_by_its_slope() -> None:
    assert verdict(seen(0.0))["flat"] is True
    found = verdict(seen(4.0))
    assert found["flat"] is True  # less than 2 %
    assert found["mebibytes_an_hour"] == pytest.approx(4.0, abs=0.2)
    grown = verdict(seen(12.0))
    assert grown["parts"] == {"memory": False, "descriptors": True, "answers": True}
    assert verdict(seen(-12.0))["flat"] is True


def test_descriptors_and_answers_are_judged() -> None:
    assert verdict(seen(0.0, more=1))["parts"] == {
        "memory": True,
        "descriptors": False,
        "answers": True,
    }
    assert verdict(seen(0.0, **{"predict 200": 9, "wrong 500": 1}))["flat"] is False


def test_one_large_look_does_not_tilt_the_slope() -> None:
    points = [(n / 10, 5.0) for n in range(11)]
    assert slope_of([*points, (1.1, 500.0)]) == 0.0
    assert slope_of([(0.0, 1.0), (2.0, 5.0)]) == 2.0
    assert slope_of([(1.0, 1.0)]) == 0.0


def test_a_picture_has_both_lines() -> None:
    drawn = ET.fromstring(picture(seen(3.0)))
    texts = {one.text for one in drawn.iter() if one.text}
    assert {"MiB", "descriptors", "minute"} <= texts


@pytest.mark.slow
def test_a_short_soak(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    folder = make_run(tmp_path / "tiny", TARGETS)
    monkeypatch.setenv("PYTHONPATH", str(Path(__file__).parents[2]))
    found = soak(folder, Load(4, 0.0, 0.1, 0.0, 1), workers=1, rest=0.5)
    assert len(found.rests) == 2
    assert found.warming
    assert found.looks
    assert not [name for name in found.did if name.endswith(" 500")]
    assert found.did.total() > 20
