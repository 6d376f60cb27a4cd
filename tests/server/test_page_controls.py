"""What a person takes out of the page and brings into it: copies, files, links, a history."""

import json
import re
from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Browser, BrowserContext, Download, Page, expect

from saccade.server.app import Settings
from saccade.server.limits import Limits
from saccade.server.models import Served
from tests.cli.conftest import SOURCES, TARGETS
from tests.server.live import running

TWO = f"{SOURCES[0]}. {SOURCES[1]}.\n\n{SOURCES[2]}."
OUT = f"{TARGETS[0]}. {TARGETS[1]}.\n\n{TARGETS[2]}."
BLOCK = """for (const name of ['localStorage', 'sessionStorage'])
  Object.defineProperty(window, name,
    {get() { throw new DOMException('blocked', 'SecurityError'); }});"""


@pytest.fixture(scope="module")
def address(talk: Served, letters: Served) -> Iterator[str]:
    with running(talk, letters, settings=Settings(limits=Limits(items=2))) as live:
        yield live.url


@pytest.fixture
def context(browser: Browser) -> Iterator[BrowserContext]:
    with browser.new_context(accept_downloads=True) as context:
        context.grant_permissions(["clipboard-read", "clipboard-write"])
        yield context


@pytest.fixture
def page(context: BrowserContext, address: str) -> Iterator[Page]:
    """The page, opened; it may neither complain in its console nor speak to anybody else."""
    page = context.new_page()
    complaints: list[str] = []
    page.on("console", lambda m: complaints.append(m.text) if m.type == "error" else None)
    page.on("pageerror", lambda error: complaints.append(str(error)))
    opened(page, address)
    yield page
    assert not complaints


def opened(page: Page, url: str) -> None:
    page.goto(url)
    page.wait_for_selector("body[data-ready]")


def translated(page: Page, text: str) -> None:
    page.get_by_label("Text", exact=True).fill(text)
    page.keyboard.press("Control+Enter")
    done(page)


def done(page: Page) -> None:
    expect(page.locator(".saving").first).to_be_visible()
    expect(page.locator(".output").first).not_to_have_class(re.compile("partial"))


def clipboard(page: Page) -> str:
    text = page.evaluate("navigator.clipboard.readText()")
    assert isinstance(text, str)
    return text


def saved(page: Page, button: str) -> tuple[str, str]:
    with page.expect_download() as waiting:
        page.get_by_role("button", name=button).click()
    return contents(waiting.value)


def contents(download: Download) -> tuple[str, str]:
    return download.suggested_filename, Path(download.path()).read_text(encoding="utf-8")


def test_sentences_stand_apart_with_scores_and_warnings(page: Page, talk: Served) -> None:
    translated(page, f"{TWO} Zyx wvu tsr qpo.")
    assert (page.locator(".output").text_content() or "").startswith(OUT)
    rows = page.locator(".sentences li:not(.flags li)")
    expect(rows).to_have_count(4)
    for row, source in zip(rows.all()[:3], SOURCES, strict=False):
        score = talk.translator.translate(f"{source}.", beam=5).score
        expect(row).to_contain_text(f"score {score:.3f}")
        assert row.locator(".flags").count() == 0
    expect(rows.nth(3).locator(".flags li").first).to_be_visible()
    assert page.locator(".source > *").all_inner_texts() == f"{SOURCES[0]}.".split()
    rows.nth(1).get_by_role("button").click()
    expect(page.locator(".source > *").nth(1)).to_have_text("chien")
    expect(rows.nth(1).get_by_role("button")).to_have_attribute("aria-pressed", "true")
    expect(page.locator("figure svg").first).to_be_visible()


def test_a_changed_word_changes_its_sentence_alone(page: Page) -> None:
    translated(page, f"{SOURCES[0]}. {SOURCES[1]}.")
    page.locator(".sentences button").nth(1).click()
    expect(page.locator(".target > *").nth(1)).to_have_text("dog")
    page.locator(".target > *").nth(1).click()
    page.get_by_label("Write another word").fill("cat")
    page.keyboard.press("Enter")
    expect(page.locator(".output")).to_have_text(re.compile(rf"{TARGETS[0]}\. a cat"))
    expect(page.locator(".target > *").nth(1)).to_have_text("cat")


def test_splitting_can_be_turned_off(page: Page) -> None:
    page.get_by_label("Split").select_option("lines")
    translated(page, TWO)
    expect(page.locator(".sentences button")).to_have_count(2)


