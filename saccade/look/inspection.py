"""Look inside a model while it works on one sentence: gathers the arrays that the views draw."""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import groupby
from typing import Any

import numpy as np
import torch

from saccade.errors import DataError, RecipeError, suggest
from saccade.flow import Batch
from saccade.modalities._notation import Notation
from saccade.nouns import Branch
from saccade.parts import Part
from saccade.predict.looker import Maps
from saccade.predict.prediction import Prediction
from saccade.predict.predictor import Predictor
from saccade.search.base import Search
from saccade.tokenizers._vocabulary import END, MARK, Vocabulary
from saccade.views.beam_tree import TreeNode
from saccade.views.distribution import Choice

_WIDTH = 5  # of a beam, where the recipe searches otherwise
_MEANS = ("mean", "max")  # names of what is made of all maps


@dataclass(frozen=True, slots=True)
class BeamSteps:
    """What beam search did: its tree, and the pieces of the winner and of greedy search."""

    tree: tuple[tuple[TreeNode, ...], ...]
    winner: tuple[str, ...]
    greedy: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Aligned:
    """Two sentences in words and which belong together, (source, target) from 0."""

    source: tuple[str, ...]
    target: tuple[str, ...]
    points: tuple[tuple[int, int], ...]


@dataclass(frozen=True, slots=True)
class Looked:
    """Maps by name, each `[T, S]`, with what stands on their axes: pieces or whole words.

    spans: the columns of every source, from the first up to the second number.  within: the maps
    are of self-attention, whose places are one side's.  numbers: which word a row belongs to; ()
    if each is one.
    """

    maps: Mapping[str, Maps]
    source: tuple[str, ...]
    target: tuple[str, ...]
    spans: Mapping[str, tuple[int, int]]
    within: bool = False
    numbers: Sequence[int] = ()


def batch_of(predictor: Predictor, prediction: Prediction) -> Batch:
    """Make a batch of one prediction: its input, and what was written for it."""
    return predictor.batch([prediction.arrays], [prediction.hypothesis.tokens])


def written_in(notation: Notation) -> Vocabulary:
    """Return the vocabulary of a side; refuse one that is not text."""
    if notation.vocabulary is None:
        raise RecipeError(
            "inspect: this view shows pieces of text, but the model writes or reads something"
            " else. Use --view output, or attention if it has some."
        )
    return notation.vocabulary


def translated(translator: Predictor, text: Any, *, beam: int | None = None) -> Prediction:
    """Translate a sentence that will be looked at; refuse one that holds nothing."""
    check_text(translator, text)
    found: Prediction = translator.predict(text, beam=beam)
    return found


def attention_maps(translation: Prediction) -> Mapping[str, Maps]:
    """Return every map `[T, S]` by name, or say that there is none."""
    maps = translation.attention_maps
    if not maps:
        raise RecipeError(
            "inspect: this model has no attention, so it cannot show where it looked. Use --view "
            "beam or distribution, or output if it writes values, or train a model with attention."
        )
    return maps


def map_title(translation: Prediction, head: str) -> str:
    """Say what a picture of the map `head` shows."""
    if len(translation.looker.attention_names) == 1:
        return "Attention"
    return f"Attention, {head} of all maps" if head in _MEANS else head


def attention(translation: Prediction, head: str = "mean") -> Maps:
    """Return one map `[T, S]` by name.

    `mean` and `max` are made of all maps; the name of a layer alone is the mean of its heads.
    """
    maps = attention_maps(translation)
    if head in maps:
        return maps[head]
    of_layer = [one for name, one in maps.items() if name.startswith(f"{head} ")]
    if head == "max":
        return np.asarray(np.max(list(maps.values()), axis=0))
    if head == "mean" or of_layer:
        return np.asarray(np.mean(of_layer or list(maps.values()), axis=0))
    names = [*_MEANS, *maps]
    raise RecipeError(
        f"--head: no map '{head}'.{suggest(head, names)} There are: {', '.join(names)}."
    )


def looked(
    translation: Prediction, maps: Mapping[str, Maps], *, whole: bool = False, apart: bool = False
) -> Looked:
    """Put pieces on the axes of maps, or `whole` words joined from them.

        a[word t, word s] = mean over pieces of t of (sum over pieces of s of a[piece, piece])

    so that rows that summed to one still do. With `apart` characters are not joined to words.
    """
    looker, tokens = translation.looker, translation.hypothesis.tokens
    columns, shown = list[int](), list[str]()
    spans = dict[str, tuple[int, int]]()
    for name in translation.arrays:
        notation, ids, start = looker.sources[name], places_of(translation, name), len(shown)
        labels = translation.labels(name)
        numbers = numbers_of(notation, ids, apart=apart) if whole else range(len(labels))
        columns += [start + number for number in numbers]
        shown += words(notation, ids, labels, apart=apart) if whole else labels
        spans[name] = (start, len(shown))
    if not shown:  # a picture alone: its places have no names
        columns = list(range(math.prod(translation.grid)))
        spans = {name: (0, len(columns)) for name in spans}
    if not whole:
        text = looker.target.vocabulary is not None
        own = numbers_of(looker.target, tokens, apart=apart) if text else ()
        return Looked(maps, tuple(shown), translation.tokens, spans, numbers=own)
    rows = numbers_of(looker.target, tokens, apart=apart)
    return Looked(
        {name: joined(one, rows, columns) for name, one in maps.items()},
        tuple(shown),
        words(looker.target, tokens, translation.tokens, apart=apart),
        spans,
    )


