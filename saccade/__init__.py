"""Learn to turn one sequence into another, and see where the model looked for every symbol.

A name is imported when it is first asked for, so that `import saccade` costs nothing and a model
can run on an engine that needs no torch: this front and the table of verbs in saccade/cli are the
two places where imports are late.
"""

import importlib
import os
import sys
from types import ModuleType
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from saccade.api import History, Trained, fit, train
    from saccade.engines._open import load
    from saccade.engines._open import load as load_forecaster
    from saccade.engines.base import Opened
    from saccade.errors import (
        CheckpointError,
        DataError,
        Interrupted,
        RecipeError,
        SaccadeError,
        ShapeError,
        TrainingError,
        WorkerError,
    )
    from saccade.explanations.base import Explained, explain
    from saccade.inspections.base import draw as inspect
    from saccade.look.edits import EditTable, edits
    from saccade.predict.evaluation import Evaluation
    from saccade.predict.listening import Listener
    from saccade.predict.prediction import Prediction, Predictions, Scored
    from saccade.predict.prediction import Prediction as Forecast
    from saccade.predict.prediction import Prediction as Translation
    from saccade.predict.predictor import Predictor
    from saccade.predict.predictor import Predictor as Translator
    from saccade.recipe import Recipe
    from saccade.views.drawing import Drawing

    __version__: str

_PLACES = {
    "CheckpointError": "errors",
    "DataError": "errors",
    "Drawing": "views.drawing",
    "EditTable": "look.edits",
    "Evaluation": "predict.evaluation",
    "Explained": "explanations.base",
    "Forecast": "predict.prediction",
    "History": "api",
    "Interrupted": "errors",
    "Listener": "predict.listening",
    "Opened": "engines.base",
    "Prediction": "predict.prediction",
    "Predictions": "predict.prediction",
    "Predictor": "predict.predictor",
    "Recipe": "recipe",
    "RecipeError": "errors",
    "SaccadeError": "errors",
    "Scored": "predict.prediction",
    "ShapeError": "errors",
    "Trained": "api",
    "TrainingError": "errors",
    "Translation": "predict.prediction",
    "Translator": "predict.predictor",
    "WorkerError": "errors",
    "edits": "look.edits",
    "explain": "explanations.base",
    "fit": "api",
    "inspect": "inspections.base",
    "load": "engines._open",
    "load_forecaster": "engines._open",
    "train": "api",
}
_CALLED = {  # what a name is called where it comes from
    "Forecast": "Prediction",
    "Translation": "Prediction",
    "Translator": "Predictor",
    "inspect": "draw",
    "load_forecaster": "load",
}

__all__ = [
    "CheckpointError",
    "DataError",
    "Drawing",
    "EditTable",
    "Evaluation",
    "Explained",
    "Forecast",
    "History",
    "Interrupted",
    "Listener",
    "Opened",
    "Prediction",
    "Predictions",
    "Predictor",
    "Recipe",
    "RecipeError",
    "SaccadeError",
    "Scored",
    "ShapeError",
    "Trained",
    "TrainingError",
    "Translation",
    "Translator",
    "WorkerError",
    "__version__",
    "edits",
    "explain",
    "fit",
    "inspect",
    "load",
    "load_forecaster",
    "train",
]

SPINS = "30000"  # turns of the loop; the library's own choice is 300,000


def _limit_spinning() -> None:
    """Let threads of OpenMP wait in a loop for a short time only, unless the user chose one.

    A thread that waits for another spins before it sleeps. Where other processes want the cores,
    it spins away the time that the other thread needs. The library (GNU's, which torch brings and
    the kernels share) reads this once, when torch is imported: so it stands here. It changes no
    number that is computed. Fewer turns than these make single short inputs slower to decode;
    verbs that train take fewer (`cli.startup.spin_briefly`).
    """
    if not {"OMP_WAIT_POLICY", "GOMP_SPINCOUNT"} & os.environ.keys():
        os.environ["GOMP_SPINCOUNT"] = SPINS


_limit_spinning()


def __getattr__(name: str) -> Any:
    if name == "__version__":
        return _from("folders.versions", "versions")()["saccade"]
    if name not in _PLACES:
        raise AttributeError(f"module 'saccade' has no attribute '{name}'")
    return _from(_PLACES[name], _CALLED.get(name, name))


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})


def _from(module: str, name: str) -> Any:
    return getattr(importlib.import_module(f"saccade.{module}"), name)


class _Front(ModuleType):
    """Keeps `saccade.train` and `saccade.fit` functions: importing the rooms would bind those."""

    @property
    def train(self) -> Any:
        return _from("api", "train")

    @train.setter
    def train(self, room: ModuleType) -> None:
        pass

    @property
    def fit(self) -> Any:
        return _from("api", "fit")

    @fit.setter
    def fit(self, room: ModuleType) -> None:
        pass


sys.modules[__name__].__class__ = _Front