def test_copy_and_downloads(page: Page) -> None:
    translated(page, TWO)
    page.get_by_role("button", name="Copy", exact=True).click()
    expect(page.locator(".saving [role=status]")).to_have_text("Copied.")
    assert clipboard(page) == OUT
    assert saved(page, "Download as text") == ("output.txt", f"{OUT}\n")
    name, table = saved(page, "Download as TSV")
    rows = [row.split("\t") for row in table.splitlines()]
    assert name == "output.tsv"
    assert rows[0] == ["source", "output", "score"]
    assert [row[:2] for row in rows[1:]] == [
        [f"{s}.", f"{t}."] for s, t in zip(SOURCES[:3], TARGETS[:3], strict=True)
    ]
    assert all(float(row[2]) < 0 for row in rows[1:])
    name, raw = saved(page, "Download as JSON")
    told = json.loads(raw)
    assert (name, told["text"], told["source"]) == ("output.json", OUT, TWO)
    assert [one["text"] for one in told["sentences"]] == [f"{t}." for t in TARGETS[:3]]
    page.get_by_role("tab", name="Matrix").click()
    name, svg = saved(page, "Download the picture as SVG")
    assert name == "attention.svg"
    assert svg.startswith("<svg ")
    assert 'data-row="0"' in svg


def test_a_link_brings_text_and_settings_back(
    page: Page, context: BrowserContext, talk: Served, letters: Served
) -> None:
    page.get_by_label("Model").select_option(letters.name)
    page.get_by_label("beside it").select_option(talk.name)
    page.get_by_label("Beam").fill("3")
    page.get_by_label("Split").select_option("lines")
    page.get_by_label("Text", exact=True).fill("xy & yx\nå#?")
    page.get_by_role("button", name="Copy link").click()
    expect(page.locator("#status")).to_contain_text("The link is copied.")
    link = clipboard(page)
    assert "#translate?" in link
    asked: list[str] = []
    other = context.new_page()
    other.on("request", lambda request: asked.append(request.url))
    opened(other, link)
    done(other)
    assert other.get_by_label("Text", exact=True).input_value() == "xy & yx\nå#?"
    assert other.get_by_label("Model").input_value() == letters.name
    assert other.get_by_label("beside it").input_value() == talk.name
    assert other.get_by_label("Beam").input_value() == "3"
    assert other.get_by_label("Split").input_value() == "lines"
    assert other.locator(".answer").count() == 2
    assert not any("yx" in url for url in asked)  # what is behind # is not sent
    opened(other, re.sub("model=[a-z]+", "model=gone", link).replace("#", "?x#"))
    expect(other.locator("#status")).to_have_text("The model gone is not served here.")


@pytest.mark.parametrize("kind", ["txt", "tsv"])
def test_a_file_is_translated_line_by_line(page: Page, kind: str, tmp_path: Path) -> None:
    rows = [f"{SOURCES[i % 4]}. {SOURCES[0]}." for i in range(5)]
    table = kind == "tsv"
    given = [*(f"{row}\t{i}" if table else row for i, row in enumerate(rows)), "", SOURCES[0]]
    path = tmp_path / f"notes.{kind}"
    path.write_text("\r\n".join(given) + "\r\n", encoding="utf-8")
    page.get_by_label("Translate a file").set_input_files(path)
    expect(page.locator("#file-status")).to_have_text(f"notes.{kind}: all 7 lines are done.")
    assert page.locator("#file-progress").evaluate("n => n.value / n.max") == 1
    outputs = [f"{TARGETS[i % 4]}. {TARGETS[0]}." for i in range(5)]
    expected = (
        [f"{row}\t{out}" for row, out in zip(given, outputs, strict=False)] if table else outputs
    )
    name, text = saved(page, "Download result")
    assert name == f"notes_en.{kind}"
    assert text.split("\n")[:6] == [*expected, ""]
    assert text.endswith("\n")
    assert len(text.splitlines()) == 7


def test_a_file_can_be_dropped_and_stopped(page: Page) -> None:
    drop = """text => { const data = new DataTransfer();
      data.items.add(new File([text], 'many.txt', {type: 'text/plain'}));
      document.querySelector('#ask').dispatchEvent(
        new DragEvent('drop', {dataTransfer: data, bubbles: true, cancelable: true})); }"""
    page.evaluate(drop, f"{SOURCES[0]}.\n" * 3)
    expect(page.locator("#file-status")).to_have_text("many.txt: all 3 lines are done.")
    page.evaluate(drop, f"{SOURCES[0]}.\n" * 4000)
    expect(page.locator("#file-status")).to_contain_text("of 4,000 lines")
    page.get_by_role("button", name="Stop").click()
    expect(page.locator("#file-status")).to_contain_text("many.txt: stopped after")
    _, text = saved(page, "Download result")
    assert 0 < len(text.splitlines()) < 4000


