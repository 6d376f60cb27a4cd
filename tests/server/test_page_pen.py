"""A pen on the page: write with the mouse and have it read; type and see it written."""

import json
import re
from collections.abc import Iterator

import pytest
from playwright.sync_api import Browser, Page, expect

from saccade.corpora.handwriting import written_by
from saccade.server.app import Settings
from saccade.server.limits import Limits
from saccade.server.models import Served
from tests.server.live import running
from tests.server.pages import opened_page
from tests.server.pens import make_pen


@pytest.fixture(scope="module")
def pens(tmp_path_factory: pytest.TempPathFactory) -> list[Served]:
    place = tmp_path_factory.mktemp("pens")
    return [make_pen(place / task, task) for task in ("write", "read")]


@pytest.fixture
def page(browser: Browser, pens: list[Served], tiny: Served) -> Iterator[Page]:
    """The page, opened; it may neither complain in its console nor speak to anybody else."""
    settings = Settings(limits=Limits(points=400))
    with (
        running(*pens, tiny, settings=settings) as live,
        browser.new_context() as context,
        opened_page(context, live.url) as page,
    ):
        yield page


def write(page: Page, text: str) -> None:
    """Write with the mouse, one pixel for a unit."""
    box = page.locator(".paper-ink").bounding_box()
    assert box
    strokes = written_by(text, 3)
    left, top, _, _ = strokes.box
    for stroke in strokes:
        points = [(box["x"] + 30 + x - left, box["y"] + 50 + y - top) for x, y in stroke.tolist()]
        page.mouse.move(*points[0])
        page.mouse.down()
        for x, y in points[1:]:
            page.mouse.move(x, y, steps=3)
        page.mouse.up()


def done(page: Page) -> None:
    expect(page.locator(".saving")).to_be_visible()
    expect(page.locator(".output")).not_to_have_class(re.compile("partial"))


def test_what_the_mouse_wrote_is_read(page: Page, pens: list[Served]) -> None:
    page.get_by_label("Model").select_option("read")
    page.get_by_role("button", name="Read", exact=True).click()
    expect(page.locator("#status")).to_have_text("Write on the paper first.")
    with page.expect_request("**/v1/predict/stream") as sent:
        write(page, "cab")
        page.get_by_role("button", name="Read", exact=True).click()
    done(page)
    asked = json.loads(sent.value.post_data or "{}")
    strokes = json.loads(asked["text"])
    assert len(strokes) == len(list(written_by("cab", 3)))
    assert "bias" not in asked
    reader = pens[1].translator
    expect(page.locator(".output")).to_have_text(reader.predict(asked["text"], beam=5).text)
    across = [x for stroke in strokes for x, _ in stroke]  # in the units of the model's data
    real, unit = written_by("cab", 3).box, reader.source.limit / 140
    shown = page.locator(".paper-ink").evaluate("n => n.getBoundingClientRect().width") / 900
    assert (max(across) - min(across)) / unit * shown == pytest.approx(real[2] - real[0], rel=0.05)
    assert page.locator(".source > *").count() == 0  # points are no words
    assert page.evaluate("localStorage.length") == 0  # nothing is stored


def test_pointing_at_a_letter_shows_its_ink(page: Page, pens: list[Served]) -> None:
    page.get_by_label("Model").select_option("read")
    page.get_by_label("Example").select_option("0")
    done(page)
    source = str(pens[1].examples[0].source)
    expected = pens[1].translator.predict(source, beam=5)
    expect(page.locator(".output")).to_have_text(expected.text)
    expect(page.locator(".paper-ink")).to_have_attribute("aria-label", re.compile("with [1-9]"))
    if not expected.text:
        pytest.skip("three updates of training read nothing here")
    page.locator(".target > *").first.hover()
    expect(page.locator(".seen-ink.looking .lit").first).to_be_attached()
    page.mouse.move(0, 0)
    expect(page.locator(".seen-ink .lit")).to_have_count(0)


def test_paper_is_cleared_and_has_an_end(page: Page) -> None:
    page.get_by_label("Model").select_option("read")
    paper = page.get_by_role("img", name="paper")
    write(page, "ab")
    expect(paper).to_have_attribute("aria-label", re.compile("Paper with [1-9]"))
    before = paper.get_attribute("aria-label")
    page.get_by_role("button", name="Undo").click()
    assert paper.get_attribute("aria-label") != before
    page.get_by_role("button", name="Clear").click()
    expect(page.get_by_role("img", name="Empty paper to write on")).to_be_visible()
    box = page.locator(".paper-ink").bounding_box()
    assert box
    page.mouse.move(box["x"] + 5, box["y"] + 5)
    page.mouse.down()
    for n in range(30):
        page.mouse.move(box["x"] + 5 + (n % 2) * 500, box["y"] + 5 + 5 * n, steps=20)
    page.mouse.up()
    expect(page.locator("#status")).to_have_text("At most 400 points; write less.")


def test_what_is_typed_is_written(page: Page, pens: list[Served]) -> None:
    page.get_by_label("Model").select_option("write")
    assert page.get_by_label("Beam").is_hidden()
    page.get_by_label("Text", exact=True).fill("cab")
    page.get_by_label("Hand").fill("7")
    page.get_by_role("button", name="Write", exact=True).click()
    done(page)
    writer = pens[0].translator
    expected = writer.predict("cab", sample={"bias": 1.0, "seed": 7})
    shown = page.locator(".output img").get_attribute("src") or ""
    assert shown.startswith("data:image/svg+xml,")
    assert page.evaluate("decodeURIComponent", shown.partition(",")[2]) == expected.text
    moving = page.locator("figure svg[data-seconds]")
    expect(moving).to_be_visible()
    slider, svg = page.locator(".step input"), "document.querySelector('figure svg')"
    expect(page.get_by_role("button", name="Write again")).to_be_visible()
    page.get_by_role("button", name="Write again").click()
    assert page.evaluate(f"{svg}.animationsPaused()") is False
    slider.evaluate("n => { n.value = Math.round(n.max / 2); n.oninput(); }")
    assert page.evaluate(f"{svg}.animationsPaused()") is True
    seconds = float(moving.get_attribute("data-seconds") or 0)
    assert page.evaluate(f"{svg}.getCurrentTime()") == pytest.approx(seconds / 2, abs=0.1)
    assert page.locator("#history").is_hidden()
    page.get_by_role("tab", name="Output").click()
    expect(page.get_by_role("button", name="Write again")).to_be_hidden()
    neat = page.get_by_label("Neatness")
    neat.evaluate("n => { n.value = n.max; n.oninput(); }")
    page.get_by_role("button", name="Write", exact=True).click()
    done(page)
    likeliest = page.locator(".output img").get_attribute("src") or ""
    text = page.evaluate("decodeURIComponent", likeliest.partition(",")[2])
    assert text == writer.predict("cab").text


def test_a_model_of_text_is_asked_for_no_bias(page: Page) -> None:
    page.get_by_label("Model").select_option("write")
    page.get_by_label("Model").select_option("tiny")
    assert page.locator("#hand").is_hidden()
    page.get_by_label("Text", exact=True).fill("a")
    with page.expect_request("**/v1/predict/stream") as sent:
        page.get_by_role("button", name="Translate", exact=True).click()
    assert "bias" not in json.loads(sent.value.post_data or "{}")
    done(page)
