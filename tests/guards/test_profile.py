import json

import pytest

from saccade.errors import CheckpointError
from saccade.guards.profile import Profile, trigrams_of
from saccade.guards.statistics import gather

LINES = [f"the cat number {i} sleeps" for i in range(400)]


def made() -> Profile:
    return gather(LINES, [5] * 400, [6] * 399 + [60])


def test_what_is_gathered() -> None:
    profile = made()
    assert profile.n_lines == 400
    assert profile.trigrams["the"] == 400
    assert profile.n_trigrams == sum(len(trigrams_of(line)) for line in LINES)
    assert profile.longest == 5
    assert profile.commonness("the cat") > profile.commonness("zxq vvk")
    assert profile.unseen("the zx") == ("e z", " zx", "zx ")
    assert all(band.low <= band.high for band in (*profile.usual, *profile.ratios))


def test_it_is_the_same_each_time_and_survives_json() -> None:
    profile = made()
    assert profile.to_json() == made().to_json()
    assert Profile.from_json(profile.to_json(), "x") == profile
    assert list(json.loads(profile.to_json())["trigrams"].values()) == sorted(
        profile.trigrams.values(), reverse=True
    )


@pytest.mark.parametrize("lines", [[], ["a"], ["", ""], ["日本語"] * 3])
def test_few_lines(lines: list[str]) -> None:
    profile = gather(lines, [len(line) for line in lines], [1] * len(lines))
    assert Profile.from_json(profile.to_json(), "x") == profile
    assert profile.commonness("") <= 0.0


@pytest.mark.parametrize("text", ["", "[]", "{}", '{"n_lines": "x"}', "{"])
def test_a_damaged_one_is_refused(text: str) -> None:
    with pytest.raises(CheckpointError) as caught:
        Profile.from_json(text, "m/profile.json")
    message = str(caught.value)
    assert message.startswith("m/profile.json: damaged (")
    assert message.endswith(
        "expected the profile of a model's training data. Copy the model folder again, or delete"
        " this file: its guards are silent then."
    )
