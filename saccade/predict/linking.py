"""Which words of given pairs belong together, by where a model looks: classical or neural alike."""

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import torch
from numpy.typing import NDArray

from saccade.errors import DataError
from saccade.metrics._links import LinkScore, link_score
from saccade.models._links import Links, sorted_links
from saccade.nouns import Example
from saccade.predict.pharaoh import read_gold
from saccade.predict.predictor import Predictor
from saccade.predict.times import word_groups
from saccade.readers._lines import numbered
from saccade.search._plan import sorted_batches
from saccade.tokenizers._vocabulary import Vocabulary

Array = NDArray[Any]
_MOST_PAIRS = 10_000  # whose weights are held at once


class TextPair(NamedTuple):
    """A source and its translation, and where they stand."""

    source: str
    target: str
    origin: str

    def turned(self) -> "TextPair":
        """Exchange source and target."""
        return TextPair(self.target, self.source, self.origin)


def read_pairs(path: Path) -> list[TextPair]:
    """Read pairs from a file, a line each: source, tab, target."""
    found = []
    for number, line in numbered(path):
        sides = line.split("\t")
        if len(sides) != 2 or not all(side.strip() for side in sides):
            raise DataError(
                f"{path}:{number}: {len(sides)} columns, or an empty one; expected a source, a tab"
                " and a target. Mend the line."
            )
        found.append(TextPair(sides[0], sides[1], f"{path}:{number}"))
    return found


def link_words(predictor: Predictor, pairs: Sequence[TextPair]) -> Links:
    """Link each target word to the source word that the model looks at most, or to none.

        link i-j if w(i, j) is the largest of j, and larger than 1 - sum_i w(i, j)

    w is that of `look_at_words`. The rest, 1 - sum, is what looks at no word: at END, or at the
    empty word of a model of alignment.
    """
    found = [
        np.array([(i, *link) for link in _links(weights)], np.int32).reshape(-1, 3)
        for i, weights in look_at_words(predictor, pairs)
    ]
    return sorted_links(np.concatenate([np.zeros((0, 3), np.int32), *found]))


def link_by_posteriors(
    predictor: Predictor,
    pairs: Sequence[TextPair],
    threshold: float,
    reverse: Predictor | None = None,
) -> Links:
    """Link all words that are likely enough: posterior decoding, many words to many.

        link i-j if w(i, j) > threshold,  or if sqrt(w(i, j) v(j, i)) > threshold

    w is that of `look_at_words`, v that of a model of the other direction. Liang, Taskar & Klein
    2006 (N06-1014) multiply the posteriors of two directions and link by a threshold, too.
    """
    found = [np.zeros((0, 3), np.int32)]
    for first in range(0, len(pairs), _MOST_PAIRS):
        some = pairs[first : first + _MOST_PAIRS]
        weights = dict(look_at_words(predictor, some))
        back = dict(look_at_words(reverse, [one.turned() for one in some])) if reverse else {}
        for i, ours in weights.items():
            both = np.sqrt(ours * back[i].T) if reverse else ours
            j, place = np.nonzero(both > threshold)
            found.append(np.stack([np.full_like(j, first + i), place, j], axis=1))
    return sorted_links(np.concatenate(found).astype(np.int32))


@torch.inference_mode()
def look_at_words(predictor: Predictor, pairs: Sequence[TextPair]) -> Iterator[tuple[int, Array]]:
    """Yield the number of each pair and how much the model looks from word to word, `[T, S]`.

        w(i, j) = sum over pieces of word i, mean over pieces of word j and maps, of the weights

    Words end at spaces. Short pairs come first.
    """
    source, target = _vocabulary(predictor, "source"), _vocabulary(predictor, "target")
    if not predictor.attention_names:
        raise DataError(
            "align: the model has no attention, so nothing says which words belong together;"
            " expected one that looks at its source, such as hmm_alignment or one with attention."
        )
    (name,) = predictor.sources
    read = predictor.encode([{name: pair.source} for pair in pairs])
    written = predictor.target.encode_targets([p.target for p in pairs], [p.source for p in pairs])
    groups = [
        (_words(source, np.asarray(x[name]), p.source, p), _words(target, y, p.target, p))
        for p, x, y in zip(pairs, read, written, strict=True)
    ]
    sizes = [max(len(np.asarray(x[name])), len(y)) for x, y in zip(read, written, strict=True)]
    for rows in sorted_batches(sizes, predictor.decoding.batch_tokens):
        batch = predictor.batch([read[i] for i in rows], [written[i] for i in rows])
        weights = predictor.model(batch, look=True).weights
        maps = weights.double().mean(dim=2).cpu().numpy()  # [B, T, S]
        for i, one in zip(rows, maps, strict=True):
            yield i, _of_words(one, *groups[i])


def alignment_error(predictor: Predictor, examples: Sequence[Example], gold: Path) -> LinkScore:
    """Link the words of every example and its first reference; compare them with links by people.

    Args:
        predictor: a model with attention, or one of alignment.
        examples: texts whose words end at spaces.
        gold: a file of links, a line for each example.
    """
    pairs = [TextPair(str(one.source), str(one.target), one.origin) for one in examples]
    lengths = [len(p.source.split()) for p in pairs], [len(p.target.split()) for p in pairs]
    return link_score(link_words(predictor, pairs), read_gold(gold, *lengths))


def _of_words(weights: Array, sources: Sequence[list[int]], targets: Sequence[list[int]]) -> Array:
    """Return the weights `[T, S]` of words from those of pieces."""
    found = np.zeros((len(targets), len(sources)))
    for j, group in enumerate(targets):
        row = weights[group].mean(axis=0)
        found[j] = [row[own].sum() for own in sources]
    return found


def _links(weights: Array) -> Iterator[tuple[int, int]]:
    """Yield source and target words that are linked, of weights `[T, S]`."""
    for j, row in enumerate(weights):
        best = int(row.argmax()) if len(row) else 0
        if len(row) and row[best] > 1 - row.sum():
            yield best, j


def _vocabulary(predictor: Predictor, side: str) -> Vocabulary:
    codecs = list(predictor.sources.values()) if side == "source" else [predictor.target]
    vocabulary = codecs[0].vocabulary
    if vocabulary is None or len(codecs) != 1:
        raise DataError(
            f"align: the {side} of the model is not one text; expected a model from text to text."
        )
    return vocabulary


def _words(vocabulary: Vocabulary, ids: Array, text: str, pair: TextPair) -> list[list[int]]:
    """Group the pieces of each word; the words must be those of the text."""
    groups = list(word_groups(vocabulary, [int(i) for i in ids]))
    if len(groups) != len(text.split()):
        raise DataError(
            f"{pair.origin}: {text[:40]!r} has {len(text.split())} words, but the model sees"
            f" {len(groups)}; expected the same, so that places count alike. Part words by spaces"
            " as the model does."
        )
    return groups
