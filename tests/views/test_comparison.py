import math
from dataclasses import replace

from saccade.views.comparison import ComparedLength, ComparisonCurve, Row, cells, to_html


def row(name: str, *, seeds: int = 1, p: float | None = None, seconds: float = 75.0) -> Row:
    return Row(
        name=name,
        seeds=seeds,
        figures={"bleu": ComparisonCurve(31.416, 30.0, 33.0)},
        p_value=p,
        parameters=1234567,
        seconds=seconds,
        flops=seconds * 1e9,
        speed=120.0,
        by_length=[ComparedLength(5.0, 40.0, 10), ComparedLength(15.0, 20.0, 10)],
        curve=[(1, 3.0), (2, 2.0)],
    )


def test_a_row_says_quality_and_cost() -> None:
    headers, lines = cells([row("a"), row("b", seeds=3, p=0.0123, seconds=math.nan)])
    assert headers[:2] == ["model", "bleu"]
    assert lines[0] == ["a", "31.42 (30.0 to 33.0)", "best", "1,234,567", "1:15", "7.5e+10", "120"]
    assert lines[1][0] == "b (3 seeds)"
    assert lines[1][2] == "0.012"
    assert lines[1][4:6] == ["–", "–"]


def test_the_page_has_table_and_pictures_and_escapes_names() -> None:
    page = to_html("Comparison", [row("<b>a</b>"), row("b", p=0.5)], ["saccade compare x y"])
    assert "<b>a" not in page
    assert page.count("<svg") == 4
    assert "bleu by source length" in page
    assert "saccade compare x y" in page


def test_where_lower_is_better_it_says_so() -> None:
    figures = {"nats": ComparisonCurve(1.23456, 1.2, 1.3, lower_is_better=True)}
    one = replace(row("a"), figures=figures, by_length=[], speed=math.nan)
    headers, lines = cells([one])
    assert headers[1] == "nats ↓"
    assert lines[0][1] == "1.2346 (1.200 to 1.300)"
    assert lines[0][-1] == "–"
    page = to_html("Comparison", [one])
    assert "nats ↓" in page
    assert "↓: lower is better." in page
    assert "by source length" not in page


def test_the_axis_says_what_is_counted() -> None:
    assert "words in the source" in to_html("Comparison", [row("a")])
    letters = replace(row("a"), length_unit="characters")
    assert "characters in the source" in to_html("Comparison", [letters])


def test_one_length_is_no_curve() -> None:
    one = replace(row("a"), by_length=[ComparedLength(5.0, 40.0, 10)])
    assert "by source length" not in to_html("Comparison", [one])


def test_a_label_stands_for_a_name_that_could_be_mistaken() -> None:
    rate = ComparisonCurve(7.0, 5.0, 9.0, lower_is_better=True, label="error rate (wrong outputs)")
    headers, _ = cells([replace(row("a"), figures={"error_rate": rate})])
    assert headers[1] == "error rate (wrong outputs) ↓"
