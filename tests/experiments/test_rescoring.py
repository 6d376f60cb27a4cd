"""One model chooses among the outputs of another."""

from saccade.experiments.rescoring import WEIGHTS, NBestList, lists_of
from tests.look.test_inspection import translator

ONE = NBestList(["a", "b", "c"], [-1.0, -1.5, -4.0], [-9.0, -3.0, -1.0])


def test_the_total_decides() -> None:
    assert ONE.best(0.0) == "a"
    assert ONE.best(0.1) == "b"  # -1.9, -1.8, -4.1
    assert ONE.best(3.0) == "c"
    assert NBestList(["x", "y"], [0.0, 0.0], [-1.0, -1.0]).best(1.0) == "x"


def test_scores_are_those_of_both_models() -> None:
    first, second = translator("bahdanau"), translator("pre")
    sources = ["two cats", "a dog"]
    found = lists_of(first, second, sources, 3)
    assert [len(one.texts) for one in found] == [3, 1]  # of the second, two were cut
    for source, one in zip(sources, found, strict=True):
        assert one.best(0.0) == first.predict(source, beam=5, nbest=3).text
        assert one.own == sorted(one.own, reverse=True)
        weighed = second.score([source] * len(one.texts), one.texts)
        assert [round(w.score, 4) for w in weighed] == [round(o, 4) for o in one.other]


def test_not_rescoring_is_among_the_weights() -> None:
    assert WEIGHTS[0] == 0
