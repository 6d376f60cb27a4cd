"""The hidden states of a sentence: how likely each is at each word, and the best path."""

from typing import ClassVar

import numpy as np
import torch

from saccade.inspections.base import Inspection, Seen
from saccade.look.inspection import batch_of, written_in
from saccade.models.base import trellis_writer
from saccade.predict.prediction import Prediction
from saccade.predict.predictor import Predictor
from saccade.tokenizers._vocabulary import END
from saccade.views import trellis
from saccade.views.drawing import Drawing, colourless
from saccade.views.trellis import Grid


class TrellisView(Inspection):
    """How likely every tag is at every word, given all words, and the path that was chosen."""

    page: ClassVar[int] = 12

    @classmethod
    def suits(cls, predictor: Predictor) -> bool:
        """Tell whether the model has hidden states to lay out."""
        return predictor.model.trellis

    def draw(self, seen: Seen) -> Drawing:
        """Draw the trellis."""
        one = seen.translation
        posteriors, path = tag_posteriors(seen.translator, one)
        vocabulary = written_in(seen.translator.target)
        names = vocabulary.pieces(range(len(vocabulary)))
        each = seen.translator.model.pieces_each
        pieces = one.source_tokens[: each * len(path)]
        words = ["".join(pieces[i : i + each]) for i in range(0, len(pieces), each)]
        drawn = (posteriors, names, words, path)
        return Drawing(
            "Trellis",
            lambda: trellis.states_svg(*drawn, title="Tags, and the best path"),
            colourless(lambda width: trellis.states_terminal(*drawn, width=width)),
            said=seen.said,
        )


@torch.inference_mode()
def tag_posteriors(predictor: Predictor, prediction: Prediction) -> tuple[Grid, list[int]]:
    """Return how likely each symbol is at each word, `[S, V]`, and those that were written."""
    model = trellis_writer(predictor.model, "inspect")
    found = model.read_trellis(batch_of(predictor, prediction).sources)
    odds = found.posteriors()[0, : int(found.lengths[0])]  # [S, C]
    size = model.head.size
    whole = odds.new_zeros(len(odds), size).scatter_add(1, found.symbols[0, : len(odds)], odds)
    path = [token for token in prediction.hypothesis.tokens if token != END]
    return np.asarray(whole.double().cpu()), path