@pytest.mark.parametrize(
    ("name", "raw", "message"),
    [
        ("a.docx", b"x", "a.docx: not a file of .txt or .tsv."),
        ("a.txt", b"\xff\xfe", "a.txt: not text in UTF-8. Convert it."),
        ("a.txt", b"a\n" + b"x" * 5001, "a.txt: line 2 has 5001 characters; at most 5000 can be"),
    ],
)
def test_a_file_that_cannot_be_read(page: Page, name: str, raw: bytes, message: str) -> None:
    page.get_by_label("Translate a file").set_input_files(
        {"name": name, "mimeType": "text/plain", "buffer": raw}
    )
    expect(page.locator("#file-status")).to_contain_text(message)
    expect(page.get_by_role("button", name="Download result")).to_be_hidden()


def test_history_is_kept_restored_and_cleared(page: Page) -> None:
    assert page.locator("#history").is_hidden()
    for source in SOURCES[:2]:
        translated(page, f"{source}.")
    page.reload()
    page.wait_for_selector("body[data-ready]")
    page.get_by_text("History", exact=True).click()
    expect(page.locator("#history li")).to_have_count(2)
    expect(page.locator("#history li").first).to_contain_text(f"{TARGETS[1]}.")
    page.locator("#history li button").last.click()
    done(page)
    assert page.get_by_label("Text", exact=True).input_value() == f"{SOURCES[0]}."
    expect(page.locator(".output")).to_have_text(f"{TARGETS[0]}.")
    expect(page.locator("#history li")).to_have_count(2)
    page.get_by_role("button", name="Clear history").click()
    expect(page.locator("#history")).to_be_hidden()
    assert page.evaluate("localStorage.length") == 0


def test_all_works_where_storage_is_blocked(context: BrowserContext, address: str) -> None:
    page = context.new_page()
    page.add_init_script(BLOCK)
    opened(page, address)
    translated(page, f"{SOURCES[0]}.")
    expect(page.locator(".output")).to_have_text(f"{TARGETS[0]}.")
    page.get_by_text("History", exact=True).click()
    expect(page.locator("#history li")).to_have_count(1)
    page.get_by_role("button", name="Clear history").click()
    expect(page.locator("#history")).to_be_hidden()


def test_characters_are_shown_one_by_one(page: Page, letters: Served) -> None:
    page.get_by_label("Model").select_option(letters.name)
    translated(page, "y yx")
    assert page.locator(".source > *").all_inner_texts() == ["y", "␣", "y", "x"]
    output = letters.translator.translate("y yx", beam=5).text
    assert len(output) > 1
    assert page.locator(".target > *").count() == len(output)
    page.get_by_role("tab", name="Matrix").click()
    cells = page.locator("figure svg [data-row='0']")
    expect(cells).to_have_count(5)  # four characters and END


def test_a_phone_shows_everything(page: Page) -> None:
    page.set_viewport_size({"width": 360, "height": 700})
    page.get_by_label("Translate a file").set_input_files(
        {"name": "a_rather_long_name_of_a_file.txt", "mimeType": "text/plain", "buffer": b"un"}
    )
    expect(page.get_by_role("button", name="Download result")).to_be_visible()
    translated(page, f"{TWO} {'Zyx' * 40}.")
    page.get_by_text("History", exact=True).click()
    page.get_by_text("Alternatives").click()
    assert page.evaluate("document.scrollingElement.scrollWidth - innerWidth") <= 0
    controls = page.locator("button, select, input, textarea, summary, .pick, progress")
    for control in controls.all():
        box = control.bounding_box() if control.is_visible() else None
        if box:
            assert box["x"] >= 0, control.evaluate("n => n.outerHTML")
            assert box["x"] + box["width"] <= 360, control.evaluate("n => n.outerHTML")


def test_every_control_has_a_name(page: Page) -> None:
    translated(page, TWO)
    nameless = page.evaluate(
        """[...document.querySelectorAll('button, select, input, textarea, progress')]
          .filter(n => n.checkVisibility() && !(n.ariaLabel || n.textContent.trim()
            || [...(n.labels ?? [])].some(l => l.textContent.trim())))
          .map(n => n.outerHTML)"""
    )
    assert nameless == []
