"""What objectives that judge whole outputs share: drawing them, judging them, their probability."""

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import Literal

import torch
from torch import Tensor

from saccade.errors import RecipeError
from saccade.flow import Batch, Sources, padded
from saccade.metrics.bleu import Bleu, smoothed
from saccade.metrics.cer import Cer
from saccade.metrics.error_rate import ErrorRate
from saccade.metrics.wer import Wer
from saccade.models.base import Model, writer
from saccade.objectives.base import Decode
from saccade.search.base import Search, Task
from saccade.search.greedy import Greedy
from saccade.search.sample import Sample
from saccade.tokenizers._vocabulary import END, START

Risk = Literal["bleu", "wer", "cer", "exact"]
Output = tuple[int, ...]  # what the model wrote, END last unless it was cut short

_BLEU, _WER, _CER, _EXACT = Bleu(), Wer(), Cer(), ErrorRate()
_RISKS: dict[str, Callable[[str, str], float]] = {
    "bleu": lambda text, reference: 1 - smoothed(_BLEU.stats(text, [reference])),
    "wer": lambda text, reference: _WER.corpus([text], [reference]).value / 100,
    "cer": lambda text, reference: _CER.corpus([text], [reference]).value / 100,
    "exact": lambda text, reference: _EXACT.corpus([text], [reference]).value / 100,
}


def risks_of(
    risk: Risk, decode: Decode, outputs: Sequence[Sequence[Output]], references: Sequence[Output]
) -> list[list[float]]:
    """Judge every output of every sentence as text: 0 is right.

    bleu: 1 - BLEU of the sentence, smoothed.  wer, cer: edits of words, or of characters, over the
    reference's.  exact: 1 unless wholly right. Words are those of the text, so a model of
    characters can be judged by its words.
    """
    judge, found = _RISKS[risk], []
    for row, reference in zip(outputs, references, strict=True):
        wanted = decode(reference)
        found.append([judge(decode(output), wanted) for output in row])
    return found


def sampled(model: Model, batch: Batch, n: int, generator: torch.Generator) -> list[list[Output]]:
    """Draw `n` outputs a sentence from the model as it is, without dropout."""
    return _searched(Sample(n=n), model, batch, generator)


def greedy(model: Model, batch: Batch) -> list[list[Output]]:
    """Write one output a sentence greedily, without dropout."""
    return _searched(Greedy(), model, batch, None)


def _searched(
    search: Search, model: Model, batch: Batch, generator: torch.Generator | None
) -> list[list[Output]]:
    """Search with no symbol banned, so that chances are the model's own; at most 1.5 T + 5 long."""
    limits = (batch.target.lengths * 1.5).long() + 5  # [B]
    task = Task(START, END, limits, generator=generator)
    with torch.no_grad(), evaluating(model):
        own = writer(model)
        found = search(own.step, own.start(batch.sources), task)
    return [
        [(*one.tokens, END) if one.finished else one.tokens for one in row.hypotheses]
        for row in found
    ]


@contextmanager
def evaluating(model: Model) -> Iterator[None]:
    """Put the model into evaluation mode for the time of a `with`."""
    before = model.training
    model.eval()
    try:
        yield
    finally:
        model.train(before)


def references_of(batch: Batch) -> list[Output]:
    """Return the targets as outputs."""
    lengths = batch.target.lengths.tolist()
    rows = zip(batch.target.values.tolist(), lengths, strict=True)
    return [tuple(row[:length]) for row, length in rows]


def log_probs_of(model: Model, sources: Sources, outputs: Sequence[Sequence[Output]]) -> Tensor:
    """Force every output upon the model; return log p(y | x), `[B, N]`, with gradient.

    Sentences may have unequally many outputs; missing ones get 0.
    """
    device = next(iter(sources.values())).mask.device
    rows = torch.tensor([b for b, row in enumerate(outputs) for _ in row])  # [M]
    flat = [output for row in outputs for output in row]
    target = padded(flat)  # [M, T]
    prefix = padded([(START, *output[:-1]) for output in flat]).values  # [M, T]
    place = rows.to(device)
    again = {name: source.rows(place) for name, source in sources.items()}  # [M, S]
    batch = Batch(again, target.to(device), prefix.to(device))
    mask = batch.target.mask
    log_probs = model.head.log_probs(model(batch).features[mask])  # [P, V]
    gains = log_probs.gather(1, batch.target.values[mask][:, None]).squeeze(1)  # [P]
    totals = gains.new_zeros(len(flat)).index_add(0, mask.nonzero()[:, 0], gains)  # [M]
    size = max(len(row) for row in outputs)
    column = torch.tensor([n for row in outputs for n in range(len(row))])  # [M]
    index = (rows * size + column).to(device)
    return totals.new_zeros(len(outputs) * size).index_copy(0, index, totals).view(-1, size)


def counted(owner: str, samples: int, least: int) -> int:
    """Return the number of samples if it is enough."""
    if samples < least:
        raise RecipeError(
            f"{owner}.samples: {samples} is below {least}; draw {least} outputs a sentence or more."
        )
    return samples


def weighed(owner: str, likelihood: float) -> float:
    """Return the weight of the likelihood if it can be one."""
    if likelihood < 0:
        raise RecipeError(
            f"{owner}.likelihood: {likelihood} is below 0; 0 leaves the reference's likelihood out."
        )
    return likelihood
