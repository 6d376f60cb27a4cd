"""The noisy channel: what was meant, given what was seen."""

from collections.abc import Mapping
from typing import Any, ClassVar, NamedTuple

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from saccade.errors import DataError, RecipeError
from saccade.flow import (
    SOURCE,
    Batch,
    Decoded,
    Padded,
    Sources,
    State,
    Stepped,
    nested,
    only,
    tensor,
)
from saccade.heads._backoff import BackoffHead
from saccade.heads.given import GivenHead
from saccade.kernels.backoff import ROOT
from saccade.models._channel_ahead import Ahead, ahead_of, next_symbol
from saccade.models._edit_channel import EditChannel, EditCounts
from saccade.models._edit_lattice import (
    NEVER,
    edit_posteriors,
    edit_sums,
    extended_row,
    first_row,
)
from saccade.models._kneser_ney import estimate
from saccade.models._word_tree import Descent, TextCandidates, WordTree
from saccade.models.base import (
    CountedModel,
    CountedPass,
    EditLogProbs,
    EditWriter,
    LaidPairs,
    LaidSide,
)
from saccade.models.ngram import MOST
from saccade.nouns import Side
from saccade.tokenizers._vocabulary import END, PAD, START

Array = NDArray[Any]
IMPOSSIBLE = -1000.0  # the log-probability of what cannot be
_CELLS = 1 << 20  # of the lattices of a batch of pairs
_MOST_CELLS = 1 << 22  # of the lattice of one pair


