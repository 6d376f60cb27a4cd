"""The engine CTranslate2: Transformers in C++, several times faster than torch and without it."""

import os
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from functools import cached_property
from pathlib import Path
from typing import ClassVar

import ctranslate2

from saccade.engines._converted import Converting, Runner
from saccade.engines._ctranslate2_beam import BeamLine, CTranslate2Beam
from saccade.engines._order import Order
from saccade.errors import CheckpointError
from saccade.export.base import Facts
from saccade.intake.files import read_json
from saccade.nouns import Hypothesis
from saccade.search._plan import sorted_batches
from saccade.tokenizers._vocabulary import LARGEST

_BATCH = 1024  # source pieces of a batch: what stays in the cache is fastest
_SMALL = 128 << 20  # bytes of weights below which a second thread gains little for one line


class CTranslate2(Converting):
    """Runs what `saccade export --to ctranslate2` writes, on the processor."""

    name: ClassVar[str] = "ctranslate2"

    def run(self, folder: Path, facts: Facts) -> Runner:
        """Load the model."""
        return Session(folder, facts.quantise)


class Session:
    """A model in memory; how it searches is told in `_ctranslate2_beam.py`."""

    def __init__(self, folder: Path, quantise: str) -> None:
        self._folder, self._quantise = folder, quantise
        self._source, self._target = (_spellings(folder, side) for side in ("source", "target"))
        self._ids = {spelling: i for i, spelling in enumerate(self._target)}
        self.crowded = (folder / "model.bin").stat().st_size < _SMALL

    @cached_property
    def _many(self) -> ctranslate2.Translator:
        """For many lines: a thread a core, each with a batch of its own."""
        return self._load(inter_threads=_cores(), intra_threads=1)

    @cached_property
    def _one(self) -> ctranslate2.Translator:
        """For one line: all cores share its matrices, unless these are of small whole numbers.

        Threads that share wait for each other by spinning. Where a core is busy otherwise that is
        a disaster: beside a server's own threads 85 ms a line in place of 13 with one thread; on
        two cores of another processor 107 ms in place of 29, with nothing else to do.
        """
        if self.crowded or _cores() == 1 or self._quantise.startswith("int"):
            return self._many
        return self._load(inter_threads=1, intra_threads=_cores())

    def _load(self, **threads: int) -> ctranslate2.Translator:
        """Load on a thread of its own: it sets how many threads OpenMP has where it is loaded."""
        options = {"device": "cpu", "compute_type": self._quantise, **threads}
        with ThreadPoolExecutor(1) as pool:
            return pool.submit(ctranslate2.Translator, str(self._folder), **options).result()

    def search(
        self, sources: Sequence[Sequence[int]], limits: Sequence[int], order: Order
    ) -> list[tuple[Hypothesis, ...]]:
        """Search batch by batch, longest lines first; see `Runner`."""
        translator = self._one if len(sources) == 1 else self._many
        groups = sorted_batches([len(ids) for ids in sources], _BATCH)
        batches = [
            [BeamLine([self._source[piece] for piece in sources[i]], limits[i]) for i in rows]
            for rows in groups
        ]
        found = CTranslate2Beam(translator, order, self._target, self._ids, _cores()).search(
            batches
        )
        outputs: list[tuple[Hypothesis, ...]] = [()] * len(sources)
        for rows, batch in zip(groups, found, strict=True):
            for i, hypotheses in zip(rows, batch, strict=True):
                outputs[i] = hypotheses
        return outputs

    def token_scores(self, source: Sequence[int], target: Sequence[int]) -> tuple[float, ...]:
        """Return the log-probability of every symbol of `target` and of END last."""
        (scored,) = self._one.score_batch(
            [[self._source[i] for i in source]],
            [[self._target[i] for i in target]],
            max_input_length=0,
        )
        return tuple(scored.log_probs)


def _spellings(folder: Path, side: str) -> list[str]:
    """Read how the engine spells the ids of a side; two sides that are the same share a file."""
    own, shared = folder / f"{side}_vocabulary.json", folder / "shared_vocabulary.json"
    try:
        return [str(piece) for piece in read_json(own if own.exists() else shared, LARGEST)]
    except (OSError, ValueError) as error:
        raise CheckpointError(
            f"{own}: cannot be read ({error}); expected what `saccade export` wrote. Export the"
            " model again."
        ) from None


def _cores() -> int:
    """Count the cores this process may use; OMP_NUM_THREADS may say fewer."""
    allowed = len(os.sched_getaffinity(0))
    told = os.environ.get("OMP_NUM_THREADS", "")
    return min(int(told), allowed) if told.isdigit() and int(told) else allowed
