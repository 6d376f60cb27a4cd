import torch

from saccade.fast.room import Room


def test_rows_are_the_same_until_more_are_wanted() -> None:
    room = Room(torch.zeros(1, dtype=torch.float64), 3)
    first = room.first(8)
    assert (first.shape, first.dtype) == ((8, 3), torch.float64)
    assert room.first(5).data_ptr() == room.first(10).data_ptr() == first.data_ptr()
    assert room.first(11).shape == (11, 3)
    assert room.first(0).shape == (0, 3)
