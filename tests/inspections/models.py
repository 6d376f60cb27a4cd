"""Small untrained models of a kind."""

from saccade.models.base import Model
from saccade.parts import Part
from saccade.predict.predictor import Predictor
from saccade.recipe import Decoding
from tests import samples


def other(part: Part[Model]) -> Predictor:
    codecs = samples.codecs()
    model = samples.scramble(part.build(*codecs.shape), scale=0.1)
    return Predictor(model, codecs, Decoding(max_ratio=1.0, max_extra=3))
