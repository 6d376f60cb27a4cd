"""The likeliest symbols at every step."""

import math

from hypothesis import given, settings
from hypothesis import strategies as st

from saccade.views import distribution
from saccade.views.distribution import Choice
from tests.views.pictures import BAD, anything, parts, sound, tips

CHOICES = [
    Choice("le", 0.75, [("le", 0.75), ("la", 0.2)], 0.9),
    Choice("chat", 0.1, [("chien", 0.6), ("lion", 0.25)], 1.5),
]
probabilities = st.floats(0, 1) | st.just(math.nan)
steps = st.lists(
    st.builds(
        Choice,
        anything,
        probabilities,
        st.lists(st.tuples(anything, probabilities), max_size=4),
        st.floats(0, 20) | st.just(math.inf),
    ),
    max_size=5,
)


def test_every_symbol_has_its_tooltip_and_the_written_one_always_shows() -> None:
    assert tips(distribution.to_svg(CHOICES)) == [
        "le: 0.7500, written",
        "la: 0.2000",
        "0.9000 bits",
        "chien: 0.6000",
        "lion: 0.2500",
        "chat: 0.1000, written",
        "1.5000 bits",
    ]


def test_the_terminal_reads_as_expected() -> None:
    assert distribution.to_terminal(CHOICES).split("\n") == [
        "      bits   likeliest symbols",
        "  le  0.90 ▅ [le 0.75]  la 0.20",
        "chat  1.50 █ chien 0.60  lion 0.25  [chat 0.10]",
        "",
    ]


def test_bars_are_as_long_as_they_are_likely() -> None:
    bars = [r for r in parts(distribution.to_svg(CHOICES), "rect") if r.get("class") == "hue"]
    lengths = [float(bar.get("width", "0")) + 1 for bar in bars]
    assert lengths[0] / lengths[2] == 0.75 / 0.6


def test_script_in_a_word_is_only_text() -> None:
    drawn = distribution.to_svg([Choice(BAD, 1.0, [(BAD, 1.0)], 0.0)], title=BAD)
    assert "<script" not in drawn
    assert parts(drawn, "svg")


@settings(deadline=None, max_examples=25)
@given(steps, anything)
def test_any_choices_give_sound_pictures(choices: list[Choice], title: str) -> None:
    drawn = distribution.to_svg(choices, title=title)
    assert parts(drawn, "svg")
    assert drawn == distribution.to_svg(choices, title=title)
    sound(distribution.to_terminal(choices, width=30), 30)
