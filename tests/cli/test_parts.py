"""Parts by name on the command line."""

import pytest

from saccade.cli.parts import part_of
from saccade.errors import RecipeError
from saccade.metrics.base import Metric


def test_a_part_with_options() -> None:
    part = part_of(Metric, "bleu:lowercase=true,tokenize=char")
    assert (part.kind, part.options) == ("bleu", {"lowercase": True, "tokenize": "char"})
    assert part_of(Metric, "chrf").options == {}


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("blue", r"^metrics has no part 'blue'\. Did you mean 'bleu'\?"),
        ("bleu:lowercase", r"bleu:lowercase: 'lowercase' is not name=value; write bleu:lowercase="),
        ("bleu:lowercas=true", r"lowercas.*Did you mean 'lowercase'"),
        ("bleu:lowercase=maybe", r"lowercase.*maybe"),
    ],
)
def test_what_is_none_is_refused(text: str, said: str) -> None:
    with pytest.raises(RecipeError, match=said):
        part_of(Metric, text)
