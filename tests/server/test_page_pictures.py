"""Pictures on the page: brought in, looked at word by word, and what the browser does to them."""

import base64
import io
import re
from collections.abc import Iterator

import numpy as np
import pytest
from playwright.sync_api import Browser, FilePayload, Page, expect

from saccade.modalities._picture import from_text
from saccade.server.app import Settings
from saccade.server.limits import Limits
from saccade.server.models import Served
from tests.captions import file_of
from tests.server.live import running
from tests.server.pages import opened_page

GIVE = """([kind, text, type]) => { const data = new DataTransfer();
  const bytes = Uint8Array.from(atob(text), c => c.charCodeAt(0));
  data.items.add(new File([bytes], 'given.png', {type}));
  const target = document.querySelector('#ask');
  target.dispatchEvent(kind === 'drop'
    ? new DragEvent('drop', {dataTransfer: data, bubbles: true, cancelable: true})
    : new ClipboardEvent('paste', {clipboardData: data, bubbles: true, cancelable: true})); }"""


@pytest.fixture(scope="module")
def address(seer: Served, tiny: Served, scenes: Served) -> Iterator[str]:
    with running(seer, tiny, scenes, settings=Settings(limits=Limits(items=3))) as live:
        yield live.url


@pytest.fixture
def page(browser: Browser, address: str) -> Iterator[Page]:
    """The page, opened; it may neither complain in its console nor speak to anybody else."""
    with browser.new_context(has_touch=True) as context, opened_page(context, address) as page:
        yield page


def payload(name: str, data: bytes, kind: str = "image/png") -> FilePayload:
    return {"name": name, "mimeType": kind, "buffer": data}


def pick(page: Page, *files: FilePayload) -> None:
    page.get_by_label("Pick pictures").set_input_files(list(files))


def described(page: Page, n: int = 1) -> None:
    page.get_by_role("button", name="Describe").click()
    expect(page.locator(".saving")).to_have_count(n)
    for i in range(n):
        expect(page.locator(".saving").nth(i)).to_be_visible()
        expect(page.locator(".output").nth(i)).not_to_have_class(re.compile("partial"))


def sent(page: Page) -> str:
    """Return the picture that would be sent."""
    expect(page.locator(".thumbs img")).to_have_count(1)
    return page.locator(".thumbs img").get_attribute("src") or ""


def veil(page: Page) -> bytes:
    """Return what lies over the picture, as the browser drew it."""
    drawn: str = page.locator(".frame canvas").evaluate("n => n.toDataURL()")
    return base64.b64decode(drawn.partition(",")[2])


def test_pictures_are_picked_described_and_removed(page: Page, seer: Served) -> None:
    page.get_by_role("button", name="Describe").click()
    expect(page.locator("#status")).to_have_text("Choose a picture first.")
    files = [file_of("png", seed) for seed in (1, 2)]
    pick(page, *(payload(f"{n}.png", one) for n, one in enumerate(files)))
    expect(page.locator(".thumbs li")).to_have_count(2)
    described(page, 2)
    for n, one in enumerate(files):
        text = f"data:image/png;base64,{base64.b64encode(one).decode()}"
        expected = seer.translator.predict(text, beam=5).text
        expect(page.locator(".output").nth(n)).to_have_text(expected)
        expect(page.locator("h2").nth(n)).to_contain_text(f"{n}.png · seer")
    page.get_by_role("button", name="Remove 0.png").click()
    expect(page.locator(".thumbs li")).to_have_count(1)
    assert page.evaluate("localStorage.length") == 0  # nothing is stored
    assert page.locator("#history").is_hidden()


@pytest.mark.parametrize("kind", ["drop", "paste"])
def test_a_picture_is_dropped_or_pasted(page: Page, kind: str) -> None:
    data = base64.b64encode(file_of("png")).decode()
    page.evaluate(GIVE, [kind, data, "image/png"])
    assert sent(page) == f"data:image/png;base64,{data}"  # small enough: as it is


def test_pointing_at_a_word_shows_where_it_looked(page: Page, seer: Served) -> None:
    pick(page, payload("a.png", file_of("png")))
    described(page)
    found = seer.translator.predict(sent(page), beam=5)
    weights = found.attention
    assert weights is not None
    canvas = page.locator(".frame canvas")
    expect(canvas).to_be_hidden()
    page.locator(".target > *").nth(1).hover()
    expect(canvas).to_be_visible()
    expect(page.locator(".seen p")).to_have_text(re.compile(r"^\w+: \d\.\d bits, top 5 \d+%$"))
    from PIL import Image  # noqa: PLC0415

    drawn = np.asarray(Image.open(io.BytesIO(veil(page))).convert("RGBA")).astype(float)
    row, column = np.unravel_index(weights[1].argmax(), (10, 10))
    height, width = drawn.shape[0] / 10, drawn.shape[1] / 10
    light = drawn[:, :, 0] * drawn[:, :, 3]
    lit = light[int((row + 0.5) * height), int((column + 0.5) * width)]
    assert lit >= 0.8 * light.max()
    page.mouse.move(0, 0)
    expect(canvas).to_be_hidden()
    page.locator(".target > *").nth(0).focus()
    expect(canvas).to_be_visible()
    smooth = veil(page)
    page.get_by_label("Show the grid").check()
    expect(page.locator("figure svg [data-column]").first).to_be_attached()
    page.locator(".target > *").nth(0).focus()
    assert veil(page) != smooth


