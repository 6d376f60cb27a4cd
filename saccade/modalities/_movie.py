"""Videos to frames, through PyAV: the extra `saccade[video]`.

Only files of usual kinds are opened, and nothing that a file may name is fetched.
"""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import numpy as np

from saccade.errors import DataError
from saccade.modalities._animation import MOST_FRAMES, Footage, Pixels, check_canvas

_KINDS = ("mov", "mp4", "matroska", "webm", "avi", "mpeg", "mpegts", "ogg", "flv", "asf")


def movie(path: Path, where: str) -> Footage:
    """Open a video file: its first stream of pictures."""
    if not path.is_file():
        raise DataError(f"{where}: no such file; expected a clip. Put it there, or leave it out.")
    with _opened(path, where) as (container, stream):
        check_canvas(stream.codec_context.width, stream.codec_context.height, where)
        seconds = sorted(_seconds(container, stream, where))
    if not seconds:
        raise DataError(f"{where}: has no frames; expected a video. Copy or save it anew.")
    times = tuple(round(1000 * (t - seconds[0])) for t in seconds)
    return Footage(len(times), times, lambda picks: _frames(path, where, picks), {})


def _seconds(container: Any, stream: Any, where: str) -> Iterator[float]:
    """Yield when each frame is shown; nothing is decoded."""
    n = 0
    for packet in container.demux(stream):
        if packet.pts is None or not packet.size:  # the end
            continue
        n += 1
        if n > MOST_FRAMES:
            raise DataError(
                f"{where}: has more than {MOST_FRAMES:,} frames; expected at most so many. Cut the"
                " clip."
            )
        yield float(packet.pts * packet.time_base)


def _frames(path: Path, where: str, picks: Sequence[int]) -> Iterator[Pixels]:
    wanted, found = set(picks), 0
    with _opened(path, where) as (container, stream):
        for i, frame in enumerate(container.decode(stream)):
            if i in wanted:
                check_canvas(frame.width, frame.height, where)
                found += 1
                yield np.asarray(frame.to_ndarray(format="rgb24"), dtype=np.uint8)
            if i == picks[-1]:
                break
    if found < len(wanted):
        raise DataError(
            f"{where}: ends before frame {picks[-1] + 1:,}; expected a whole file. Copy or save it"
            " anew."
        )


@contextmanager
def _opened(path: Path, where: str) -> Iterator[tuple[Any, Any]]:
    try:
        import av  # noqa: PLC0415 - an extra
    except ImportError:
        raise DataError(
            f"{where}: videos are decoded by PyAV, which is not installed; expected the extra"
            " video. Run pip install 'saccade[video]', or save the clip as GIF or as a folder of"
            " frames."
        ) from None
    try:
        with av.open(str(path.resolve()), options={"protocol_whitelist": "file"}) as container:
            if not set(container.format.name.split(",")) & set(_KINDS):
                raise DataError(
                    f"{where}: is of kind {container.format.name}; expected a video file such as"
                    " MP4, WebM, MKV or AVI. Convert it."
                )
            if not container.streams.video:
                raise DataError(
                    f"{where}: has no pictures, only sound; expected a video. Leave it out."
                )
            stream = container.streams.video[0]
            if stream.codec_context is None:
                raise DataError(
                    f"{where}: cannot be decoded (no decoder for its pictures); expected a whole"
                    " video. Copy or save it anew."
                )
            yield container, stream
    except av.FFmpegError as error:
        raise DataError(
            f"{where}: cannot be decoded ({error.strerror}); expected a whole video. Copy or save"
            " it anew."
        ) from None
