"""The microphone on the page: what is said appears while it is said. The browser plays a file."""

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
    ):
        page = context.new_page()
        complaints: list[str] = []
        page.on("console", lambda m: complaints.append(m.text) if m.type == "error" else None)
        page.on("pageerror", lambda error: complaints.append(str(error)))
        page.goto(live.url)
        page.wait_for_selector("body[data-ready]")
        yield page
        assert not complaints


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
    expect(button).to_be_enabled()
    expect(page.locator(".thumbs audio")).to_have_count(1)
    expect(page.locator("#status")).to_have_text("")