def test_a_finger_looks_first_and_changes_then(page: Page) -> None:
    pick(page, payload("a.png", file_of("png")))
    described(page)
    word = page.locator(".target > *").nth(1)
    word.tap()
    expect(page.locator(".frame canvas")).to_be_visible()
    expect(page.get_by_label("Write another word")).to_have_count(0)
    word.tap()
    expect(page.get_by_label("Write another word")).to_be_visible()


def test_a_changed_word_goes_on_from_there(page: Page, seer: Served) -> None:
    pick(page, payload("a.png", file_of("png")))
    described(page)
    page.locator(".target > *").nth(1).click()
    page.get_by_label("Write another word").fill("small")
    page.keyboard.press("Enter")
    expected = seer.translator.predict(sent(page), beam=5, prefix="a small").text
    expect(page.locator(".output")).to_have_text(expected)
    expect(page.locator(".target > *").nth(1)).to_have_text("small")
    expect(page.locator("figure svg use").first).to_be_attached()


def test_a_large_picture_is_scaled_down_before_it_is_sent(page: Page) -> None:
    pick(page, payload("big.jpg", file_of("jpeg", 1, 900, 1800), "image/jpeg"))
    found = from_text(sent(page), most=1024) if sent(page).startswith("data:image/png") else None
    size = page.locator(".thumbs img").evaluate("n => [n.naturalWidth, n.naturalHeight]")
    assert size == [1024, 512]
    assert found is None or found.pixels.shape == (512, 1024, 3)
    described(page)


def test_what_cannot_be_taken_is_told(page: Page) -> None:
    pick(page, payload("a.png", b"not a picture"))
    expect(page.locator("#status")).to_contain_text("a.png: not a picture that this browser can")
    pick(page, *(payload(f"{n}.png", file_of("png", n)) for n in range(4)))
    expect(page.locator("#status")).to_have_text(
        "At most 3 pictures at once; 3.png and what follows is left out."
    )
    expect(page.locator(".thumbs li")).to_have_count(3)


def test_an_example_and_the_way_back_to_text(page: Page) -> None:
    page.get_by_label("Example").select_option("0")
    expect(page.locator(".saving").first).to_be_visible()
    expect(page.locator(".thumbs li")).to_contain_text("picture 1")
    page.get_by_label("Model").select_option("tiny")
    expect(page.get_by_label("Text", exact=True)).to_be_visible()
    expect(page.get_by_label("Pick pictures")).to_have_count(0)
    expect(page.get_by_role("button", name="Translate", exact=True)).to_be_visible()


def test_a_phone_shows_everything(page: Page) -> None:
    page.set_viewport_size({"width": 360, "height": 700})
    long = payload("a_rather_long_name_of_a_picture_that_goes_on.png", file_of("png", 1, 700, 900))
    pick(page, long, payload("tall.png", file_of("png", 2, 120, 8)))
    expect(page.locator(".thumbs li")).to_have_count(2)
    described(page, 2)
    expect(page.locator("figure svg").first).to_be_visible()
    assert page.evaluate("document.scrollingElement.scrollWidth - innerWidth") <= 0
    for control in page.locator("button, select, input, summary, .pick, .frame, .thumbs li").all():
        box = control.bounding_box() if control.is_visible() else None
        if box:
            assert box["x"] >= 0, control.evaluate("n => n.outerHTML")
            assert box["x"] + box["width"] <= 360, control.evaluate("n => n.outerHTML")
    nameless = page.evaluate(
        """[...document.querySelectorAll('button, select, input, textarea')]
          .filter(n => n.checkVisibility() && !(n.ariaLabel || n.textContent.trim()
            || [...(n.labels ?? [])].some(l => l.textContent.trim())))
          .map(n => n.outerHTML)"""
    )
    assert nameless == []


def test_a_picture_beside_a_text(page: Page, scenes: Served) -> None:
    page.get_by_label("Model").select_option("scenes")
    page.get_by_role("button", name="Describe").click()
    expect(page.locator("#status")).to_have_text("Fill in every box first.")
    page.get_by_label("Pick scene").set_input_files([payload("a.png", file_of("png"))])
    page.get_by_label("question").fill("what is there")
    described(page)
    given = {"scene": sent(page), "question": "what is there"}
    expected = scenes.translator.predict(given, beam=5)
    expect(page.locator(".output")).to_have_text(expected.text)
    assert page.locator(".source > *").all_inner_texts() == ["what", "is", "there"]
    page.locator(".target > *").nth(0).hover()
    expect(page.locator(".frame canvas")).to_be_visible()
    expect(page.locator(".source > .lit")).to_have_count(3)
    expect(page.locator("figure svg svg")).to_have_count(2)  # one for each source
    page.get_by_label("Example").select_option("0")
    expect(page.get_by_label("question")).to_have_value(re.compile("what|which"))
