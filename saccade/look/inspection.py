"""Look inside a model while it works on one sentence: gathers the arrays that the views draw."""

import copy
import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import groupby
from typing import Any

import numpy as np
import torch
from torch import Tensor

from saccade.attention.gaussian_mixture import GaussianMixture
from saccade.errors import DataError, RecipeError, suggest
from saccade.flow import Batch
from saccade.look.recording import record
from saccade.modalities._notation import Notation
from saccade.models.base import writer
from saccade.models.pointer_generator import PointerGenerator
from saccade.nouns import SOURCE_NAME, Branch
from saccade.parts import Part
from saccade.positions.base import Positions
from saccade.predict.prediction import Maps, Prediction
from saccade.predict.predictor import Predictor
from saccade.search.base import Search
from saccade.tokenizers._vocabulary import END, MARK, Vocabulary
from saccade.views.beam_tree import TreeNode
from saccade.views.cell_state import Unit, best_units
from saccade.views.distribution import Choice
from saccade.views.windows import Bell

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

    spans: the columns of every source, from the first up to the second number.
    """

    maps: Mapping[str, Maps]
    source: tuple[str, ...]
    target: tuple[str, ...]
    spans: Mapping[str, tuple[int, int]]


def batch_of(predictor: Predictor, prediction: Prediction) -> Batch:
    """Make a batch of one prediction: its input, and what was written for it."""
    return predictor.batch([prediction.arrays], [prediction.hypothesis.tokens])


def written_in(notation: Notation) -> Vocabulary:
    """Return the vocabulary of a side; refuse one that is not text."""
    if notation.vocabulary is None:
        raise RecipeError(
            "inspect: this view shows pieces of text, but the model writes or reads something"
            " else. Use --view attention or heads."
        )
    return notation.vocabulary


def translated(translator: Predictor, text: Any, *, beam: int | None = None) -> Prediction:
    """Translate a sentence that will be looked at; refuse one that holds nothing."""
    _check_text(translator, text)
    found: Prediction = translator.predict(text, beam=beam)
    return found


def attention_maps(translation: Prediction) -> Mapping[str, Maps]:
    """Return every map `[T, S]` by name, or say that there is none."""
    maps = translation.attention_maps
    if not maps:
        raise RecipeError(
            "inspect: this model has no attention, so it cannot show where it looked. Use --view "
            "beam or distribution, or train a model with attention."
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
        notation, ids, start = looker.sources[name], _places(translation, name), len(shown)
        labels = translation.labels(name)
        numbers = _numbers(notation, ids, apart=apart) if whole else range(len(labels))
        columns += [start + number for number in numbers]
        shown += words(notation, ids, labels, apart=apart) if whole else labels
        spans[name] = (start, len(shown))
    if not shown:  # a picture alone: its places have no names
        columns = list(range(math.prod(translation.grid)))
        spans = {name: (0, len(columns)) for name in spans}
    if not whole:
        return Looked(maps, tuple(shown), translation.tokens, spans)
    rows = _numbers(looker.target, tokens, apart=apart)
    return Looked(
        {name: _joined(one, rows, columns) for name, one in maps.items()},
        tuple(shown),
        words(looker.target, tokens, translation.tokens, apart=apart),
        spans,
    )


def _places(prediction: Prediction, name: str) -> Sequence[int]:
    """Return what stands at the places of a source that can be looked at: of text its ids, END too.

    Where they form a grid, their numbers.
    """
    values = prediction.arrays[name]
    n_places = len(prediction.labels(name))
    if prediction.looker.sources[name].vocabulary is not None:
        return [*values, END][:n_places]
    return range(n_places)


def _numbers(notation: Notation | Vocabulary, ids: Sequence[int], *, apart: bool) -> list[int]:
    return notation.units(ids) if apart else notation.words(ids)


def _joined(weights: Maps, rows: Sequence[int], columns: Sequence[int]) -> Maps:
    by_column = np.eye(max(columns) + 1)[list(columns)]  # [S, words], one for its word
    n_words = max(rows, default=-1) + 1
    by_row = np.eye(n_words)[list(rows)].reshape(len(rows), n_words)  # [T, words]
    sizes = np.maximum(by_row.sum(axis=0), 1.0)[:, None]
    return np.asarray(by_row.T @ weights @ by_column / sizes, dtype=np.float32)


def aligned(translation: Prediction) -> Aligned:
    """Return the words of both sentences and where each target word looked most."""
    attention_maps(translation)
    looker = translation.looker
    _check_one_source(translation.arrays, "an alignment is")
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
    numbers = _numbers(notation, ids, apart=apart)
    numbered = [(numbers[place], pieces[place]) for place in notation.order(ids)]
    groups = groupby(numbered, key=lambda pair: pair[0])
    joined = ("".join(piece for _, piece in group) for _, group in groups)
    return tuple(" " if word == MARK else word.removeprefix(MARK) for word in joined)


def beam(translator: Predictor, text: Any, *, width: int | None = None) -> BeamSteps:
    """Search with a beam and keep its tree; search greedily beside it."""
    _check_text(translator, text)
    if width is None and translator.decoding.search.kind != "beam":
        width = _WIDTH
    found = translator.translate(text, beam=width, trace=True)
    return beam_of(found, translator.translate(text, search=Part(Search, "greedy")))


def beam_of(found: Prediction, greedy: Prediction) -> BeamSteps:
    """Gather the tree of an output whose search was traced, and a greedy output beside it."""
    target = written_in(found.looker.target)
    return BeamSteps(
        tuple(tuple(_node(b, target) for b in level) for level in found.tree),
        target.pieces(_written(found)),
        target.pieces(_written(greedy)),
    )


@torch.inference_mode()
def distributions(translator: Predictor, translation: Prediction, *, most: int = 6) -> list[Choice]:
    """Return, for every step of an output, the likeliest symbols and the entropy in bits.

    One forced pass over the finished output; nothing is searched.
    """
    written_in(translator.target)
    written = _written(translation)
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


@torch.inference_mode()
def switch(translator: Predictor, translation: Prediction) -> list[float]:
    """Return, for every symbol of an output, the share that was written and not copied."""
    model = translator.model
    if not isinstance(model, PointerGenerator):
        raise RecipeError(
            "inspect: this model does not copy, so it has no switch to show. Use another --view, or"
            " train a model of kind pointer_generator."
        )
    batch = batch_of(translator, translation)
    share = model.head.generating(model(batch).features)[0]  # [T + 1]
    return [float(g) for g in share[: len(_written(translation))]]


@torch.inference_mode()
def positions(translator: Predictor, n: int) -> Maps:
    """Return what the model adds to the first `n` places it reads: `[n, D]`."""
    parts = [m for m in translator.model.modules() if isinstance(m, Positions)]
    added = (
        parts[0](torch.zeros(1, n, parts[0].dim, device=translator.device))[0] if parts else None
    )
    if added is None or not added.any():
        raise RecipeError(
            "inspect: this model adds no positions: it reads one symbol after another, or was "
            "built without them. Use another --view, or a Transformer with sinusoidal positions."
        )
    return np.asarray(added.float().cpu().numpy(), dtype=np.float32)


@torch.inference_mode()
def windows(translator: Predictor, translation: Prediction) -> list[list[Bell]]:
    """Return the bells of Gaussian-mixture attention for every piece of an output."""
    watched = copy.deepcopy(translator.model)
    found = [part for part in watched.modules() if isinstance(part, GaussianMixture)]
    if not found:
        raise RecipeError(
            "inspect: this model has no windows that slide along the source. Use --view attention,"
            " or train a model whose attention is gaussian_mixture."
        )
    asked: list[Tensor] = []
    found[0].register_forward_pre_hook(lambda _, given: asked.append(given[0]))
    batch = batch_of(translator, translation)
    watched(batch)
    query = torch.cat(asked, dim=1)[0, : len(translation.tokens)]  # [T, Q]
    alpha, beta, moves = found[0].W(query).exp().chunk(3, dim=1)  # 3 x [T, K]
    steps = zip(alpha.tolist(), beta.tolist(), moves.cumsum(dim=0).tolist(), strict=True)
    return [[Bell(*bell) for bell in zip(*step, strict=True)] for step in steps]


@torch.inference_mode()
def units(translator: Predictor, text: Any) -> tuple[tuple[str, ...], list[Unit]]:
    """Return the pieces of a text and the units of the reading cells that follow its properties.

    What is followed is the memory: `c` of an LSTM, `h` of other cells. A language model reads the
    text as what it has written so far.
    """
    if not translator.model.reads:
        return _writing_units(translator, text)
    _check_text(translator, text)
    vocabulary = written_in(translator.source)
    given = text if isinstance(text, Mapping) else {next(iter(translator.sources)): text}
    (arrays,) = translator.encode([given])
    _check_one_source(arrays, "cell states are")
    ids = next(iter(arrays.values())).tolist()
    sources = translator.batch([arrays], [[]]).sources
    reels = record(translator.model, lambda model: writer(model).start(sources))
    held = {reel.name: reel.memory() for reel in reels if reel.projected.shape[1] == len(ids) + 1}
    if not held:
        raise RecipeError(
            "inspect: this model reads without a recurrent cell, so it has no cell states to show."
            " Use another --view, or a model with an rnn encoder."
        )
    return _best(held, slice(0, -1), vocabulary.pieces(ids))


def _writing_units(translator: Predictor, text: Any) -> tuple[tuple[str, ...], list[Unit]]:
    vocabulary = written_in(translator.target)
    ids = vocabulary.encode(text)
    batch = translator.batch(translator.encode([{SOURCE_NAME: ""}]), [ids])
    reels = record(translator.model, lambda model: model(batch))
    held = {reel.name: reel.memory() for reel in reels if reel.projected.shape[1] == len(ids) + 1}
    if not ids or not held:
        raise RecipeError(
            "inspect: there is no cell state to show: the text is empty, or this model writes"
            " without a recurrent cell. Write a text, or use a model with an rnn decoder."
        )
    return _best(held, slice(1, None), vocabulary.pieces(ids))  # START is read first


def _best(
    held: Mapping[str, tuple[str, torch.Tensor]], places: slice, pieces: tuple[str, ...]
) -> tuple[tuple[str, ...], list[Unit]]:
    states = torch.cat([memory[0, places] for _, memory in held.values()], dim=1)  # [S, U]
    names = [
        f"{entry}[{unit}] of {name}"
        for name, (entry, memory) in held.items()
        for unit in range(memory.shape[2])
    ]
    return pieces, best_units(states.float().cpu().numpy(), names, pieces)


def _check_text(translator: Predictor, text: Any) -> None:
    if translator.model.reads and not translator.size(text):
        raise DataError(
            f"inspect: the sentence {text!r} is empty; expected at least one symbol. Write a "
            "sentence."
        )


def _check_one_source(sources: Mapping[str, Any], what: str) -> None:
    if len(sources) > 1:
        raise RecipeError(
            f"inspect: {what} shown of one source, but this model reads {', '.join(sources)}. Use"
            " --view attention."
        )


def _written(translation: Prediction) -> tuple[int, ...]:
    """Return the output's ids, END included if it came to its end."""
    tokens = translation.hypothesis.tokens
    return (*tokens, END) if translation.finished else tokens


def _node(branch: Branch, vocabulary: Vocabulary) -> TreeNode:
    text = vocabulary.pieces([branch.token])[0]
    return TreeNode(branch.step, text, branch.parent, branch.log_prob, branch.fate)
