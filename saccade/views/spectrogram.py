"""Where a model listened: the spectrogram of a sound, and below it the weights of every word."""

from base64 import b64encode
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np
import numpy.typing as npt

from saccade.errors import ShapeError
from saccade.modalities import _png
from saccade.modalities._filterbank import Filterbank
from saccade.modalities._hearing import decode
from saccade.modalities._sound import bytes_of
from saccade.views import axes, svg
from saccade.views.drawing import AttentionMap, Drawing, stacked
from saccade.views.heatmap import RAMP, SHADES, scale, shade
from saccade.views.weights import Weights, placed, share, spoken, top_of
from saccade.views.words import label, pad, sentence, shorten

_BANDS = 40
_NARROW, _WIDE = 2.0, 24.0  # pixels of a place
_ALL = 760.0  # pixels that the spectrogram aims at
_TALL = 120.0  # pixels of it
_ROW = 22.0  # pixels of a word
_LINES = 6  # of the spectrogram in a terminal
_LONGEST = 3600.0  # seconds of a sound that is drawn
_FAINTEST = 0.004  # of the scale: a cell that nobody sees is not drawn
_PITCHES = (0.1, 0.2, 0.5, 1.0, 2.0, 5.0, 10.0, 60.0, 600.0)  # seconds between two marks


@dataclass(frozen=True, slots=True, eq=False)
class Spectrum:
    """How loud a sound is, from 0 to 1: `[T, F]`, low bands first; and how long it lasts.

    silence: seconds of it that a model puts before the sound, and as many behind it.
    """

    levels: npt.NDArray[np.float64]
    seconds: float
    silence: float = 0.0

    def marks(self, n: int) -> list[tuple[float, float]]:
        """Return up to `n` round times of the sound, and at which share of the width each is."""
        length = self.seconds - 2 * self.silence
        pitch = next((p for p in _PITCHES if length / p < n), _PITCHES[-1])
        times = [i * pitch for i in range(int(length / pitch) + 1)]
        return [(time, (time + self.silence) / self.seconds) for time in times]


def spectrum_of(text: str, where: str = "sound") -> Spectrum:
    """Listen to a sound as text, with the silence that a model puts around it.

    0 is the level below which a twentieth of the sound lies, 1 the loudest.
    """
    given = bytes_of(text, where)
    sound = decode(given.data, where, 0.0, _LONGEST)
    quiet = round(given.silence * sound.rate)
    bank = Filterbank(sound.rate, _BANDS)
    short = max(bank.length - len(sound.samples) - 2 * quiet, 0)
    heard = np.pad(sound.samples.astype(np.float32), (quiet, quiet + short))
    frames = bank.frames(heard).astype(np.float64)
    audible = frames[(frames > 0).any(axis=1)]
    low, high = (0.0, 1.0) if not len(audible) else np.percentile(audible, [5, 100])
    levels = np.clip((frames - low) / max(high - low, 1e-6), 0, 1)
    return Spectrum(levels, len(heard) / sound.rate, quiet / sound.rate)


@dataclass(frozen=True, slots=True, eq=False)
class _Heard:
    """A sound with the weights `[T, S]` of its words, checked; `top` gets the full colour."""

    spectrum: Spectrum
    weights: npt.NDArray[np.float64]
    words: tuple[str, ...]
    top: float

    def when(self, place: int) -> str:
        """Name the time of a place."""
        along = (place + 0.5) * self.spectrum.seconds / self.weights.shape[1]
        return f"{max(along - self.spectrum.silence, 0.0):.2f}"


def draw(one: AttentionMap) -> Drawing:
    """Draw attention, or where the labels of CTC are, over a sound."""
    spectrum = spectrum_of(one.raw)
    weights = np.asarray(one.weights)
    return Drawing(
        "Attention",
        lambda: to_svg(spectrum, weights, one.target, title=one.title),
        lambda width, *, colour: to_terminal(
            spectrum, weights, one.target, colour=colour, width=width
        ),
        said=one.said,
    )


def draw_several(maps: Mapping[str, AttentionMap]) -> Drawing:
    """Draw several maps over a sound, one below the other."""
    strips = {name: draw(replace(one, title="")) for name, one in maps.items()}
    return stacked("Attention maps", strips, said=next(iter(maps.values())).said)


