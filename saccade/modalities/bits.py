"""Bits: places of as many bits each, as the tasks of memory machines and black-and-white pictures.

As text a sequence is written place after place, parted by spaces: `0110 1010 0001`.
"""

import hashlib
import json
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any, ClassVar, final

import numpy as np

from saccade.errors import CheckpointError, DataError
from saccade.intake.files import read_json
from saccade.modalities._bits import Bits, as_bits, parse_bits, written_bits
from saccade.modalities._picture import Picture, to_text
from saccade.modalities.base import Array, Codec, Framed, Laid, Modality
from saccade.nouns import Raw, Side
from saccade.tokenizers._vocabulary import END, SYMBOLS

_MOST_COLUMNS = 4096  # of a place, whatever a model folder says
_MOST_PLACES = 1_000_000


@final
class BitsCodec(Codec):
    """Bits as a model sees them.

        [x[1], 0] [x[2], 0] ... [x[T], 0] [0, 1]            T + 1 places of C + 1 columns

    The last column marks END, which is a place of its own: in a source it is the delimiter of
    Graves, Wayne & Danihelka 2014 (arXiv:1410.5401), section 4.1, and in a target it is how a model
    says that nothing more comes. Where all sequences have one length (`fixed`) there is no END:
    T places of C columns, and if T is more than one they are the rows of a picture.

    horizon: places of the longest sequence in training.
    """

    unit = "places"
    dtype = "float32"

    def __init__(self, n_columns: int, horizon: int, *, fixed: bool = False) -> None:
        self.n_columns, self.horizon, self.fixed = n_columns, horizon, fixed
        self.chart = "bitmap" if fixed and horizon > 1 else ""

    @property
    def side(self) -> Side:
        """The bits of a place, and END if there is one."""
        if self.fixed:
            return Side(self.n_columns, embedder="linear", head="bernoulli")
        return Side(self.n_columns + 1, embedder="linear", head="bernoulli_end")

    @property
    def fingerprint(self) -> str:
        """Hash of columns, horizon and form."""
        return hashlib.blake2b(self._json().encode(), digest_size=16).hexdigest()

    def describe(self) -> str:
        """Say how many bits a place has and how many places there are."""
        n = self.horizon - (not self.fixed)
        return f"{self.n_columns} bits, {'' if self.fixed else 'up to '}{n:,} places"

    def encode(self, raws: Sequence[Raw], origins: Sequence[str] = ()) -> list[Array]:
        """Return the bits of every sequence, END behind them."""
        names = origins or [f"bits {n}" for n in range(1, len(raws) + 1)]
        return [self._encoded(raw, where) for raw, where in zip(raws, names, strict=True)]

    def _encoded(self, raw: Raw, where: str) -> Array:
        bits = as_bits(raw, where)
        if not len(bits):
            raise DataError(f"{where}: is empty; expected bits, as 0110 1010. Leave the line out.")
        if bits.shape[1] != self.n_columns:
            raise DataError(
                f"{where}: places have {bits.shape[1]} bits; expected {self.n_columns}, as in"
                " training. Write as many 0s and 1s in every place."
            )
        if not self.fixed:
            end = np.eye(self.n_columns + 1)[-1:]
            return np.concatenate([np.pad(bits, ((0, 0), (0, 1))), end]).astype(np.float32)
        if len(bits) != self.horizon:
            raise DataError(
                f"{where}: found {len(bits)} places; expected {self.horizon}, as all have in"
                " training. Write as many, or leave fixed out of data and train again."
            )
        return bits.astype(np.float32)

    def decode(self, values: Array) -> Bits:
        """Return the bits before END."""
        found = np.asarray(values).reshape(-1, self.side.size) > 0.5
        if self.fixed:
            return found.astype(np.uint8)
        ends = np.flatnonzero(found[:, -1])
        return found[: ends[0] if len(ends) else len(found), :-1].astype(np.uint8)

    def pad(self, arrays: Sequence[Array]) -> Laid:
        """Put zeros behind every sequence, `[B, T, C]`.

        >>> BitsCodec(1, 2, fixed=True).pad([np.ones((2, 1)), np.ones((1, 1))]).values.tolist()
        [[[1.0], [1.0]], [[1.0], [0.0]]]
        """
        lengths = np.array([len(one) for one in arrays])
        mask = np.arange(int(lengths.max(initial=0))) < lengths[:, None]  # [B, T]
        values = np.zeros((*mask.shape, self.side.size), dtype=np.float32)
        for row, one in zip(values, arrays, strict=True):
            row[: len(one)] = one
        return Laid(values, mask)

    def first(self, sources: Sequence[Array]) -> Array:
        """Return zeros, `[B, C]`: nothing was written yet."""
        return np.zeros((len(sources), self.side.size), dtype=np.float32)

    def frame(self, targets: Sequence[Array], sources: Sequence[Array]) -> Framed:
        """Lay places out, each behind the one before it."""
        values, mask = self.pad(targets)
        prefix = np.zeros_like(values)
        prefix[:, 1:] = values[:, :-1] * mask[:, 1:, None]
        return Framed(values, mask, prefix)

    def labels(self, raw: Raw, array: Array) -> tuple[str, ...]:
        """Write the bits of every place, and END."""
        found = np.asarray(array).reshape(-1, self.side.size)
        if self.fixed:
            return tuple(written_bits(found > 0.5).split())
        rows = written_bits(found[:, :-1] > 0.5).split()
        ended = found[:, -1] > 0.5
        return tuple(SYMBOLS[END] if end else row for row, end in zip(rows, ended, strict=True))

    def read(self, text: str, where: str = "input") -> Bits:
        """Read a text of bits."""
        return parse_bits(text, where)

    def write(self, raw: Raw) -> str:
        """Write 0s and 1s."""
        return written_bits(as_bits(raw))

    def shown(self, raw: Raw) -> str:
        """Write the rows of a picture as a picture, 1 white; other bits as text."""
        bits = as_bits(raw)
        if not self.chart or not bits.size:
            return self.write(raw)
        return to_text(Picture((bits[:, :, None] * np.uint8(255)).repeat(3, axis=2)))

    def save(self, path: Path) -> None:
        """Write a JSON file."""
        path.write_text(self._json(), encoding="utf-8")

    def _json(self) -> str:
        held = {"columns": self.n_columns, "horizon": self.horizon, "fixed": self.fixed}
        return json.dumps(held, indent=1)


