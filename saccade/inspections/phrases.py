"""How the stack search of a phrase-based model covered a source."""

from typing import ClassVar, NamedTuple

import numpy as np
import torch

from saccade.inspections.base import Inspection, Seen
from saccade.kernels.stack import StackLimits
from saccade.look.inspection import batch_of, written_in
from saccade.models.base import phrase_writer
from saccade.predict.prediction import Prediction
from saccade.predict.predictor import Predictor
from saccade.search.stack import cover
from saccade.tokenizers._vocabulary import END
from saccade.views import phrases
from saccade.views.drawing import Drawing, colourless
from saccade.views.phrases import PhraseStep, StackRow

_WIDTH, _THRESHOLD = 100, 10.0  # of a stack, where the recipe searches otherwise


class Covering(NamedTuple):
    """The best derivation of a source, and what became of the hypotheses of every stack."""

    phrases: list[PhraseStep]
    stacks: list[StackRow]


class PhrasesView(Inspection):
    """The phrases of the best derivation, what they covered step by step, and the stacks."""

    page: ClassVar[int] = 13

    @classmethod
    def suits(cls, predictor: Predictor) -> bool:
        """Tell whether the model covers its source by phrases."""
        return predictor.model.phrases

    def draw(self, seen: Seen) -> Drawing:
        """Draw the derivation and its search."""
        one = seen.translation
        found = covering(seen.translator, one)
        source = one.source_tokens[: len(one.source_values)]  # END is no word
        drawn = (source, found.phrases, found.stacks)
        return Drawing(
            "Phrases",
            lambda: phrases.to_svg(*drawn, title="The source, phrase by phrase"),
            colourless(lambda width: phrases.to_terminal(*drawn, width=width)),
            said=seen.said,
        )


@torch.inference_mode()
def covering(predictor: Predictor, prediction: Prediction) -> Covering:
    """Search once more, and keep what a search forgets."""
    model = phrase_writer(predictor.model, "inspect --view phrases")
    options = model.read_phrases(batch_of(predictor, prediction).sources)
    chosen = predictor.decoding.search.options
    width = int(chosen.get("width", _WIDTH))
    kept = StackLimits(width, float(chosen.get("threshold", _THRESHOLD)), 1)
    limit = np.full(1, np.iinfo(np.int32).max)  # as long as it likes
    (found,) = cover(options, limit, END, kept)
    vocabulary = written_in(predictor.target)
    path = [
        PhraseStep(int(first), int(end), vocabulary.decode(options.target(o)))
        for o in found.paths[0]
        for first, end in [options.spans[o]]
    ]
    rows = [StackRow(s.kept, s.made - s.kept, s.recombined, s.skipped) for s in found.stacks]
    return Covering(path, rows)