def to_svg(spectrum: Spectrum, weights: Weights, words: Sequence[str], *, title: str = "") -> str:
    """Draw the spectrogram with seconds above, and a row of cells for every word.

        opacity = 0.05 + 0.95 weight / top

    Low sounds are below, loud ones dark. A line goes up from where a word has its largest weight to
    the word above the spectrogram. `top` is one for all words and stands below. A tooltip on every
    cell tells its weight; cells below 0.4 % of `top` are left out.

    Args:
        spectrum: of the sound.
        weights: `[T, S]`, over S places of equal length.
        words: T of them.
        title: stands above all.
    """
    heard = _checked("spectrogram.to_svg", spectrum, weights, words)
    n_places = heard.weights.shape[1]
    cell = min(max(_ALL / n_places, _NARROW), _WIDE)
    wide = cell * n_places
    named = [shorten(label(word), axes.LONGEST) for word in words]
    left = max([svg.pixels(name) for name in named] + [svg.pixels("seconds")]) + 30
    above = (44.0 if title else 16.0) + 40
    body = [svg.text(20, 30, title, kind="title")] if title else []
    body += _picture(spectrum, left, above, wide)
    body += _times(spectrum, left, above, wide)
    body += _spikes(heard, left, above, cell)
    top = above + _TALL + 8
    for i, name in enumerate(named):
        y = top + i * (_ROW + 4)
        body.append(svg.text(left - 10, y + _ROW / 2 + 4.5, name, anchor="end"))
        body.append(_cells(heard, i, left, y, cell))
    bottom = top + len(named) * (_ROW + 4) + 10
    body.append(scale(left, bottom, heard.top))
    whole = max(left + wide + 20, left + 190, svg.pixels(title) * 1.2 + 40)
    name = title or f"when the model listened for {sentence(words)}"
    return svg.document(whole, bottom + 30, "".join(body), name=name)


def to_terminal(
    spectrum: Spectrum,
    weights: Weights,
    words: Sequence[str],
    *,
    colour: bool,
    width: int = 100,
) -> str:
    """Draw the spectrogram in six lines, low sounds below, and a row of blocks for every word.

    Without colour, levels and weights are `·`, `░`, `▒`, `▓`, `█`; a weight that is not finite is
    `?`. A column shows the largest weight of the places in it.
    """
    axes.check_width("spectrogram.to_terminal", width)
    heard = _checked("spectrogram.to_terminal", spectrum, weights, words)
    names = [label(word) for word in words]
    margin = axes.margin_of([*names, "seconds"], width)
    room = max(width - margin - 1, 1)
    lines = [f"{pad('seconds', margin)} {_clock(spectrum, room)}".rstrip()]
    levels = _spread(spectrum.levels.T[::-1], room)  # [F, columns], high bands first
    rows = np.array_split(levels, _LINES)
    for row in rows:
        blocks = [_block(float(v), 1.0, colour=colour) for v in row.mean(axis=0)]
        lines.append(" " * (margin + 1) + "".join(blocks))
    for name, row in zip(names, _spread(heard.weights, room), strict=True):
        blocks = [_block(float(v), heard.top, colour=colour) for v in row]
        lines.append(f"{pad(shorten(name, margin), margin)} " + "".join(blocks))
    ramp = "".join(_block(i / 4, 1.0, colour=colour) for i in range(5))
    return "\n".join([*lines, "", f"0 {ramp} {heard.top:.2f}"]) + "\n"


def _checked(where: str, spectrum: Spectrum, weights: Weights, words: Sequence[str]) -> _Heard:
    found = np.asarray(weights, dtype=np.float64)
    if found.ndim != 2 or len(found) != len(words) or not found.shape[1]:
        raise ShapeError(
            f"{where}: weights have shape {list(found.shape)}; {len(words)} words need"
            f" [{len(words)}, S]; pass a weight for every place of the sound, for each word."
        )
    if spectrum.levels.ndim != 2 or not spectrum.levels.size or not spectrum.seconds > 0:
        raise ShapeError(
            f"{where}: the spectrum has shape {list(spectrum.levels.shape)} and lasts"
            f" {spectrum.seconds:g} seconds; expected [T, F] of some time. Pass a sound."
        )
    return _Heard(spectrum, found, tuple(words), top_of(found))


