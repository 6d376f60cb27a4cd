"""What a model is: something an objective can train and, if it writes, search can step."""

from abc import ABC, abstractmethod
from collections.abc import Mapping
from pathlib import Path
from typing import Any, ClassVar, NamedTuple

import numpy as np
from numpy.typing import NDArray
from torch import Tensor, nn

from saccade.errors import RecipeError
from saccade.flow import Batch, Decoded, Frames, Sources, State, Step, Stepped
from saccade.heads.base import Head
from saccade.kernels.backoff import BackoffTable
from saccade.kernels.stack import PhraseOptions
from saccade.search._trellis import Trellis


class Model(nn.Module, ABC):
    """A trainable whole: wiring of embedders, encoders, decoders and a head.

    It holds parameters and nothing else; what moves is in a State. A part's constructor takes from
    the host what there is to know of every source, by name, and of the target.
    """

    one_vocabulary: bool = False  # True if source and target must have the same symbols
    pieces_each: int = 0  # source pieces for each target symbol; 0 if lengths are free
    reads: ClassVar[bool] = True  # False if there is no source, and a given text is a beginning
    several: ClassVar[bool] = False  # True if it can read several sources
    source_raws: ClassVar[tuple[str, ...]] = ()  # what it can read, as of Modality; () is anything
    target_raws: ClassVar[tuple[str, ...]] = ()  # what it can write, likewise
    discrete: ClassVar[bool | None] = None  # True: symbols; False: values; None: as its head
    frames: ClassVar[bool] = False  # True if it says of every frame which symbol it is, as CTC does
    trellis: ClassVar[bool] = False  # True if it can lay out all paths through its states
    phrases: ClassVar[bool] = False  # True if it knows what spans of its source may be written as
    spread: ClassVar[bool] = False  # True if it knows how far off its numbers may be
    rereads: ClassVar[bool] = True  # False if no step looks back at the places of the source
    covers: bool = True  # False if it reads places that its weights leave out
    normalised: bool = True  # False if probabilities of a place add up to less than one
    objective: ClassVar[str] = "cross_entropy"  # what it learns by if the recipe does not say
    search: ClassVar[str] = "beam"  # how it is searched if the recipe does not say
    quick: ClassVar[str] = "greedy"  # how outputs are found for figures while it is fitted
    learner: ClassVar[str] = "gradient"  # who fits it: a file of learners/
    sees: int = 0  # how many of the last symbols decide what comes next; 0 if all do
    within: ClassVar[str] = ""  # what names of weights begin with that other models have without it
    head: Head

    @abstractmethod
    def forward(self, batch: Batch, *, look: bool = False) -> Decoded:
        """Read the sources and the given prefix of every pair; `look` asks for attention weights.

        The head makes of the features, `[B, T, D]`, what is written at each place.
        """

    @property
    @abstractmethod
    def attention_names(self) -> tuple[str, ...]:
        """What the A maps of `Decoded.weights` are called; empty for a model without attention."""

    @property
    def origin(self) -> "Model | None":
        """The model whose parts can be looked into; an engine's is the one that it was made of."""
        return self

    @property
    def n_parameters(self) -> int:
        """How many numbers were learned; those that only say where others stand do not count."""
        return sum(one.numel() for one in self.parameters() if one.is_floating_point())

    def grid(self, shapes: dict[str, tuple[int, ...]]) -> tuple[int, ...]:
        """Return the shape of the places that attention weighs, for sources of these shapes."""
        return next(iter(shapes.values()))[:1]

    def n_frames(self, shapes: dict[str, tuple[int, ...]]) -> int:
        """Return how many frames sources of these shapes have; 0 if the model has no frames."""
        return 0

    def accept(self, weights: Mapping[str, Tensor], where: str) -> None:
        """Make room for weights from a file, of a model whose size is that of its data."""

    def backoff_table(self) -> BackoffTable | None:
        """Return the table that says all there is to say of what comes next, if there is one."""
        return None


