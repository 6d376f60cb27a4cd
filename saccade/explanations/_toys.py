"""Small models on ids drawn by chance: what the experiments of several topics train."""

from collections.abc import Callable, Sequence

import torch
from torch import Tensor, nn

from saccade.flow import Batch, Padded, padded
from saccade.models.base import Model
from saccade.nouns import SOURCE_NAME, Side
from saccade.objectives.cross_entropy import cross_entropy
from saccade.parts import Part
from saccade.tokenizers._vocabulary import END, START

FIRST = END + 1  # the first id that is a word

Draw = Callable[[torch.Generator], Batch]


def batch_of(sources: Sequence[Sequence[int]], targets: Sequence[Sequence[int]]) -> Batch:
    """Make a batch of ids without START and END; padding is 0."""
    target = padded([[*ids, END] for ids in targets])
    starts = torch.full((len(targets), 1), START)
    prefix = torch.cat([starts, target.values[:, :-1]], dim=1)  # [B, T]
    return Batch({SOURCE_NAME: padded(sources)}, target, prefix)


def letters(rows: int, places: int, n: int, *, seed: int, step: int) -> Tensor:
    """Draw ids of `n` letters by chance, `[B, S]`: the same ones for a seed and a step."""
    noise = torch.Generator().manual_seed(1_000_003 * seed + step)
    return torch.randint(FIRST, FIRST + n, (rows, places), generator=noise)


def padding_counted(batch: Batch) -> Batch:
    """Return the batch with every place of its target taken for a real one, as padding is not."""
    everywhere = torch.ones_like(batch.target.mask)
    return Batch(batch.sources, Padded(batch.target.values, everywhere), batch.prefix)


def trained(
    part: Part[Model], n_ids: int, draw: Draw, *, steps: int, seed: int, rate: float = 3e-3
) -> Model:
    """Train a model of `n_ids` ids on batches that are drawn, by Adam."""
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(seed)
        model = part.build({SOURCE_NAME: Side(n_ids)}, Side(n_ids))
        noise = torch.Generator().manual_seed(seed)
        optimiser = torch.optim.Adam(model.parameters(), lr=rate)
        for _ in range(steps):
            loss = cross_entropy(model, draw(noise))
            optimiser.zero_grad()
            (loss.total / loss.count).backward()  # type: ignore[no-untyped-call]
            nn.utils.clip_grad_norm_(model.parameters(), 1.0)
            optimiser.step()
    return model.eval()


@torch.no_grad()
def guesses(model: Model, batch: Batch) -> Tensor:
    """Return the likeliest id of every place of the target after the right ones, `[B, T]`."""
    return model.head.best(model(batch).features)
