"""An LSTM beside a GRU, by distance and by the number of texts."""

import pytest

from saccade.errors import RecipeError
from saccade.explanations._latch import LatchTask
from saccade.explanations.base import explain


def test_few_texts_are_read_again() -> None:
    x, _ = LatchTask(distance=10, updates=4, size=8).texts("train", 8, seed=1)
    assert len(x) == 8
    found = explain("lstm_or_gru", seeds=1, updates=40, farthest=10, most=8).figures
    assert set(found) == {
        f"{cell}, {at}" for cell in ("LSTM", "GRU") for at in ("distance 10", "texts 8")
    }
    assert found["LSTM, distance 10"] != found["LSTM, texts 8"]


@pytest.mark.parametrize("options", [{"farthest": 9}, {"most": 7}])
def test_what_cannot_be_doubled_is_refused(options: dict[str, int]) -> None:
    with pytest.raises(
        RecipeError, match=r"lstm-or-gru: .*expected 10 places or more, and 8 texts"
    ):
        explain("lstm_or_gru", **options)
