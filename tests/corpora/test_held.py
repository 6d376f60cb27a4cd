from itertools import groupby, islice

import pytest

from saccade.corpora.held import Held
from saccade.errors import RecipeError


def test_the_target_is_what_is_held_without_repeats() -> None:
    for source, target in islice(Held(longest=12).pairs("train"), 200):
        runs = [(letter, len(list(run))) for letter, run in groupby(source)]
        assert "".join(letter for letter, _ in runs) == target
        assert all(3 <= n <= 7 for _, n in runs)


def test_lengths_letters_and_times_are_options() -> None:
    corpus = Held(letters=3, shortest=15, longest=15, least=2, most=2, held_out=7)
    pairs = list(corpus.pairs("test"))
    assert len(pairs) == 7
    assert {len(source) for source, _ in pairs} == {30}
    assert set("".join(target for _, target in pairs)) == set("abc")


def test_all_that_is_wrong_is_said_at_once() -> None:
    with pytest.raises(RecipeError) as caught:
        Held(letters=1, shortest=3, longest=2, least=0, held_out=0)
    assert caught.value.problems == [
        "held.letters: found 1; expected 2 to 26.",
        "held: shortest 3, longest 2; expected 1 to 2000 letters, the shortest first.",
        "held: least 0, most 7; expected 1 to 100 places for a letter, the fewest first.",
        "held.held_out: found 0; expected 1 to 1000 pairs.",
    ]
    with pytest.raises(RecipeError, match=r"4 letters, at most 2 .* fewer than 16384 inputs"):
        Held(letters=4, longest=2)
