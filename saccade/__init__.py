"""Learn to turn one sequence into another, and see where the model looked for every symbol.

A name is imported when it is first asked for, so that `import saccade` costs nothing and a model
can run on an engine that needs no torch: this front and the table of verbs in saccade/cli are the
two places where imports are late.
"""

import importlib
import sys
from types import ModuleType
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from saccade.api import History, Trained, train
    from saccade.engines._open import load
    from saccade.engines.base import Opened
    from saccade.errors import (
        CheckpointError,
        DataError,
        Interrupted,
        RecipeError,
        SaccadeError,
        ShapeError,
        TrainingError,
    )
    from saccade.folders.model import load_forecaster
    from saccade.look.pictures import draw as inspect
    from saccade.predict.forecaster import Forecast, Predictor
    from saccade.predict.translation import Translation
    from saccade.predict.translator import Scored, Translator
    from saccade.recipe import Recipe
    from saccade.views.drawing import Drawing

    __version__: str

_PLACES = {
    "CheckpointError": "errors",
    "DataError": "errors",
    "Drawing": "views.drawing",
    "Forecast": "predict.forecaster",
    "History": "api",
    "Interrupted": "errors",
    "Opened": "engines.base",
    "Predictor": "predict.forecaster",
    "Recipe": "recipe",
    "RecipeError": "errors",
    "SaccadeError": "errors",
    "Scored": "predict.translator",
    "ShapeError": "errors",
    "Trained": "api",
    "TrainingError": "errors",
    "Translation": "predict.translation",
    "Translator": "predict.translator",
    "inspect": "look.pictures",
    "load": "engines._open",
    "load_forecaster": "folders.model",
    "train": "api",
}
_CALLED = {"inspect": "draw"}  # what a name is called where it comes from

__all__ = [
    "CheckpointError",
    "DataError",
    "Drawing",
    "Forecast",
    "History",
    "Interrupted",
    "Opened",
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
    "__version__",
    "inspect",
    "load",
    "load_forecaster",
    "train",
]


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
    """Keeps `saccade.train` the function: importing the room saccade/train would bind itself."""

    @property
    def train(self) -> Any:
        return _from("api", "train")

    @train.setter
    def train(self, room: ModuleType) -> None:
        pass


sys.modules[__name__].__class__ = _Front
