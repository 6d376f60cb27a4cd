"""Sounds that are being heard: few, for a time, one request at a time."""

import pytest

from saccade.errors import RecipeError
from saccade.predict.decode import USUAL
from saccade.server.ears import Ears
from saccade.server.limits import Limits
from saccade.server.models import Served, open_models
from saccade.server.refusal import Refused
from tests.hummed import hummer


class Clock:
    """A time that a test sets."""

    now = 0.0

    def __call__(self) -> float:
        return self.now


@pytest.fixture(scope="module")
def model() -> Served:
    return open_models([f"hummer={hummer()}"])[0]


def test_they_are_few_and_forgotten(model: Served) -> None:
    clock = Clock()
    ears = Ears(Limits(streams=2, idle=10.0), clock)
    first, second = (ears.open(model, 8000, 0.6, USUAL) for _ in range(2))
    assert first != second
    with pytest.raises(Refused, match="2 sounds are being heard; expected fewer than 2") as no:
        ears.open(model, 8000, 0.6, USUAL)
    assert (no.value.status, no.value.retry) == (429, 10)
    clock.now = 9.0
    with ears.taken(second, last=False):
        clock.now = 30.0
        ears.sweep()
        assert len(ears) == 1  # one is in use, the other is over
    with ears.taken(second, last=True):
        pass
    assert len(ears) == 0
    for ticket in (first, second, "", "x" * 99):
        with (
            pytest.raises(Refused, match="stream: there is none of this name"),
            ears.taken(ticket, last=False),
        ):
            pass


def test_one_chunk_after_the_other_and_what_fails_ends_it(model: Served) -> None:
    ears = Ears(Limits())
    ticket = ears.open(model, 48_000, 0.6, USUAL)
    with ears.taken(ticket, last=False):  # noqa: SIM117
        with pytest.raises(Refused, match="its last chunk is not answered yet") as busy:
            with ears.taken(ticket, last=False):
                pass
    assert busy.value.status == 409
    assert len(ears) == 1
    with pytest.raises(ZeroDivisionError), ears.taken(ticket, last=False):
        raise ZeroDivisionError
    assert len(ears) == 0


def test_what_cannot_be_heard_is_refused(model: Served, tiny: Served) -> None:
    ears = Ears(Limits())
    with pytest.raises(RecipeError, match="listen: the model reads source, and not one sound"):
        ears.open(tiny, 8000, 0.6, USUAL)
    with pytest.raises(Refused, match="rate: 191999 samples a second do not go well into"):
        ears.open(model, 191_999, 0.6, USUAL)
    for rate in (8000, 11_025, 16_000, 22_050, 32_000, 44_100, 48_000, 96_000, 192_000):
        ears = Ears(Limits())
        assert ears.open(model, rate, 0.6, USUAL)
