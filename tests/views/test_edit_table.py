"""The edit-distance table."""

from hypothesis import given, settings

from saccade.views import edit_table
from saccade.views.edits import edits
from tests.views.pictures import BAD, anything, parts, sound, tips, words


def test_the_path_is_shaded_and_tells_its_operations() -> None:
    drawn = edit_table.to_svg(["a", "b"], ["a", "c", "d"], title="edits")
    assert tips(drawn) == ["start", "keep a", "insert c", "substitute b by d"]
    assert "distance 2: 1 substituted, 0 deleted, 1 inserted, 1 kept" in drawn


def test_the_terminal_reads_as_expected() -> None:
    drawn = edit_table.to_terminal(["a", "b"], ["a"])
    assert drawn.split("\n") == [
        "     ∅    a",
        "∅   [0]  ←1",
        "a   ↑1  [↖0]",
        "b   ↑2  [↑1]",
        "",
        "  0 keep a",
        "  1 delete b",
        "",
        "distance 1: 0 substituted, 1 deleted, 0 inserted, 1 kept",
        "1 path",
        "",
    ]


def test_cells_of_other_paths_are_marked_and_paths_listed() -> None:
    drawn = edit_table.draw(edits("ab", "b"), paths=None)
    assert drawn.said == "distance 1: 0 substituted, 1 deleted, 0 inserted, 1 kept; 1 path"
    several = edit_table.draw(edits("a", "b", substitution=2), paths=None)
    assert "(↑1)" in several.terminal()
    assert several.terminal().count("\n\n") == 4
    assert several.svg.count('fill-opacity="0.1"') == 2


def test_long_paths_are_broken_into_lines() -> None:
    drawn = edit_table.draw(edits("a" * 30, "a" * 29), paths=2).terminal(30)
    assert max(map(len, drawn.split("\n"))) <= 30


def test_script_in_a_word_is_only_text() -> None:
    drawn = edit_table.to_svg([BAD], ["x", BAD], title=BAD)
    assert "<script" not in drawn
    assert parts(drawn, "svg")


@settings(deadline=None, max_examples=25)
@given(words, words, anything)
def test_any_words_give_sound_pictures(source: list[str], target: list[str], title: str) -> None:
    drawn = edit_table.to_svg(source, target, title=title)
    assert parts(drawn, "svg")
    assert drawn == edit_table.to_svg(source, target, title=title)
    sound(edit_table.to_terminal(source, target, width=24), 24)
