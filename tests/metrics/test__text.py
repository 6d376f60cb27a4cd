"""When two texts are one."""

import unicodedata

from saccade.metrics._text import case, is_right, tidy


def test_form_and_outer_space_do_not_matter() -> None:
    apart = unicodedata.normalize("NFD", "café")
    assert is_right(f" {apart}\n", ["café"], lowercase=False)
    assert tidy(apart, lowercase=False) == "café"


def test_inner_space_case_and_accents_do() -> None:
    assert not is_right("a  b", ["a b"], lowercase=False)
    assert not is_right("Cafe", ["Café"], lowercase=True)
    assert not is_right("CAFÉ", ["café"], lowercase=False)
    assert is_right("CAFÉ", ["tea", "café"], lowercase=True)
    assert not is_right("tea", [], lowercase=True)


def test_a_signature_names_the_case() -> None:
    assert (case(lowercase=True), case(lowercase=False)) == ("case:lc", "case:mixed")
