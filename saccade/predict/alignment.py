"""Forced alignment: where in its source each label of a given text is, by the best path of CTC."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import groupby
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray

from saccade.errors import DataError
from saccade.modalities._notation import Clock
from saccade.models._lattice import frames_needed, lattice
from saccade.models.base import frame_writer
from saccade.predict.inputs import read_input
from saccade.predict.predictor import Predictor
from saccade.predict.times import spoken, stride, word_groups
from saccade.tokenizers._vocabulary import UNK, Vocabulary

Grid = NDArray[np.float64]
_MOST_CELLS = 50_000_000  # frames x states of one alignment


@dataclass(frozen=True, slots=True)
class Segment:
    """A label or word and where it is: places of the source from `first` to before `end`.

    seconds: when it is said, where places are times; see `predict.times`.  probability: the mean,
    over its frames, of how likely the frame is of it, given the text.
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
    belong to none. Frames are spikes, often of one frame, and the first label may have its spike in
    the silence before the sound. So where places are times, the sound between two spikes is parted
    where it is quietest: `seconds` are those of the sound. The model must write frame by frame, as
    `ctc` and `joint_ctc` do.
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
    size = stride(int(batch.source.flat().mask.sum()), len(path))
    labels_found = _labels(vocabulary, ids, list(_spans(path, posteriors)), size)
    name, source = next(iter(predictor.sources.items()))
    timed = _timed(labels_found, source.clock(array[name]))
    return Alignment(
        tuple(timed),
        tuple(_words(vocabulary, ids, timed)),
        float(found.total(found.forward_sums())[0]),
        path,
        posteriors,
        frames.log_probs[0].double().cpu().numpy(),
        tuple(ids),
    )


def _labels(
    vocabulary: Vocabulary, ids: Sequence[int], spans: Sequence[tuple[int, int, float]], size: float
) -> list[Segment]:
    """Return the segments of labels, in places of the source."""
    return [
        Segment(piece, first * size, end * size, sure)
        for piece, (first, end, sure) in zip(vocabulary.pieces(ids), spans, strict=True)
    ]


def _timed(labels: Sequence[Segment], clock: Clock | None) -> list[Segment]:
    """Tell when labels are said, where places are times."""
    if clock is None:
        return list(labels)
    times = spoken([(one.first, one.end) for one in labels], clock)
    return [replace(one, seconds=time) for one, time in zip(labels, times, strict=True)]


def _words(
    vocabulary: Vocabulary, ids: Sequence[int], labels: Sequence[Segment]
) -> Iterator[Segment]:
    """Yield the segments of words: from their first label to their last."""
    for group in word_groups(vocabulary, ids):
        first, last = labels[group[0]], labels[group[-1]]
        yield Segment(
            vocabulary.decode([ids[i] for i in group]).strip(),
            first.first,
            last.end,
            float(np.mean([labels[i].probability for i in group])),
            (first.seconds[0], last.seconds[1]) if first.seconds and last.seconds else None,
        )


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
