import re

import pytest

from saccade.corpora.arithmetic import Arithmetic
from saccade.errors import RecipeError


def test_what_is_left_without_letters_is_the_sum() -> None:
    signs = set()
    for source, target in Arithmetic(size=500).pairs("train"):
        found = re.fullmatch(r"(\d+)([+-])(\d+)", re.sub("[a-z]", "", source))
        assert found is not None
        one, sign, two = found.groups()
        signs.add(sign)
        assert int(target) == int(one) + int(two) * (1 if sign == "+" else -1)
        assert len(one) <= 4
        assert len(two) <= 4
        assert target == str(int(target))
    assert signs == {"+", "-"}


def test_noise_and_digits_are_options() -> None:
    for source, _ in Arithmetic(size=50, noise=0.0).pairs("train"):
        assert re.fullmatch(r"\d+[+-]\d+", source)
    longest = max(
        re.findall(
            r"\d+",
            "".join(s + " " for s, _ in Arithmetic(size=200, noise=0.0, digits=7).pairs("train")),
        ),
        key=len,
    )
    assert len(longest) == 7


def test_a_sum_is_in_one_split_however_it_is_written() -> None:
    splits = [
        {re.sub("[a-z]", "", source) for source, _ in Arithmetic(size=2000).pairs(split)}
        for split in ("train", "test")
    ]
    assert not splits[0] & splits[1]


@pytest.mark.parametrize(("digits", "noise"), [(3, 0.4), (4, 1.0), (4, -0.1)])
def test_what_cannot_be_asked_for(digits: int, noise: float) -> None:
    message = f"arithmetic: found digits {digits} and noise {noise:g}; expected at least 4 digits"
    with pytest.raises(RecipeError, match=message):
        Arithmetic(digits=digits, noise=noise)
