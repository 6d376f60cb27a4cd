"""The beam as a tree."""

from dataclasses import replace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from saccade.errors import ShapeError
from saccade.views import beam_tree
from saccade.views.beam_tree import Fate, TreeNode
from tests.views.pictures import BAD, anything, parts, plain, sound, tips

TREE = [
    [
        TreeNode(1, "a", -1, -0.1, "kept"),
        TreeNode(1, "b", -1, -0.5, "kept"),
        TreeNode(1, "c", -1, -3, "pruned"),
    ],
    [
        TreeNode(2, "x", 0, -0.6, "kept"),
        TreeNode(2, "y", 1, -0.7, "kept"),
        TreeNode(2, "</s>", 0, -0.9, "completed"),
        TreeNode(2, "z", 1, -2.0, "pruned"),
    ],
    [TreeNode(3, "</s>", 1, -0.8, "completed"), TreeNode(3, "</s>", 0, -1.5, "completed")],
]
WINNER, GREEDY = ["b", "y", "</s>"], ["a", "x", "</s>"]
fates: st.SearchStrategy[Fate] = st.sampled_from(["kept", "completed", "pruned"])


@st.composite
def trees(draw: st.DrawFn) -> list[list[TreeNode]]:
    tree: list[list[TreeNode]] = []
    for step in range(1, draw(st.integers(0, 4)) + 1):
        n = len(tree[-1]) if tree else 0
        parent = st.integers(0, n - 1) if n else st.just(-1)
        if step > 1 and not n:
            break
        node = st.builds(TreeNode, st.just(step), anything, parent, st.floats(-50, 0), fates)
        tree.append(draw(st.lists(node, max_size=5)))
    return tree


def test_a_path_is_followed_by_its_symbols() -> None:
    assert beam_tree.path_of(TREE, WINNER) == [1, 1, 0]
    assert beam_tree.path_of(TREE, GREEDY) == [0, 0, 1]
    assert beam_tree.path_of(TREE, ["a", "nowhere", "x"]) == [0]
    assert beam_tree.path_of([], WINNER) == []


def test_every_node_has_its_tooltip_and_fate() -> None:
    drawn = beam_tree.to_svg(TREE, winner=WINNER, greedy=GREEDY, title="beam")
    assert len(tips(drawn)) == 9
    assert "step 1: c, −3.00, pruned" in tips(drawn)
    assert drawn.count('data-fate="pruned" opacity="0.55">') == 2
    assert drawn.count('<g data-step="1" data-fate="') == len(TREE[0])
    assert drawn.count('fill-opacity="0.3"') == 3 + 1  # the winner's nodes and the legend
    assert len(parts(drawn, "circle")) == 3 + 1
    assert drawn.count('stroke-width="3"') == 2


def test_the_winner_runs_straight_and_completed_ones_stand_below() -> None:
    drawn = beam_tree.to_svg(TREE, winner=WINNER)
    boxes = {
        group.findtext(".//{*}title") or "": next(float(r.get("y", 0)) for r in group)
        for group in parts(drawn, "g")
    }
    assert boxes["step 1: b, −0.50, kept"] == boxes["step 2: y, −0.70, kept"]
    standing = [y for tip, y in boxes.items() if "completed" not in tip]
    assert all(y > max(standing) for tip, y in boxes.items() if "completed" in tip)


def test_branches_between_standing_nodes_do_not_cross() -> None:
    layout = beam_tree._laid_out(TREE, [1, 1, 0], 0.0)
    for t in (1, 2):
        pairs = sorted(
            (layout.rows[t - 1][node.parent], layout.rows[t][i])
            for i, node in enumerate(TREE[t])
            if node.fate != "completed"
        )
        assert [row for _, row in pairs] == sorted(row for _, row in pairs)


def test_the_terminal_reads_as_expected() -> None:
    drawn = beam_tree.to_terminal(TREE, winner=WINNER, greedy=GREEDY, colour=False)
    assert drawn.split("\n") == [
        "   0 start  × c −3.00",
        "   1 ├ a −0.10 g",
        "   2 │ ├ </s> −0.90 ■",
        "   2 │ x −0.60 g",
        "   3 │ </s> −1.50 ■g",
        "   1 b −0.50 *  × z −2.00",
        "   2 y −0.70 *",
        "   3 </s> −0.80 ■*",
        "",
        "* winner  g greedy  ■ completed  × pruned",
        "",
    ]
    bold = beam_tree.to_terminal(TREE, winner=WINNER, greedy=GREEDY, colour=True)
    assert plain(bold) == drawn
    assert bold.count("\x1b[1m") == 3


def test_a_greedy_path_that_fell_out_of_the_beam_is_told() -> None:
    for drawn in (
        beam_tree.to_svg(TREE, winner=WINNER, greedy=["a", "q"]),
        beam_tree.to_terminal(TREE, winner=WINNER, greedy=["a", "q"], colour=False),
    ):
        assert "greedy search left the beam at step 2" in drawn


@pytest.mark.parametrize("change", [{"parent": 7}, {"step": 1}, {"parent": -1}])
def test_a_tree_that_does_not_hang_together_is_refused(change: dict[str, int]) -> None:
    odd = replace(TREE[1][0], **change)  # type: ignore[arg-type]
    with pytest.raises(ShapeError, match=r"beam_tree.to_svg: a node of level 2 .* of 3 parents"):
        beam_tree.to_svg([TREE[0], [odd]])
    with pytest.raises(ShapeError, match=r"beam_tree.to_terminal: a node of level 2"):
        beam_tree.to_terminal([TREE[0], [odd]], colour=False)


def test_script_in_a_word_is_only_text() -> None:
    drawn = beam_tree.to_svg([[TreeNode(1, BAD, -1, -1.0, "kept")]], winner=[BAD], title=BAD)
    assert "<script" not in drawn


@settings(deadline=None, max_examples=40)
@given(trees(), anything)
def test_any_tree_gives_sound_pictures(tree: list[list[TreeNode]], title: str) -> None:
    winner = [level[0].text for level in tree if level]
    drawn = beam_tree.to_svg(tree, winner=winner, greedy=winner[::-1], title=title)
    assert len(tips(drawn)) == sum(map(len, tree))
    assert drawn == beam_tree.to_svg(tree, winner=winner, greedy=winner[::-1], title=title)
    sound(beam_tree.to_terminal(tree, winner=winner, greedy=winner, colour=True, width=30), 30)


def test_a_long_tree_is_no_trouble() -> None:
    tree = [[TreeNode(t + 1, "w", 0 if t else -1, -float(t), "kept")] for t in range(1500)]
    assert len(beam_tree.to_terminal(tree, colour=False).splitlines()) == 1503
    assert parts(beam_tree.to_svg(tree, winner=["w"] * 1500), "svg")
