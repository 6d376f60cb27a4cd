"""Clips in and out: data URIs, files, folders of frames, and what is refused."""

import base64
import builtins
from io import BytesIO
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from PIL import Image

from saccade.errors import CheckpointError, DataError, RecipeError
from saccade.modalities import _animation, _apng
from saccade.modalities._clip import Clip, ClipFile, to_text
from saccade.modalities.base import Codec
from saccade.modalities.video import Video

GIF = "data:image/gif;base64,"


def codec(**options: Any) -> Codec:
    return Video(**{"frames": 8, "size": 6, **options}).fit([])


def frames(n: int = 3, height: int = 6, width: int = 6) -> Any:
    """Draw frames of few colours, each different."""
    found = np.zeros((n, height, width, 3), dtype=np.uint8)
    for i, frame in enumerate(found):
        frame[...] = 40 * (i % 6)
        frame[i % height, :, 0] = 255
    return found


def gif(pictures: Any, duration: int | list[int] = 100) -> bytes:
    shown = [Image.fromarray(one) for one in pictures]
    file = BytesIO()
    shown[0].save(file, "GIF", save_all=True, append_images=shown[1:], duration=duration)
    return file.getvalue()


def as_text(data: bytes, prefix: str = GIF) -> str:
    return prefix + base64.b64encode(data).decode()


def test_a_gif_is_read_and_written_again() -> None:
    found = codec().read(as_text(gif(frames(), [100, 50, 70])))
    assert np.array_equal(found.frames, frames())
    assert found.times == (0, 100, 150)
    assert found.labels == ("0.00", "0.10", "0.15")
    again = codec().read(codec().write(found))
    assert np.array_equal(again.frames, found.frames)
    assert again.times == found.times


@settings(deadline=None, max_examples=25)
@given(st.integers(1, 5), st.integers(0, 2**32 - 1), st.lists(st.integers(1, 900), min_size=5))
def test_any_clip_is_written_without_loss(n: int, seed: int, delays: list[int]) -> None:
    noise = np.random.default_rng(seed).integers(0, 256, (n, 6, 6, 3), dtype=np.uint8)
    times = tuple(np.cumsum([0, *delays])[:n].tolist()) if n > 1 else ()
    events = {"it falls": (0, n)}
    found = codec().read(to_text(Clip(noise, times, events)))
    assert np.array_equal(found.frames, noise)
    assert (found.times, found.events) == (times, events)


def test_equal_frames_are_kept() -> None:
    still = Clip(np.full((4, 6, 6, 3), 9, np.uint8))
    assert len(codec().read(to_text(still)).frames) == 4


def test_frames_are_evenly_sampled_and_stay_so() -> None:
    clip = Clip(frames(20), tuple(range(0, 2000, 100)), {"it falls": (3, 12), "it ends": (19, 20)})
    found = codec(frames=5).read(to_text(clip))
    assert found.times == (0, 500, 1000, 1400, 1900)
    assert found.events == {"it falls": (1, 3), "it ends": (4, 5)}
    once = codec(frames=5).write(clip)
    assert codec(frames=5).write(codec(frames=5).read(once)) == once


def test_frames_are_so_far_apart() -> None:
    clip = Clip(frames(10), tuple(range(0, 1000, 100)))
    sampled = codec(every=0.25)
    found = sampled.read(to_text(clip))
    assert found.times == (0, 300, 600, 900)
    assert sampled.write(sampled.read(sampled.write(clip))) == sampled.write(clip)
    with pytest.raises(DataError, match=r"clip 1: does not say when its frames are shown, but ev"):
        sampled.encode([frames()])


def test_frames_are_scaled_to_fit_on_black() -> None:
    (wide,) = codec().encode([np.full((2, 3, 6, 3), 200, np.uint8)])
    assert wide.shape == (2, 6, 6, 3)
    assert (wide[:, 1:4] == 200).all()
    assert not wide[:, [0, 4, 5]].any()
    (large,) = codec().encode([np.full((1, 60, 60, 3), 77, np.uint8)])
    assert (large == 77).all()


