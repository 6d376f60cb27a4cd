"""Sounds on the page: picked, dropped, played and transcribed."""

import base64
import re
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest
from playwright.sync_api import Browser, Page, expect

from saccade import recipe, run
from saccade.modalities._wave import write_wave
from saccade.server.models import Served, open_models
from tests.server.live import running
from tests.server.pages import opened_page
from tests.server.test_page_pictures import GIVE, payload
from tests.test_sound import MODELS, RECIPE, tone


@pytest.fixture(scope="module")
def hearer(tmp_path_factory: pytest.TempPathFactory) -> Served:
    place: Path = tmp_path_factory.mktemp("hearer")
    (place / "sounds").mkdir()
    for label in (1, 2):
        for index in range(4):
            data = write_wave(np.asarray(tone(label, index)), 8000)
            (place / "sounds" / f"{label}_ann_{index}.wav").write_bytes(data)
    run.train(recipe.parse(RECIPE.replace("MODEL", MODELS["attention"])), place / "run", root=place)
    return open_models([f"hearer={place / 'run'}"])[0]


@pytest.fixture
def page(browser: Browser, hearer: Served) -> Iterator[Page]:
    with (
        running(hearer) as live,
        browser.new_context() as context,
        opened_page(context, live.url) as page,
    ):
        yield page


def test_a_sound_is_picked_dropped_played_and_transcribed(page: Page, hearer: Served) -> None:
    page.get_by_role("button", name="Transcribe").click()
    expect(page.locator("#status")).to_have_text("Choose a sound first.")
    data = write_wave(np.asarray(tone(2, 1)), 8000)
    page.evaluate(GIVE, ["drop", base64.b64encode(data).decode(), "audio/wav"])
    sound = page.locator(".thumbs audio")
    expect(sound).to_have_count(1)
    page.wait_for_function(
        "() => document.querySelector('.thumbs audio').duration > 0.1"
    )  # it can play
    page.get_by_role("button", name="Transcribe").click()
    expect(page.locator(".saving")).to_be_visible()
    expect(page.locator(".output")).not_to_have_class(re.compile("partial"))
    expect(page.locator(".output")).to_have_text(hearer.translator.predict(tone(2, 1), beam=5).text)
    page.get_by_label("Pick sounds").set_input_files([payload("a.wav", data, "audio/wav")])
    expect(sound).to_have_count(2)