class LaidSide(NamedTuple):
    """All sequences of one side of a corpus, one after the other.

    values: `[N]` or `[N, C]`, without START and END.  lengths: `[n]`, of each sequence.
    """

    values: NDArray[Any]
    lengths: NDArray[Any]

    def rows(self, index: NDArray[Any]) -> "LaidSide":
        """Take sequences by their numbers.

        >>> LaidSide(np.array([5, 6, 7]), np.array([2, 1])).rows(np.array([1, 0])).values.tolist()
        [7, 5, 6]
        """
        lengths = self.lengths[index].astype(np.int64)
        begins = (np.cumsum(self.lengths, dtype=np.int64) - self.lengths)[index]
        before = np.cumsum(lengths) - lengths
        places = np.arange(int(lengths.sum())) + np.repeat(begins - before, lengths)
        return LaidSide(self.values[places], lengths)


class LaidPairs(NamedTuple):
    """All that a model is fitted to: pair i has the i-th sequence of every side.

    held_out: the validation pairs, for a model that `tunes`.  root: where relative paths start, for
    a model that reads a file of its own.
    """

    sources: Mapping[str, LaidSide]
    target: LaidSide
    held_out: "LaidPairs | None" = None
    root: Path = Path()


class CountedPass(NamedTuple):
    """What there is to say of one pass: figures for the log, and a sentence for the user."""

    figures: Mapping[str, float]
    told: str = ""


class CountedModel(Model, ABC):
    """A model that is fitted by counting, or by EM, which counts what it expects.

    All it has learned is in its parameters, so that a run can stop between two iterations: the
    next one depends on them, the corpus and its own number alone. They need not be numbers that
    have a gradient, nor of a size that is known before.
    """

    learner: ClassVar[str] = "counting"
    tunes: ClassVar[bool] = False  # True if some pass chooses a few weights on validation pairs
    iterations: int = 1  # passes over the corpus until it is fitted
    judged: int = 1  # passes behind which it is validated, and not before

    @abstractmethod
    def count(self, corpus: LaidPairs, iteration: int) -> CountedPass:
        """Make one pass, and put what was learned into the parameters.

        Args:
            corpus: all training pairs.
            iteration: passes made before.
        """


def counted_model(model: Model) -> CountedModel:
    """Return the model if it is fitted by counting; refuse it if not."""
    if isinstance(model, CountedModel):
        return model
    raise RecipeError(
        f"{type(model).__name__}: cannot be fitted by counting; expected a model such as ngram."
    )


class Writer(Model, ABC):
    """A model that writes one place after the other, so that search can walk it."""

    @abstractmethod
    def start(self, sources: Sources) -> State:
        """Read the sources; return the state before the first place."""

    @abstractmethod
    def advance(self, token: Tensor, state: State, *, look: bool = False) -> Stepped:
        """Read what was written last, `[B]` or `[B, C]`; return features `[B, D]`."""

    def step(self, token: Tensor, state: State) -> Step:
        """Read one symbol `[B]`; return log-probabilities of the next `[B, V]` and the state."""
        features, _, state = self.advance(token, state)
        return Step(self.head.log_probs(features), state)

    def follow(self, token: Tensor, state: State) -> tuple[Tensor, State]:
        """Read what was written last; return what the head writes next, and the state."""
        features, _, state = self.advance(token, state)
        return self.head.best(features), state

    def draw(
        self, token: Tensor, state: State, uniform: Tensor, bias: float
    ) -> tuple[Tensor, State]:
        """Read what was written last; return what the head draws next, and the state.

        uniform: `[B, n_uniform]`, the numbers of chance that decide.
        """
        features, _, state = self.advance(token, state)
        return self.head.draw(features, uniform, bias), state


class FrameWriter(Writer, ABC):
    """A writer that says of every frame which symbol it is; SOURCE of its state has the `frames`.

    So a search may go along the frames, and an objective may sum over all their paths.
    """

    frames: ClassVar[bool] = True
    objective: ClassVar[str] = "ctc"
    search: ClassVar[str] = "ctc_prefix"
    discrete: ClassVar[bool | None] = True

    @abstractmethod
    def read_frames(self, sources: Sources) -> Frames:
        """Read the sources; return what every frame says."""


