"""The hidden Markov model: tags that follow each other, and words that follow from their tags."""

from collections.abc import Mapping
from typing import ClassVar

import numpy as np
import torch
from torch import Tensor

from saccade.errors import DataError, RecipeError, ShapeError
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
from saccade.heads.given import GivenHead
from saccade.models._baum_welch import (
    chain_of,
    expect,
    first_guess,
    maximise,
    named,
    tables_of,
)
from saccade.models._hmm_counts import (
    Smoothing,
    TaggedWords,
    emissions_of,
    states_of,
    transitions_of,
)
from saccade.models._hmm_tables import HmmTables
from saccade.models.base import CountedModel, CountedPass, LaidPairs, TrellisWriter
from saccade.nouns import Side
from saccade.search._trellis import Trellis, heard, likely, scaled
from saccade.tokenizers._vocabulary import SYMBOLS

MOST_PASSES = 1000
MOST_STATES = 1000  # of EM
FAR = -30.0  # the log-probability of what cannot be: finite, so that smoothing may add it up


class HiddenMarkov(CountedModel, TrellisWriter):
    """Writes one tag for each word: hidden states that follow each other and emit the words.

        p(y, x) = prod_i p(s[i] | s[i-1], s[i-2]) p(x[i] | s[i])         y[i] is the tag of s[i]
        p(y[i] | y[1..i-1], x) ~ sum over states of what led to them and all that may follow

    Fitted by counting; `_hmm_counts.py` has the equations. What it writes tag by tag multiplies to
    p(y | x), by forward and backward sums (`search/_trellis.py`), so any search works; Viterbi
    search is exact. Brants 2000 (TnT), sections 2.1 to 2.3.

    A state is a tag. With `factors: 2` every word is written `word￨POS`, and a state is a tag with
    its POS; with `lexical`, a tag with the word too, if the word is frequent: Molina & Pla 2002,
    "Shallow parsing using specialized HMMs", section 4, who leave the other words out, though.

    Args:
        sources: words; their classes of rare words, if the tokenizer made `suffixes`.
        target: tags.
        order: tags before one that it depends on, 1 or 2.
        factors: pieces of the source for each tag, 1 or 2.
        rare: words that occur at most so often say what unknown words are.
        prior: how many places of the class of a word, or of its factor, are added to its own.
        lexical: words that occur so often, with their factor, make states of their own; 0 is none.
        baum_welch: passes of EM over the words alone (`_baum_welch.py`); 0 counts tags. The tags
            only name the states, each after the one that it agrees with most.
        states: of EM; 0 is as many as there are tags.
        seed: of the first guess of EM.
    """

    rereads: ClassVar[bool] = True
    source_raws: ClassVar[tuple[str, ...]] = ("text",)
    head: GivenHead

    def __init__(  # noqa: PLR0913 - all but two are options
        self,
        sources: Mapping[str, Side],
        target: Side,
        *,
        order: int = 2,
        factors: int = 1,
        rare: int = 10,
        prior: float = 0.5,
        lexical: int = 0,
        baum_welch: int = 0,
        states: int = 0,
        seed: int = 1,
    ) -> None:
        super().__init__()
        (side,) = sources.values()
        self.order, self.pieces_each, self.broader = order, factors, side.broader
        self.smoothing = Smoothing(rare, prior, lexical)
        self.baum_welch, self.seed, self.iterations = baum_welch, seed, max(baum_welch, 1)
        self.n_states = states or max(target.size - len(SYMBOLS), 1)
        _check(order, factors, self.smoothing)
        _check_hidden(baum_welch, states, (order, factors, lexical))
        self.tables = HmmTables(side.size, target.size, order)
        self.head = GivenHead(target.size, target.size, None)
        self.sees = order

    @property
    def attention_names(self) -> tuple[str, ...]:
        """None: a tag looks at its own word."""
        return ()

    def count(self, corpus: LaidPairs, iteration: int) -> CountedPass:
        """Count tags and words, and smooth; or make one pass of EM over the words."""
        (words, lengths), (tags, n_tags) = *corpus.sources.values(), corpus.target
        n = self.pieces_each
        if not len(tags):
            raise DataError("hmm: there is nothing to count; expected some words with tags.")
        if (lengths != n * n_tags).any():
            raise DataError(
                f"hmm: {len(words)} source pieces for {len(tags)} tags; expected {n} for each tag."
                " Mend the data."
            )
        factors = words[1::2] if n == 2 else words * 0
        seen = TaggedWords(words[::n], factors, tags, n_tags)
        return self._expect(seen, iteration) if self.baum_welch else self._count(seen)

    def _count(self, seen: TaggedWords) -> CountedPass:
        """Count tags and words, and smooth."""
        factored, how = self.pieces_each == 2, self.smoothing
        states = states_of(seen, self.tables.size, factored=factored, lexical=how.lexical)
        broader = None if factored else self.broader
        emissions = emissions_of(seen, states, self.tables.size, broader, how)
        followed = transitions_of(states.numbers, seen.lengths, states.counts, self.order)
        self.tables.put(emissions, followed)
        sizes = {
            "states": float(len(states.counts)),
            "pairs": float(len(followed.pair_keys)),
            "triples": float(len(followed.triple_keys)),
        }
        figures = {f"share {i}": float(share) for i, share in enumerate(followed.shares)}
        shares = " : ".join(f"{share:.2f}" for share in followed.shares[: self.order + 1])
        told = f"{len(states.counts):,} states; histories of 0 to {self.order} count {shares}."
        return CountedPass({**sizes, **figures}, told)

    def _expect(self, seen: TaggedWords, iteration: int) -> CountedPass:
        """Make one pass of EM: what is expected of every word becomes what is likely."""
        words, tables = seen.words.astype(np.int64), self.tables
        occurs = np.bincount(words, minlength=tables.size) > 0
        if iteration:
            chain = chain_of(tables.scores.numpy(), tables.pairs.numpy(), occurs)
        else:
            chain = first_guess(words, tables.size, self.n_states, self.seed)
        expected = expect(chain, words, seen.lengths.astype(np.int64))
        chain = maximise(chain, expected, words)
        names = named(expected.places, seen.tags.astype(np.int64), self.head.size)
        tables.put(*tables_of(chain, names))
        each = expected.log_prob / (len(words) + len(seen.lengths))
        return CountedPass({"log-likelihood": expected.log_prob, "a word": each})

    def accept(self, weights: Mapping[str, Tensor], where: str) -> None:
        """Check the tables of a file and make room for them."""
        own = {name.removeprefix("tables."): one for name, one in weights.items()}
        self.tables.accept(own, where)

    def read_trellis(self, sources: Sources) -> Trellis:
        """Lay out all ways through the states."""
        return self.tables.trellis(self.tables.lay(*self._read(only(sources).flat())))

    def forward(self, batch: Batch, *, look: bool = False) -> Decoded:
        """Write log-probabilities of every place, `[B, T, V]`, given the tags before it."""
        source = batch.source.flat()
        state, every = self.start(batch.sources), []
        for token in batch.prefix.unbind(dim=1):
            features, _, state = self.advance(token, state)
            every.append(features)
        weights = None
        if look:
            weights = every[0].new_zeros(*batch.prefix.shape, 0, source.mask.shape[1])
        return Decoded(torch.stack(every, dim=1), weights)

    def start(self, sources: Sources) -> State:
        """Read the source; nothing is written yet."""
        laid = self.tables.lay(*self._read(only(sources).flat()))
        beta = self.tables.trellis(laid).backward_sums()
        message = torch.zeros_like(beta[:, 0])
        message[:, 0, 0] = 1.0  # START
        return {
            SOURCE: {**laid._asdict(), "beta": beta},
            "place": torch.zeros_like(laid.lengths),
            "message": message,
        }

    def advance(self, token: Tensor, state: State, *, look: bool = False) -> Stepped:
        """Read the tag before, `[B]`, and go to the next word."""
        held, place = nested(state, SOURCE), tensor(state, "place")
        rows = torch.arange(len(place), device=place.device)
        before = (place - 1).clamp(min=0)
        written = (
            tensor(held, "symbols")[rows, before.clamp(max=self._last(held))] == token[:, None]
        )
        message = heard(tensor(state, "message"), written | (place == 0)[:, None])
        here = torch.minimum(place, tensor(held, "lengths"))  # END goes on
        scores, symbols, beta = (tensor(held, n)[rows, here] for n in ("scores", "symbols", "beta"))
        message = self.tables.extend(message, tensor(held, "groups"), here) * scores[:, None]
        odds = likely(message, beta, scores)
        every = odds.new_zeros(len(odds), self.head.size).scatter_add(1, symbols, odds)
        features = every.log().clamp(min=FAR).float()
        weights = features.new_zeros(len(features), 0, 1) if look else None
        after: State = {SOURCE: held, "place": place + 1, "message": scaled(message)}
        return Stepped(features, weights, after)

    def _last(self, held: State) -> int:
        return tensor(held, "symbols").shape[1] - 1

    def _read(self, source: Padded) -> tuple[Tensor, Tensor, Tensor]:
        """Return words and factors `[B, S]`, and how many there are, `[B]`."""
        n, n_pieces = self.pieces_each, source.lengths - 1  # END is no word
        if n > 1 and bool((n_pieces % n != 0).any()):
            odd = int(n_pieces[n_pieces % n != 0][0])
            raise ShapeError(
                f"hmm: a sentence has {odd} pieces; expected a multiple of factors, {n}: every"
                " word with all its factors, as in word￨POS. Mend the sentence."
            )
        values = source.values[:, : int(n_pieces.max()) if len(n_pieces) else 0]
        words = values[:, ::n]
        return words, values[:, 1::2] if n == 2 else torch.zeros_like(words), n_pieces // n


