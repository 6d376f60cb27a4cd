"""The engine of our own kernels: searches in C, and torch for all that is no search."""

from functools import partial
from pathlib import Path

from saccade.engines.base import Engine, EngineOptions, refuse_export
from saccade.errors import RecipeError
from saccade.folders import model as folders
from saccade.folders.home import home_of
from saccade.kernels import library
from saccade.kernels.library import Kernels
from saccade.models.base import Model
from saccade.native.searcher import NativeSearcher
from saccade.predict.predictor import Predictor

INT8 = "int8"  # what weights in bytes are called where they are asked for


class Native(Engine):
    """Runs a model folder as it is, on the processor.

    Scores of given pairs and attention are torch's, with the weights as they are.
    """

    def refusals(self, folder: Path, wanted: EngineOptions) -> list[str]:
        """Refuse other devices, other engines' folders, other rounding; all without kernels."""
        return refuse_export(folder, "native") or _unusable(wanted)

    def open(self, folder: Path, wanted: EngineOptions) -> Predictor:
        """Load the model."""
        predictor = folders.load(folder, searcher=partial(_searcher, wanted))
        if wanted.quantise and predictor.target.vocabulary is None:
            raise RecipeError(
                f"--quantise {wanted.quantise}: {folder} writes values, and the engine native"
                " rounds what it searches by; expected a model of symbols. Leave it out."
            )
        predictor.home = home_of(folder)
        predictor.engine = f"native {wanted.quantise}".strip()
        return predictor

    def open_beside(
        self, folder: Path, wanted: EngineOptions, predictor: Predictor
    ) -> Predictor | None:
        """Search the predictor's model; None if that needs no weights of its own."""
        if not wanted.quantise:
            return None
        return predictor.searched_by(_searcher(wanted, predictor.model))


def _searcher(wanted: EngineOptions, model: Model) -> NativeSearcher:
    return NativeSearcher(model, _kernels(), int8=wanted.quantise == INT8)


def _kernels() -> Kernels:
    kernels = library.found().kernels
    assert kernels is not None, "refused without kernels"
    return kernels


def _unusable(wanted: EngineOptions) -> list[str]:
    """Say why the kernels cannot be used as is wanted, if they cannot."""
    if wanted.quantise not in ("", INT8):
        return [
            f"--quantise {wanted.quantise}: the engine native does not know it; expected {INT8}."
            " Use that."
        ]
    if wanted.device != "cpu":
        return [
            f"--device {wanted.device}: the engine native runs on the cpu. Leave it out, or use"
            " --engine torch."
        ]
    kernels, told = library.found()
    if kernels is None:
        return [
            f"--engine native: there are no kernels in C: {told}. Use --engine torch,"
            " ctranslate2 or onnx."
        ]
    if wanted.quantise and not kernels.rounds:
        return [
            f"--quantise {wanted.quantise}: this processor has no instructions for bytes; the"
            " engine native needs them. Use --engine ctranslate2 or onnx, or leave it out."
        ]
    return []
