"""The engine that trained the model: torch alone, which can do everything."""

from pathlib import Path
from typing import TYPE_CHECKING

from saccade.engines._devices import checked_device
from saccade.engines.base import Engine, EngineOptions, refuse_export
from saccade.folders import model as folders
from saccade.folders.home import home_of

if TYPE_CHECKING:
    from saccade.predict.predictor import Predictor


class Torch(Engine):
    """Runs a model folder as it is."""

    def refusals(self, folder: Path, wanted: EngineOptions) -> list[str]:
        """Refuse a folder that was written for another engine, and rounding."""
        problems = refuse_export(folder, "torch")
        if wanted.quantise:
            problems.append(
                f"--quantise {wanted.quantise}: the engine torch rounds no weights; expected an"
                " engine that does. Use --engine native, ctranslate2 or onnx, or leave it out."
            )
        return problems

    def open(self, folder: Path, wanted: EngineOptions) -> "Predictor":
        """Load the model."""
        predictor = folders.load(folder, device=checked_device(wanted.device))
        predictor.home, predictor.engine = home_of(folder), "torch"
        return predictor

    def open_beside(self, folder: Path, wanted: EngineOptions, predictor: "Predictor") -> None:
        """Leave everything to the predictor: torch runs it."""
