"""Whether metrics measure what a target holds."""

from collections.abc import Sequence

from saccade.metrics.base import Metric
from saccade.modalities.base import Modality
from saccade.parts import Part, find, kinds


def unfit_metrics(where: str, metrics: Sequence[Part[Metric]], target: Part[Modality]) -> list[str]:
    """Say which metrics do not measure what a target holds."""
    raw = find(Modality, target.kind).raw
    odd = [part.kind for part in metrics if find(Metric, part.kind).raw != raw]
    fitting = [kind for kind in kinds(Metric) if find(Metric, kind).raw == raw] if odd else []
    return [
        f"{where}: {', '.join(odd)} cannot measure a target of kind {target.kind}; use"
        f" {', '.join(fitting)}."
    ] * bool(odd)
