"""How likely a model finds values that are known, where its head has a density."""

from collections.abc import Sequence
from typing import Any

import numpy as np
import torch

from saccade.metrics.base import Metric, Score, Stats
from saccade.nouns import Example
from saccade.predict.predictor import Predictor
from saccade.search._plan import sorted_batches

NAME = "nats_per_point"


class NatsPerPoint(Metric):
    """The negative log-density of what came, on the scale that the model sees.

        (1/N) sum_t -log p(y[t] | y[<t], x)

    A density may be above one, so the figure may be below zero. What it compares are the nats of
    every place; there is nothing to compare them with.
    """

    name = "nats a point"
    higher_is_better = False
    raw = "nats"

    def stats(self, hypothesis: Any, references: Sequence[Any]) -> Stats:
        """Return the sum of nats and the number of places: `[2]`."""
        return np.array([np.sum(hypothesis), len(hypothesis)], dtype=np.float64)

    def score(self, summed: Stats) -> Score:
        """Return the mean; 0 if there is no place at all."""
        total, n = summed.tolist()
        detail = {"total": total, "points": n}
        return Score(self.name, total / max(n, 1.0), "scaled", detail, self.higher_is_better)


@torch.inference_mode()
def nats_of(predictor: Predictor, examples: Sequence[Example]) -> list[Stats]:
    """Return the nats of every place of each example's first reference, END included."""
    read = predictor.encode([predictor.given(example) for example in examples])
    written = predictor.target.encode([example.target for example in examples])
    found: list[Stats] = [np.zeros(0)] * len(examples)
    lengths = [len(array) for array in written]
    for rows in sorted_batches(lengths, predictor.decoding.batch_tokens):
        batch = predictor.batch([read[i] for i in rows], [written[i] for i in rows])
        mask = batch.target.mask
        features = predictor.model(batch).features[mask]
        _, nats = predictor.model.head.loss(features, batch.target.values[mask])
        parts = nats.double().cpu().numpy()
        for i, part in zip(
            rows, np.split(parts, np.cumsum([lengths[i] for i in rows])[:-1]), strict=True
        ):
            found[i] = part
    return found
