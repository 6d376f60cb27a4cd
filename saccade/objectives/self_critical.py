"""Self-critical training: raise the probability of captions that beat the model's own."""

from collections.abc import Iterable, Sequence
from typing import ClassVar

import torch
from torch import Tensor

from saccade.errors import RecipeError
from saccade.flow import Batch, Loss
from saccade.metrics._captions import words
from saccade.metrics.cider import DocumentFrequencies, cider_d, document_frequencies
from saccade.models.base import Model
from saccade.objectives._outputs import (
    Output,
    counted,
    greedy,
    log_probs_of,
    references_of,
    sampled,
    weighed,
)
from saccade.objectives.base import Decode, Moment, Objective
from saccade.objectives.cross_entropy import cross_entropy
from saccade.objectives.reinforce import estimate
from saccade.tokenizers._vocabulary import END, UNKNOWN

_STOP = "</s>"  # the word that stands for END; it is in all references
_BEST = 10.0  # CIDEr-D of a caption that is the only reference
_WRONG = {False: f"{UNKNOWN}0", True: f"{UNKNOWN}1"}  # unknown words of outputs and of references


class SelfCritical(Objective):
    """One minus CIDEr-D of captions drawn from the model, with the score-function gradient.

        gradient = -sum_x 1/N sum_n (r(y[n]) - r(greedy)) grad log p(y[n] | x),   r = CIDEr-D / 10

    Rennie et al. 2017 (arXiv:1612.00563), section 3; they draw one caption, N = `samples`. All
    references of the example count, and how rare n-grams are is counted once in the references of
    the training set. Words are those that the metric `cider` compares. As in the authors' code END
    counts as a word: without it captions learn to end in the middle of a phrase. An unknown word is
    never right. The value of the loss is 1 - r; `likelihood` adds so much of the reference's
    negative log-probability.

    Differs from `reinforce` in the reward, which compares with all references of an example.
    """

    all_references: ClassVar[bool] = True

    def __init__(self, decode: Decode, *, samples: int = 1, likelihood: float = 0.0) -> None:
        super().__init__(decode)
        self.samples = counted("self_critical", samples, least=1)
        self.likelihood = weighed("self_critical", likelihood)
        self._frequencies: DocumentFrequencies | None = None

    def study(self, references: Iterable[Sequence[str]]) -> None:
        """Count in the references of how many examples each n-gram is."""
        self._frequencies = document_frequencies(
            [_as_words(text, finished=True, right=True) for text in row] for row in references
        )

    def __call__(self, model: Model, batch: Batch, moment: Moment) -> Loss:
        """Return the sum; `parts["risk"]` is it without the likelihood."""
        outputs = sampled(model, batch, self.samples, moment.generator)
        log_probs = log_probs_of(model, batch.sources, outputs)  # [B, N]
        known = batch.references or [[ids] for ids in references_of(batch)]
        rewards = self.rewards(outputs, known).to(log_probs)  # [B, N]
        baseline = self.rewards(greedy(model, batch), known).to(log_probs)  # [B, 1]
        total = estimate(log_probs, 1 - rewards, baseline).sum()
        parts = {"risk": total.item()}
        if self.likelihood:
            forced = cross_entropy(model, batch)
            total, parts = total + self.likelihood * forced.total, {**parts, **forced.parts}
        return Loss(total, int(batch.target.mask.sum()), parts)

    def rewards(
        self, outputs: Sequence[Sequence[Output]], references: Sequence[Sequence[Sequence[int]]]
    ) -> Tensor:
        """Return CIDEr-D / 10 of N outputs of each example, `[B, N]`, from 0 to 1."""
        if self._frequencies is None:
            raise RecipeError(
                "training.objective: self_critical weighs words by how many training examples hold"
                " them, but has read none. Call study with the references of the training set."
            )
        right = [
            [_as_words(self.decode(ids), finished=True, right=True) for ids in row]
            for row in references
        ]
        written = [
            _as_words(self.decode(one), finished=one[-1:] == (END,), right=False)
            for row in outputs
            for one in row
        ]
        known = [lines for lines, row in zip(right, outputs, strict=True) for _ in row]
        found = torch.from_numpy(cider_d(written, known, self._frequencies))
        return found.view(len(outputs), -1) / _BEST


def _as_words(text: str, *, finished: bool, right: bool) -> str:
    """Write a text as the words that are compared, with one for its end.

    >>> _as_words("A ⁇ dog .", finished=True, right=False)
    'a ⁇0 dog </s>'
    """
    wrong = f" {_WRONG[right]} "
    found = wrong.join(" ".join(words(part)) for part in text.split(UNKNOWN)).split()
    return " ".join([*found, _STOP] if finished else found)
