"""What is compared by length."""

from saccade.experiments.comparison import by_length
from saccade.experiments.measures import Judged
from saccade.metrics.exact_match import ExactMatch
from saccade.nouns import pair


def judged(outputs: list[str], references: list[str]) -> Judged:
    return Judged(ExactMatch(), outputs, [[one] for one in references], {})


def test_single_words_are_told_apart_by_their_letters() -> None:
    sources = ["ab", "abc", "abcdefgh", "abcdefghi"]
    examples = [pair(source, "x") for source in sources]
    found = by_length(judged(["x", "x", "y", "y"], ["x"] * 4), examples)
    assert len(found) > 1
    assert [found[0].value, found[-1].value] == [100.0, 0.0]
    assert sum(one.count for one in found) == 4


def test_sentences_are_told_apart_by_their_words() -> None:
    examples = [pair("a b", "x"), pair("abcdefgh", "x")]
    found = by_length(judged(["x", "y"], ["x", "x"]), examples)
    assert [(one.length, one.value) for one in found] == [(1.0, 0.0), (2.0, 100.0)]


def test_models_without_a_source_have_nothing_to_tell() -> None:
    assert by_length(judged(["x"], ["x"]), [pair("", "x")]) == []
