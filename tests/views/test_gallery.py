"""The page of best and worst outputs."""

from saccade.modalities._picture import Picture, to_text
from saccade.views import heatmap
from saccade.views.gallery import Gallery, GalleryItem, GalleryRow, to_html
from tests.captions import pixels
from tests.views.pictures import BAD


def item(rank: int, score: float, **more: str) -> GalleryItem:
    return GalleryItem(rank, score, more, f"output {rank}", ["one", "two"])


def test_the_page_shows_best_worst_and_words() -> None:
    row = GalleryRow("nouns", 1200, 3.217, 0.7654, ["dog", "man"])
    page = to_html(
        Gallery("soft on test", "CIDEr", {"outputs": "9"}, [item(1, 97.0)], [item(9, 1.5)], [row])
    )
    assert page.startswith("<!DOCTYPE html>")
    for said in ("soft on test", "Number 1<", "Number 9<", "97.00", "1.50", "Reference 2"):
        assert said in page
    for cell in ("nouns", "1,200", "3.22", "76.5%", "dog, man"):
        assert f">{cell}</td>" in page
    assert page.index("Best") < page.index("Worst")


def test_a_source_that_is_a_picture_is_shown_as_one() -> None:
    uri = to_text(Picture(pixels(1)))
    page = to_html(Gallery("x", "m", {}, [item(1, 1.0, Image=uri)], []))
    assert f'<img src="{uri}"' in page


def test_pictures_stand_below_and_what_is_empty_is_left_out() -> None:
    drawn = heatmap.to_svg([[1.0]], ["a"], ["b"])  # type: ignore[arg-type]
    one = GalleryItem(1, 1.0, {"Source": "a"}, "b", ["c"], drawn)
    page = to_html(Gallery("x", "m", {}, [one], []))
    assert drawn in page
    assert "Reference<" in page
    assert "Worst" not in page
    assert "How widely" not in page


def test_script_in_a_text_is_only_text() -> None:
    one = GalleryItem(1, 1.0, {BAD: BAD}, BAD, [BAD])
    assert "<script" not in to_html(Gallery(BAD, BAD, {BAD: BAD}, [one], []))
    sly = 'data:image/png;base64,AA=="><script>'
    assert "<script" not in to_html(Gallery("x", "m", {}, [item(1, 1.0, Image=sly)], []))
