"""Targets for pictures, sounds, clips and strokes: as files, and as text in a request."""

import io
import zlib
from collections.abc import Mapping
from typing import Any

import numpy as np

from saccade.modalities._clip import ClipFile
from saccade.modalities._photo import read_photo, size_of
from saccade.modalities._picture import PictureFile
from saccade.modalities._sound import Sound, SoundFile
from saccade.modalities._sound_stream import open_stream
from saccade.modalities._strokes import Strokes
from saccade.modalities._uri import to_uri
from saccade.modalities.base import Codec, Modality
from saccade.parts import Part
from tests.fuzz import bundle
from tests.fuzz.target import Target

_PICTURE: dict[str, Any] = {"most": 512}
_CHUNKS = (
    *(b"IHDR", b"IDAT", b"IEND", b"PLTE", b"tRNS", b"acTL", b"fcTL", b"fdAT", b"tEXt", b"iCCP"),
    *(b"eXIf", b"zTXt", b"RIFF", b"WEBP", b"VP8 ", b"VP8L", b"VP8X", b"ANIM", b"ANMF", b"ALPH"),
    *(b"GIF89a", b"NETSCAPE2.0", b"\x21\xf9\x04", b"\x2c", b"\x3b", b"\xff\xd8", b"\xff\xd9"),
    *(
        b"\xff\xc0",
        b"\xff\xc4",
        b"\xff\xda",
        b"\xff\xe1\0\x10Exif\0\0",
        b"BM",
        b"saccade-regions\0",
    ),
)
_SOUND = (
    *(b"RIFF", b"WAVE", b"fmt ", b"data", b"LIST", b"fact", b"fLaC", b"OggS", b"ID3", b"\xff\xfb"),
    *(b"\x01\0", b"\x03\0", b"\xfe\xff", b"\x10\0", b"\x80>\0\0", b"\xff\xff\xff\xff", b"\0\0\0\0"),
)
_PEN = (
    *(
        b"M",
        b"L",
        b"m",
        b"l",
        b"C",
        b"Z",
        b"H",
        b"V",
        b"0 0",
        b"-1",
        b"1e9",
        b"1e400",
        b"nan",
        b",",
    ),
    *(
        b"<svg",
        b"<path d=",
        b'"',
        b"/>",
        b"[[[0, 0], [1, 1]]]",
        b"[[0, 0]]",
        b" ",
        b"&#x0;",
        b"<!--",
    ),
)


def media_targets() -> list[Target]:
    """Return the targets of this file."""
    return [
        *(_picture(name) for name in ("png", "jpeg", "gif", "webp", "bmp")),
        *(_sound(name) for name in ("wave", "flac", "ogg", "mp3")),
        Target("sound-stream", _stream, words=_SOUND),
        *(_clip(name, suffix) for name, suffix in (("clip-gif", "gif"), ("clip-apng", "png"))),
        _clip("clip-webp", "webp"),
        _clip("clip-mp4", "mp4"),
        _text("strokes", "strokes", _PEN),
        _text("numbers", "numbers", (b"1,2", b"1e999", b"nan", b"-", b" ", b",")),
        _text("bits", "bits", (b"01", b" ", b"2", b"1", b"0110")),
        _text(
            "picture-text", "image", (b"data:image/png;base64,", b"data:image/gif;base64,", b"=")
        ),
        _text("sound-text", "sound", (b"data:audio/wav;base64,", b";speaker=", b"%41", b"=", b";")),
        _text("clip-text", "video", (b"data:image/apng;base64,", b"data:image/gif;base64,", b"=")),
    ]


def _codec(kind: str, options: Mapping[str, Any], raws: list[Any]) -> Codec:
    return Part(Modality, kind, options).build().fit([raws])


def _encoded(codec: Codec, raw: Any) -> None:
    """Make of a raw value what a model reads, and a person sees."""
    (array,) = codec.encode([raw], ["input"])
    codec.pad([array])
    codec.labels(raw, array)
    codec.shown(raw)


def _picture(name: str) -> Target:
    codecs = [
        _codec("image", _PICTURE, []),
        _codec("image", {"size": 8, "most": 512}, []),
        _codec("line", {"height": 8}, []),
    ]

    def run(data: bytes) -> None:
        with bundle.unpacked({"x": data}) as folder:
            size_of(folder / "x")
            read_photo(folder / "x", "x", most=512)
            for codec in codecs:
                _encoded(codec, PictureFile(folder / "x"))
        if name != "bmp":  # which no request holds
            codecs[0].read(to_uri(data, "input"))

    return Target(f"picture-{name}", run, words=_CHUNKS, mend=_mend_png if name == "png" else None)


def _clip(name: str, suffix: str) -> Target:
    codec = _codec("video", {"frames": 4, "size": 16}, [])

    def run(data: bytes) -> None:
        with bundle.unpacked({f"x.{suffix}": data}) as folder:
            (array,) = codec.encode([ClipFile(folder / f"x.{suffix}")], ["input"])
            codec.pad([array])
        if suffix != "mp4":
            _encoded(codec, codec.read(to_uri(data, "input")))

    return Target(name, run, words=_CHUNKS, mend=_mend_png if suffix == "png" else None)


def _sound(name: str) -> Target:
    codec = _ears()

    def run(data: bytes) -> None:
        with bundle.unpacked({"x": data}) as folder:
            (array,) = codec.encode([SoundFile(folder / "x")], ["input"])
            codec.pad([array])
        _encoded(codec, codec.read(to_uri(data, "input")))

    return Target(f"sound-{name}", run, words=_SOUND)


def _ears() -> Codec:
    """Return a codec of short sounds whose scale is none."""
    quiet = Sound((9000 * np.sin(np.arange(2500) ** 1.5 / 90)).astype(np.int16), 16_000)
    return _codec("sound", {"max_seconds": 20.0}, [quiet])


def _stream(data: bytes) -> None:
    for rate in (0, 8000):
        for n, _ in enumerate(open_stream(io.BytesIO(data), "pipe", rate=rate).chunks):
            if n > 200:
                break


def _text(name: str, kind: str, words: tuple[bytes, ...]) -> Target:
    """Make a target of what stands for such a value in a request or a line of a file."""
    raws: dict[str, list[Any]] = {"strokes": [_points()], "numbers": [_series()], "bits": [_bits()]}
    codec = _ears() if kind == "sound" else _codec(kind, {}, raws.get(kind, []))

    def run(data: bytes) -> None:
        raw = codec.read(data.decode("utf-8", "replace"))
        _encoded(codec, raw)
        codec.read(codec.write(raw))

    return Target(name, run, words=words)


def _points() -> Any:
    return Strokes.of([[(0, 0), (3, 4.5), (1, 1)], [(7, -2), (8, 2)]])


def _series() -> Any:
    return np.array([[1.0], [2.0], [4.0]])


def _bits() -> Any:
    return np.array([[0, 1, 1, 0]])


def _mend_png(data: bytes) -> bytes:
    """Make the checksums of chunks right."""
    found, at = bytearray(data), 8
    while at + 12 <= len(found):
        n = int.from_bytes(found[at : at + 4], "big")
        if at + 12 + n > len(found):
            break
        check = zlib.crc32(found[at + 4 : at + 8 + n]).to_bytes(4, "big")
        found[at + 8 + n : at + 12 + n] = check
        at += 12 + n
    return bytes(found)
