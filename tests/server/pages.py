"""The page in a browser, which may not complain."""

from collections.abc import Iterator
from contextlib import contextmanager

from playwright.sync_api import BrowserContext, Page


@contextmanager
def opened_page(context: BrowserContext, url: str) -> Iterator[Page]:
    """Open the page and wait until it is ready; refuse errors in its console at the end."""
    page = context.new_page()
    complaints: list[str] = []
    page.on("console", lambda m: complaints.append(m.text) if m.type == "error" else None)
    page.on("pageerror", lambda error: complaints.append(str(error)))
    page.goto(url)
    page.wait_for_selector("body[data-ready]")
    yield page
    assert not complaints