class BitsModality(Modality):
    """Sequences of places of C bits each, `[T, C]`.

    With `fixed` all have one length, as the rows of pictures do, and no END is read or written.
    Sequences longer than `max_length` places, END included, are left out of training.
    """

    discrete: ClassVar[bool] = False
    objective: ClassVar[str] = "likelihood"
    raw: ClassVar[str] = "bits"

    def __init__(self, *, fixed: bool = False, max_length: int = 1000) -> None:
        self.fixed, self.max_length = fixed, max_length

    def sketch(self) -> Side:
        """Return a side of two bits."""
        return BitsCodec(2, 1, fixed=self.fixed).side

    def fit(self, streams: Sequence[Iterable[Raw]], beside: Codec | None = None) -> Codec:
        """Count the bits of a place, and the places."""
        shapes = {
            as_bits(raw, "data.train").shape for stream in streams for raw in stream if len(raw)
        }
        widths, lengths = ({shape[n] for shape in shapes} for n in (1, 0))
        if not shapes:
            raise DataError(
                "data.train: no bits at all; expected some to learn from. Check its readers."
            )
        if len(widths) > 1 or max(widths) > _MOST_COLUMNS:
            raise DataError(
                f"data.train: places have {', '.join(map(str, sorted(widths)[:5]))} bits; expected"
                f" as many everywhere, up to {_MOST_COLUMNS}. Mend the data."
            )
        if self.fixed and len(lengths) > 1:
            raise DataError(
                f"data.train: sequences have {min(lengths)} to {max(lengths)} places; expected one"
                " length, as fixed is set. Set it to false."
            )
        (width,) = widths
        return BitsCodec(width, max(lengths) + (not self.fixed), fixed=self.fixed)

    def load(self, path: Path, beside: Codec | None = None) -> Codec:
        """Read what `BitsCodec.save` wrote."""
        try:
            raw: dict[str, Any] = read_json(path)
            width, horizon, fixed = (raw[name] for name in ("columns", "horizon", "fixed"))
            fits = type(width) is int and type(horizon) is int and type(fixed) is bool
            if not fits or not 1 <= width <= _MOST_COLUMNS or not 0 <= horizon <= _MOST_PLACES:
                raise ValueError(f"{str(raw)[:60]} are no numbers of bits and places")
        except (OSError, ValueError, KeyError, TypeError) as error:
            raise CheckpointError(
                f"{path}: cannot be read as a form of bits ({error}); expected what training wrote."
                " Copy the model folder again."
            ) from None
        return BitsCodec(width, horizon, fixed=fixed)