class NoisyChannel(CountedModel, EditWriter):
    """Finds what was meant, y, behind what was seen, x.

        p(y | x) ~ p(y)^w p(x | y)

    Shannon 1948; Kernighan, Church & Gale 1990 for spelling. p(x | y) is a transducer of edits
    (`_edit_channel.py`), learned by EM, one pass an iteration. p(y) is of two kinds:

    - texts that were met in training, as often as they were met there. The `candidates` likeliest
      of them are found, and no likelier one is missed (`_word_tree.py`).
    - any other text, by an n-gram model of its symbols (modified Kneser-Ney). What stands ahead is
      summed up by its bigrams (`_channel_ahead.py`), and each place is normalised, so that
      this is p(y | x) itself for `order` 2 and less, and an approximation of it above.

    The two are mixed, p = (1 - u) p_texts + u p_symbols with u = `unseen`; without candidates the
    second is all. Probabilities of a place add up to one, so every search can write it.

    Args:
        sources: what was seen.
        target: what was meant; the same symbols.
        passes: of EM.
        order: of the n-grams.
        weight: w, how much p(y) counts; choose it on validation data.
        candidates: texts of the training data that a source is compared with; 0 for lines of text.
        unseen: u, how likely another text is meant.
        neighbours: whether insertions and drops know the symbol before them.
        copies: whether pairs whose sides are the same teach the channel too, or p(y) alone.
        smoothing: edits that each row of the channel's tables has seen before any are counted.
    """

    one_vocabulary = True
    discrete: ClassVar[bool | None] = True
    source_raws: ClassVar[tuple[str, ...]] = ("text",)

    def __init__(  # noqa: PLR0913 - all but two are options
        self,
        sources: Mapping[str, Side],
        target: Side,
        *,
        passes: int = 6,
        order: int = 5,
        weight: float = 1.0,
        candidates: int = 32,
        unseen: float = 0.05,
        neighbours: bool = True,
        copies: bool = True,
        smoothing: float = 1.0,
    ) -> None:
        super().__init__()
        _check(passes, order, weight, candidates, unseen, smoothing)
        self.iterations, self.order, self.weight = passes, order, weight
        self.candidates, self.unseen, self.copies = candidates, unseen, copies
        self.size = target.size
        self.channel = EditChannel(target.size, neighbours=neighbours, smoothing=smoothing)
        self.prior = BackoffHead(1, target.size, None)
        self.texts = WordTree(target.size)
        self.head = GivenHead(target.size, target.size, None)

    @property
    def attention_names(self) -> tuple[str, ...]:
        """One map: which symbol of the source each symbol made."""
        return ("channel",)

    def count(self, corpus: LaidPairs, iteration: int) -> CountedPass:
        """Count texts and n-grams in the first pass; make one pass of EM over the channel."""
        (source,) = corpus.sources.values()
        if not len(corpus.target.lengths):
            raise DataError("noisy_channel: there is nothing to count; expected some pairs.")
        told = ""
        if iteration == 0:
            made = estimate(*corpus.target, self.size, self.order)
            self.prior.put(made.table)
            if self.candidates:
                self.texts.learn(*corpus.target)
            told = f"{sum(made.sizes):,} n-grams, {int((self.texts.counts > 0).sum()):,} texts. "
        total, n_pairs = self._expect(source, corpus.target)
        n = max(n_pairs, 1)
        said = f"{n_pairs:,} pairs: log p(x | y) was {total / n:.4f} a pair before this pass."
        return CountedPass({"channel": total / n, "pairs": float(n_pairs)}, told + said)

    @torch.no_grad()
    def _expect(self, source: LaidSide, target: LaidSide) -> tuple[float, int]:
        """Make one pass of EM; return the log-likelihood before it and the number of pairs."""
        index = taught(source, target, copies=self.copies)
        cells = (source.lengths[index] + 1).astype(np.int64) * (target.lengths[index] + 1)
        index = index[cells <= _MOST_CELLS]
        order = np.lexsort((source.lengths[index], target.lengths[index]))
        index, total, counts = index[order], 0.0, list[EditCounts]()
        first = 0
        while first < len(index):
            first, rows = _batch(index, first, source.lengths, target.lengths)
            x, y = (_padded(side.rows(rows)) for side in (source, target))
            found, expected = self.channel.expect(x.values, y.values, x.lengths, y.lengths)
            total += float(found.sum())
            counts = [
                EditCounts(*(a + b for a, b in zip(counts[0], expected, strict=True)))
                if counts
                else expected
            ]
        if counts:
            self.channel.learn(counts[0])
        return total, len(index)

    def accept(self, weights: Mapping[str, Tensor], where: str) -> None:
        """Check the tables of a file and make room for them."""
        parts = (("channel.", self.channel), ("prior.", self.prior), ("texts.", self.texts))
        for name, part in parts:
            own = {k.removeprefix(name): v for k, v in weights.items() if k.startswith(name)}
            part.accept(own, where)

    def log_edits(self, source: Tensor, target: Tensor) -> EditLogProbs:
        """Return what the edits of one pair, `[S]` and `[T]`, cost; see `EditWriter`."""
        lengths = [torch.tensor([len(one)]) for one in (source, target)]
        scores = self.channel.scores(source[None], target[None], *lengths)
        found = (scores.emitted[0], scores.dropped[0], scores.inserted[0])
        return EditLogProbs(*(one.numpy(force=True) for one in found))

    def forward(self, batch: Batch, *, look: bool = False) -> Decoded:
        """Write the log-probabilities of every place, `[B, T, V]`, given the prefix before it."""
        state, features = self.start(batch.sources), []
        for token in batch.prefix.unbind(dim=1):
            found, _, state = self.advance(token, state)
            features.append(found)
        weights = self._laid_over(batch) if look else None
        return Decoded(torch.stack(features, dim=1), weights)

    def start(self, sources: Sources) -> State:
        """Read the source: what may have been meant by it, and what stands ahead of each place."""
        x = _seen(only(sources))
        found = self._candidates(x)
        ahead = ahead_of(self.channel, self.prior, x, self.weight)
        inserted = self.channel.inserted[START][x.values]
        mass, other = self._shares(found.scores)
        source: State = {"values": x.values, "texts": found.texts, **ahead._asdict()}
        return {
            SOURCE: source,
            "row": first_row(inserted),
            "context": torch.full_like(x.lengths, ROOT),
            "last": torch.full_like(x.lengths, START),
            "place": torch.zeros_like(x.lengths),
            "alive": mass,
            "other": other,
            "symbols": torch.zeros(len(x.values), self.size, dtype=torch.double),
        }

    def advance(self, token: Tensor, state: State, *, look: bool = False) -> Stepped:
        """Read one symbol `[B]`; weights tell which place of the source is next."""
        source = nested(state, SOURCE)
        state = self._read(token, state, source)
        ahead = Ahead(*(tensor(source, name) for name in Ahead._fields))
        row, last = tensor(state, "row"), tensor(state, "last")
        context = self.prior.log_probs(tensor(state, "context")[:, None]).double()  # [B, V]
        found = next_symbol(self.channel, ahead, row, last, self.weight * context)
        mixed = self._mixed(found.log_probs, state, source)
        weights = found.onset[:, None].float() if look else None
        return Stepped(mixed, weights, {**state, "symbols": found.log_probs})

    def _read(self, token: Tensor, state: State, source: State) -> State:
        """Write a symbol down; START, which is read first, leaves all as it is."""
        values, last = tensor(source, "values"), tensor(state, "last")
        c, stop = self.channel, self.channel.stop[last]
        emitted = (stop + c.kept[last, token])[:, None] + c.taken[token[:, None], values]
        dropped = stop + c.dropped[last, token]
        row = extended_row(
            tensor(state, "row"), emitted, dropped, c.inserted[token[:, None], values]
        )
        texts, place = tensor(source, "texts"), tensor(state, "place")
        at = place.clamp(max=texts.shape[2] - 1)[:, None, None].expand(-1, texts.shape[1], 1)
        alive = tensor(state, "alive").masked_fill(
            texts.gather(2, at)[:, :, 0] != token[:, None], NEVER
        )
        gained = tensor(state, "symbols").gather(1, token[:, None])[:, 0]
        moved = {
            "row": row,
            "last": token,
            "place": place + 1,
            "alive": alive,
            "other": tensor(state, "other") + gained,
        }
        first = token == START
        kept = {
            name: torch.where(first.reshape(-1, *[1] * (new.dim() - 1)), tensor(state, name), new)
            for name, new in moved.items()
        }
        return {**state, **kept, "context": self.prior.walk(tensor(state, "context"), token)}

    def _mixed(self, symbols: Tensor, state: State, source: State) -> Tensor:
        """Mix what the two kinds of text say, each as likely as it is by now: `[B, V]`."""
        alive, other = tensor(state, "alive"), tensor(state, "other")
        texts, place = tensor(source, "texts"), tensor(state, "place")
        at = place.clamp(max=texts.shape[2] - 1)[:, None, None].expand(-1, texts.shape[1], 1)
        following = texts.gather(2, at)[:, :, 0]  # [B, N]
        highest = torch.maximum(alive.amax(dim=1), other)[:, None]  # [B, 1]
        mass = (other[:, None] - highest).exp() * symbols.exp()  # [B, V]
        mass = mass.scatter_add(1, following, (alive - highest).exp())
        mass[:, [PAD, START]] = 0.0
        found = mass.clamp(min=1e-300).log() - mass.sum(dim=1, keepdim=True).clamp(min=1e-300).log()
        return found.clamp(min=IMPOSSIBLE).float()

    def _candidates(self, x: Padded) -> "PaddedTexts":
        """Find the texts of each source: `[B, N, L]`, each behind its last symbol END."""
        found = [TextCandidates([], np.zeros(0)) for _ in x.values]
        if self.candidates:
            descent = Descent(self.texts, self.channel, self.weight, self.candidates)
            rows = zip(x.values.numpy(force=True), x.lengths.tolist(), strict=True)
            found = [descent(values[:n]) for values, n in rows]
        return _texts(found, x.values.device)

    def _shares(self, scores: Tensor) -> tuple[Tensor, Tensor]:
        """Share out one among candidates and all other texts: logarithms `[B, N]`, `[B]`."""
        total = torch.logsumexp(scores, dim=1, keepdim=True)
        some = (total > NEVER / 2)[:, 0]
        mass = scores - total + np.log(1 - self.unseen)
        other = torch.where(some, float(np.log(self.unseen)), 0.0).double()
        return torch.where(some[:, None], mass, NEVER), other

    def _laid_over(self, batch: Batch) -> Tensor:
        """Return how likely each symbol made each place, given the target: `[B, T, 1, S]`.

        END made none.
        """
        x, target = _seen(batch.source), batch.target
        lengths = (target.lengths - 1).clamp(min=0)
        scores = self.channel.scores(x.values, target.values, x.lengths, lengths)
        return edit_posteriors(scores, edit_sums(scores)).emitted[:, :, None].float()


