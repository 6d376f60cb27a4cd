"""Who can say where a model looked, and the maps that it tells of.

This file imports no numpy, which takes a while: text is written without.
"""

from collections.abc import Mapping
from typing import TYPE_CHECKING, NamedTuple, Protocol, TypeAlias

from saccade.guards.profile import Profile
from saccade.modalities._notation import Notation, Values

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

Maps: TypeAlias = "NDArray[np.float32]"
Arrays: TypeAlias = Mapping[str, Values]  # what a model reads, by the name of the source
ENCODER, DECODER = "encoder", "decoder"  # the sides of self-attention


class SelfMap(NamedTuple):
    """Where the places of one side look among themselves: one map of self-attention.

    name: as "encoder layer 1 head 2".  side: what the name begins with, as "encoder" or "encoder of
    image"; "decoder" of what was written.  source: the source whose places they are; "" of a
    decoder.  weights: `[S, S]`; of a decoder `[T, T]`, END included: a row for each place that is
    written, a column for each that was read, START first.  n_before: columns before START.
    """

    name: str
    side: str
    source: str
    weights: Maps
    n_before: int = 0

    @property
    def of_decoder(self) -> bool:
        """Whether its places are those that were written."""
        return self.side == DECODER

    def cut(self, n: int) -> "SelfMap":
        """Keep the first `n` places."""
        return self._replace(weights=self.weights[:n, :n])


class Looker(Protocol):
    """Whoever can say where a model looked: its notations, and its maps of one example."""

    profile: Profile | None  # what was usual in its training, if anybody knows

    @property
    def covers(self) -> bool:
        """Whether all that was read can be told from the maps; see `Model`."""

    @property
    def sources(self) -> Mapping[str, Notation]:
        """How the sources are shown, by name."""

    @property
    def target(self) -> Notation:
        """How the target is shown."""

    @property
    def attention_names(self) -> tuple[str, ...]:
        """What the maps are called."""

    def look(self, arrays: Arrays, target: Values) -> Maps:
        """Return the weights `[A, T, S]` of all places that are written, END included."""

    @property
    def self_attention_names(self) -> tuple[str, ...]:
        """What the maps of self-attention are called, those of encoders first."""

    def look_within(self, arrays: Arrays, target: Values) -> tuple[SelfMap, ...]:
        """Return the maps of self-attention while `target` is written."""

    def grid(self, arrays: Arrays) -> tuple[int, ...]:
        """Return the shape of the S places: one number, or rows and columns."""

    def token_scores(self, arrays: Arrays, target: Values) -> tuple[float, ...]:
        """Return the log-probability of every symbol of `target` and of END last."""
