"""Drawing on the page: a digit by hand, and the way of the eye over it."""

import re
from collections.abc import Iterator

import numpy as np
import pytest
from playwright.sync_api import Browser, Page, expect

from saccade.modalities._picture import as_picture
from saccade.server.app import Settings
from saccade.server.models import Served, open_models
from tests.drawers import drawer
from tests.eyes import eye
from tests.server.conftest import Serve
from tests.server.live import running
from tests.server.pages import opened_page

WATCH = """() => { window.watched = [];
  new MutationObserver(() => watched.push(document.querySelector('.step output')?.textContent))
    .observe(document.body, {subtree: true, childList: true, characterData: true}); }"""


@pytest.fixture(scope="module")
def looker(tmp_path_factory: pytest.TempPathFactory) -> Served:
    """An eye that looks at pictures of 8 x 8 pixels in three glimpses."""
    return open_models([f"looker={eye(tmp_path_factory.mktemp('looker')).folder}"])[0]


@pytest.fixture(scope="module")
def artist(tmp_path_factory: pytest.TempPathFactory) -> Served:
    return open_models([f"artist={drawer(tmp_path_factory.mktemp('artist')).folder}"])[0]


@pytest.fixture(scope="module")
def address(looker: Served, artist: Served) -> Iterator[str]:
    with running(looker, artist, settings=Settings()) as live:
        yield live.url


@pytest.fixture
def page(browser: Browser, address: str) -> Iterator[Page]:
    """The page, opened; it may not complain in its console."""
    with (
        browser.new_context(reduced_motion="reduce") as context,
        opened_page(context, address) as page,
    ):
        yield page


def stroke(page: Page) -> None:
    """Draw a line from top to bottom, left of the middle."""
    box = page.locator(".slate").bounding_box()
    assert box is not None
    x = box["x"] + box["width"] * 0.3
    page.mouse.move(x, box["y"] + box["height"] * 0.1)
    page.mouse.down()
    page.mouse.move(x, box["y"] + box["height"] * 0.9, steps=5)
    page.mouse.up()


def test_a_drawing_is_read_and_the_gaze_is_shown(page: Page, looker: Served) -> None:
    stroke(page)
    figure = page.locator("figure[data-view=gaze] svg")
    expect(figure).to_be_visible()
    expect(figure.locator("circle")).to_have_count(3)
    sent = page.locator(".thumbs img").get_attribute("src") or ""
    pixels = as_picture(sent).pixels
    assert pixels.shape == (8, 8, 3)
    assert pixels[4, 2].min() > 200
    assert pixels[:, 5:].max() == 0
    expected = looker.translator.predict(sent).text
    expect(page.locator(".output")).to_have_text(expected)


def test_steps_are_walked_through(page: Page) -> None:
    stroke(page)
    slider = page.locator(".step input")
    expect(slider).to_be_visible()
    slider.fill("1")
    expect(page.locator(".step output")).to_have_text("1 of 3")
    expect(page.locator("figure [data-step='2'].later").first).to_be_attached()
    expect(page.locator("figure [data-step='1'].later")).to_have_count(0)


def test_a_canvas_is_wiped(page: Page) -> None:
    stroke(page)
    expect(page.locator(".thumbs li")).to_have_count(1)
    page.get_by_role("button", name="Wipe").click()
    expect(page.locator(".thumbs li")).to_have_count(0)
    pixels = "n => [...n.getContext('2d').getImageData(0, 0, 8, 8).data]"
    assert set(page.locator(".slate").evaluate(pixels)) == {0, 255}  # black, and not transparent
    assert sum(page.locator(".slate").evaluate(pixels)) == 64 * 255


def test_the_eye_moves_unless_motion_is_unwanted(browser: Browser, address: str) -> None:
    with browser.new_context(reduced_motion="no-preference") as context:
        page = context.new_page()
        page.goto(address)
        page.wait_for_selector("body[data-ready]")
        page.evaluate(WATCH)
        stroke(page)
        expect(page.locator(".step output")).to_have_text("3 of 3")
        assert page.evaluate("watched").index("1 of 3") < page.evaluate("watched").index("2 of 3")


def test_a_model_that_draws_shows_its_picture(page: Page) -> None:
    page.get_by_label("Model").select_option("artist")
    expect(page.locator(".slate")).to_have_count(0)
    page.get_by_label("Text", exact=True).fill("3")
    page.locator("#ask button.main[type=submit]").click()
    expect(page.locator("figure[data-view=output] svg image")).to_have_count(1)
    page.get_by_role("tab", name="Canvas").click()
    expect(page.locator("figure[data-view=canvas] svg image")).to_have_count(3)
    expect(page.locator(".output img")).to_have_attribute("src", re.compile("^data:image/png"))


def test_the_server_draws_gaze_and_canvas(serve: Serve, looker: Served, artist: Served) -> None:
    client = serve(looker, artist)
    told = {one["name"]: one for one in client.get("/v1/models").json()["models"]}
    assert told["looker"]["views"][0] == "gaze"
    assert told["artist"]["views"] == ["output", "canvas"]
    asked = {"model": "artist", "text": "3", "views": ["canvas"]}
    found = client.post("/v1/predict", json=asked).json()["results"][0]
    assert "Drawn in 3 steps" in found["views"]["canvas"]
    wrong = client.post("/v1/predict", json={**asked, "views": ["gaze"]})
    assert wrong.status_code == 400
    assert "does not move an eye" in wrong.json()["error"]
    assert np.size(found["text"].split()) == 4
