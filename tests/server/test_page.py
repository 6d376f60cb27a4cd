"""The page in a real browser: what a person does with it, from typing to judging."""

import json
import os
import re
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Page, expect

from saccade.server.app import Settings
from saccade.server.keys import Door, Keys
from saccade.server.models import Served
from tests.cli.conftest import SOURCES, TARGETS
from tests.server.live import running
from tests.server.pages import opened_page


@pytest.fixture(scope="module")
def address(pair: list[Served], tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """Two models, served for real."""
    judgements = tmp_path_factory.mktemp("judged") / "judgements.jsonl"
    with running(*pair, settings=Settings(judgements=judgements)) as live:
        yield live.url


@pytest.fixture
def page(browser: Browser, address: str) -> Iterator[Page]:
    """The page, opened; it may neither complain in its console nor speak to anybody else."""
    context = browser.new_context()
    page = context.new_page()
    complaints: list[str] = []
    strangers: list[str] = []
    page.on(
        "console", lambda m: complaints.append(m.text) if m.type in ("error", "warning") else None
    )
    page.on("pageerror", lambda error: complaints.append(str(error)))
    page.on(
        "request",
        lambda r: None if r.url.startswith((address, "data:")) else strangers.append(r.url),
    )
    page.goto(address)
    page.wait_for_selector("body[data-ready]")
    yield page
    assert not strangers
    assert not complaints
    context.close()


def translated(page: Page, text: str) -> str:
    """Type a text, wait for its translation and return it."""
    page.get_by_label("Text", exact=True).fill(text)
    page.keyboard.press("Control+Enter")
    output = page.locator(".answer .output").first
    expect(output).not_to_have_class(re.compile("partial"))
    return output.inner_text()


def test_a_sentence_is_translated_with_its_alternatives(page: Page, pair: list[Served]) -> None:
    expected = pair[0].translator.translate(SOURCES[0], beam=5, nbest=5)
    assert translated(page, SOURCES[0]) == expected.text
    assert page.locator(".source > *").all_inner_texts() == SOURCES[0].split()
    assert page.locator(".target > *").all_inner_texts() == expected.text.split()
    page.get_by_text("Alternatives").click()
    listed = page.locator(".alternatives li").all_inner_texts()
    assert len(listed) == len(expected.nbest)
    assert listed[0].startswith(expected.text)
    assert f"{expected.score:.3f}" in listed[0]


def test_pointing_at_a_word_lights_what_belongs_to_it(page: Page, pair: list[Served]) -> None:
    translated(page, SOURCES[0])
    translation = pair[0].translator.translate(SOURCES[0], beam=5)
    target = page.locator(".target > *")
    for t in range(target.count()):
        target.nth(t).hover()
        weights = [
            float(node.evaluate("n => n.style.getPropertyValue('--weight')"))
            for node in page.locator(".source > .lit").all()
        ]
        aligned = {b: a for a, b in translation.alignment}
        assert weights.index(max(weights)) == aligned[t]
    page.locator(".source > *").first.focus()
    assert page.locator(".target > .lit").count() == target.count()
    page.get_by_label("Text", exact=True).focus()
    assert page.locator(".lit").count() == 0


def test_every_view_is_drawn(page: Page) -> None:
    translated(page, SOURCES[0])
    figure = page.locator(".answer figure")
    for name, selector in (
        ("Matrix", "[data-row]"),
        ("Next symbols", "text"),
        ("Lines", "path"),
    ):
        page.get_by_role("tab", name=name).click()
        expect(figure.locator(f"svg {selector}").first).to_be_attached()
    assert page.get_by_role("tab", name="All heads").count() == 0  # there is one map
    page.get_by_role("tab", name="Lines").press("ArrowRight")
    expect(page.get_by_role("tab", name="Matrix")).to_have_attribute("aria-selected", "true")


def test_the_beam_can_be_walked_step_by_step(page: Page) -> None:
    translated(page, SOURCES[0])
    page.get_by_role("tab", name="Beam").click()
    slider = page.get_by_label("Step")
    expect(slider).to_be_visible()
    assert page.locator("figure .later").count() == 0
    last = int(slider.get_attribute("max") or 0)
    assert last > 1
    slider.focus()
    page.keyboard.press("Home")
    expect(page.locator(".step output")).to_have_text(f"1 of {last}")
    hidden = page.locator("figure .later").evaluate_all("all => all.map(n => +n.dataset.step)")
    assert hidden
    assert min(hidden) == 2
    page.keyboard.press("End")
    assert page.locator("figure .later").count() == 0


def test_a_changed_word_is_kept_and_the_model_goes_on(page: Page, pair: list[Served]) -> None:
    assert translated(page, SOURCES[0]) == "a cat sleeps"
    page.locator(".target > *").nth(1).click()
    page.get_by_label("Write another word").fill("dog")
    page.keyboard.press("Enter")
    expect(page.locator(".output")).to_have_text(
        pair[0].translator.translate(SOURCES[0], beam=5, nbest=5, prefix="a dog").text
    )
    assert page.locator(".target > *").nth(1).inner_text() == "dog"
    page.locator(".target > *").nth(1).click()
    page.keyboard.press("Escape")
    assert page.locator(".target > *").nth(1).inner_text() == "dog"


def test_an_example_fills_the_text_and_runs(page: Page) -> None:
    page.get_by_label("Example").select_option(label=SOURCES[1])
    expect(page.locator(".output")).to_have_text("a dog sleeps")
    assert page.get_by_label("Text", exact=True).input_value() == SOURCES[1]


def test_two_models_stand_side_by_side(page: Page, pair: list[Served]) -> None:
    page.get_by_label("beside it").select_option(pair[1].name)
    translated(page, SOURCES[2])
    cards = page.locator(".answer")
    expect(cards).to_have_count(2)
    for card, served in zip(cards.all(), pair, strict=True):
        expect(card.locator("h2")).to_contain_text(served.name)
        expected = served.translator.translate(SOURCES[2], beam=5).text
        expect(card.locator(".output")).to_have_text(expected)
    left, right = (card.bounding_box() for card in cards.all())
    assert left is not None
    assert right is not None
    assert left["y"] == right["y"]
    assert left["x"] < right["x"]


def test_markup_in_a_text_stays_text(page: Page) -> None:
    text = "un <img src=x onerror=alert(1)> chat"
    dialogs: list[object] = []
    page.on("dialog", lambda dialog: dialogs.append(dialog.message))
    translated(page, text)
    for name in ("Lines", "Matrix", "Beam", "Next symbols"):
        page.get_by_role("tab", name=name).click()
        expect(page.locator("figure svg")).to_be_visible()
    assert page.locator("img:not(#picture)").count() == 0
    assert not dialogs


def test_warnings_are_shown(page: Page) -> None:
    translated(page, "zyx wvu tsr qpo")
    expect(page.locator(".flags li").first).to_be_visible()


def test_nothing_typed_is_said(page: Page) -> None:
    page.get_by_role("button", name="Translate", exact=True).click()
    expect(page.locator("#status")).to_have_text("Type a sentence first.")


def test_curves_of_a_run(page: Page, pair: list[Served]) -> None:
    page.get_by_role("tab", name="Training").click()
    for served in pair:
        page.get_by_label("Run").select_option(served.name)
        rows = (served.folder / "metrics.jsonl").read_text(encoding="utf-8").splitlines()
        step = json.loads(rows[-1])["step"]
        expect(page.locator("#run-state")).to_contain_text(f"Finished: step {step}")
        expect(page.locator("#charts svg").first).to_be_visible()


def test_curves_grow_while_a_run_trains(page: Page, folder: Path) -> None:
    metrics = folder / "metrics.jsonl"
    before, times = metrics.read_text(encoding="utf-8"), metrics.stat()
    row = '{"kind": "train", "step": STEP, "epoch": 9, "nll": 0.1, "learning_rate": 0.01}\n'
    try:
        metrics.write_text(before + row.replace("STEP", "110"), encoding="utf-8")
        page.get_by_role("tab", name="Training").click()
        expect(page.locator("#run-state")).to_contain_text("Training now: step 110")
        metrics.write_text(before + row.replace("STEP", "120"), encoding="utf-8")
        expect(page.locator("#run-state")).to_contain_text("step 120", timeout=10_000)
    finally:
        metrics.write_text(before, encoding="utf-8")
        os.utime(metrics, ns=(times.st_atime_ns, times.st_mtime_ns))


def test_a_blind_test_from_name_to_table(page: Page, pair: list[Served]) -> None:
    page.get_by_role("tab", name="Blind test").click()
    page.get_by_label("Your name").fill("Ada")
    page.get_by_role("button", name="Begin").click()
    expect(page.locator("#question")).to_be_visible()
    first = page.locator("#asked").inner_text()
    assert first in SOURCES
    page.locator("[data-choice=left]").click()
    expect(page.locator("#asked")).not_to_have_text(first)
    page.keyboard.press("0")
    expect(page.locator("#summary td").nth(5)).to_have_text("1")
    cells = page.locator("#summary td").all_inner_texts()
    assert [cells[0], cells[2]] == [served.name for served in pair]
    assert int(cells[1]) + int(cells[3]) == 1
    expect(page.locator("#summary")).to_contain_text("95 % interval")


def test_a_blind_test_against_a_person(browser: Browser, pair: list[Served]) -> None:
    wrong = replace(pair[1], examples=pair[0].examples)
    with (
        running(wrong, settings=Settings(blind="reference")) as live,
        browser.new_context() as context,
        opened_page(context, f"{live.url}/#blind") as page,
    ):
        expect(page.locator("#compared")).to_contain_text("A model and a person translated")
        page.get_by_label("Your name").fill("Ada")
        page.get_by_role("button", name="Begin").click()
        expect(page.locator("#asked")).not_to_be_empty()
        for n in (1, 2):
            expect(page.locator("#wanted")).to_have_text("Which output is better?")
            person = TARGETS[SOURCES.index(page.locator("#asked").inner_text())]
            left = page.locator("[data-choice=left] span").inner_text()
            page.keyboard.press("1" if left == person else "2")
            expect(page.locator("#wanted")).to_have_text("Which one did the machine write?")
            expect(page.locator("[data-choice=same]")).to_be_hidden()
            page.keyboard.press("0")  # which is no answer to that
            page.locator(f"[data-choice={'right' if left == person else 'left'}]").click()
            expect(page.locator("#summary td").nth(3)).to_have_text(str(n))
        expect(page.locator("#guessed")).to_have_text(
            "The machine was found in 100 % of 2 cases (95 % interval 16 % to 100 %; p = 0.500)."
            " Chance is 50 %."
        )
        expect(page.locator("#blind-status")).to_have_text("That was the last one. Thank you.")
        assert page.locator("#summary td").nth(2).inner_text() == "reference"


def test_the_page_needs_no_wide_screen(page: Page) -> None:
    page.set_viewport_size({"width": 360, "height": 700})
    translated(page, SOURCES[0])
    for name in ("Translate", "Training", "Blind test"):
        page.get_by_role("tab", name=name).click()
        overflow = page.evaluate("document.scrollingElement.scrollWidth - innerWidth")
        assert overflow <= 0, name


def test_dark_is_dark_and_light_is_light(page: Page) -> None:
    def brightness() -> float:
        colour = page.evaluate("getComputedStyle(document.body).backgroundColor")
        return sum(map(int, re.findall(r"\d+", colour)[:3]))

    page.emulate_media(color_scheme="light")
    light = brightness()
    page.emulate_media(color_scheme="dark")
    assert brightness() < 150
    assert light > 600


def test_all_can_be_reached_with_the_keyboard(page: Page) -> None:
    page.get_by_role("tab", name="Translate").focus()
    page.keyboard.press("ArrowRight")
    expect(page.locator("#training")).to_be_visible()
    page.keyboard.press("ArrowLeft")
    expect(page.locator("#translate")).to_be_visible()
    translated(page, SOURCES[0])
    seen = set()
    for _ in range(30):
        page.keyboard.press("Tab")
        seen.add(
            page.evaluate("document.activeElement.className || document.activeElement.tagName")
        )
    assert {"main", "here", "SUMMARY", "FIGURE"} <= {one.split()[-1] for one in seen}


@contextmanager
def opened_in(browser: Browser, served: Served) -> Iterator[Page]:
    """The page of a server of its own, in a browser that may not complain."""
    with (
        running(served) as live,
        browser.new_context() as context,
        opened_page(context, live.url) as page,
    ):
        yield page


def test_layers_and_heads_can_be_chosen(browser: Browser, layered: Served) -> None:
    with opened_in(browser, layered) as page:
        translated(page, SOURCES[0])
        page.get_by_role("tab", name="All heads").click()
        heads = page.locator("figure svg [data-row='0'][data-column='0']")
        expect(heads).to_have_count(len(layered.translator.attention_names))
        page.locator(".head select").select_option("encoder")
        expect(page.locator("figure svg .small").first).to_have_text("encoder layer 1 head 1")
        page.get_by_role("tab", name="Matrix").click()
        page.locator(".head select").select_option("layer 2 head 1")
        expect(page.locator("figure svg .title")).to_have_text("layer 2 head 1")
        page.locator(".head select").select_option("decoder layer 1 max")
        title = page.locator("figure svg .title")
        expect(title).to_have_text("decoder layer 1, max of its maps")


def test_self_attention_lights_up_word_by_word(browser: Browser, layered: Served) -> None:
    words = SOURCES[0].split()
    with opened_in(browser, layered) as page:
        translated(page, SOURCES[0])
        page.get_by_role("tab", name="Lines").click()
        page.locator(".head select").select_option("encoder layer 1 all")
        read = page.locator("figure [data-side=source] text")
        expect(read).to_have_text([*words, "</s>"])
        expect(page.locator("figure [data-side=target] text")).to_have_text([*words, "</s>"])
        threads = page.locator("figure .thread")
        expect(page.locator("figure .thread.s3").first).to_be_attached()
        read.nth(1).hover()
        dark = page.locator("figure .thread:not(.later)")
        columns = dark.evaluate_all("all => all.map(n => n.dataset.column)")
        assert {*columns} == {"1"}
        assert 0 < len(columns) < threads.count()
        page.locator(".word select").select_option(words[2])
        expect(page.locator("figure .thread:not([data-row='2'])")).to_have_count(0)
        expect(page.locator("figure .thread[data-row='2']").first).to_be_attached()


def test_heads_are_switched_on_and_off_by_the_key(browser: Browser, layered: Served) -> None:
    with opened_in(browser, layered) as page:
        translated(page, SOURCES[0])
        page.get_by_role("tab", name="Lines").click()
        page.locator(".head select").select_option("encoder layer 1 all")
        key = page.locator("figure [role=button]")
        expect(key).to_have_count(4)
        expect(key.nth(1)).to_have_text("encoder layer 1 head 2")
        first, second = (page.locator(f"figure .thread[data-map='{n}']") for n in (0, 1))
        key.nth(0).click()
        expect(key.nth(0)).to_have_attribute("aria-pressed", "false")
        expect(first.first).to_be_hidden()
        expect(second.first).to_be_visible()
        key.nth(0).press("Enter")
        expect(first.first).to_be_visible()


def test_attention_by_hand_on_a_narrow_page(browser: Browser, layered: Served) -> None:
    with opened_in(browser, layered) as page:
        page.set_viewport_size({"width": 360, "height": 700})
        translated(page, SOURCES[0])
        page.get_by_role("tab", name="Steps").click()
        title = page.locator("figure svg .title")
        expect(title).to_have_text(f"{SOURCES[0].split()[0]}, encoder layer 1 head 1")
        page.locator(".head select").select_option("layer 2 head 2")
        expect(title).to_have_text(f"{TARGETS[0].split()[0]}, layer 2 head 2")
        page.locator(".word select").select_option(TARGETS[0].split()[1])
        expect(title).to_have_text(f"{TARGETS[0].split()[1]}, layer 2 head 2")
        expect(page.locator("figure svg")).to_contain_text("e = q·k / √d")
        assert page.evaluate("document.scrollingElement.scrollWidth - innerWidth") <= 0


def test_a_key_is_asked_for_where_one_is_needed(browser: Browser, tiny: Served) -> None:
    settings = Settings(door=Door(Keys(["sesame"])))
    with running(tiny, settings=settings) as live, browser.new_context() as context:
        page = context.new_page()
        page.goto(live.url)
        page.wait_for_selector("body[data-ready]")
        expect(page.locator("#status")).to_contain_text("expected one of this server's keys")
        page.get_by_label("Key").fill("sesame")
        page.get_by_role("button", name="Enter").click()
        expect(page.get_by_label("Model")).to_have_value("tiny")
        assert translated(page, SOURCES[0])