class EditLogProbs(NamedTuple):
    """How likely the edits of one pair are, S symbols that were seen and T that were meant.

    emitted: `[T, S]`, meant j is seen as s.  dropped: `[T]`, j is not seen.  inserted:
    `[T + 1, S]`, s is seen behind j symbols though nothing is there.
    """

    emitted: NDArray[Any]
    dropped: NDArray[Any]
    inserted: NDArray[Any]


class EditWriter(Writer, ABC):
    """A writer that knows how likely each edit is which made its source of its target."""

    @abstractmethod
    def log_edits(self, source: Tensor, target: Tensor) -> EditLogProbs:
        """Return the log-probabilities of the edits of one pair, `[S]` and `[T]`."""


def edit_writer(model: Model, owner: str) -> EditWriter:
    """Return the model if it knows edits; refuse it if not."""
    if isinstance(model, EditWriter):
        return model
    raise RecipeError(
        f"{owner}: {type(model).__name__} has learned no costs of edits; expected a model such as"
        " noisy_channel. Name another folder."
    )


def frame_writer(model: Model, owner: str) -> FrameWriter:
    """Return the model if it has frames; refuse it if not."""
    if isinstance(model, FrameWriter):
        return model
    raise RecipeError(
        f"{owner}: {type(model).__name__} does not write frame by frame; expected a model such as"
        " ctc. Use another objective or model."
    )


class TrellisWriter(Writer, ABC):
    """A writer whose hidden states can be laid out, so that a search compares all their paths."""

    trellis: ClassVar[bool] = True
    search: ClassVar[str] = "viterbi"
    discrete: ClassVar[bool | None] = True

    @abstractmethod
    def read_trellis(self, sources: Sources) -> Trellis:
        """Read the sources; return all ways through the states."""


def trellis_writer(model: Model, owner: str) -> TrellisWriter:
    """Return the model if its states can be laid out; refuse it if not."""
    if isinstance(model, TrellisWriter):
        return model
    raise RecipeError(
        f"{owner}: {type(model).__name__} has no trellis of states; expected a model such as hmm."
        " Use beam, or another view."
    )


class SpreadWriter(Writer, ABC):
    """A writer of numbers that knows how far off its forecasts may be."""

    spread: ClassVar[bool] = True

    @abstractmethod
    def read_spreads(self, sources: Sources, n_places: int) -> Tensor:
        """Return the standard deviation of what comes, given the sources alone: `[B, T, C]`."""


def spread_writer(model: Model, owner: str) -> SpreadWriter:
    """Return the model if it knows how sure it is of numbers; refuse it if not."""
    if isinstance(model, SpreadWriter):
        return model
    raise RecipeError(
        f"{owner}: {type(model).__name__} does not say how sure it is of a number; expected a model"
        " such as kalman. Leave the band out."
    )


class PhraseWriter(Writer, ABC):
    """A writer that knows what spans of the source may be written as; a search covers them."""

    phrases: ClassVar[bool] = True
    search: ClassVar[str] = "stack"
    quick: ClassVar[str] = "stack"
    discrete: ClassVar[bool | None] = True

    @abstractmethod
    def read_phrases(self, sources: Sources) -> PhraseOptions:
        """Return the options of all spans of the sources."""


def phrase_writer(model: Model, owner: str) -> PhraseWriter:
    """Return the model if it has phrases; refuse it if not."""
    if isinstance(model, PhraseWriter):
        return model
    raise RecipeError(
        f"{owner}: {type(model).__name__} has no phrases to cover the source with; expected a model"
        " such as phrase_based. Use another search or model."
    )


def writer(model: Model) -> Writer:
    """Return the model if it writes place by place; refuse it if not."""
    if isinstance(model, Writer):
        return model
    raise RecipeError(
        f"{type(model).__name__}: does not write place by place, so nothing can be searched or"
        " drawn from it; expected a model such as encoder_decoder. Use another objective or model."
    )
