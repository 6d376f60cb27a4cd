"""The engine for recurrent and all other models: onnxruntime computes, our own search searches."""

from saccade.data.prepare import reads
from saccade.engines._converted import Conversion, Keeping
from saccade.engines._sessions import Sessions
from saccade.folders import model as folders
from saccade.folders.facts import read_profile
from saccade.folders.home import home_of
from saccade.folders.identity import read_codecs, read_recipe
from saccade.models.base import Model
from saccade.predict.predictor import Predictor


class Onnx(Keeping):
    """Runs ONNX graphs. It can do all that torch can; where a model looked, torch says."""

    name = "onnx"

    def wake(self, kept: Conversion) -> Predictor:
        """Put the graphs where a translator wants a model."""
        recipe, home = read_recipe(kept.folder), kept.home
        codecs = read_codecs(kept.folder, recipe)

        def original() -> Model | None:
            if kept.beside is not None:
                return kept.beside.model
            return None if home is None else folders.load(home).model

        model = Sessions(kept.folder, reads=reads(recipe), original=original)
        profile = read_profile(kept.folder)
        predictor = Predictor(model, codecs, recipe.decoding, profile)
        predictor.home, predictor.engine = home_of(home) if home else None, self.name
        return predictor
