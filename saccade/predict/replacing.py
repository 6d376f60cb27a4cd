"""Whether unknown words of an output can be replaced by those of the source."""

from saccade.errors import RecipeError
from saccade.predict.looker import Looker


def check_replacing(looker: Looker) -> None:
    """Refuse to replace unknown words where nobody knows by which, or where pieces are no words."""
    problems = []
    if not looker.attention_names:
        problems.append(
            "decoding.replace_unknown: the model has no attention, so nobody knows which word to"
            " take; expected one that looks at the source. Set it to false."
        )
    sides = [*looker.sources.values(), looker.target]
    if not all(one.vocabulary is not None and one.vocabulary.whole_words for one in sides):
        problems.append(
            "decoding.replace_unknown: the pieces are not whole words, so an unknown one is no"
            " word; expected the tokenizer word on both sides. Set it to false."
        )
    if problems:
        raise RecipeError(problems)
