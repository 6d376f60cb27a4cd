"""The one place that touches the inside of sacrebleu: its statistics of a segment and their score.

sacrebleu offers whole corpora in public and segments in private; a bootstrap needs segments. The
tests hold every figure against the public functions. It is imported when the first metric is built
and not before: a command that only translates starts sooner without it.
"""

from collections.abc import Sequence
from importlib import import_module
from typing import TYPE_CHECKING, Any

import numpy as np

from saccade.metrics.base import Stats

if TYPE_CHECKING:
    from sacrebleu.metrics.base import Metric as Scorer

_TAIL = 3  # 1, references, references squared: whether all segments have equally many


def scorer(name: str, **options: Any) -> "Scorer":
    """Build one of sacrebleu's metrics by its name: BLEU, CHRF or TER."""
    built: Scorer = getattr(import_module("sacrebleu.metrics"), name)(**options)
    return built


def segment(scorer: "Scorer", hypothesis: str, references: Sequence[str]) -> Stats:
    """Return sacrebleu's statistics of one segment, and what the signature must know, `[k + 3]`."""
    lines = [scorer._preprocess_segment(line) for line in references]
    known = scorer._extract_reference_info(lines)
    found = scorer._compute_segment_statistics(scorer._preprocess_segment(hypothesis), known)
    n_references = len(references)
    return np.array([*found, 1, n_references, n_references**2], dtype=np.float64)


def figure(scorer: "Scorer", summed: Stats) -> Any:
    """Return sacrebleu's own score object from summed statistics."""
    return scorer._compute_score_from_stats(summed[:-_TAIL].tolist())


def signature(scorer: "Scorer", summed: Stats) -> str:
    """Return sacrebleu's signature, with its version, as `nrefs:1|case:mixed|...`.

    By Cauchy and Schwarz, `n * sum(r * r) == sum(r) ** 2` just when all r are the same.
    """
    segments, total, squares = summed[-_TAIL:].tolist()
    n_references = round(total / segments) if segments * squares == total * total else -1
    return str(scorer._SIGNATURE_TYPE(vars(scorer) | {"num_refs": n_references}))