def _picture(spectrum: Spectrum, left: float, above: float, wide: float) -> list[str]:
    """Draw the levels: loud is dark."""
    grey = np.asarray(np.rint(255 * (1 - spectrum.levels.T[::-1])), dtype=np.uint8)  # [F, T]
    uri = f"data:image/png;base64,{b64encode(_png.encode(grey[:, :, None])).decode('ascii')}"
    place = (
        f'x="{svg.number(left)}" y="{svg.number(above)}" width="{svg.number(wide)}"'
        f' height="{svg.number(_TALL)}"'
    )
    return [
        f'<image href="{uri}" {place} preserveAspectRatio="none"/>',
        f'<rect class="rule" fill="none" {place}/>',
    ]


def _times(spectrum: Spectrum, left: float, above: float, wide: float) -> list[str]:
    """Write the seconds above the spectrogram, about a hundred pixels apart."""
    body = [svg.text(left - 10, above - 8, "seconds", anchor="end", kind="small")]
    for time, where in spectrum.marks(max(int(wide / 60), 1)):
        x = left + where * wide
        body.append(svg.text(x, above - 8, f"{time:g}", anchor="middle", kind="small"))
    return body


def _spikes(heard: _Heard, left: float, above: float, cell: float) -> list[str]:
    """Write every word above the place where its weight is largest."""
    body = []
    for word, row in zip(heard.words, heard.weights, strict=True):
        if not np.isfinite(row).any() or not np.nanmax(row) > 0:
            continue
        x = left + (int(np.nanargmax(np.where(np.isfinite(row), row, -1))) + 0.5) * cell
        ends = f'y1="{svg.number(above - 20)}" y2="{svg.number(above + _TALL)}"'
        line = f'<line class="s1" x1="{svg.number(x)}" x2="{svg.number(x)}" {ends}'
        body.append(f'{line} stroke-width="1" stroke-opacity="0.6"/>')
        shown = shorten(label(word), 12)
        body.append(svg.text(x, above - 24, shown, anchor="middle", kind="small"))
    return body


def _cells(heard: _Heard, word: int, left: float, y: float, cell: float) -> str:
    """Draw the weights of a word."""
    name, drawn = label(heard.words[word]), []
    for place, weight in enumerate(heard.weights[word].tolist()):
        if np.isfinite(weight) and share(weight, heard.top) < _FAINTEST:
            continue
        where = (
            f'x="{svg.number(left + place * cell)}" y="{svg.number(y + 1)}"'
            f' width="{svg.number(cell)}" height="{svg.number(_ROW - 2)}"'
        )
        data = placed(word, place, weight)
        tip = svg.tip(f"{name} at {heard.when(place)}: {spoken(weight)}")
        drawn.append(f"<rect {shade(weight, heard.top)} {data} {where}>{tip}</rect>")
    return "".join(drawn)


def _spread(rows: npt.NDArray[np.float64], columns: int) -> npt.NDArray[np.float64]:
    """Bring rows `[R, S]` to so many columns, the largest of the places in each.

    >>> _spread(np.array([[1.0, 2.0, 3.0]]), 6).tolist()
    [[1.0, 1.0, 2.0, 2.0, 3.0, 3.0]]
    """
    n = rows.shape[1]
    starts = np.arange(columns) * n // columns
    ends = np.maximum((np.arange(1, columns + 1) * n) // columns, starts + 1)
    found = [rows[:, a:b].max(axis=1, initial=-np.inf) for a, b in zip(starts, ends, strict=True)]
    return np.stack(found, axis=1)


def _clock(spectrum: Spectrum, columns: int) -> str:
    """Write marks of time, each at its column."""
    line = ""
    for time, where in spectrum.marks(max(columns // 6, 1)):
        at = int(where * columns)
        if at + len(f"{time:g}") <= columns:
            line = line.ljust(at) + f"{time:g}"
    return line


def _block(weight: float, top: float, *, colour: bool) -> str:
    if not np.isfinite(weight):
        return "?"
    part = share(weight, top)
    if colour:
        return f"\x1b[48;5;{RAMP[round(part * (len(RAMP) - 1))]}m \x1b[0m"
    return SHADES[round(part * (len(SHADES) - 1))][0]
