"""What edits scores while a model is searched: a lexicon, a language model and the like."""

from collections.abc import Sequence
from typing import NamedTuple

from saccade.kernels.backoff import FusedTable
from saccade.models.base import Model
from saccade.recipe import Decoding
from saccade.search.base import Shaper
from saccade.shaping.fusion import Fusion
from saccade.shaping.lexicon import Counts, Lexicon
from saccade.shaping.no_repeat import NoRepeat
from saccade.tokenizers._vocabulary import Vocabulary


class LanguageModelFor(NamedTuple):
    """A language model, and what it calls each symbol of the target; () if as the target does."""

    model: Model
    ids: Sequence[int] = ()


class Shapers(NamedTuple):
    """All that edit scores, and the same as a table if they are a language model of n-grams."""

    several: Sequence[Shaper]
    fused: FusedTable | None = None


def shapers_of(
    decoding: Decoding,
    vocabulary: Vocabulary | None,
    lexicon: Counts | None,
    language_model: LanguageModelFor | None,
) -> Shapers:
    """Build the shapers that a recipe asks for; a model of values has none."""
    shapers: list[Shaper] = []
    fused: FusedTable | None = None
    if vocabulary is None:
        return Shapers(shapers)
    if decoding.no_repeat:
        shapers.append(NoRepeat(decoding.no_repeat))
    if lexicon is not None:
        separator = decoding.lexicon_separator
        shapers.append(Lexicon(lexicon, vocabulary, decoding.lexicon_weight, separator))
    if language_model is not None:
        model, ids = language_model
        weight, insertion = decoding.language_model_weight, decoding.insertion
        fusion = Fusion(model, weight, insertion, ids)
        fused = None if shapers else fusion.table()
        shapers.append(fusion)
    return Shapers(shapers, fused)
