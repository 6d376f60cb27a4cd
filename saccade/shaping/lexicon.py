"""A list of all that may be written: search keeps to it, and may prefer what is frequent in it."""

from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from math import log

import torch
from torch import Tensor

from saccade.errors import DataError, RecipeError
from saccade.readers.base import Reader
from saccade.tokenizers._vocabulary import END, UNK, Vocabulary

_NEVER = float("-inf")
Counts = Mapping[str, int]  # how often each text occurs


@dataclass(slots=True)
class _Node:
    """A beginning that the list knows: how it may go on, and what ending here adds."""

    following: "dict[int, _Node]" = field(default_factory=dict)
    bonus: float | None = None


class Lexicon:
    """Edits log-probabilities so that only texts of the list are written: a shaper of search.

        log p(v | y[1..t-1])                     if a text of the list begins with y[1..t-1] v
        log p(END | y) + weight log P(y)         if y is one of them, P its share of all counts
        -inf                                     otherwise

    With a weight this is a noisy channel: how likely the model finds the text times how usual it
    is. Texts with a symbol that the vocabulary does not know cannot be written. With a `separator`,
    a text may be followed by it and another text, as words are by spaces; it counts as END does.
    """

    def __init__(
        self, counts: Counts, vocabulary: Vocabulary, weight: float = 0.0, separator: str = ""
    ) -> None:
        normal: Counter[str] = Counter()
        for text, n in counts.items():
            normal[vocabulary.normalise(text)] += n
        total, self._root = sum(normal.values()), _Node()
        self._ends = [END, *_one_symbol(separator, vocabulary)]
        for n, ids in zip(normal.values(), vocabulary.encode_many(list(normal)), strict=True):
            if UNK not in ids and ids:
                self._enter(ids, weight * log(n / total))

    def _enter(self, ids: list[int], bonus: float) -> None:
        node = self._root
        for token in ids:
            node = node.following.setdefault(token, _Node())
        node.bonus = bonus if node.bonus is None else max(bonus, node.bonus)

    def __call__(self, prefixes: Tensor, log_probs: Tensor) -> Tensor:
        """Edit log-probabilities `[N, V]` of what follows `prefixes [N, t]`."""
        rows, tokens, gains = list[int](), list[int](), list[float]()
        for row, prefix in enumerate(prefixes.tolist()):
            node = self._find(prefix)
            ends = [] if node.bonus is None else self._ends
            rows += [row] * (len(node.following) + len(ends))
            tokens += [*node.following, *ends]
            gains += [0.0] * len(node.following) + [node.bonus or 0.0] * len(ends)
        places = (torch.tensor(rows, dtype=torch.long), torch.tensor(tokens, dtype=torch.long))
        edited = torch.full_like(log_probs, _NEVER)
        edited[places] = log_probs[places] + torch.tensor(gains).to(log_probs)
        return edited

    def _find(self, prefix: list[int]) -> _Node:
        node = self._root
        for token in prefix:
            found = node.following.get(token)
            if found is None and node.bonus is not None and token in self._ends[1:]:
                found = self._root
            if found is None:
                return _Node()
            node = found
        return node


def _one_symbol(separator: str, vocabulary: Vocabulary) -> list[int]:
    """Return the id of a separator; nothing if there is none."""
    ids = vocabulary.encode(separator) if separator else []
    if separator and (len(ids) != 1 or ids[0] == UNK):
        raise RecipeError(
            f"decoding.lexicon_separator: {separator!r} is not one symbol of the target; expected"
            " one, such as a space between words in characters. Use the tokenizer character."
        )
    return ids


def gather(readers: Iterable[Reader]) -> Counts:
    """Count the targets of readers."""
    counts = Counter(example.target for reader in readers for example in reader.read())
    if any("\t" in text for text in counts):
        raise DataError(
            "decoding.lexicon: a text has a tab in it, which stands between text and count in"
            " lexicon.tsv; expected texts without. Take it out."
        )
    return counts
