"""Two texts laid one over the other."""

import saccade


def test_the_front_has_the_table() -> None:
    found = saccade.edits("intention", "execution", substitution=2)
    assert (found.distance, found.n_paths) == (8.0, 134)
    assert [len(found.paths(3)), len(found.paths())] == [3, 134]
    assert repr(found).startswith("<EditTable distance 8: ")
    assert "<svg" in found._repr_html_()
    assert found.plain(2)["n_paths"] == 134


def test_words_are_compared_if_asked() -> None:
    assert saccade.edits("the cat sat", "the cat", words=True).distance == 1
    assert saccade.edits("", "").distance == 0
