"""What a model can do because it has a folder: say where it is, measure itself, be saved elsewhere.

The folder is known to the room `folders`, which builds on this one: here is only what is asked of
it. This file imports no torch.
"""

from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol, TypeAlias

from saccade.errors import CheckpointError
from saccade.predict.decode import USUAL, Decode
from saccade.predict.inputs import read_path
from saccade.views import page

if TYPE_CHECKING:
    from saccade.metrics.base import Metric
    from saccade.parts import Part
    from saccade.predict.evaluation import Evaluation, Opening
    from saccade.predict.predictor import Predictor

Metrics: TypeAlias = "str | Part[Metric] | Sequence[str | Part[Metric]]"


@dataclass(frozen=True, slots=True)
class Assessment:
    """What to measure.

    data: pairs in any form that `saccade.data.tables` reads; None for a split of the recipe.
    split: its name; "" for the first test set, or the validation set if there is none.  metrics:
    the recipe's own if empty.  writer: who writes the outputs, if not the predictor itself.
    """

    data: Any = None
    split: str = ""
    metrics: Metrics = ()
    writer: "Opening | None" = None
    decode: Decode = USUAL


class Home(Protocol):
    """The folder that a model came from."""

    @property
    def folder(self) -> Path:
        """Where it is."""

    @property
    def facts(self) -> Mapping[str, str]:
        """What it says of the model: its name, the kind of model."""

    def evaluate(self, predictor: "Predictor", wanted: Assessment) -> "Evaluation":
        """Measure a model."""

    def save(self, predictor: "Predictor", target: Path) -> None:
        """Write a model folder with the predictor's weights."""


class Resident(ABC):
    """A model that may have a home. What it cannot tell of itself, the home tells.

    engine: who computes, "" if nobody said.
    """

    home: Home | None = None
    engine: str = ""

    @abstractmethod
    def whole(self) -> "Predictor | None":
        """Return the same model with all its weights in torch; None if they are not at hand."""

    @abstractmethod
    def sizes(self) -> Mapping[str, str]:
        """Say what the model reads and writes, and how large it is."""

    @property
    def folder(self) -> Path | None:
        """The folder that the model was opened from; None if it was made in memory."""
        return self.home.folder if self.home else None

    def describe(self) -> dict[str, str]:
        """Return what to know of the model: name, kind, sizes, engine, folder; all as text."""
        own = {**(self.home.facts if self.home else {}), **self.sizes()}
        own |= {"engine": self.engine}
        own |= {"folder": str(self.folder)} if self.folder else {}
        return {name: text for name, text in own.items() if text}

    def __repr__(self) -> str:
        told = ", ".join(f"{name}: {text}" for name, text in self.describe().items())
        return f"<{type(self).__name__} {told}>"

    def _repr_html_(self) -> str:
        """Show the same as a table, in a notebook."""
        return page.pairs(self.describe())

    def evaluate(
        self, data: Any = None, split: str = "", metrics: Metrics = (), *, beam: int | None = None
    ) -> "Evaluation":
        """Write the outputs of examples and measure them, with 95 % bootstrap intervals.

        >>> m = saccade.load("runs/demo")                                    # doctest: +SKIP
        >>> m.evaluate([("He sleeps.", "Il dort.")], metrics="exact_match")  # doctest: +SKIP
        <Evaluation of 1 example: exact match 100.00 (100.00 to 100.00)>

        Args:
            data: (source, target) pairs as a list, a DataFrame of pandas or a Dataset of
                `datasets`; a target may be a list of references. None: a split of the recipe,
                whose files are read.
            split: valid, or a name of data.test; the first test set if not given.
            metrics: a name or several, as "bleu"; the recipe's own if not given.
            beam: hypotheses kept at each step; the recipe's own search if not given.
        """
        predictor, home = self._at_home("evaluate")
        writer: Any = None if predictor is self else self
        decode = USUAL if beam is None else Decode(beam)
        return home.evaluate(predictor, Assessment(data, split, metrics, writer, decode))

    def save(self, folder: str | Path) -> Path:
        """Write a model folder: recipe, vocabularies, weights, examples, card; no checkpoints.

        Args:
            folder: must be new or empty; nothing is overwritten.
        """
        target = read_path(folder, "save")
        predictor, home = self._at_home("save")
        home.save(predictor, target)
        return target

    def _at_home(self, wish: str) -> "tuple[Predictor, Home]":
        predictor = self.whole()
        if predictor is None or predictor.home is None:
            raise CheckpointError(
                f"{wish}: the weights of this model are not at hand; expected a model that"
                " `saccade.load` opened from a model folder, or that `saccade.train` returned."
                " Load it from there."
            )
        return predictor, predictor.home


def sizes_of(predictor: "Predictor") -> dict[str, str]:
    """Say what a model reads and writes, and how many parameters it has."""
    n = predictor.model.n_parameters
    reads = [f"{name} ({codec.describe()})" for name, codec in predictor.sources.items()]
    return {
        "model": type(predictor.model).__name__ if n else "",
        "reads": ", ".join(reads) if predictor.model.reads else "",
        "writes": predictor.target.describe(),
        "parameters": f"{n:,}" if n else "",
    }
