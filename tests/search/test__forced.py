"""Writing a given text: the values are those of the best derivations that begin with it."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from saccade.search._forced import follow, follow_plainly
from saccade.search._stacks import Language
from tests.search.phrases import END, derivations, options, score_of, text_of

WIDE = 10_000
seeds = st.integers(0, 10_000)


@settings(max_examples=20, deadline=None)
@given(seed=seeds, reach=st.integers(0, 2), data=st.data())
def test_the_path_is_the_best_that_writes_the_text(
    seed: int, reach: int, data: st.DataObject
) -> None:
    one = options([3], seed, reach)
    every = list(derivations(one))
    text = text_of(one, data.draw(st.sampled_from(every)))
    best = max(score_of(one, path) for path in every if text_of(one, path) == text)
    found = follow_plainly(one, 0, text, END, WIDE)
    assert text_of(one, found.path) == text
    assert score_of(one, found.path) == pytest.approx(best, abs=1e-5)
    spoken = _spoken(one.language, text)
    assert found.values[len(text), END] + spoken == pytest.approx(best, abs=1e-5)


def _spoken(fused: object, text: list[int]) -> float:
    """Return what the language model says of a text without END: values leave it out."""
    language = Language(fused)  # type: ignore[arg-type]
    total, context = 0.0, language.start
    for word in text:
        said, context = language.read(context, word)
        total += said
    return total


def test_only_words_that_some_derivation_writes_next_have_a_value() -> None:
    one = options([3], 4, reach=1)
    every = [text_of(one, path) for path in derivations(one)]
    text = every[0][:2]
    found = follow_plainly(one, 0, text, END, WIDE)
    for t in range(3):
        longer = [line for line in every if line[:t] == text[:t]]
        following = {line[t] if len(line) > t else END for line in longer}
        assert set(np.flatnonzero(np.isfinite(found.values[t])).tolist()) == following


def test_a_text_that_nothing_writes_is_followed_as_far_as_it_goes() -> None:
    one = options([2], 4, reach=1)
    begun = next(iter(derivations(one)))[:1]
    text = [*text_of(one, begun), *[5, 6] * 9]
    found = follow_plainly(one, 0, text, END, WIDE)
    assert not np.isfinite(found.values[-1]).any()
    assert text_of(one, found.path) == text[: len(text_of(one, found.path))]


@settings(max_examples=30, deadline=None)
@given(seed=seeds, reach=st.integers(0, 3), width=st.sampled_from([1, 3, 50]), data=st.data())
def test_kernels_find_the_same(seed: int, reach: int, width: int, data: st.DataObject) -> None:
    one = options([2, 4], seed, reach)
    found = data.draw(st.sampled_from(["path", "noise"]))
    text = data.draw(st.lists(st.integers(4, 8), max_size=6))
    if found == "path":
        text = text_of(one, next(iter(derivations(one, 1))))
    by_kernels, plain = follow(one, 1, text, END, width), follow_plainly(one, 1, text, END, width)
    assert np.array_equal(by_kernels.values, plain.values)
    assert by_kernels.path == plain.path
