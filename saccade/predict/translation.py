"""What comes out of a model, with everything one may want to know about it.

Text alone needs no numpy, which takes a while to import: it is, by what looks at maps.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import TYPE_CHECKING, Protocol, TypeAlias

from saccade.guards.familiarity import familiarity
from saccade.guards.flag import Flag
from saccade.guards.profile import Profile
from saccade.guards.unknown import unknown
from saccade.nouns import Branch, Hypothesis
from saccade.tokenizers._vocabulary import END, MARK, UNK, Vocabulary
from saccade.views.words import escape

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

Maps: TypeAlias = "NDArray[np.float32]"


class Looker(Protocol):
    """Whoever can say where a model looked: its vocabularies, and its maps of one sentence.

    `profile` is what was usual in its training, None if nobody knows.
    """

    source: Vocabulary
    target: Vocabulary
    profile: Profile | None

    @property
    def attention_names(self) -> tuple[str, ...]:
        """What the maps are called."""

    def look(self, source: Sequence[int], target: Sequence[int]) -> Maps:
        """Return the weights `[A, T + 1, S + 1]`, END included on both sides."""

    def token_scores(self, source: Sequence[int], target: Sequence[int]) -> tuple[float, ...]:
        """Return the log-probability of every symbol of `target` and of END last."""


@dataclass(frozen=True)
class Translation:
    """One output for one input; `nbest` holds all that search kept, this one first.

    copied: the words that the slots of the vocabularies stand for.  replacing: whether an unknown
    word is written as the source word that was looked at most.

    >>> m = saccade.load("runs/demo")                           # doctest: +SKIP
    >>> r = m.translate("The little girl sleeps.")              # doctest: +SKIP
    >>> r.text, r.score, r.attention.shape                      # doctest: +SKIP
    ('La petite fille dort.', -0.04, (5, 6))
    """

    source_text: str
    source_ids: tuple[int, ...]
    hypothesis: Hypothesis
    looker: Looker = field(repr=False)
    others: tuple[Hypothesis, ...] = field(default=(), repr=False)
    tree: tuple[tuple[Branch, ...], ...] = field(default=(), repr=False)
    copied: tuple[str, ...] = field(default=(), repr=False)
    replacing: bool = field(default=False, repr=False)

    @cached_property
    def text(self) -> str:
        """The output."""
        return self.looker.target.decode(self.hypothesis.tokens, self._instead)

    @property
    def tokens(self) -> tuple[str, ...]:
        """The output's pieces, with ▁ where a word begins."""
        return self.looker.target.pieces(self.hypothesis.tokens, self._instead)

    @property
    def source_tokens(self) -> tuple[str, ...]:
        """The input's pieces and its END, which attention can look at too."""
        ids = (*self.source_ids, END)
        return self.looker.source.pieces(ids, _slots_filled(self.looker.source, ids, self.copied))

    @cached_property
    def _instead(self) -> dict[int, str]:
        """The words that were copied or replaced, by their place in the output."""
        target, ids = self.looker.target, self.hypothesis.tokens
        instead = _slots_filled(target, ids, self.copied)
        unknown = [t for t, i in enumerate(ids) if i == UNK] if self.replacing else []
        weights = self.attention if unknown else None
        if weights is not None:
            cuts = self.looker.source.cuts(self.source_text)
            instead |= {t: _as_word(cuts[weights[t, :-1].argmax()]) for t in unknown}
        return instead

    @property
    def score(self) -> float:
        """What hypotheses were ranked by: the log-probability over a power of the length."""
        return self.hypothesis.score

    @cached_property
    def token_scores(self) -> tuple[float, ...]:
        """Log-probability of every piece, and of END last if the output came to its end.

        An engine that did not say is asked when somebody wants to know.
        """
        tokens, finished = self.hypothesis.tokens, self.finished
        n = len(tokens) + finished if self.source_ids else 0
        if len(self.hypothesis.token_scores) >= n:
            return self.hypothesis.token_scores
        return self.looker.token_scores(self.source_ids, tokens)[:n]

    @property
    def finished(self) -> bool:
        """False if the output was cut at its length limit."""
        return self.hypothesis.finished

    @property
    def nbest(self) -> "list[Translation]":
        """All outputs that search kept, best first."""
        hypotheses = (self.hypothesis, *self.others)
        return [replace(self, hypothesis=h, others=(), tree=()) for h in hypotheses]

    @cached_property
    def attention_maps(self) -> dict[str, Maps]:
        """Every map by name: weights `[T, S]` of `tokens` over `source_tokens`."""
        names = self.looker.attention_names
        if not names or not self.source_ids:
            return {}
        tokens = self.hypothesis.tokens
        maps = self.looker.look(self.source_ids, tokens)[:, : len(tokens)]
        return dict(zip(names, maps, strict=True))

    @property
    def attention(self) -> "Maps | None":
        """The mean of all maps `[T, S]`, computed when asked for; None if the model has none."""
        import numpy as np  # noqa: PLC0415 - slow to import

        maps = list(self.attention_maps.values())
        return np.mean(maps, axis=0) if maps else None

    @property
    def alignment(self) -> list[tuple[int, int]]:
        """Pairs of words (source, target), from 0: where each output word looked most."""
        weights = self.attention
        if weights is None or not len(self.hypothesis.tokens):
            return []
        columns = self.looker.source.words(self.source_ids)
        rows = self.looker.target.words(self.hypothesis.tokens)
        by_word = _sum_groups(_sum_groups(weights[:, :-1], columns, axis=1), rows, axis=0)
        numbers = list(dict.fromkeys(columns))  # of words, in the order in which they were read
        return [(numbers[int(s)], t) for t, s in enumerate(by_word.argmax(axis=1))]

    @cached_property
    def flags(self) -> tuple[Flag, ...]:
        """Reasons not to trust the output, computed when asked for; none if all seems well."""
        from saccade.guards.hallucination import (  # noqa: PLC0415 - imports numpy
            Evidence,
            hallucination,
        )

        if not self.source_ids:
            return ()
        looker, ids = self.looker, self.source_ids
        pieces = looker.source.pieces(ids)
        unknowns = [s for s, i in enumerate(ids) if i == UNK]
        texts = looker.source.unknown(self.source_text) if unknowns else ()
        evidence = Evidence(
            pieces,
            looker.source.words(ids),
            self.tokens,
            self.token_scores,
            self.finished,
            self.attention,
            looker.profile,
        )
        normal = looker.source.normalise(self.source_text)
        return (
            *unknown(len(ids), unknowns, texts),
            *familiarity(normal, pieces, looker.profile),
            *hallucination(evidence),
        )

    def __str__(self) -> str:
        return self.text

    def _repr_html_(self) -> str:
        """Show the output and where the model looked, in a notebook."""
        from saccade.views.heatmap import to_html  # noqa: PLC0415 - imports numpy

        weights = self.attention
        if weights is None or not weights.size:
            return f"<p>{escape(self.source_text)} → {escape(self.text)}</p>"
        return to_html(weights, self.source_tokens, self.tokens)


def _slots_filled(
    vocabulary: Vocabulary, ids: Sequence[int], words: Sequence[str]
) -> dict[int, str]:
    """Return the words of slots, by their place."""
    word = dict(zip(vocabulary.slots, words, strict=False))
    return {t: _as_word(word[i]) for t, i in enumerate(ids) if i in word}


def _as_word(cut: str) -> str:
    """Mark the beginning of a word; a punctuation mark stays with what is before it."""
    bare = cut.removeprefix(MARK)
    return MARK + bare if bare[:1].isalnum() else cut


def _sum_groups(weights: Maps, groups: Sequence[int], axis: int) -> Maps:
    """Add up rows or columns that belong to the same word."""
    import numpy as np  # noqa: PLC0415 - slow to import

    starts = np.flatnonzero(np.diff([-1, *groups]))
    return np.add.reduceat(weights, starts, axis=axis)
