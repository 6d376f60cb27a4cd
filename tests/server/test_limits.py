"""How much one request may ask for."""

import pytest

from saccade.server.limits import Limits
from saccade.server.refusal import Refused

LIMITS = Limits(characters=10, items=2)


def test_all_sources_of_an_input_count() -> None:
    LIMITS.check_texts("text", ["a" * 10, {"a": "1234", "b": "5678"}])
    said = r"text\[1\]: 11 characters; expected at most 10 in a text"
    with pytest.raises(Refused, match=said):
        LIMITS.check_texts("text", ["a", {"a": "12345", "b": "6789"}])
    with pytest.raises(Refused, match="text: 12 characters"):
        LIMITS.check_texts("text", [{"a long name": "x"}])
