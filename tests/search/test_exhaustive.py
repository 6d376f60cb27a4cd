import math
from itertools import product

import pytest

from saccade.errors import RecipeError
from saccade.nouns import Hypothesis
from saccade.search.exhaustive import Exhaustive
from tests.search.toys import (
    chain_state,
    chain_step,
    chain_task,
    memory_log_probs,
    memory_state,
    memory_step,
    memory_task,
)


@pytest.mark.parametrize("alpha", [0.0, 0.6, 1.0])
def test_lists_and_ranks_every_output(alpha: float) -> None:
    outputs = [tokens for n in range(4) for tokens in product((2, 3, 4), repeat=n)]
    expected = []
    for tokens in outputs:
        gains = memory_log_probs(7, Hypothesis(tokens, 0.0, ()))
        expected.append((sum(gains) / len(gains) ** alpha, tokens))
    expected.sort(reverse=True)
    search = Exhaustive(length_penalty=alpha, n_best=1000)
    (found,) = search(memory_step, memory_state([7]), memory_task([3]))
    assert [h.tokens for h in found.hypotheses] == [tokens for _, tokens in expected]
    scores = [score for score, _ in expected]
    assert [h.score for h in found.hypotheses] == pytest.approx(scores, abs=1e-5)
    assert all(h.finished for h in found.hypotheses)


def test_the_probabilities_of_all_outputs_sum_to_one() -> None:
    """Nothing is missed or counted twice: of the chain's outputs few are longer than nine."""
    (found,) = Exhaustive(n_best=100_000)(chain_step, chain_state(1), chain_task([9]))
    assert len({h.tokens for h in found.hypotheses}) == len(found.hypotheses)
    assert sum(math.exp(h.log_prob) for h in found.hypotheses if h.finished) == pytest.approx(
        1, abs=0.01
    )


def test_refuses_what_would_take_too_long() -> None:
    task = memory_task([2, 6])
    message = (
        "exhaustive: sentence 1 has 3 symbols for 6 places, 729 sequences; at most 700 are tried;"
        " use beam, a lower limit or a higher 'most'."
    )
    with pytest.raises(RecipeError, match=message):
        Exhaustive(most=700)(memory_step, memory_state([1, 2]), task)
    Exhaustive(most=729)(memory_step, memory_state([1, 2]), task)
    prefixed = memory_task([2, 6], ((), (2,)))
    Exhaustive(most=243)(memory_step, memory_state([1, 2]), prefixed)


def test_options_are_checked() -> None:
    with pytest.raises(RecipeError, match=r"exhaustive.length_penalty: -1 is below 0"):
        Exhaustive(length_penalty=-1)
    with pytest.raises(RecipeError, match=r"exhaustive.n_best: 0 is below 1"):
        Exhaustive(n_best=0)
