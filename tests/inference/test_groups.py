import torch
from hypothesis import given, settings
from hypothesis import strategies as st

from saccade.inference.groups import Groups


def arranged(groups: Groups, numbers: list[int]) -> list[int] | None:
    rows = groups.arrange(torch.tensor(numbers))
    return None if rows is None else rows.tolist()


def test_lines_of_a_group_share_its_row() -> None:
    groups = Groups(3)
    assert groups.start(torch.zeros(1)).tolist() == [0, 1, 2]
    assert arranged(groups, [0, 0, 1, 1, 2, 2]) is None  # widened; no row moves
    assert (groups.n_groups, groups.width) == (3, 2)
    assert arranged(groups, [0, 0, 1, 1, 2, 2]) is None
    assert arranged(groups, [0, 0, 2, 2]) == [0, 2]  # the second leaves
    assert groups.numbers.tolist() == [0, 0, 1, 1]


def test_groups_of_unequal_size_fall_apart() -> None:
    groups = Groups(2)
    groups.arrange(torch.tensor([0, 0, 0, 1, 1, 1]))
    assert arranged(groups, [0, 0, 1, 1, 1]) == [0, 0, 1, 1, 1]
    assert (groups.n_groups, groups.width) == (5, 1)
    assert groups.numbers.tolist() == [0, 1, 2, 3, 4]


@settings(max_examples=50, deadline=None)
@given(moves=st.lists(st.lists(st.integers(0, 100), min_size=1, max_size=8), max_size=6))
def test_every_line_finds_what_it_had(moves: list[list[int]]) -> None:
    groups, held = Groups(4), torch.arange(4)
    lines, numbers = torch.arange(4), groups.start(held)
    for move in moves:
        index = torch.tensor([i % len(lines) for i in move])
        lines, numbers = lines[index], numbers[index]
        rows = groups.arrange(numbers)
        held = held if rows is None else held[rows]
        numbers = groups.numbers
        assert len(held) == groups.n_groups
        assert held.repeat_interleave(groups.width).tolist() == lines.tolist()