def test_what_is_see_through_is_white() -> None:
    file = BytesIO()
    Image.new("RGBA", (6, 6), (0, 0, 0, 0)).save(file, "PNG")
    found = codec().read(as_text(file.getvalue(), "data:image/png;base64,"))
    assert (found.frames == 255).all()
    assert found.labels == ("1",)


def test_a_folder_of_frames_is_a_clip(tmp_path: Path) -> None:
    for n, frame in enumerate(frames(11)):
        Image.fromarray(frame).save(tmp_path / f"frame{n}.png")
    (tmp_path / "notes.txt").write_text("no frame")
    clip = ClipFile(tmp_path, "walk", rate=4)
    (found,) = codec(frames=11).encode([clip])
    assert np.array_equal(found, frames(11))
    assert codec(frames=11).read(codec(frames=11).write(clip)).times[:3] == (0, 250, 500)
    assert str(clip) == "walk"
    (tmp_path / "frame3.png").write_bytes(b"nothing")
    with pytest.raises(DataError, match=r"frame3.png: begins with b'nothing'; expected PNG, JPEG"):
        codec(frames=11).encode([clip])


def test_an_empty_folder_is_refused(tmp_path: Path) -> None:
    with pytest.raises(DataError, match=r"clip 1: .*: the folder has no pictures; expected frames"):
        codec().encode([ClipFile(tmp_path)])


def test_files_are_opened_by_their_names(tmp_path: Path) -> None:
    (tmp_path / "a.gif").write_bytes(gif(frames()))
    assert np.array_equal(codec().encode([ClipFile(tmp_path / "a.gif")])[0], frames())
    with pytest.raises(DataError, match=r"b.gif: no such file; expected a clip. Put it there"):
        codec().encode([ClipFile(tmp_path / "b.gif")], ["data.tsv:3"])


@pytest.mark.parametrize("kept", [1, 5, 13, 40, 90])
def test_a_truncated_gif_is_refused(kept: int) -> None:
    data = gif(frames())
    with pytest.raises(DataError, match=r"^input: (ends before its last frame|begins with b'G)"):
        codec().read(as_text(data[:kept]))


@settings(deadline=None, max_examples=150)
@given(st.integers(0, 400), st.integers(0, 255), st.sampled_from(["gif", "apng"]))
def test_a_damaged_file_is_read_or_refused(place: int, value: int, kind: str) -> None:
    text = as_text(gif(frames())) if kind == "gif" else to_text(Clip(frames()))
    prefix, _, body = text.partition(",")
    data = bytearray(base64.b64decode(body))
    data[place % len(data)] = value
    try:
        found = codec().read(as_text(bytes(data), prefix + ","))
    except DataError as error:
        assert str(error).startswith("input: ")  # noqa: PT017
    else:
        assert found.frames.shape[1:] == (6, 6, 3)


def test_a_huge_canvas_is_refused_before_it_is_drawn() -> None:
    data = bytearray(gif(frames()))
    data[6:10] = b"\xff\xff\xff\xff"
    with pytest.raises(DataError, match=r"input: frames have more than 16,777,216 pixels; expecte"):
        codec().read(as_text(bytes(data)))


def test_a_large_canvas_is_refused() -> None:
    wide = to_text(Clip(np.zeros((1, 1, 5000, 3), np.uint8)))
    with pytest.raises(
        DataError, match=r"input: frames have 5,000 x 1 pixels; expected 1 to 4,096"
    ):
        codec().read(wide)


def test_too_many_frames_are_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(_animation, "MOST_FRAMES", 4)
    with pytest.raises(DataError, match="input: has more than 4 frames; expected at most so many"):
        codec().read(as_text(gif(frames(6))))
    monkeypatch.setattr(_animation, "MOST_FRAMES", 100)
    monkeypatch.setattr(_animation, "MOST_PIXELS", 100)
    with pytest.raises(DataError, match="input: the first 3 frames have 108 pixels; expected at m"):
        codec().read(as_text(gif(frames(6))))


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("clip.gif", r"found 'clip.gif'; expected a clip as text that begins with data:image/gif"),
        ("", r"found ''; expected a clip as text"),
        (GIF + "é", r"the clip is not base64 \(.*\); expected A-Z"),
        (GIF, r"begins with b''; expected GIF, PNG or WEBP"),
        (GIF + "AAAA", r"begins with b'\\x00\\x00\\x00'; expected GIF"),
    ],
)
def test_what_is_no_clip_is_refused(text: str, said: str) -> None:
    with pytest.raises(DataError, match="line 3: " + said):
        codec().read(text, "line 3")


