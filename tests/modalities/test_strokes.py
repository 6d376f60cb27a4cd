import json
from pathlib import Path

import numpy as np
import pytest

from saccade.errors import CheckpointError, DataError, RecipeError
from saccade.modalities._strokes import Strokes, as_strokes
from saccade.modalities.strokes import StrokesCodec, StrokesModality, moves_of

ONE = Strokes.of([[(0, 0), (3, 4), (3, 0)], [(6, 0), (6, 1)]])


def test_a_place_is_a_move_and_what_the_pen_does_then() -> None:
    moves = [[3, 4, 0], [0, -4, 1], [3, 0, 0], [0, 1, 2]]
    assert moves_of(ONE).tolist() == moves
    (array,) = StrokesCodec(2.0, 9).encode([ONE])
    assert array.tolist() == [[1.5, 2, 0], [0, -2, 1], [1.5, 0, 0], [0, 0.5, 2]]


def test_the_scale_is_the_root_mean_square_of_moves() -> None:
    codec = StrokesModality().fit([[ONE], []])
    assert isinstance(codec, StrokesCodec)
    assert codec.scale == pytest.approx(np.sqrt((9 + 16 + 16 + 9 + 1) / 8), rel=1e-5)
    assert codec.horizon == 4
    assert codec.describe() == "strokes up to 4 points, 2.52 apart"


def test_nothing_behind_the_end_is_drawn() -> None:
    codec = StrokesCodec(1.0, 9)
    values = np.array([[1.0, 1, 1], [2, 0, 0], [0, 2, 2], [9, 9, 0], [9, 9, 2]])
    assert [s.tolist() for s in codec.decode(values)] == [[[0, 0], [1, 1]], [[3, 1], [3, 3]]]


def test_what_was_cut_before_its_end_is_drawn_all_the_same() -> None:
    found = StrokesCodec(1.0, 9).decode(np.array([[1.0, 1, 0], [2, 0, 0]]))
    assert [s.tolist() for s in found] == [[[0, 0], [1, 1], [3, 1]]]


def test_the_last_digits_do_not_show() -> None:
    codec, values = StrokesCodec(18.8, 9), np.array([[0.1, 0.2, 0.0], [0.3, 0.4, 2.0]])
    near = values + np.array([1e-12, -1e-12, 0.0])
    assert codec.write(codec.decode(values)) == codec.write(codec.decode(near))


def test_places_are_numbered() -> None:
    codec = StrokesCodec(1.0, 9)
    assert codec.labels(ONE, codec.encode([ONE])[0]) == ("1", "2↑", "3", "4↑")


def test_data_without_a_move_is_refused() -> None:
    with pytest.raises(DataError, match=r"data.train: no pen that moves; expected strokes"):
        StrokesModality().fit([[Strokes.of([[(1, 1)]])]])
    with pytest.raises(DataError, match=r"b.jsonl:3: found 'x'; expected an SVG path"):
        StrokesCodec(1.0, 9).encode(["x"], ["b.jsonl:3"])


@pytest.mark.parametrize(
    "held",
    [
        {"scale": 0.0, "horizon": 5},
        {"scale": 1, "horizon": 5},
        {"scale": float("nan"), "horizon": 5},
        {"scale": 1.0, "horizon": -1},
        {"scale": 1.0, "horizon": 10**9},
        {"scale": 1.0},
        {"scale": 1.0, "horizon": 5, "step": -1.0},
        {"scale": 1.0, "horizon": 5, "step": 1},
        {"scale": 1.0, "horizon": 5, "height": 1e300},
        [],
    ],
)
def test_a_folder_cannot_ask_for_anything(held: object, tmp_path: Path) -> None:
    path = tmp_path / "target.json"
    path.write_text(json.dumps(held), encoding="utf-8")
    with pytest.raises(CheckpointError, match=r"cannot be read as the scale of strokes .*expected"):
        StrokesModality().load(path)


def test_points_are_set_at_even_distances_for_training_and_use() -> None:
    dense = Strokes.of([[(0.0, n / 10) for n in range(101)], [(5, 0), (5, 1)]])
    sparse = Strokes.of([[(0, 0), (0, 10)], [(5, 0), (5, 1)]])
    codec = StrokesModality(step=2.0).fit([[dense]])
    assert isinstance(codec, StrokesCodec)
    one, other = codec.encode([dense, sparse])
    assert np.allclose(one, other)
    assert len(one) == 5 + 2
    assert one[:5, 1] * codec.scale == pytest.approx([2.0] * 5, abs=1e-4)
    assert len(as_strokes(codec.shown(dense))) == len(one) + 1  # what a view draws over
    assert codec.limit == 10


def test_options_come_back_from_a_folder(tmp_path: Path) -> None:
    modality = StrokesModality(step=2.0, random_shear=0.1)
    codec = modality.fit([[ONE]])
    codec.save(tmp_path / "source.json")
    again = modality.load(tmp_path / "source.json")
    assert again.fingerprint == codec.fingerprint != StrokesModality().fit([[ONE]]).fingerprint
    assert again.varies
    assert not StrokesModality().adopt(again).varies
    assert StrokesModality().adopt(again).fingerprint == codec.fingerprint


@pytest.mark.parametrize("step", [-1.0, 1e-12, float("inf"), float("nan")])
def test_odd_steps_are_refused(step: float) -> None:
    with pytest.raises(RecipeError, match=r"strokes.step: found .*; expected 0, or a distance"):
        StrokesModality(step=step)


def test_a_step_cannot_make_millions_of_points() -> None:
    far = Strokes.of([[(0, 0), (1e9, 0)]])
    with pytest.raises(DataError, match="page 1: more than 100,000 points that are 2 apart; exp"):
        StrokesCodec(1.0, 9, 2.0).encode([far], ["page 1"])
