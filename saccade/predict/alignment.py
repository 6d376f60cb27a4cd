"""Forced alignment: where in its source each label of a given text is, by the best path of CTC."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import groupby
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray

from saccade.errors import DataError
from saccade.modalities.base import Codec
from saccade.models._lattice import frames_needed, lattice
from saccade.models.base import frame_writer
from saccade.predict.inputs import read_input
from saccade.predict.predictor import Predictor
from saccade.tokenizers._vocabulary import UNK, Vocabulary

Grid = NDArray[np.float64]
_MOST_CELLS = 50_000_000  # frames x states of one alignment


@dataclass(frozen=True, slots=True)
class Segment:
    """A label or word and where it is: places of the source from `first` to before `end`.

    seconds: the same in time, where places are times.  probability: the mean, over its frames, of
    how likely the frame is of it, given the text.
    """

    text: str
    first: float
    end: float
    probability: float
    seconds: tuple[float, float] | None = None


@dataclass(frozen=True, slots=True)
class Alignment:
    """A text laid over the frames of its source.

    labels, words: where each is.  score: log-probability of the text, over all paths.  path: `[S]`,
    the state of the best path at each frame: 2i + 1 is label i, even ones are blanks.  posteriors:
    `[S, 2L + 1]`, how likely each state is at each frame.  frames: `[S, V]`, log-probabilities.
    """

    labels: tuple[Segment, ...]
    words: tuple[Segment, ...]
    score: float
    path: tuple[int, ...]
    posteriors: Grid
    frames: Grid
    ids: tuple[int, ...]


@torch.inference_mode()
def align(predictor: Predictor, given: Any, text: str) -> Alignment:
    """Lay `text` over the frames of a source, by the likeliest path that spells it.

        path = argmax over paths that spell the text of prod_t y[t, path[t]]          Viterbi 1967

    A label begins with its first frame on the path and ends with its last; blanks between labels
    belong to none. The model must write frame by frame, as `ctc` and `joint_ctc` do.
    """
    model = frame_writer(predictor.model, "align")
    vocabulary = predictor.target.vocabulary
    assert vocabulary is not None, "a model of frames writes symbols"
    ids = vocabulary.encode(text)
    if not ids or UNK in ids:
        odd = ", ".join(vocabulary.unknown(text)) or "nothing"
        raise DataError(
            f"align: the text {text[:40]!r} has {odd} that the model cannot write; expected known"
            " symbols, and at least one. Mend the text."
        )
    array = predictor.encode([read_input(given, predictor.sources, "align")])[0]
    batch = predictor.batch([array], [np.array(ids)])
    frames = model.read_frames(batch.sources)
    labels, lengths = torch.tensor([ids], device=predictor.device), torch.tensor([len(ids)])
    lengths = lengths.to(predictor.device)
    _check(int(frames.mask.sum()), int(frames_needed(labels, lengths)[0]), len(ids))
    found = lattice(frames.log_probs.double(), labels, lengths)
    path = tuple(found.best_path()[0][0].tolist())
    posteriors = found.posteriors()[0].cpu().numpy()
    stride = _stride(int(batch.source.flat().mask.sum()), len(path))
    segments, words = _segments(vocabulary, ids, list(_spans(path, posteriors)), stride)
    source = next(iter(predictor.sources.values()))
    return Alignment(
        tuple(_timed(segments, source)),
        tuple(_timed(words, source)),
        float(found.total(found.forward_sums())[0]),
        path,
        posteriors,
        frames.log_probs[0].double().cpu().numpy(),
        tuple(ids),
    )


def _segments(
    vocabulary: Vocabulary,
    ids: Sequence[int],
    spans: Sequence[tuple[int, int, float]],
    stride: float,
) -> tuple[list[Segment], list[Segment]]:
    """Return the segments of labels, and those of words, in places of the source."""
    labels = [
        Segment(piece, first * stride, end * stride, sure)
        for piece, (first, end, sure) in zip(vocabulary.pieces(ids), spans, strict=True)
    ]
    words = [
        Segment(
            vocabulary.decode([ids[i] for i in group]).strip(),
            labels[group[0]].first,
            labels[group[-1]].end,
            float(np.mean([labels[i].probability for i in group])),
        )
        for group in _groups(vocabulary, ids)
    ]
    return labels, words


def _check(n_frames: int, needed: int, n_labels: int) -> None:
    if n_frames < needed:
        raise DataError(
            f"align: the text needs {needed} frames, one a label and a blank between doubles, but"
            f" the source has {n_frames}; expected a shorter text or a longer source. Is it the"
            " right one?"
        )
    if n_frames * (2 * n_labels + 1) > _MOST_CELLS:
        raise DataError(
            f"align: {n_frames} frames times {n_labels} labels are more than can be laid out;"
            f" expected at most {_MOST_CELLS:,} cells. Cut both in parts."
        )


def _spans(path: Sequence[int], posteriors: Grid) -> Iterator[tuple[int, int, float]]:
    """Yield the first frame of each label, the one behind its last, and how sure it is."""
    t = 0
    for state, run in groupby(path):
        end = t + len(list(run))
        if state % 2:
            yield t, end, float(posteriors[t:end, state].mean())
        t = end


def _groups(vocabulary: Vocabulary, ids: Sequence[int]) -> Iterator[list[int]]:
    """Yield the pieces of each word that is more than white space; a space before it is not it."""
    numbers = vocabulary.words(ids)
    for _, run in groupby(range(len(ids)), key=lambda i: numbers[i]):
        group = list(run)
        while group and not vocabulary.decode([ids[group[0]]]).strip():
            group = group[1:]
        if group:
            yield group


def _stride(n_places: int, n_frames: int) -> float:
    """Return how many places of the source a frame stands for.

    >>> _stride(9, 5), _stride(4, 8)
    (2, 0.5)
    """
    return -(-n_places // n_frames) if n_frames <= n_places else n_places / n_frames


def _timed(segments: Sequence[Segment], source: Codec) -> Iterator[Segment]:
    each, start = source.place_seconds, source.place_start
    for one in segments:
        begins, ends = (max(start + place * each, 0.0) for place in (one.first, one.end))
        times = (begins, ends) if each else None
        yield Segment(one.text, one.first, one.end, one.probability, times)
