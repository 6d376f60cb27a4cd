"""Where a model looked in a clip: a strip of its frames, and below it the weights of every word."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np
import numpy.typing as npt

from saccade.errors import ShapeError
from saccade.modalities._clip import Clip, Frames, Span
from saccade.modalities._picture import Picture, to_text
from saccade.modalities._sampling import whole_clip
from saccade.views import axes, svg
from saccade.views.drawing import AttentionMap, Drawing, stacked
from saccade.views.heatmap import RAMP, SHADES, scale, shade
from saccade.views.weights import Weights, placed, share, spoken, top_of
from saccade.views.words import clean, label, pad, sentence, shorten

_NARROW, _WIDE = 26.0, 56.0  # pixels of a frame in the strip
_ALL = 900.0  # pixels that the strip aims at
_HIGH = 64  # pixels of a frame in a strip that is one picture
_ROW = 22.0  # pixels of a word
_DOTS = 8  # columns of a frame in a terminal, at most
_LEAST = 4  # and at least


@dataclass(frozen=True, slots=True)
class _Seen:
    """A clip with the weights `[T, R, F]` of its words, checked; `top` gets the full colour."""

    clip: Clip
    weights: npt.NDArray[np.float64]
    words: tuple[str, ...]
    spans: Mapping[int, Span]
    top: float

    @property
    def axis(self) -> str:
        """What the numbers above the frames are."""
        return "seconds" if self.clip.times else "frame"

    def note(self, word: int) -> str:
        """Tell how much of a word's weight lies in its frames, or nothing if it has none."""
        if word not in self.spans:
            return ""
        return f"{share_in_frames(self.weights[word], self.spans[word]):.0%} in its frames"


def draw(one: AttentionMap) -> Drawing:
    """Draw attention over a clip; words that tell what happens are given its frames.

    Its grid has a row for each network that read the clip, and a column for each frame.
    """
    clip, words = whole_clip(one.raw), one.target
    weights = np.asarray(one.weights).reshape(len(words), *one.grid)  # [T, R, F]
    spans = clip.spans([label(word) for word in words])
    return Drawing(
        "Attention",
        lambda: to_svg(clip, weights, words, spans=spans, title=one.title),
        lambda width, *, colour: to_terminal(
            clip, weights, words, spans=spans, colour=colour, width=width
        ),
        said=one.said,
    )


def draw_several(maps: Mapping[str, AttentionMap]) -> Drawing:
    """Draw several maps over a clip, one below the other."""
    strips = {name: draw(replace(one, title="")) for name, one in maps.items()}
    return stacked("Attention maps", strips, said=next(iter(maps.values())).said)


