"""What is counted of pairs."""

from saccade.fit.survey import survey
from saccade.nouns import pair


def test_counts_of_both_sides() -> None:
    found = survey([pair("a bc", "x"), pair("a bc", "yy z"), pair("d", "x")])
    assert (found.pairs, found.sources) == (3, 2)
    assert found.source.words == (2 + 2 + 1) / 3
    assert found.target.distinct == 2
    assert found.target.word_types == 3
    assert not found.matched


def test_words_that_stand_in_their_source() -> None:
    assert survey([pair("the red cat", "red cat"), pair("a", "b b")]).copied == 2 / 4


def test_features_are_no_letters() -> None:
    found = survey([pair("ev\tN;PL", "evler")])
    assert found.featured
    assert found.source.characters == 2
    assert found.shared == 2 / 4  # e and v of e v l r


def test_a_tab_in_one_text_is_no_column_of_features() -> None:
    found = survey([pair("a long\ttext", "b"), pair("another one", "c"), pair("a third", "d")])
    assert not found.featured


def test_letters_of_the_target_in_the_source() -> None:
    assert survey([pair("abc", "cab")]).shared == 1.0
    assert survey([pair("abc", "αβγ")]).shared == 0.0
