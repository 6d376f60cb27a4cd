"""A device that is not there is refused before anything is computed."""

import pytest

from saccade.engines._devices import checked_device
from saccade.errors import RecipeError


def test_the_processor_is_there() -> None:
    assert checked_device("cpu") == "cpu"


@pytest.mark.parametrize("name", ["nowhere", "cuda:99", ""])
def test_others_are_refused(name: str) -> None:
    with pytest.raises(
        RecipeError, match=rf"^--device {name}: cannot be used here: .*--device cpu"
    ):
        checked_device(name)
