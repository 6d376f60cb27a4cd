"""Characters as pieces, and features of the whole behind them: for inflection."""

from collections.abc import Iterable, Sequence

import tokenizers
from tokenizers import Regex, decoders, models, normalizers, pre_tokenizers

from saccade.errors import RecipeError
from saccade.tokenizers._build import count_pieces, finished, most_common, plain_text
from saccade.tokenizers._known import (
    BESIDE_TABS,
    FEATURE,
    LAST_MARK,
    LONGEST_SEPARATOR,
    between_features,
)
from saccade.tokenizers._vocabulary import MARK, Vocabulary
from saccade.tokenizers.base import Tokenizer

_OWN = BESIDE_TABS  # tabs have a meaning


class Featured(Tokenizer):
    r"""Every character of what stands before a tab, and every feature behind it as one piece.

        schreiben \t V;PST;3;SG      ->      s c h r e i b e n ▁V ▁PST ▁3 ▁SG

    `separator` stands between features; a further tab does too. A feature begins with ▁, so that
    the feature V is another piece than the letter V, and a ▁ in the text is read as _. Text without
    a tab, such as a target, is characters alone: with `data.joint` both sides share the letters.
    Pieces that occur less than `min_count` times are unknown.

    Characters with tags beside them as symbols of one sequence: Kann & Schütze 2016
    (arXiv:1606.00589), section 2; tags stand behind the word here, where they can be typed.
    """

    def __init__(self, *, separator: str = ";", min_count: int = 1) -> None:
        self.separator, self.min_count = separator, min_count
        if not 1 <= len(separator) <= LONGEST_SEPARATOR or MARK in separator:
            raise RecipeError(
                f"featured.separator: found '{separator}'; expected 1 to {LONGEST_SEPARATOR}"
                f" characters that stand between two features, {MARK} not among them. Change it."
            )

    def fit(self, lines: Iterable[str], normalise: Sequence[str]) -> Vocabulary:
        """Count characters and features."""
        tokenizer = _featured(self.separator, normalise)
        tokenizer.model = most_common(count_pieces(tokenizer, lines), None, self.min_count)
        return finished(tokenizer)


def _featured(separator: str, normalise: Sequence[str]) -> tokenizers.Tokenizer:
    """Cut text at every character, but not behind ▁, which the first tab becomes."""
    if "digits" in normalise:
        raise RecipeError(
            "normalise: digits makes the features 1, 2 and 3 the same; expected features as they"
            " are. Leave it out where the tokenizer is featured."
        )
    tokenizer = tokenizers.Tokenizer(models.WordLevel())
    tokenizer.normalizer = normalizers.Sequence(
        [
            plain_text([name for name in normalise if name not in _OWN]),
            *(normalizers.Replace(Regex(_OWN[n][0]), _OWN[n][1]) for n in normalise if n in _OWN),
            normalizers.Replace(MARK, "_"),
            normalizers.Replace(Regex(between_features(separator)), MARK),
            normalizers.Replace(Regex(LAST_MARK), ""),
        ]
    )
    tokenizer.pre_tokenizer = pre_tokenizers.Split(Regex(FEATURE), "isolated")
    tokenizer.decoder = decoders.Fuse()
    return tokenizer
