"""A sound in a report: its words can be heard, by one script that is allowed by its hash."""

import base64
import hashlib
import re

from saccade.views import voice
from saccade.views.page import Act, Section, page
from saccade.views.report import ReportSample, RunReport, training_report
from saccade.views.voice import VoicedWord
from tests.views.pictures import BAD
from tests.views.test_page import balanced

WORDS = [VoicedWord("three", 0.25, 0.5), VoicedWord(BAD, 0.5, 1.0)]
URI = "data:audio/wav;silence=0.05;base64,AAAA"


def test_words_know_their_times() -> None:
    drawn = voice.to_html(URI, WORDS)
    assert f'<audio controls src="{URI}">' in drawn
    assert 'data-begins="0.250" data-ends="0.500" title="0.25 to 0.50 s">three<' in drawn
    assert BAD not in drawn
    assert "Point at a word" not in voice.to_html(URI, [])


def test_a_page_allows_this_script_and_no_other() -> None:
    act = Act(voice.SCRIPT, voice.HASH)
    shown = page("t", [Section("s", [voice.to_html(URI, WORDS)])], act)
    balanced(shown)
    (script,) = re.findall(r"<script>(.*?)</script>", shown, re.DOTALL)
    digest = base64.b64encode(hashlib.sha256(script.encode()).digest()).decode()
    assert f"script-src 'sha256-{digest}'" in shown
    assert "media-src data:" in shown


def test_only_a_report_with_sounds_has_a_script() -> None:
    plain = ReportSample("a", "b", "c", -1.0)
    heard = ReportSample("", "three", "three", -1.0, sound=URI, voiced=WORDS)
    for samples, there in (([plain], False), ([plain, heard], True)):
        shown = training_report(RunReport("r", {}, {}, [], samples, [], ""))
        assert ("<script>" in shown) == there
        assert ("<audio" in shown) == there
