"""What a model folder keeps to compare its model with: rivals.json.

The training data may not be at hand when a model is evaluated, so what needs no model is written
beside it when training ends.
"""

import dataclasses
import json
from pathlib import Path
from typing import Any

import numpy as np

from saccade.errors import CheckpointError
from saccade.intake.files import read_json
from saccade.predict.baselines import ANSWERS, StandIn
from saccade.predict.frequencies import Frequencies
from saccade.predict.verdict import Rivals, Verdict
from saccade.train.files import write_text

RIVALS = "rivals.json"
_BYTES = 1 << 24  # of the file
_CHARACTERS = 20_000  # of an answer


def write_rivals(folder: Path, rivals: Rivals) -> None:
    """Write what a model is compared with, if anything; an answer over the limit stays away."""
    counts = rivals.frequencies
    if counts is None and not rivals.constants:
        return
    content = {
        "format": 1,
        "constants": [
            dataclasses.asdict(one) for one in rivals.constants if len(one.value) <= _CHARACTERS
        ],
        "symbols": None if counts is None else counts.symbols.tolist(),
        "lengths": None if counts is None else counts.lengths.tolist(),
        "verdict": dataclasses.asdict(rivals.verdict) if rivals.verdict else None,
    }
    text = json.dumps(content, ensure_ascii=False)
    if len(text.encode()) <= _BYTES:
        write_text(folder / RIVALS, text + "\n")


def read_rivals(folder: Path) -> Rivals:
    """Read what a model is compared with; nothing if its folder is of an older version."""
    path = folder / RIVALS
    if not path.exists():
        return Rivals()
    try:
        return _parsed(read_json(path, _BYTES))
    except (
        OSError,
        ValueError,
        KeyError,
        TypeError,
        AttributeError,
        ArithmeticError,
        RecursionError,
    ) as error:
        reason = str(error) or type(error).__name__
        raise CheckpointError(
            f"{path}: cannot be used ({reason}); expected what training wrote. Delete it, or copy"
            " the model folder again."
        ) from None


def _parsed(content: dict[str, Any]) -> Rivals:
    constants = [StandIn(str(one["name"]), str(one["value"])) for one in content["constants"]]
    odd = [one.name for one in constants if one.name not in ANSWERS]
    if odd:
        raise ValueError(f"no answer is called {odd[0][:40]!r}")
    counts = None
    if content["symbols"] is not None:
        counts = Frequencies(_counts(content["symbols"]), _counts(content["lengths"]))
    verdict = content["verdict"]
    return Rivals(tuple(constants), counts, _verdict(verdict) if verdict else None)


def _verdict(raw: dict[str, Any]) -> Verdict:
    found = Verdict(**raw)
    numbers, texts = (found.model, found.constant), (found.metric, found.answer)
    if not all(type(one) in (int, float) for one in numbers) or not all(
        isinstance(one, str) for one in texts
    ):
        raise ValueError("its verdict is none")
    return found


def _counts(raw: list[int]) -> np.ndarray[Any, np.dtype[np.int64]]:
    counts = np.array(raw, dtype=np.int64)
    if counts.ndim != 1 or (counts < 0).any():
        raise ValueError("expected a list of counts")
    return counts
