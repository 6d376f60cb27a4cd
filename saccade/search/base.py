"""The room of search: ways to choose symbols one after another, given a model's next-symbol scores.

A search sees a step function and a state, never a model.
"""

from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import ClassVar, NamedTuple, Protocol

import torch
from torch import Tensor

from saccade.flow import Sources, State, StepFunction
from saccade.kernels.backoff import FusedTable
from saccade.kernels.stack import PhraseOptions
from saccade.nouns import Branch, Hypothesis

Shaper = Callable[[Tensor, Tensor], Tensor]  # (prefixes [N, t], log_probs [N, V]) -> log_probs
Watch = Callable[[Tensor, Tensor], None]  # (rows [N], what each has written so far [N, t])


@dataclass(frozen=True, slots=True)
class Task:
    """What to search for.

    start, end: the ids of START and END.  banned: ids never written (PAD, START, UNK if unwanted).
    limits: `[B]`, the most symbols of each output, END not counted; on the device of the state.
    prefixes: for each row the symbols its output must begin with, or () for all rows. They are
    written with their true log-probabilities, banned or not; a prefix longer than its row's limit
    raises that limit to its length.
    generator: where sampling takes all its random numbers from; outcomes then depend on the batch.
    keys: for each row a number that stays the same wherever the row stands (a hash of its text,
    say). Without `generator`, a row's random numbers follow from the seed and its key alone;
    without `keys` every key is 0.
    shapers: edits to the log-probabilities, applied in turn before anything is chosen; scores and
    `token_scores` are then the edited ones.
    fused: all that the shapers add, as a table, if that can be said: a faster way to the same.
    options: what phrases of the sources may be written as, for a search that covers them.
    watch: called after every step with the rows that go on and the best line of each so far (every
    line, for a search that writes several without comparing them). It changes nothing; what it
    raises ends the search. Exhaustive search does not call it.
    """

    start: int
    end: int
    limits: Tensor
    banned: tuple[int, ...] = ()
    prefixes: Sequence[tuple[int, ...]] = ()
    generator: torch.Generator | None = None
    keys: Sequence[int] = ()
    shapers: Sequence[Shaper] = ()
    fused: FusedTable | None = None
    options: PhraseOptions | None = None
    watch: Watch | None = None

    @property
    def plain(self) -> bool:
        """Whether limits and banned symbols are all there is: no prefix, shaper or watch."""
        return not (any(self.prefixes) or self.shapers or self.watch)


@dataclass(frozen=True, slots=True)
class Found:
    """What search found for one row: hypotheses, best first, and, if asked, the tree it grew.

    There is always at least one hypothesis; those that wrote END stand before those that did not.
    """

    hypotheses: tuple[Hypothesis, ...]
    tree: tuple[tuple[Branch, ...], ...] = field(default=())


COVERED = "covered"  # the entry of a State for a search that `looks`: what was read, [N, S]


class BeamOptions(NamedTuple):
    """What a beam keeps and when it stops: `search.beam` tells more."""

    width: int  # K
    alpha: float
    n_best: int
    n_completed: int
    patient: bool
    offset: float = 0.0
    beta: float = 0.0


class Search(ABC):
    """A way to choose symbols. Each row's outcome depends on that row alone."""

    once: ClassVar[bool] = False  # True if it steps from every state at most once, as a beam does
    draws: ClassVar[bool] = False  # True if it needs the keys of a task
    frames: ClassVar[bool] = False  # True if it goes along the frames of a model, as of CTC
    trellis: ClassVar[bool] = False  # True if its state is the trellis of a model, as of an HMM
    phrases: ClassVar[bool] = False  # True if it covers the source by phrases of a model
    lines: int = 1  # of a sentence that are written side by side
    looks: bool = False  # True if states must tell what was read, as the entry COVERED
    beam: BeamOptions | None = None  # set if it is a beam search, which some models run themselves

    @abstractmethod
    def __call__(
        self, step: StepFunction, state: State, task: Task, *, trace: bool = False
    ) -> list[Found]:
        """Search from `state`, whose tensors have one row a sentence; `trace` asks for the tree."""


class Searcher(Protocol):
    """A model that is ready to be searched, whoever computes its steps.

    It may step through a `Search`, or run a search it knows by itself: both find the same.
    """

    def batch_places(self, lines: int) -> int:
        """Return how many source places a batch should have if so many lines read each, at most.

        It decides how fast a batch is and how much memory it takes, never what is found.
        """

    def search(
        self, sources: Sources, search: Search, task: Task, *, trace: bool = False
    ) -> list[Found]:
        """Read the sources and search for their outputs; `trace` asks for the trees."""


def numbered(watch: Callable[[Sequence[int], Tensor], None], rows: Sequence[int]) -> Watch:
    """Tell `watch` the numbers of lines instead of the rows of a batch."""
    return lambda found, tokens: watch([rows[i] for i in found.tolist()], tokens)
