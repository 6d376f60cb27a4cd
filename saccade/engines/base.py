"""What an engine is: a way to run a trained model. This file imports no torch.

An engine opens a folder; what it opens translates like any other. Those that run a converted model
build on `_converted.py` and leave only the search itself to write.
"""

from abc import ABC, abstractmethod
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol, Unpack, overload

from saccade.export.base import is_export, read_export
from saccade.predict.decode import Decode, PredictOptions
from saccade.predict.looker import Looker
from saccade.predict.prediction import Prediction, Predictions

if TYPE_CHECKING:
    from saccade.predict.evaluation import Evaluation
    from saccade.predict.home import Metrics
    from saccade.predict.predictor import Predictor


@dataclass(frozen=True, slots=True)
class EngineOptions:
    """How a model is to be run.

    device: where.  quantise: how its weights are rounded, "" for the engine's most exact way.
    lenient: leave to torch what the engine cannot do, instead of refusing it.  much: there is so
    much to translate that how soon it begins does not count.
    """

    device: str = "cpu"
    quantise: str = ""
    lenient: bool = False
    much: bool = False


class Opened(Looker, Protocol):
    """A model that is ready to translate, whoever runs it."""

    @overload
    def predict(self, given: list[Any], **options: Unpack[PredictOptions]) -> Predictions: ...
    @overload
    def predict(self, given: Any, **options: Unpack[PredictOptions]) -> Prediction: ...
    def predict(self, given: Any, **options: Unpack[PredictOptions]) -> Any:
        """Predict the output for one input, or for a list: `Predictor.predict`."""

    @overload
    def translate(self, given: list[Any], **options: Unpack[PredictOptions]) -> Predictions: ...
    @overload
    def translate(self, given: Any, **options: Unpack[PredictOptions]) -> Prediction: ...
    def translate(self, given: Any, **options: Unpack[PredictOptions]) -> Any:
        """Predict, as it is called for text."""

    def stream(
        self, inputs: Iterable[Any], decode: Decode = ..., *, chunk: int = ...
    ) -> Iterator[Prediction]:
        """Predict outputs for inputs as they come and yield results in their order."""

    def evaluate(
        self,
        data: Any = ...,
        split: str = ...,
        metrics: "Metrics" = ...,
        *,
        beam: int | None = ...,
    ) -> "Evaluation":
        """Write the outputs of examples and measure them: `Resident.evaluate`."""

    def save(self, folder: str | Path) -> Path:
        """Write a model folder: `Resident.save`."""

    def describe(self) -> dict[str, str]:
        """Return what to know of the model, by name; `repr` shows it."""


class Engine(ABC):
    """A way to run models. Constructed without arguments."""

    @abstractmethod
    def refusals(self, folder: Path, wanted: EngineOptions) -> list[str]:
        """Say what keeps this engine from running a model; nothing if it can."""

    @abstractmethod
    def open(self, folder: Path, wanted: EngineOptions) -> Opened:
        """Open a folder that is not refused."""

    @abstractmethod
    def open_beside(
        self, folder: Path, wanted: EngineOptions, predictor: "Predictor"
    ) -> Opened | None:
        """Open a folder for a process that has its model open already, and other work to do.

        Args:
            folder: a folder that is not refused.
            wanted: how to run it.
            predictor: the same model, run by torch or native. What is opened may share it.

        Returns:
            What writes outputs; None if the predictor itself does it as well.
        """


def refuse_export(folder: Path, engine: str) -> list[str]:
    """Refuse a folder that was exported, to an engine that reads model folders."""
    if not is_export(folder):
        return []
    other = read_export(folder).engine
    return [
        f"{folder}: was exported for {other}; expected a model folder, which {engine} can read."
        f" Use --engine {other}."
    ]
