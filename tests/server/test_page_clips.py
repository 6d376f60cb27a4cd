"""Clips on the page: brought in as files, sent as they are, looked at frame by frame."""

import base64
import io
import re
from collections.abc import Iterator

import numpy as np
import pytest
from playwright.sync_api import Browser, FilePayload, Page, expect

from saccade.server.app import Settings
from saccade.server.limits import Limits
from saccade.server.models import Served
from tests.captions import file_of, moving
from tests.server.live import running
from tests.server.pages import opened_page

MOST = 60_000  # bytes of a clip
DROP = """text => { const data = new DataTransfer();
  const bytes = Uint8Array.from(atob(text), c => c.charCodeAt(0));
  data.items.add(new File([bytes], 'given.gif', {type: 'image/gif'}));
  document.querySelector('#ask').dispatchEvent(
    new DragEvent('drop', {dataTransfer: data, bubbles: true, cancelable: true})); }"""


@pytest.fixture(scope="module")
def address(film: Served) -> Iterator[str]:
    with running(film, settings=Settings(limits=Limits(items=2, picture=MOST))) as live:
        yield live.url


@pytest.fixture
def page(browser: Browser, address: str) -> Iterator[Page]:
    """The page, opened; it may not complain in its console."""
    with browser.new_context() as context, opened_page(context, address) as page:
        yield page


def pick(page: Page, *files: tuple[str, bytes, str]) -> None:
    given: list[FilePayload] = [{"name": n, "buffer": d, "mimeType": k} for n, d, k in files]
    page.get_by_label("Pick clips").set_input_files(given)


def text_of(data: bytes) -> str:
    return f"data:image/gif;base64,{base64.b64encode(data).decode()}"


def test_a_clip_is_picked_described_and_looked_at(page: Page, film: Served) -> None:
    page.get_by_role("button", name="Describe").click()
    expect(page.locator("#status")).to_have_text("Choose a clip first.")
    data = moving("gif", 8)
    pick(page, ("a.gif", data, "image/gif"))
    expect(page.locator(".thumbs img")).to_have_attribute("src", text_of(data))  # as it is
    page.get_by_role("button", name="Describe").click()
    expect(page.locator(".saving")).to_be_visible()
    expect(page.locator(".output")).not_to_have_class(re.compile("partial"))
    found = film.translator.predict(text_of(data), beam=5)
    expect(page.locator(".output")).to_have_text(found.text)
    strip = page.locator(".frame img")
    assert strip.evaluate("n => [n.naturalWidth, n.naturalHeight]") == [8 * 24, 24]
    page.get_by_label("Show the grid").check()
    page.locator(".target > *").nth(0).hover()
    expect(page.locator(".frame canvas")).to_be_visible()
    drawn: str = page.locator(".frame canvas").evaluate("n => n.toDataURL()")
    from PIL import Image  # noqa: PLC0415

    veil = np.asarray(Image.open(io.BytesIO(base64.b64decode(drawn.partition(",")[2]))), float)
    light = (veil[:, :, 0] * veil[:, :, 3]).mean(axis=0).reshape(8, -1).mean(axis=1)
    assert found.attention is not None
    assert np.corrcoef(light, found.attention[0])[0, 1] > 0.95  # frame by frame


def test_a_clip_is_dropped(page: Page) -> None:
    data = moving("gif", 3)
    page.evaluate(DROP, base64.b64encode(data).decode())
    expect(page.locator(".thumbs img")).to_have_attribute("src", text_of(data))


def test_what_is_no_clip_or_too_large_is_told(page: Page) -> None:
    pick(page, ("a.gif", b"GIF89a and no more", "image/gif"))
    expect(page.locator("#status")).to_contain_text("a.gif: not a clip that this browser can read.")
    pick(page, ("a.jpg", file_of("jpeg"), "image/jpeg"))
    expect(page.locator("#status")).to_contain_text("a.jpg: image/jpeg; a clip is a GIF, or an")
    pick(page, ("long.gif", moving("gif", 40, 128), "image/gif"))
    expect(page.locator("#status")).to_contain_text(re.compile(r"long.gif: .* MB; at most 0.1 MB"))
    expect(page.locator(".thumbs li")).to_have_count(0)
    pick(page, *((f"{n}.gif", moving("gif", 2), "image/gif") for n in range(3)))
    expect(page.locator("#status")).to_have_text(
        "At most 2 clips at once; 2.gif and what follows is left out."
    )


def test_examples_are_called_clips(page: Page) -> None:
    expect(page.get_by_label("Example").locator("option").nth(1)).to_have_text("clip 1")
    page.get_by_label("Example").select_option("0")
    expect(page.locator(".thumbs li")).to_contain_text("clip 1")
    expect(page.locator(".saving").first).to_be_visible()
