"""What a figure gains if padding is counted."""

import math
from collections.abc import Sequence
from itertools import islice
from typing import NamedTuple

import torch
from torch import Tensor

from saccade.corpora.english_french import EnglishFrench
from saccade.explanations._toys import batch_of, guesses, padding_counted, trained
from saccade.explanations.base import Explained, Explanation
from saccade.flow import Batch
from saccade.models.base import Model
from saccade.objectives.cross_entropy import cross_entropy
from saccade.parts import Part
from saccade.tokenizers._vocabulary import Vocabulary
from saccade.tokenizers.word import Word
from saccade.views import curves
from saccade.views.drawing import Drawing, colourless

_SIZES = (1, 2, 4, 8, 16, 32, 64)  # sentences of a batch
_MODEL = Part(
    Model,
    "encoder_decoder",
    {
        "embedding": 32,
        "encoder": {"kind": "rnn", "hidden": 32},
        "decoder": {"kind": "rnn", "hidden": 32, "attention": {"kind": "additive", "hidden": 32}},
        "dropout": 0.0,
    },
)

Pairs = Sequence[tuple[list[int], list[int]]]


class _Counts(NamedTuple):
    """Of all batches of a size: places, those that are real, which are right, and the loss."""

    places: int
    real: int
    right: int
    right_real: int
    loss: float
    loss_real: float

    @property
    def share(self) -> float:
        """The share of padding."""
        return 1 - self.real / self.places


class Padding(Explanation):
    """What does a figure gain if padding is counted?

    Sentences of a batch are filled up to the longest one. A small model of translation learns from
    `steps` batches of 32 of `pairs` sentences with the loss of all places, as one does who forgets
    the mask: it learns to write padding behind the end. Then the same `sentences`, which it never
    saw, are measured after the right words before, in batches of 1 to 64 in no order, and in
    batches of 64 sorted by length:

        counted       right places / all places
        not counted   right real places / real places

    The share of right words does not depend on the batches; what is counted with it does.
    """

    def __init__(
        self, *, seed: int = 1, steps: int = 250, pairs: int = 4000, sentences: int = 512
    ) -> None:
        self.seed = seed
        self.steps = steps
        self.pairs = pairs
        self.sentences = sentences

    def run(self) -> Explained:
        """Train with padding counted, then measure with it and without it."""
        corpus = EnglishFrench(seed=self.seed, size=self.pairs)
        texts = list(corpus.pairs("train"))
        vocabulary = Word().fit([text for pair in texts for text in pair], ["nfc"])
        learned = _encoded(vocabulary, texts)
        unseen = _encoded(vocabulary, list(islice(corpus.pairs("valid"), self.sentences)))

        def drawn(noise: torch.Generator) -> Batch:
            chosen = torch.randint(len(learned), (32,), generator=noise).tolist()
            return padding_counted(_batch([learned[i] for i in chosen]))

        model = trained(_MODEL, len(vocabulary), drawn, steps=self.steps, seed=self.seed, rate=1e-2)
        found = {size: _measured(model, unseen, size) for size in _SIZES}
        in_order = sorted(unseen, key=lambda pair: len(pair[1]))
        return _explained(found, _measured(model, in_order, _SIZES[-1]))


def _encoded(vocabulary: Vocabulary, texts: Sequence[tuple[str, str]]) -> Pairs:
    return [(vocabulary.encode(source), vocabulary.encode(target)) for source, target in texts]


def _batch(pairs: Pairs) -> Batch:
    return batch_of([source for source, _ in pairs], [target for _, target in pairs])


@torch.no_grad()
def _measured(model: Model, pairs: Pairs, size: int) -> _Counts:
    """Measure pairs in batches of a size."""
    every = [_counts(model, _batch(pairs[i : i + size])) for i in range(0, len(pairs), size)]
    return _Counts(*(sum(column) for column in zip(*every, strict=True)))


def _counts(model: Model, batch: Batch) -> _Counts:
    real, right = batch.target.mask, guesses(model, batch) == batch.target.values  # [B, T] each
    losses = [cross_entropy(model, one).total.item() for one in (padding_counted(batch), batch)]
    return _Counts(real.numel(), _n(real), _n(right), _n(right & real), *losses)


def _n(places: Tensor) -> int:
    return int(places.sum())


def _explained(found: dict[int, _Counts], in_order: _Counts) -> Explained:
    alone, packed = found[_SIZES[0]], found[_SIZES[-1]]
    honest, fake = packed.right_real / packed.real, packed.right / packed.places
    sorted_fake = in_order.right / in_order.places
    losses = (packed.loss_real / packed.real, packed.loss / packed.places)
    perplexity, fake_perplexity = (math.exp(loss) for loss in losses)
    single = alone.right / alone.places
    said = (
        f"{honest:.1%} of the words are right; in batches of {_SIZES[-1]} sentences"
        f" {packed.share:.0%} of all places are padding, and counted with it {fake:.1%} are right"
        f" (sorted by length {in_order.share:.0%} and {sorted_fake:.1%}, one by one {single:.1%})."
        f" By counting padding alone the perplexity falls from {perplexity:.1f} to"
        f" {fake_perplexity:.1f}."
    )
    series = {
        "padding counted": [(100 * c.share, 100 * c.right / c.places) for c in found.values()],
        "not counted": [(100 * c.share, 100 * c.right_real / c.real) for c in found.values()],
    }
    title = "Right places in the same sentences, %"
    label = "share of padding, %, in batches of 1 to 64 sentences"
    drawing = Drawing(
        title,
        lambda: curves.to_svg(series, title=title, x_label=label),
        colourless(lambda width: curves.to_terminal(series, width=width)),
        said=said,
    )
    figures = {"right": honest, "right counted": fake, "right sorted": sorted_fake}
    figures |= {f"padding in batches of {size}": one.share for size, one in found.items()}
    figures |= {"perplexity": perplexity, "perplexity counted": fake_perplexity}
    return Explained(said, drawing, figures)
