"""The microphone on the page: what is said appears while it is said. The browser plays a file."""

import base64
import re
from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Page, expect

from saccade.modalities._wave import write_wave
from saccade.server.models import open_models
from tests.hummed import hum, hummer
from tests.server.conftest import Launch
from tests.server.live import running
from tests.server.pages import opened_page
from tests.server.test_page_pictures import GIVE


@pytest.fixture
def page(launch: Launch, tmp_path: Path) -> Iterator[Page]:
    (tmp_path / "said.wav").write_bytes(write_wave(hum("21 3 "), 8000))
    arguments = (
        "--use-fake-device-for-media-stream",
        "--use-fake-ui-for-media-stream",
        f"--use-file-for-fake-audio-capture={tmp_path / 'said.wav'}",
    )
    (model,) = open_models([f"hummer={hummer()}"])
    with (
        running(model) as live,
        launch(*arguments) as browser,
        browser.new_context(permissions=["microphone"]) as context,
        opened_page(context, live.url) as page,
    ):
        yield page


def test_what_is_said_appears_and_the_recording_can_be_looked_at(page: Page) -> None:
    button = page.get_by_role("button", name="Speak")
    button.click()
    stop = page.get_by_role("button", name="Stop")
    expect(stop).to_have_attribute("aria-pressed", "true")
    heard = page.locator(".heard")
    final = heard.locator("span").first
    expect(final).to_have_text(re.compile(r"\b21\b"), timeout=20_000)
    expect(final).to_have_text(re.compile(r"\b3\b"), timeout=20_000)
    stop.click()
    expect(button).to_be_enabled(timeout=20_000)
    expect(page.locator(".thumbs audio")).to_have_count(1)
    expect(page.locator("#status")).to_have_text("")


def test_a_word_is_played_by_pointing_at_it(page: Page) -> None:
    data = base64.b64encode(write_wave(hum("213"), 8000)).decode()
    page.evaluate(GIVE, ["drop", data, "audio/wav"])
    page.evaluate(
        """() => {
          window.played = [];
          const start = AudioBufferSourceNode.prototype.start;
          AudioBufferSourceNode.prototype.start = function (...given) {
            window.played.push(given);
            start.apply(this, given);
          };
        }"""
    )
    page.get_by_role("button", name="Transcribe").click()
    words = page.locator(".sentence.target button")
    expect(words).to_have_count(3)
    words.nth(1).hover()
    page.wait_for_function("() => window.played.length === 1")
    (_, begins, seconds), *_ = page.evaluate("window.played")
    assert 0.2 < begins < 0.26  # the first tone lasts 0.155 seconds, the gap 0.08
    assert 0.1 < seconds < 0.2
    expect(words.nth(1)).to_have_attribute(
        "title", re.compile(r"probability .*, 0\.2\d to 0\.\d\d s")
    )
    page.locator("figure [data-row='2']").first.hover()
    page.wait_for_function("() => window.played.length >= 2")
    assert page.evaluate("window.played.at(-1)[1]") > 0.4