def _check_hidden(passes: int, states: int, others: tuple[int, int, int]) -> None:
    """Refuse what EM over the words cannot do."""
    if not 0 <= passes <= MOST_PASSES:
        raise RecipeError(
            f"hmm.baum_welch: {passes} is not between 0, which counts tags, and {MOST_PASSES}; 30"
            " passes are usual."
        )
    if not 0 <= states <= MOST_STATES or (states and not passes):
        raise RecipeError(
            f"hmm.states: {states} states are not between 0 and {MOST_STATES}, or there is no"
            " baum_welch to find them. Set baum_welch, or states to 0."
        )
    if passes and others != (1, 1, 0):
        raise RecipeError(
            f"hmm.baum_welch: {passes} passes over the words go with order 1, factors 1 and lexical"
            f" 0, but they are {', '.join(map(str, others))}. Change them."
        )


def _check(order: int, factors: int, how: Smoothing) -> None:
    """Refuse options that cannot be."""
    problems = [
        f"hmm.{name}: {found} is not {expected}."
        for name, found, good, expected in (
            ("order", order, order in (1, 2), "1 or 2, the tags before one that it depends on"),
            ("factors", factors, factors in (1, 2), "1, words alone, or 2, as in word￨POS"),
            ("rare", how.rare, how.rare >= 1, "1 or more; 10 is usual"),
            ("prior", how.prior, 0 <= how.prior <= 1000, "between 0 and 1000; 0.5 is usual"),
            ("lexical", how.lexical, how.lexical >= 0, "0, which is off, or more"),
        )
        if not good
    ]
    if problems:
        raise RecipeError(problems)
