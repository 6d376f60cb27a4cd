"""Bars and histograms."""

from xml.etree import ElementTree

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from saccade.errors import ShapeError
from saccade.views import bars
from saccade.views.words import columns

anything = st.text(st.characters(codec=None, exclude_categories=()), max_size=30)


@settings(deadline=None)
@given(st.lists(st.integers(0, 10_000), max_size=50), st.integers(1, 20))
def test_a_histogram_of_lengths_counts_everything(lengths: list[int], n_bins: int) -> None:
    counts = bars.histogram(lengths, n_bins=n_bins)
    assert sum(counts.values()) == len(lengths)
    assert len(counts) <= n_bins + 2


@settings(deadline=None)
@given(st.lists(st.floats(), max_size=30))
def test_a_histogram_of_any_numbers_counts_everything(numbers: list[float]) -> None:
    assert sum(bars.histogram(numbers).values()) == len(numbers)


def test_an_edge_belongs_to_the_bin_above_it() -> None:
    assert bars.histogram([0.0, 0.1, 0.2, 0.3, 0.35], n_bins=4)["0.3–0.4"] == 2


def test_what_is_not_finite_has_its_own_bin() -> None:
    assert bars.histogram([1, float("nan"), float("inf")]) == {"1": 1.0, "not finite": 2.0}


@settings(deadline=None, max_examples=80)
@given(st.dictionaries(anything, st.floats(), max_size=6), anything, st.integers(20, 90))
def test_any_values_give_sound_bars(values: dict[str, float], title: str, width: int) -> None:
    ElementTree.fromstring(bars.to_html(values, title=title))
    shown = bars.to_terminal(values, title=title, width=width)
    assert all(columns(line) <= width for line in shown.split("\n"))


def test_bars_are_in_proportion() -> None:
    shown = bars.to_terminal({"a": 8, "b": 4, "c": 0}, width=20).split("\n")
    assert [line.count("█") for line in shown] == [16, 8, 0, 0]
    root = ElementTree.fromstring(bars.to_svg({"a": 8, "b": 4}))
    drawn = [r for r in root.iter("{http://www.w3.org/2000/svg}rect") if r.get("class") == "hue"]
    assert [float(r.get("width", "0")) for r in drawn] == [320, 160]


def test_script_in_a_name_is_only_text() -> None:
    drawn = bars.to_html({"<script>": 1}, title="<script>")
    assert "<script" not in drawn
    assert "&lt;script&gt;: 1" in drawn


def test_a_terminal_too_narrow_is_refused() -> None:
    with pytest.raises(
        ShapeError,
        match=r"bars\.to_terminal: width is 7 columns; at least 20 are needed; pass a larger width",
    ):
        bars.to_terminal({"a": 1}, width=7)