def test_a_text_that_is_too_long_is_refused() -> None:
    with pytest.raises(DataError, match=r"characters; expected a clip of at most 16,777,216 bytes"):
        codec().read(GIF + "A" * 23_000_000)


@pytest.mark.parametrize(
    "events", ['{"a": [0, 9]}', '{"a": [1, 1]}', '{"a": 1}', "[]", "{", '{"a": [0.5, 1]}']
)
def test_events_that_cannot_be_are_refused(events: str) -> None:
    data = _apng.encode(frames(), (), {"saccade-events": events})
    with pytest.raises(DataError, match=r"input: the events of the clip cannot be read \("):
        codec().read(as_text(data, "data:image/apng;base64,"))


@pytest.mark.parametrize("raw", [np.zeros((2, 3, 3)), np.zeros((0, 2, 2, 3), np.uint8), 7])
def test_arrays_that_are_no_clip_are_refused(raw: Any) -> None:
    with pytest.raises(
        DataError, match=r"clip 1: an array \[.*\] of \w+; expected a clip \[F, H, W"
    ):
        codec().encode([raw])


@pytest.mark.parametrize("options", [{"frames": 0}, {"size": 1000}, {"every": -1.0}])
def test_limits_that_cannot_be_are_refused(options: dict[str, Any]) -> None:
    with pytest.raises(
        RecipeError, match=r"video: found .*; expected 1 to 512 frames, 1 to 512 pi"
    ):
        Video(**options)


@pytest.mark.parametrize("text", ["", "{}", '{"frames": 9999, "size": 1, "every": 0.0}', "[1]"])
def test_a_broken_codec_is_refused(text: str, tmp_path: Path) -> None:
    (tmp_path / "source.json").write_text(text)
    with pytest.raises(CheckpointError, match="cannot be read as the limits of clips"):
        Video().load(tmp_path / "source.json")


def test_a_video_needs_its_extra(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    real = builtins.__import__

    def without(name: str, *given: Any, **named: Any) -> Any:
        if name == "av":
            raise ImportError(name)
        return real(name, *given, **named)

    monkeypatch.setattr(builtins, "__import__", without)
    (tmp_path / "a.mp4").write_bytes(b"nothing")
    with pytest.raises(DataError, match=r"a.mp4: videos are decoded by PyAV, which is not inst"):
        codec().encode([ClipFile(tmp_path / "a.mp4")])


def test_a_video_is_read(tmp_path: Path) -> None:
    av = pytest.importorskip("av", reason="PyAV is not installed")
    path = tmp_path / "a.mp4"
    with av.open(str(path), "w") as file:
        stream = file.add_stream("mpeg4", rate=10)
        stream.width = stream.height = 32
        stream.pix_fmt = "yuv420p"
        for shade in (0, 60, 120, 180, 240):
            picture = np.full((32, 32, 3), shade, np.uint8)
            for packet in stream.encode(av.VideoFrame.from_ndarray(picture, format="rgb24")):
                file.mux(packet)
        for packet in stream.encode():
            file.mux(packet)
    clip = codec(frames=5, size=8).read(codec(frames=5, size=8).write(ClipFile(path)))
    assert clip.times == (0, 100, 200, 300, 400)
    shades = clip.frames.astype(int).mean(axis=(1, 2, 3))
    assert abs(shades - [0, 60, 120, 180, 240]).max() < 12
    assert len(codec(frames=3, size=8).encode([ClipFile(path)])[0]) == 3
    whole = path.read_bytes()
    path.write_bytes(whole[: len(whole) // 2])
    with pytest.raises(DataError, match=r"a.mp4: (cannot be decoded|ends before frame)"):
        codec().encode([ClipFile(path)])
    path.write_bytes(b"nothing at all")
    with pytest.raises(DataError, match=r"a.mp4: cannot be decoded \(.*\); expected a whole video"):
        codec().encode([ClipFile(path)])
