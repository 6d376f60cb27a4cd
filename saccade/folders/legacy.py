"""Folders that older versions wrote: where their weights and scales have gone.

Format 1 had no embedders and heads: models held the first and the last layer themselves, and a
forecaster had a model and a file of scales of its own.
"""

import hashlib
import json
import re
from collections.abc import Mapping
from pathlib import Path
from typing import TypeVar

from saccade.data.codecs import Codecs
from saccade.errors import CheckpointError
from saccade.intake.files import read_json
from saccade.modalities.numbers import NumbersCodec, Scale, checked_horizon
from saccade.nouns import SOURCE_NAME

T = TypeVar("T")
SCALES = "scales.json"
_PREFIXES = ("raw.", "adam.step.", "adam.exp_avg.", "adam.exp_avg_sq.")
_READING = [
    (r"^((?:inner\.)?)source_embedding\.", r"\1reading.embedders.source."),
    (r"^((?:inner\.)?)source_map\.", r"\1reading.embedders.source.map."),
    (r"^((?:inner\.)?)encoder\.", r"\1reading.encoders.source."),
]
_SYMBOLS = [(r"^narrow\.", "head.narrow."), (r"^output\.", "head."), (r"^bias$", "head.bias")]
_OUTPUT = [(r"^output\.", "head.output.")]
_POINTER = [
    (r"^inner\.narrow\.", "inner.head.symbols.narrow."),
    (r"^inner\.output\.", "inner.head.symbols."),
    (r"^inner\.bias$", "inner.head.symbols.bias"),
    (r"^switch\.", "inner.head.switch."),
]
_RULES = {
    "encoder_decoder": [*_READING, *_SYMBOLS],
    "language_model": _SYMBOLS,
    "pointer_generator": [*_READING, *_POINTER],
    "classifier": [*_READING, *_OUTPUT],
    "tagger": _OUTPUT,
    "dense_forecaster": [*_READING, *_OUTPUT],
    "forecaster": [*_READING, *_OUTPUT, (r"^target_map\.", "target_embedding.map.")],
}


def renamed(weights: Mapping[str, T], kind: str) -> dict[str, T]:
    """Give weights of format 1 the names they have now.

    Args:
        weights: by name; a name may stand behind `raw.` or before the name of a moment.
        kind: the model, as format 1 called it: `forecaster` is one of its own.
    """
    return {_name(name, kind): weight for name, weight in weights.items()}


def _name(name: str, kind: str) -> str:
    prefix = next((one for one in _PREFIXES if name.startswith(one)), "")
    bare = name.removeprefix(prefix)
    for pattern, new in _RULES.get(kind, []):
        found = re.sub(pattern, new, bare)
        if found != bare:
            return prefix + found
    return name


def read_scales(path: Path, fingerprint: str | None) -> Codecs:
    """Read the scales of a forecaster of format 1."""
    try:
        raw = read_json(path)
        mean, spread = (tuple(map(float, raw["source"][k])) for k in ("mean", "spread"))
        scale, n_target = Scale(mean, spread), int(raw["n_target"])
        horizon = checked_horizon(raw["horizon"])
    except (OSError, ValueError, KeyError, TypeError) as error:
        raise CheckpointError(
            f"{path}: cannot be read as the scale of a forecaster ({error}); expected what"
            " training wrote. Copy the model folder again."
        ) from None
    if fingerprint is not None and fingerprint != _fingerprint(raw):
        raise CheckpointError(
            f"{path}: these scales do not belong to the model: they are not the ones that were"
            " saved with it. Put the original file back."
        )
    target = NumbersCodec(scale.first(n_target), horizon)
    return Codecs({SOURCE_NAME: NumbersCodec(scale, 0)}, target)


def _fingerprint(raw: object) -> str:
    """Hash scales as format 1 did."""
    return hashlib.blake2b(json.dumps(raw, indent=1).encode(), digest_size=16).hexdigest()
