"""What one side of an example is: text, numbers, a picture.

A `Modality` is a part with options from the recipe. It fits the training data and gives a `Codec`,
which turns raw values into arrays and back. Nothing here imports torch: a codec lays arrays out in
numpy, and `data/batching.py` makes tensors of them.
"""

import random
from abc import ABC, abstractmethod
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any, ClassVar, NamedTuple

import numpy as np
from numpy.typing import NDArray

from saccade.errors import RecipeError
from saccade.modalities._notation import Notation
from saccade.nouns import Raw, Side

Array = NDArray[Any]


class Laid(NamedTuple):
    """Arrays of a batch in one: values `[B, S, ...]`, and a mask over the places, True = real."""

    values: Array
    mask: NDArray[np.bool_]


class Framed(NamedTuple):
    """Targets of a batch: values `[B, T, ...]`, their mask `[B, T]`, and the prefix.

    prefix: `[B, T, ...]`, what a decoder has read before it writes each place.
    """

    values: Array
    mask: NDArray[np.bool_]
    prefix: Array


class Codec(Notation, ABC):
    """What a modality learned from the training data. A model folder keeps it."""

    unit: ClassVar[str]  # what a place is called in messages
    extra: ClassVar[int] = 0  # places that a batch adds to every array, such as END
    chunk: ClassVar[int] = 2000  # examples that are encoded at once; few if arrays are large
    dtype: str  # of the arrays
    horizon: int = 0  # places of the longest target in training, for values

    @property
    @abstractmethod
    def side(self) -> Side:
        """What a model must know."""

    @property
    @abstractmethod
    def fingerprint(self) -> str:
        """Hash of all that decides how a raw value is encoded."""

    @abstractmethod
    def describe(self) -> str:
        """Say in a few words what was learned, as `1,203 symbols`."""

    @abstractmethod
    def encode(self, raws: Sequence[Raw], origins: Sequence[str] = ()) -> list[Array]:
        """Turn raw values into arrays; an error names its origin, where there are any."""

    def variants(self, raws: Sequence[Raw], origins: Sequence[str] = ()) -> list[Array]:
        """Encode sources for a store: with more in each array where `vary` chooses among it."""
        return self.encode(raws, origins)

    def encode_targets(
        self, raws: Sequence[Raw], sources: Sequence[Raw], origins: Sequence[str] = ()
    ) -> list[Array]:
        """Encode what is written for `sources`, on which the symbols of a target may depend."""
        return self.encode(raws, origins)

    def lengths(self, shapes: NDArray[np.int32]) -> NDArray[np.int32]:
        """Return the number of places of arrays with these shapes, `[n, ndim]` to `[n]`."""
        return shapes[:, 0]

    def laid(self, shape: tuple[int, ...]) -> tuple[int, ...]:
        """Return the shape that an array of this shape has when it is laid out alone."""
        return shape[0] + self.extra, *shape[1:]

    @abstractmethod
    def pad(self, arrays: Sequence[Array]) -> Laid:
        """Lay the arrays of a batch out to be read."""

    def first(self, sources: Sequence[Array]) -> Array:
        """Return what a decoder reads before it writes the first place, `[B, ...]`."""
        raise RecipeError(_unwritable(self))

    def frame(self, targets: Sequence[Array], sources: Sequence[Array]) -> Framed:
        """Lay the arrays of a batch out to be written, each behind its `first`."""
        raise RecipeError(_unwritable(self))

    @property
    def varies(self) -> bool:
        """Whether training sees other arrays of the same raw value in every epoch."""
        return False

    @property
    def heeds(self) -> bool:
        """Whether `vary` depends on what the texts of a pair say."""
        return False

    def vary(self, array: Array, chance: random.Random, said: str = "") -> Array:
        """Return another array of the same raw value; `said` is the text of a pair, if it heeds."""
        return array

    @abstractmethod
    def save(self, path: Path) -> None:
        """Write a JSON file."""

    def network_weights(self) -> Mapping[str, Any]:
        """Return the tensors of a network that encodes, by its names, for a folder to keep."""
        return {}

    def reserve(self, n: int, beside: "Codec | None" = None) -> "Codec":
        """Keep `n` symbols for words that are copied; those of a target from the one `beside`."""
        raise RecipeError(
            f"data.copies: {n} slots are for unknown words, but {self.unit} are no words; expected"
            " text. Set copies to 0."
        )


def _unwritable(codec: Codec) -> str:
    return (
        f"data.target: {type(codec).__name__} can be read but not written; expected text or"
        " numbers. Change data.target.kind."
    )


class Modality(ABC):
    """A kind of data with its options.

    discrete: search can choose among its symbols; otherwise a model writes values.  raw: what
    metrics compare.  writable: a model can write it.  continues: as a target it goes on from a
    source of the same kind.  objective: what a model that writes it is usually trained with.
    grows: what is written for it grows with its places, as a transcript does, not a caption.
    """

    discrete: ClassVar[bool]
    raw: ClassVar[str]
    writable: ClassVar[bool] = True
    continues: ClassVar[bool] = False
    objective: ClassVar[str] = "cross_entropy"
    grows: ClassVar[bool] = True
    max_length: int
    ordered: bool = True  # places are laid out in the order of the raw value
    varies: bool = False  # training sees other arrays of the same raw value in every epoch

    @abstractmethod
    def sketch(self) -> Side:
        """Return a small side of this kind, to try out whether a model can be built."""

    @abstractmethod
    def fit(self, streams: Sequence[Iterable[Raw]], beside: Codec | None = None) -> Codec:
        """Learn from training data; `beside` is the source's codec if this is a target."""

    @abstractmethod
    def load(self, path: Path, beside: Codec | None = None) -> Codec:
        """Read what `Codec.save` wrote."""

    def adopt(self, codec: Codec, beside: Codec | None = None) -> Codec:
        """Return a codec that was learned elsewhere, at work as these options say.

        Args:
            codec: what was learned.
            beside: the source's, if it is for a target, which is always laid out in order.
        """
        return codec
