"""The report of a training run."""

import re
from dataclasses import replace

import numpy as np

from saccade.views import heatmap
from saccade.views.report import (
    Probe,
    ReportSample,
    RunReport,
    ScoreRow,
    by_quantity,
    training_report,
)

from .test_page import balanced

SAMPLE = ReportSample(
    source="le chat",
    reference="the cat",
    output="the <script> cat",
    score=-0.25,
    picture=heatmap.to_svg(np.array([[0.83, 0.17], [0.2, 0.8]]), ["le", "chat"], ["the", "cat"]),
)
REPORT = RunReport(
    name="reverse & <b>more</b>",
    summary={"Parameters": "12 345", "Seed": "1"},
    curves={
        "train loss": [(0, 4.0), (10, 1.0)],
        "validation loss": [(0, 4.0), (10, float("nan"))],
        "learning rate": [(0, 0.001)],
    },
    scores=[
        ScoreRow("test", "BLEU", 0.4, 41.234, 38.9, 43.7, "nrefs:1|tok:13a"),
        ScoreRow("test", "exact match", None, 0.5, None, None, ""),
    ],
    samples=[SAMPLE, replace(SAMPLE, picture="", score=None), SAMPLE, SAMPLE],
    commands=["saccade translate runs/reverse", "saccade inspect runs/reverse"],
    recipe_yaml="model:\n  kind: encoder_decoder\n",
)


def test_the_report_shows_all_it_was_given() -> None:
    shown = training_report(REPORT)
    balanced(shown)
    for text in (
        "reverse &amp; &lt;b&gt;more&lt;/b&gt;",
        "12 345",
        "41.23",
        "38.90\u00a0to\u00a043.70",
        "nrefs:1|tok:13a",
        "le → the: 0.83",
        "saccade inspect runs/reverse",
        "model:\n  kind: encoder_decoder",
        "No attention was recorded for this sample.",
        "Sample 4: le chat → the &lt;script&gt; cat",
    ):
        assert text in shown


def test_the_report_is_safe_and_free_of_nan() -> None:
    shown = training_report(REPORT)
    assert "<script" not in shown
    assert not re.search(r"\bnan\b", shown, re.IGNORECASE)
    assert shown.replace("http://www.w3.org/2000/svg", "").count("://") == 0


def test_the_same_run_gives_the_same_report() -> None:
    assert training_report(REPORT) == training_report(REPORT)


def test_empty_parts_are_left_out() -> None:
    shown = training_report(RunReport("empty", {}, {}, [], [], [], ""))
    balanced(shown)
    assert "<section" not in shown


def test_only_the_first_samples_are_open() -> None:
    assert training_report(REPORT).count("<details>") == 1


def test_series_share_a_chart_by_their_last_word() -> None:
    groups = by_quantity(REPORT.curves)
    assert list(groups) == ["loss", "learning rate"]
    assert list(groups["loss"]) == ["train loss", "validation loss"]


def test_probes_of_nonsense_are_shown_if_there_are_any() -> None:
    assert "Nonsense" not in training_report(REPORT)
    probe = Probe("repeated", "ag " * 50, "<b>", ["It repeats.", "It is odd."])
    shown = training_report(replace(REPORT, probes=[probe]))
    balanced(shown)
    assert "It repeats. It is odd." in shown
    assert "<b>" not in shown


def test_an_alarm_comes_first_and_is_escaped() -> None:
    page = training_report(replace(REPORT, alarm="NO BETTER than <b>x</b>"))
    assert "NO BETTER than &lt;b&gt;x&lt;/b&gt;" in page
    assert page.index("Read this first") < page.index("Summary")
    assert "Read this first" not in training_report(REPORT)


def test_self_attention_is_folded_under_its_title() -> None:
    shown = training_report(replace(REPORT, within={"encoder: le <chat>": "<i>maps</i>"}))
    balanced(shown)
    assert "<summary>encoder: le &lt;chat&gt;</summary><i>maps</i>" in shown
    assert "Self-attention" not in training_report(REPORT)