def places_of(prediction: Prediction, name: str) -> Sequence[int]:
    """Return what stands at the places of a source that can be looked at: of text its ids, END too.

    Where they form a grid, their numbers.
    """
    values = prediction.arrays[name]
    n_places = len(prediction.labels(name))
    if prediction.looker.sources[name].vocabulary is not None:
        return [*values, END][:n_places]
    return range(n_places)


def numbers_of(notation: Notation | Vocabulary, ids: Sequence[int], *, apart: bool) -> list[int]:
    """Say which word each piece belongs to; with `apart` a character is a word of its own."""
    return notation.units(ids) if apart else notation.words(ids)


def joined(weights: Maps, rows: Sequence[int], columns: Sequence[int]) -> Maps:
    """Join rows by their mean and columns by their sum; `rows` and `columns` number the words."""
    by_column = np.eye(max(columns, default=-1) + 1)[list(columns)]  # [S, words], one for its word
    n_words = max(rows, default=-1) + 1
    by_row = np.eye(n_words)[list(rows)].reshape(len(rows), n_words)  # [T, words]
    sizes = np.maximum(by_row.sum(axis=0), 1.0)[:, None]
    return np.asarray(by_row.T @ weights @ by_column / sizes, dtype=np.float32)


def aligned(translation: Prediction) -> Aligned:
    """Return the words of both sentences and where each target word looked most."""
    attention_maps(translation)
    looker = translation.looker
    if len(translation.arrays) > 1:
        names = ", ".join(translation.arrays)
        raise RecipeError(
            f"inspect: an alignment is shown of one source, but this model reads {names}. Use"
            " --view attention."
        )
    source = next(iter(looker.sources.values()))
    written_in(source)
    return Aligned(
        words(source, translation.source_values, translation.source_tokens[:-1], apart=True),
        words(looker.target, translation.hypothesis.tokens, translation.tokens, apart=True),
        tuple(translation.alignment),
    )


def words(
    notation: Notation | Vocabulary,
    ids: Sequence[int],
    pieces: Sequence[str],
    *,
    apart: bool = False,
) -> tuple[str, ...]:
    """Join pieces, as they are shown, to words; with `apart` characters stay, and spaces too."""
    numbers = numbers_of(notation, ids, apart=apart)
    numbered = [(numbers[place], pieces[place]) for place in notation.order(ids)]
    groups = groupby(numbered, key=lambda pair: pair[0])
    joined = ("".join(piece for _, piece in group) for _, group in groups)
    return tuple(" " if word == MARK else word.removeprefix(MARK) for word in joined)


def beam(translator: Predictor, text: Any, *, width: int | None = None) -> BeamSteps:
    """Search with a beam and keep its tree; search greedily beside it."""
    check_text(translator, text)
    if width is None and translator.decoding.search.kind != "beam":
        width = _WIDTH
    found = translator.translate(text, beam=width, trace=True)
    return beam_of(found, translator.translate(text, search=Part(Search, "greedy")))


def beam_of(found: Prediction, greedy: Prediction) -> BeamSteps:
    """Gather the tree of an output whose search was traced, and a greedy output beside it."""
    target = written_in(found.looker.target)
    return BeamSteps(
        tuple(tuple(_node(b, target) for b in level) for level in found.tree),
        target.pieces(written_ids(found)),
        target.pieces(written_ids(greedy)),
    )


@torch.inference_mode()
def distributions(translator: Predictor, translation: Prediction, *, most: int = 6) -> list[Choice]:
    """Return, for every step of an output, the likeliest symbols and the entropy in bits.

    One forced pass over the finished output; nothing is searched.
    """
    written_in(translator.target)
    written = written_ids(translation)
    batch = batch_of(translator, translation)
    features = translator.model(batch).features[0]  # [T, D]
    log_probs = translator.model.head.log_probs(features).double()  # [T, V]
    probs = log_probs.exp()  # [T, V]
    bits = -(probs * log_probs.clamp(min=-1e4)).sum(dim=1) / np.log(2.0)  # [T]
    top = probs.topk(min(most, probs.shape[1]), dim=1)  # [T, K]
    pieces = written_in(translator.target).pieces
    return [
        Choice(
            written=pieces([token])[0],
            probability=float(probs[t, token]),
            likeliest=list(
                zip(pieces(top.indices[t].tolist()), top.values[t].tolist(), strict=True)
            ),
            entropy=max(float(bits[t]), 0.0),
        )
        for t, token in enumerate(written)
    ]


def check_text(translator: Predictor, text: Any) -> None:
    """Refuse an input that holds nothing."""
    if translator.model.reads and not translator.size(text):
        raise DataError(
            f"inspect: the sentence {text!r} is empty; expected at least one symbol. Write a "
            "sentence."
        )


def written_ids(translation: Prediction) -> tuple[int, ...]:
    """Return the output's ids, END included if it came to its end."""
    tokens = translation.hypothesis.tokens
    return (*tokens, END) if translation.finished else tokens


def _node(branch: Branch, vocabulary: Vocabulary) -> TreeNode:
    text = vocabulary.pieces([branch.token])[0]
    return TreeNode(branch.step, text, branch.parent, branch.log_prob, branch.fate)
