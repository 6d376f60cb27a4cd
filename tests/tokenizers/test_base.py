from itertools import pairwise

from hypothesis import given
from hypothesis import strategies as st

from saccade.tokenizers.base import evenly, learn
from saccade.tokenizers.word import Word


@given(st.integers(0, 200), st.integers(1, 50))
def test_evenly_takes_equal_steps(n: int, most: int) -> None:
    taken = [int(line) for line in evenly(map(str, range(n)), most)]
    assert len(taken) <= most
    assert len(taken) * 2 >= min(n, most)
    steps = {b - a for a, b in pairwise(taken)}
    assert len(steps) <= 1
    assert taken == list(range(n)) or n > most


def test_learn_reads_all_streams() -> None:
    vocabulary = learn(Word(), [["a b"], iter(["c"])], [])
    assert vocabulary.decode(vocabulary.encode("c a b")) == "c a b"


def test_learn_reads_at_most() -> None:
    vocabulary = learn(Word(), [(str(i) for i in range(100))], [], most=10)
    assert len(vocabulary) == 4 + 7  # every 16th