def strip(raw: object) -> str:
    """Lay the frames of a clip side by side in one picture, at most 64 pixels high: a data URI."""
    frames = whole_clip(raw).frames  # [F, H, W, 3]
    every = -(-max(frames.shape[1:3]) // _HIGH)  # rows and columns, to leave the others out
    return to_text(Picture(np.concatenate(list(frames[:, ::every, ::every]), axis=1)))


def share_in_frames(weights: Weights, span: Span) -> float:
    """Return the share of a word's weight that falls on some frames.

    Args:
        weights: `[R, F]`.
        span: the first frame, and the first one behind the last.

    >>> share_in_frames(np.array([[0.25, 0.5, 0.25]]), (1, 3))
    0.75
    """
    found = np.asarray(weights, dtype=np.float64)
    kept = np.where(np.isfinite(found), np.maximum(found, 0.0), 0.0)
    total = float(kept.sum())
    return float(kept[:, slice(*span)].sum()) / total if total else 0.0


def to_svg(
    clip: Clip,
    weights: Weights,
    words: Sequence[str],
    *,
    spans: Mapping[int, Span] | None = None,
    title: str = "",
) -> str:
    """Draw the frames in a row with their times above, and a row of cells for every word.

        opacity = 0.05 + 0.95 weight / top

    `top` is one for all words and stands below. Of several networks each word has as many rows. A
    tooltip on every cell tells its weight. The frames of what a word tells are outlined, with the
    share of the weight on them. A weight that is not finite is a dashed cell.

    Args:
        clip: F frames.
        weights: `[T, R, F]`.
        words: T of them.
        spans: the frames of what a word tells, by the word's place.
        title: stands above all.
    """
    seen = _checked("film.to_svg", clip, weights, words, spans)
    n_rows, n_frames = seen.weights.shape[1:]
    cell = min(max(_ALL / n_frames, _NARROW), _WIDE)
    named = [shorten(label(word), axes.LONGEST) for word in words]
    left = max([svg.pixels(name) for name in named] + [svg.pixels(seen.axis)]) + 30
    above = (44.0 if title else 16.0) + 20
    body = [svg.text(20, 30, title, kind="title")] if title else []
    body.append(svg.text(left - 10, above - 8, seen.axis, anchor="end", kind="small"))
    body += _strip(clip, left, above, cell)
    tall = cell * clip.frames.shape[1] / clip.frames.shape[2]
    top, row = above + tall + 8, _ROW * n_rows
    for i, name in enumerate(named):
        y = top + i * (row + 4)
        body.append(svg.text(left - 10, y + row / 2 + 4.5, name, anchor="end"))
        body.append(_cells(seen, i, left, y, cell))
        note = svg.text(left + n_frames * cell + 8, y + row / 2 + 4, seen.note(i), kind="small")
        body.append(note if seen.note(i) else "")
    bottom = top + len(named) * (row + 4) + 10
    body.append(scale(left, bottom, seen.top))
    beside = 120.0 if seen.spans else 20.0
    wide = max(left + n_frames * cell + beside, left + 190, svg.pixels(title) * 1.2 + 40)
    spoken_title = title or f"when the model looked for {sentence(words)}"
    return svg.document(wide, bottom + 30, "".join(body), name=spoken_title)


def to_terminal(
    clip: Clip,
    weights: Weights,
    words: Sequence[str],
    *,
    spans: Mapping[int, Span] | None = None,
    colour: bool,
    width: int = 100,
) -> str:
    """Draw a row of frames, if there is colour, and below it a row of blocks for every word.

    Two dots share a character. Without colour the cells are `·`, `░`, `▒`, `▓`, `█`; a weight that
    is not finite is `?`. A clip too long for `width` is broken into strips, one below the other.
    The weights of several networks are added.
    """
    axes.check_width("film.to_terminal", width)
    seen = _checked("film.to_terminal", clip, weights, words, spans)
    names = [label(word) for word in words]
    margin = axes.margin_of([*names, seen.axis], width)
    room = width - margin - 1
    n_frames = seen.weights.shape[2]
    cell = min(max(room // max(n_frames, 1), _LEAST), _DOTS)
    step = max(room // cell, 1)
    bands = [
        _band(seen, names, range(start, min(start + step, n_frames)), margin, cell, colour=colour)
        for start in range(0, n_frames, step)
    ]
    told = [(name, seen.note(i)) for i, name in enumerate(names) if seen.note(i)]
    notes = [shorten(f"{pad(shorten(name, margin), margin)} {note}", width) for name, note in told]
    ends = [_terminal_scale(seen.top, colour=colour)]
    return "\n\n".join([*bands, *(["\n".join(notes)] if notes else []), *ends]) + "\n"


def _checked(
    where: str,
    clip: Clip,
    weights: Weights,
    words: Sequence[str],
    spans: Mapping[int, Span] | None,
) -> _Seen:
    found, frames = np.asarray(weights, dtype=np.float64), clip.frames
    if frames.ndim != 4 or frames.shape[3] != 3 or not frames.size:
        raise ShapeError(
            f"{where}: the clip has shape {list(frames.shape)}; expected [F, H, W, 3]. Pass red,"
            " green and blue of every pixel."
        )
    if found.ndim != 3 or found.shape[::2] != (len(words), len(frames)) or not found.shape[1]:
        raise ShapeError(
            f"{where}: weights have shape {list(found.shape)}; {len(words)} words and"
            f" {len(frames)} frames need [{len(words)}, R, {len(frames)}]; pass a row of frames for"
            " each network, for each word."
        )
    return _Seen(clip, found, tuple(words), dict(spans or {}), top_of(found))


def _strip(clip: Clip, left: float, above: float, cell: float) -> list[str]:
    """Draw the frames side by side, each below its time; of crowded times every second or third."""
    tall = cell * clip.frames.shape[1] / clip.frames.shape[2]
    crowd = max(int(np.ceil(max(map(svg.pixels, clip.labels)) / cell)), 1)
    body = []
    for i, (frame, time) in enumerate(zip(clip.frames, clip.labels, strict=True)):
        x = left + i * cell
        if i % crowd == 0:
            body.append(svg.text(x + cell / 2, above - 8, time, anchor="middle", kind="small"))
        size = f'width="{svg.number(cell - 2)}" height="{svg.number(tall - 2)}"'
        place = f'x="{svg.number(x + 1)}" y="{svg.number(above + 1)}" {size}'
        uri = to_text(Picture(frame))
        body.append(f'<image href="{uri}" {place} style="image-rendering:pixelated"/>')
        body.append(f'<rect class="rule" fill="none" {place}/>')
    return body


def _cells(seen: _Seen, word: int, left: float, y: float, cell: float) -> str:
    """Draw the weights of a word, and an outline around the frames of what it tells."""
    grid, name = seen.weights[word], label(seen.words[word])
    drawn = []
    for (r, f), weight in np.ndenumerate(grid):
        place = (
            f'x="{svg.number(left + f * cell + 1)}" y="{svg.number(y + r * _ROW + 1)}"'
            f' width="{svg.number(cell - 2)}" height="{svg.number(_ROW - 2)}" rx="3"'
        )
        data = placed(word, r * grid.shape[1] + f, float(weight))
        network = f", network {r + 1}" if len(grid) > 1 else ""
        tip = svg.tip(f"{name} at {seen.clip.labels[f]}{network}: {spoken(float(weight))}")
        drawn.append(f"<rect {shade(float(weight), seen.top)} {data} {place}>{tip}</rect>")
    if word in seen.spans:
        first, behind = seen.spans[word]
        drawn.append(
            f'<rect class="s1" fill="none" stroke-width="1.5" x="{svg.number(left + first * cell)}"'
            f' y="{svg.number(y)}" width="{svg.number((behind - first) * cell)}"'
            f' height="{svg.number(_ROW * len(grid))}" rx="4"/>'
        )
    return "".join(drawn)


def _band(
    seen: _Seen, names: Sequence[str], frames: range, margin: int, cell: int, *, colour: bool
) -> str:
    """Draw some of the frames, and the weights that every word gives them."""
    lines = [f"{pad(seen.axis, margin)} " + "".join(_times(seen.clip, frames, cell))]
    if colour:
        lines += [" " * (margin + 1) + row for row in _lit(seen.clip.frames[list(frames)], cell)]
    for i, name in enumerate(names):
        total = seen.weights[i].sum(axis=0)  # [F]
        cells = [_block(float(total[f]), seen.top, cell - 1, colour=colour) for f in frames]
        lines.append(f"{pad(shorten(name, margin), margin)} " + " ".join(cells))
    return "\n".join(line.rstrip() for line in lines)


def _times(clip: Clip, frames: range, cell: int) -> list[str]:
    """Return the times of frames, each in its cell; those that do not fit are left out."""
    crowd = -(-(max(len(time) for time in clip.labels) + 1) // cell)
    shown = [clip.labels[f] if i % crowd == 0 else "" for i, f in enumerate(frames)]
    if crowd == 1:
        return [pad(clean(time), cell) for time in shown]
    return [pad(clean(time), crowd * cell) for i, time in enumerate(shown) if i % crowd == 0]


def _block(weight: float, top: float, columns: int, *, colour: bool) -> str:
    if not np.isfinite(weight):
        return "?" * columns
    part = share(weight, top)
    if colour:
        return f"\x1b[48;5;{RAMP[round(part * (len(RAMP) - 1))]}m{' ' * columns}\x1b[0m"
    return SHADES[round(part * (len(SHADES) - 1))][0] * columns


def _lit(frames: Frames, cell: int) -> list[str]:
    """Draw frames side by side: the upper dot of a character is its ink, the lower its ground."""
    height, width = frames.shape[1:3]
    wide = cell - 1
    tall = 2 * max(round(wide * height / width / 2), 1)
    rows, columns = np.arange(tall) * height // tall, np.arange(wide) * width // wide
    reach = max(height // tall, 1), max(width // wide, 1)
    dots = np.stack([_means(frame, rows, columns, reach) for frame in frames])  # [F, h, w, 3]
    return [
        " ".join("".join(map(_dot, *pair)) + "\x1b[0m" for pair in zip(up, down, strict=True))
        for up, down in zip(
            dots[:, ::2].transpose(1, 0, 2, 3).tolist(),
            dots[:, 1::2].transpose(1, 0, 2, 3).tolist(),
            strict=True,
        )
    ]


def _means(
    frame: npt.NDArray[np.uint8],
    rows: npt.NDArray[np.int64],
    columns: npt.NDArray[np.int64],
    reach: tuple[int, int],
) -> npt.NDArray[np.uint8]:
    """Average the pixels behind each dot, `reach` of them each way."""
    total = np.zeros((len(rows), len(columns), 3))
    for down in range(reach[0]):
        for across in range(reach[1]):
            y, x = (
                np.minimum(rows + down, frame.shape[0] - 1),
                np.minimum(columns + across, frame.shape[1] - 1),
            )
            total += frame[y][:, x]
    return np.asarray(np.rint(total / (reach[0] * reach[1])), dtype=np.uint8)


def _dot(upper: list[int], lower: list[int]) -> str:
    ink, ground = ";".join(map(str, upper)), ";".join(map(str, lower))
    return f"\x1b[38;2;{ink};48;2;{ground}m▀"


def _terminal_scale(top: float, *, colour: bool) -> str:
    if colour:
        return "0 " + "".join(f"\x1b[48;5;{c}m \x1b[0m" for c in RAMP) + f" {top:.2f}"
    return "0 " + "".join(shade[0] for shade in SHADES) + f" {top:.2f}"
