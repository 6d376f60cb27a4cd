"""A story on the page: pasted, asked about, and its hops seen."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Page, expect

from saccade import recipe, run, starters
from saccade.server.app import Settings
from saccade.server.models import Served, open_models
from tests.server.live import running
from tests.server.pages import opened_page

SMALL = [
    "training.max_steps=20",
    "training.schedule.steps=20",
    "training.validate_every=20",
    "training.metrics=[]",
    "training.select=loss",
    "model.embedding=16",
    "data.sources.story.sentences=3",
]
STORY = "Ida went to the attic. Ben walked to the garden. Ida took the lamp. Ben went to the zoo."


@pytest.fixture(scope="module")
def teller(tmp_path_factory: pytest.TempPathFactory) -> Served:
    """A model that answers questions about stories, and has hardly learned to."""
    text = starters.text_of("answers").replace(
        "train: {kind: embedded, corpus: {kind: rooms, size: 4000}, split: train}",
        "train: {kind: embedded, corpus: {kind: rooms, size: 200}, split: train}",
    )
    folder: Path = tmp_path_factory.mktemp("served") / "teller"
    run.train(recipe.parse(text, overrides=SMALL), folder)
    return open_models([f"teller={folder}"])[0]


@pytest.fixture
def page(browser: Browser, teller: Served) -> Iterator[Page]:
    with (
        running(teller, settings=Settings()) as live,
        browser.new_context() as context,
        opened_page(context, live.url) as page,
    ):
        yield page


def test_a_story_is_asked_and_its_hops_are_seen(page: Page, teller: Served) -> None:
    given = {"story": STORY, "question": "Where is the lamp?"}
    page.get_by_label("story").fill(STORY)
    page.get_by_label("question").fill(given["question"])
    page.get_by_role("button", name="Ask", exact=True).click()
    expect(page.locator(".output")).to_have_text(teller.translator.predict(given).text)
    expect(page.get_by_role("tab", name="Hops")).to_be_visible()
    figure = page.locator("figure svg")
    expect(figure).to_contain_text("hop 3")
    expect(figure).to_contain_text("4 Ben went to the zoo")
    expect(figure).not_to_contain_text("1 Ida went to the attic")  # three are kept
    words = page.locator(".source span")
    expect(words.nth(2)).to_have_text("Ben went to the zoo")
    expect(page.locator("body")).to_contain_text("The story has 4 sentences; the model reads the")
    expect(page.locator("body")).to_contain_text("The model does not know 'zoo'")
