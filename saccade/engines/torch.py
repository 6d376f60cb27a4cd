"""The engine that trained the model: it can do everything."""

from pathlib import Path

from saccade.engines._devices import checked_device
from saccade.engines.base import Engine, EngineOptions
from saccade.export.base import is_export, read_export
from saccade.folders import model as folders
from saccade.kernels.library import found
from saccade.native.panels import ROUNDED
from saccade.predict.predictor import Predictor


class Torch(Engine):
    """Runs a model folder as it is."""

    def refusals(self, folder: Path, wanted: EngineOptions) -> list[str]:
        """Refuse a folder that was written for another engine, and rounding without kernels."""
        if is_export(folder):
            engine = read_export(folder).engine
            return [
                f"{folder}: was exported for {engine}; expected a model folder, which torch can"
                f" read. Use --engine {engine}."
            ]
        return _cannot_round(wanted) if wanted.quantise else []

    def open(self, folder: Path, wanted: EngineOptions) -> Predictor:
        """Load the model."""
        device = checked_device(wanted.device)
        return folders.load(folder, device=device, quantise=wanted.quantise)


def _cannot_round(wanted: EngineOptions) -> list[str]:
    """Say why weights cannot be rounded as is wanted, if they cannot."""
    asked = f"--quantise {wanted.quantise}"
    if wanted.quantise != ROUNDED:
        return [f"{asked}: the engine torch does not know it; expected {ROUNDED}. Use that."]
    if wanted.device != "cpu":
        return [
            f"{asked}: bytes are multiplied on the processor, but --device is {wanted.device};"
            " expected cpu. Leave one of the two out."
        ]
    kernels, told = found()
    if kernels is None or not kernels.rounds:
        why = told if kernels is None else "this processor has no instructions for bytes"
        return [
            f"{asked}: the engine torch multiplies bytes by kernels in C, and has none: {why}."
            " Use --engine ctranslate2 or onnx, or leave it out."
        ]
    return []
