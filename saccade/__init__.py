"""Learn to turn one sequence into another, and see where the model looked for every symbol."""

from saccade.api import History, Trained, train
from saccade.errors import (
    CheckpointError,
    DataError,
    Interrupted,
    RecipeError,
    SaccadeError,
    ShapeError,
    TrainingError,
)
from saccade.folder import load, versions
from saccade.pictures import draw as inspect
from saccade.recipe import Recipe
from saccade.translation import Translation
from saccade.translator import Scored, Translator
from saccade.views.drawing import Drawing

__version__ = versions()["saccade"]

__all__ = [
    "CheckpointError",
    "DataError",
    "Drawing",
    "History",
    "Interrupted",
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
    "train",
]
