"""Which examples a model of frames cannot learn: those with fewer frames than labels need."""

from collections.abc import Sequence

import numpy as np

from saccade.data.codecs import Codecs
from saccade.look.doctor import SHOWN, Finding, percent
from saccade.modalities.base import Array, Codec
from saccade.models.base import Model
from saccade.nouns import Example

_SLOW = 500  # examples that are looked at, of sources that are slow to encode


def examine_frames(
    name: str, model: Model, codecs: Codecs, examples: Sequence[Example]
) -> list[Finding]:
    """Count the examples whose targets need more frames than the model makes of their sources.

    A label needs a frame, and two of the same need a blank between them. Only lengths count, so the
    model need not be trained.
    """
    slow = any(codec.chunk < Codec.chunk for codec in codecs.sources.values())
    every = max(-(-len(examples) // _SLOW), 1) if slow else 1
    looked_at = [
        Example(example.sources, (example.target,), example.origin) for example in examples[::every]
    ]
    if not looked_at:
        return []
    arrays = codecs.encode(looked_at)
    targets = arrays.pop("target")
    short = []
    for i, (example, labels) in enumerate(zip(looked_at, targets, strict=True)):
        shapes = {
            side: codecs.sources[side].laid(np.asarray(rows[i]).shape)
            for side, rows in arrays.items()
        }
        n_frames, needed = model.n_frames(shapes), frames_of_labels(labels)
        if n_frames < needed:
            short.append(f"{example.origin}: {n_frames} frames, {needed} needed")
    sampled = f", every {every}th looked at" if every > 1 else ""
    if not short:
        return [
            Finding("good", f"{name}: every target fits into the frames of its source{sampled}")
        ]
    text = (
        f"{name}: {len(short):,} targets ({percent(len(short), looked_at)}) need more frames than"
        f" their source has; training leaves them out{sampled}"
    )
    advice = (
        "Use an encoder that shortens less, or model.split of ctc, which makes several frames of"
        " each state; or mend the examples."
    )
    return [Finding("warning", text, advice, tuple(short[:SHOWN]))]


def frames_of_labels(labels: Array) -> int:
    """Count the frames that labels need: one each, and a blank in every double.

    >>> frames_of_labels(np.array([5, 5, 6]))
    4
    """
    return len(labels) + int((labels[1:] == labels[:-1]).sum())