class PaddedTexts(NamedTuple):
    """Candidates of sources: `[B, N, L]`, and log-probabilities `[B, N]`, NEVER where none is."""

    texts: Tensor
    scores: Tensor


def taught(source: LaidSide, target: LaidSide, *, copies: bool) -> Array:
    """Return the numbers of the pairs that teach a channel: all, or those whose sides differ."""
    everything = np.arange(len(target.lengths))
    if copies:
        return everything
    same = np.flatnonzero(source.lengths == target.lengths)
    a, b = source.rows(same), target.rows(same)
    starts = np.cumsum(a.lengths) - a.lengths
    unlike = np.append(np.cumsum(a.values != b.values), 0)
    before = np.where(starts > 0, unlike[starts - 1], 0)
    ends = starts + a.lengths
    n = np.where(a.lengths > 0, unlike[ends - 1] - before, 0)
    return np.setdiff1d(everything, same[n == 0], assume_unique=True)


def _batch(
    index: Array, first: int, source_lengths: Array, target_lengths: Array
) -> tuple[int, Array]:
    """Take pairs from `first` on, as many as there is room for; return where the next begin."""
    last = min(first + 4096, len(index))
    while last > first + 1:
        rows = index[first:last]
        cells = (int(source_lengths[rows].max()) + 1) * (int(target_lengths[rows].max()) + 1)
        if cells * (last - first) <= _CELLS:
            break
        last = first + max((last - first) // 2, 1)
    return last, index[first:last]


def _padded(side: LaidSide) -> Padded:
    lengths = torch.from_numpy(np.asarray(side.lengths, np.int64))
    mask = torch.arange(max(int(lengths.max()), 1)) < lengths[:, None]
    values = torch.zeros(mask.shape, dtype=torch.long)
    values[mask] = torch.from_numpy(np.asarray(side.values, np.int64))
    return Padded(values, mask)


def _seen(source: Padded) -> Padded:
    """Return a source without the END behind it: its place stays, as padding."""
    x = source.flat()
    last = x.values.gather(1, (x.lengths - 1).clamp(min=0)[:, None]) == END  # [B, 1]
    place = torch.arange(x.values.shape[1], device=last.device)
    return Padded(x.values, x.mask & (place < x.lengths[:, None] - last.long()))


def _texts(found: list[TextCandidates], device: torch.device) -> PaddedTexts:
    n = max((len(one.texts) for one in found), default=0) or 1
    longest = max((len(text) for one in found for text in one.texts), default=0)
    texts = torch.full((len(found), n, longest + 1), END)
    scores = torch.full((len(found), n), NEVER, dtype=torch.double)
    for row, one in enumerate(found):
        scores[row, : len(one.texts)] = torch.from_numpy(one.scores)
        for k, text in enumerate(one.texts):
            texts[row, k, : len(text)] = torch.tensor(text, dtype=torch.long)
    return PaddedTexts(texts.to(device), scores.to(device))


def _check(
    passes: int, order: int, weight: float, candidates: int, unseen: float, smoothing: float
) -> None:
    """Refuse options that make no sense."""
    ranges = {
        "passes": (passes, 1, 1000),
        "order": (order, 1, MOST),
        "weight": (weight, 0, 100),
        "candidates": (candidates, 0, 1000),
        "unseen": (unseen, 1e-12, 1 - 1e-12),
        "smoothing": (smoothing, 0, 1e6),
    }
    for name, (given, least, most) in ranges.items():
        if not least <= given <= most:
            raise RecipeError(
                f"noisy_channel.{name}: {given} is not between {least} and {most}. Change it."
            )
