"""What edits scores while a model is searched: a lexicon, a language model and the like."""

from collections.abc import Sequence
from typing import NamedTuple

from saccade.errors import RecipeError
from saccade.kernels.backoff import FusedTable
from saccade.models.base import Model, writer
from saccade.predict.repair import Channel, Confusions, Repair
from saccade.recipe import Decoding
from saccade.search.base import Shaper
from saccade.shaping.fusion import Fusion
from saccade.shaping.insertion import Insertion
from saccade.shaping.lexicon import Counts, Lexicon
from saccade.shaping.no_repeat import NoRepeat
from saccade.tokenizers._vocabulary import Vocabulary


class LanguageModelFor(NamedTuple):
    """A language model, and what it calls each symbol of the target; () if as the target does.

    confusions: how often what was read as what, if it is to mend outputs.
    """

    model: Model
    ids: Sequence[int] = ()
    confusions: Confusions | None = None


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
    if language_model is not None and not decoding.repair:
        weight, insertion = decoding.language_model_weight, decoding.insertion
        fusion = Fusion(language_model.model, weight, insertion, language_model.ids)
        fused = None if shapers else fusion.table()
        shapers.append(fusion)
    elif decoding.insertion and not decoding.repair:
        shapers.append(Insertion(decoding.insertion))
    return Shapers(shapers, fused)


def repair_of(
    decoding: Decoding, vocabulary: Vocabulary | None, language_model: LanguageModelFor | None
) -> Repair | None:
    """Build what mends outputs, if a recipe asks for it."""
    if not decoding.repair:
        return None
    if vocabulary is None or language_model is None or language_model.confusions is None:
        raise RecipeError(
            f"decoding.repair: {decoding.repair} needs a language model beside it, and an output of"
            " text; expected both in the model folder. Write one: `saccade reconfigure MODEL -o NEW"
            " --set decoding.repair=FILE --set decoding.language_model=FOLDER`."
        )
    channel = Channel.of(language_model.confusions, vocabulary)
    weight, insertion = decoding.language_model_weight, decoding.insertion
    model, ids = writer(language_model.model), language_model.ids
    return Repair(channel, model, weight, insertion, ids)
