"""The templates of the English-French corpus and how often each is drawn."""

from collections.abc import Callable

from saccade.corpora._compound import (
    say_because,
    say_how_many,
    say_order,
    say_question,
    say_referring,
    say_relative,
    say_take_and_put,
    say_that,
)
from saccade.corpora._dice import Dice
from saccade.corpora._grammar import spell_english, spell_french
from saccade.corpora._sentences import Sides
from saccade.corpora._simple import (
    say_addressing,
    say_age,
    say_compared,
    say_copula,
    say_feeling,
    say_giving,
    say_intransitive,
    say_need,
    say_profession,
    say_there_is,
    say_transitive,
    say_travel,
)

Template = Callable[[Dice], tuple[Sides, str]]


TEMPLATES: list[tuple[float, Template]] = [
    (26, say_transitive),
    (13, say_intransitive),
    (13, say_giving),
    (6, say_addressing),
    (8, say_copula),
    (4, say_compared),
    (2, say_profession),
    (3, say_feeling),
    (1.5, say_age),
    (2.5, say_need),
    (4, say_there_is),
    (12, say_question),
    (2, say_how_many),
    (10, say_relative),
    (5, say_that),
    (5, say_because),
    (4, say_referring),
    (5, say_take_and_put),
    (4, say_order),
    (6, say_travel),
]


def sentence(dice: Dice) -> tuple[str, str]:
    """Draw one sentence in English and in French, spelt as text."""
    sides, mark = dice.weighted(TEMPLATES)(dice)
    return finish(sides, mark)


def finish(sides: Sides, mark: str = ".") -> tuple[str, str]:
    """Spell both sides, with a capital and the mark; French sets ? and ! off by a space."""
    english, french = spell_english(sides[0]), spell_french(sides[1])
    space = "" if mark == "." else " "
    return english[0].upper() + english[1:] + mark, french[0].upper() + french[1:] + space + mark
