"""What there is to choose from, read off the folders."""

import pytest

from saccade.attention.base import Attention
from saccade.cli.catalogue import entries, families
from saccade.errors import RecipeError
from saccade.parts import kinds


def test_families_are_the_rooms_that_recipes_name() -> None:
    found = families()
    assert found["attention"] is Attention
    assert not {"engines", "export", "cli", "kernels"} & set(found)


def test_every_part_says_what_it_does() -> None:
    for family, base in families().items():
        found = entries(family)
        assert [one.kind for one in found] == list(kinds(base))
        assert all(one.summary for one in found), family


def test_options_have_their_defaults() -> None:
    (beam,) = (one for one in entries("search") if one.kind == "beam")
    assert "width: 5" in beam.options
    (tsv,) = (one for one in entries("readers") if one.kind == "tsv")
    (ensemble,) = (one for one in entries("models") if one.kind == "ensemble")
    assert ensemble.options == ("members: [encoder_decoder, encoder_decoder]",)
    assert tsv.options == ("path: ''", "source: 1", "target: 2", "features: 0")


def test_an_unknown_family_is_refused() -> None:
    with pytest.raises(RecipeError, match=r"no family 'atention'. Did you mean 'attention'\?"):
        entries("atention")
