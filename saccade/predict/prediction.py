"""What comes out of a model, with everything one may want to know about it.

Text alone needs no numpy, which takes a while to import: it is, by what looks at maps.
"""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import cached_property

from saccade.guards.familiarity import familiarity
from saccade.guards.flag import Flag
from saccade.guards.unknown import unknown
from saccade.modalities._notation import Notation, Values, as_word, slots_filled
from saccade.nouns import Branch, Hypothesis, Raw
from saccade.predict.looker import Arrays, Looker, Maps, SelfMap
from saccade.predict.stories import flags_of_several, story_drawing, story_in
from saccade.predict.times import TimedText, spoken, sum_groups, timed_words, weighed_spans
from saccade.tokenizers._vocabulary import UNK, Vocabulary
from saccade.views import page
from saccade.views.drawing import AttentionMap, Drawing, draw_attention, draw_output
from saccade.views.sources import SourceOver, draw_sources, named_texts
from saccade.views.words import escape

FRAMES = "CTC"  # the map that tells where labels are, of a model that has frames
DECIMALS = 4  # of a score, where people or programs see it
_ROWS = 50  # of a table; a list may be longer


def rounded(score: float) -> float:
    """Round a score to what is shown of it.

    A score is a sum of float32 numbers, whose last digits depend on how inputs are batched.

    >>> rounded(-0.123456789)
    -0.1235
    """
    return round(score, DECIMALS) + 0.0  # no -0.0


@dataclass(frozen=True, repr=False)
class Prediction:
    """One output for one input; `nbest` holds all that search kept, this one first.

    sources: the input, by name.  arrays: as the model reads it.  blank: the input was empty, so
    nothing was asked of the model.  copied: the words that the slots of the vocabularies stand
    for.  replacing: whether an unknown word is written as the source word that was looked at most.
    supporting: the sentences of a story, from 0, that the right answer follows from, if known.

    >>> m = saccade.load("runs/demo")                           # doctest: +SKIP
    >>> r = m.translate("The little girl sleeps.")              # doctest: +SKIP
    >>> r.text, r.score, r.attention.shape                      # doctest: +SKIP
    ('La petite fille dort.', -0.04, (5, 6))
    """

    sources: Mapping[str, Raw]
    arrays: Arrays
    hypothesis: Hypothesis
    looker: Looker
    others: tuple[Hypothesis, ...] = ()
    tree: tuple[tuple[Branch, ...], ...] = ()
    copied: tuple[str, ...] = ()
    replacing: bool = False
    blank: bool = False
    supporting: tuple[int, ...] = ()

    @cached_property
    def output(self) -> Raw:
        """What was written: text, or an array of values."""
        target = self.looker.target
        if target.vocabulary is None:
            return target.decode(self.hypothesis.tokens)
        return target.vocabulary.decode(self.hypothesis.tokens, self._instead)

    @property
    def values(self) -> Raw:
        """The output of a model of numbers, `[T, C]`, in the units of the data."""
        return self.output

    @cached_property
    def text(self) -> str:
        """The output as text."""
        return self.looker.target.write(self.output)

    @property
    def tokens(self) -> tuple[str, ...]:
        """The output's places: pieces, with ▁ where a word begins, or numbers."""
        target = self.looker.target
        if target.vocabulary is None:
            return target.labels(self.output, self.hypothesis.tokens)
        return target.vocabulary.pieces(self.hypothesis.tokens, self._instead)

    @property
    def source(self) -> Raw:
        """The only input, or the first."""
        return next(iter(self.sources.values()))

    @property
    def source_text(self) -> str:
        """The input as text; of several, each behind its name."""
        return named_texts(
            {name: self.looker.sources[name].write(raw) for name, raw in self.sources.items()}
        )

    @property
    def source_title(self) -> str:
        """The input in a line that people read: text as it is, and `[picture]`."""
        sources = self.looker.sources
        return named_texts(
            {
                name: sources[name].stand_in or sources[name].write(raw)
                for name, raw in self.sources.items()
            }
        )

    @property
    def seen(self) -> str:
        """The only input, or the first, as text: of a picture what the model saw of it."""
        return next(iter(self.looker.sources.values())).shown(self.source)

    @property
    def source_values(self) -> Values:
        """The only input, or the first, as the model reads it: ids of text, or an array."""
        return next(iter(self.arrays.values()))

    @property
    def source_tokens(self) -> tuple[str, ...]:
        """The input's places that attention can look at, END too; () if they all form a grid."""
        return tuple(label for name in self.arrays for label in self.labels(name))

    def labels(self, name: str) -> tuple[str, ...]:
        """Name the places of one source; those of a grid only where other sources stand beside it.

        They are called `image 2,5`: row and column, from 1.
        """
        values = self.arrays[name]
        found = self.looker.sources[name].labels(self.sources[name], values)
        if found or len(self.arrays) == 1:
            return found
        rows, columns = self.looker.grid({name: values})
        cells = ((r, c) for r in range(1, rows + 1) for c in range(1, columns + 1))
        return tuple(f"{name} {row},{column}" for row, column in cells)

    @property
    def view(self) -> str:
        """The module of `views` that draws attention over the input."""
        views = [notation.view for notation in self.looker.sources.values()]
        return views[0] if len(views) == 1 else Notation.view

    @property
    def grid(self) -> tuple[int, ...]:
        """The shape of the places that attention can look at: one number, or rows and columns."""
        return self.looker.grid(self.arrays)

    @property
    def _source_vocabulary(self) -> Vocabulary | None:
        """The pieces of the only source, if it is text."""
        notations = list(self.looker.sources.values())
        return notations[0].vocabulary if len(notations) == 1 else None

    @cached_property
    def _instead(self) -> dict[int, str]:
        """The words that were copied or replaced, by their place in the output."""
        source, target = self._source_vocabulary, self.looker.target.vocabulary
        if source is None or target is None:
            return {}
        ids = self.hypothesis.tokens
        instead = dict(slots_filled(target, ids, self.copied))
        unknown = [t for t, i in enumerate(ids) if i == UNK] if self.replacing else []
        weights = self.attention if unknown else None
        if weights is not None:
            cuts = source.cuts(self.source)
            instead |= {t: as_word(cuts[weights[t, :-1].argmax()]) for t in unknown}
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
        n = 0 if self.blank or self.looker.target.vocabulary is None else len(tokens) + finished
        if len(self.hypothesis.token_scores) >= n:
            return self.hypothesis.token_scores
        return self.looker.token_scores(self.arrays, tokens)[:n]

    @property
    def finished(self) -> bool:
        """False if the output was cut at its length limit."""
        return self.hypothesis.finished

    @property
    def nbest(self) -> "Predictions":
        """All outputs that search kept, best first."""
        hypotheses = (self.hypothesis, *self.others)
        return Predictions(replace(self, hypothesis=h, others=(), tree=()) for h in hypotheses)

    @cached_property
    def attention_maps(self) -> dict[str, Maps]:
        """Every map by name: weights `[T, S]` of `tokens` over `source_tokens`."""
        names = self.looker.attention_names
        if not names or self.blank:
            return {}
        tokens = self.hypothesis.tokens
        maps = self.looker.look(self.arrays, tokens)[:, : len(tokens)]
        return dict(zip(names, maps, strict=True))

    @cached_property
    def self_maps(self) -> tuple[SelfMap, ...]:
        """Every map of self-attention; of a decoder over `tokens`, without END."""
        if self.blank:
            return ()
        n, tokens = len(self.hypothesis.tokens), self.hypothesis.tokens
        tokens = self.hypothesis.tokens
        found, n = self.looker.look_within(self.arrays, tokens), len(tokens)
        return tuple(m.cut(n) if m.of_decoder else m for m in found)

    @property
    def self_attention(self) -> dict[str, Maps]:
        """Every map of self-attention by name, as "encoder layer 1 head 2": weights `[S, S]`.

        Of a decoder `[T, T]`: a row for each of `tokens` that is written, a column for each place
        that was read: START and all of `tokens` but the last.
        """
        return {one.name: one.weights for one in self.self_maps}

    @property
    def attention(self) -> "Maps | None":
        """The mean of all maps `[T, S]`, computed when asked for; None if the model has none."""
        import numpy as np  # noqa: PLC0415 - slow to import

        maps = list(self.attention_maps.values())
        return np.mean(maps, axis=0) if maps else None

    @property
    def alignment(self) -> list[tuple[int, int]]:
        """Pairs of words (source, target), from 0: where each output word looked most.

        Characters, on a side whose pieces are characters. None where a side is not text.
        """
        weights, source = self.attention, self._source_vocabulary
        target = self.looker.target.vocabulary
        if weights is None or source is None or target is None or not self.hypothesis.tokens:
            return []
        columns = source.units(self.source_values)
        rows = target.units(self.hypothesis.tokens)
        by_word = sum_groups(sum_groups(weights[:, :-1], columns, axis=1), rows, axis=0)
        numbers = list(dict.fromkeys(columns))  # of words, in the order in which they were read
        return [(numbers[int(s)], t) for t, s in enumerate(by_word.argmax(axis=1))]

    @cached_property
    def times(self) -> tuple[TimedText, ...]:
        """When each of `tokens` is said, in seconds; () if the source is no sound.

        By the posterior of each label over the frames, of a model that has frames, else by its
        attention; the sound between two symbols is parted where it is quietest.
        """
        values, maps = self.source_values, self.attention_maps
        clock = next(iter(self.looker.sources.values())).clock(values)
        weights = maps.get(FRAMES, self.attention)
        if clock is None or weights is None or len(self.arrays) > 1:
            return ()
        spans = spoken(weighed_spans(weights, len(clock.levels)), clock)
        return tuple(TimedText(p, *span) for p, span in zip(self.tokens, spans, strict=True))

    @property
    def word_times(self) -> tuple[TimedText, ...]:
        """When each word is said, from its first piece to its last; () as of `times`."""
        target = self.looker.target.vocabulary
        if target is None:
            return ()
        return tuple(timed_words(target, self.hypothesis.tokens, self.times))

    @cached_property
    def flags(self) -> tuple[Flag, ...]:
        """Reasons not to trust the output, computed when asked for; none if all seems well."""
        import saccade.guards.hallucination as guard  # noqa: PLC0415 - imports numpy

        if len(self.arrays) > 1 and not self.blank:
            return flags_of_several(self)
        source, ids = self._source_vocabulary, self.source_values
        if self.blank or not len(ids) or source is None or self.looker.target.vocabulary is None:
            return ()
        pieces = source.pieces(ids)
        unknowns = [s for s, i in enumerate(ids) if i == UNK]
        texts = source.unknown(self.source) if unknowns else ()
        evidence = guard.Evidence(
            pieces,
            source.words(ids),
            self.tokens,
            self.token_scores,
            self.finished,
            self.attention if self.looker.covers else None,
            self.looker.profile,
        )
        return (
            *unknown(len(ids), unknowns, texts),
            *familiarity(source.normalise(self.source), pieces, self.looker.profile),
            *guard.hallucination(evidence),
        )

    def __str__(self) -> str:
        return self.text

    def __repr__(self) -> str:
        shown = f", score={rounded(self.score)}" if self.looker.target.vocabulary else ""
        return f"<Prediction {self.text!r}{shown} of {self.source_title!r}>"

    def _repr_html_(self) -> str:
        """Show the output and where the model looked, in a notebook."""
        drawn, chart = self.drawing(), self.looker.target.chart
        if drawn is None and not chart:
            return f"<p>{escape(self.source_title)} → {escape(self.text)}</p>"
        return (drawn or draw_output(chart, self.source, self.output)).html

    def drawing(self) -> Drawing | None:
        """Draw where the model looked, by the view of the source; None if it looked nowhere."""
        weights = self.attention
        if weights is None or not weights.size:
            return None
        source, said = self.source_tokens, f"{self.source_title} → {self.text}"
        one = AttentionMap(weights, source, self.tokens, self.grid, self.seen, said=said)
        spans, end = dict[str, tuple[int, int]](), 0
        for name in self.arrays:
            spans[name] = (end, end := end + len(self.labels(name)))
        return self.drawn(one, spans)

    def drawn(self, one: AttentionMap, spans: Mapping[str, tuple[int, int]]) -> Drawing:
        """Draw a map over the input; `spans` are the columns of each source."""
        if story_in(self):
            return story_drawing(self, one)
        if len(spans) < 2 or all(n.view == Notation.view for n in self.looker.sources.values()):
            return draw_attention(self.view, one)
        return draw_sources(one, {name: self._over(name) for name in spans}, spans)

    def _over(self, name: str) -> SourceOver:
        """Tell what a view needs of one source."""
        notation = self.looker.sources[name]
        grid = self.looker.grid({name: self.arrays[name]})
        return SourceOver(notation.view, grid, notation.shown(self.sources[name]))


class Predictions(list[Prediction]):
    """A list of predictions, in the order of the inputs; a notebook shows it as a table.

    >>> Predictions()
    []
    """

    def _repr_html_(self) -> str:
        """Show inputs, outputs and scores."""
        said = [(one.source_text, one.looker.target.shown(one.output)) for one in self[:_ROWS]]
        scores = [f"{rounded(one.score):.{DECIMALS}f}" for one in self[:_ROWS]]
        rows = [[*both, score] for both, score in zip(said, scores, strict=True)]
        more = len(self) - len(rows)
        below = page.paragraph(f"{more:,} more are not shown.", note=True) if more else ""
        return page.table(["input", "output", "score"], rows) + below


@dataclass(frozen=True, slots=True)
class Scored:
    """How likely a model finds a given pair: log-probability of every target piece and of END."""

    tokens: tuple[str, ...]
    token_scores: tuple[float, ...]

    @property
    def score(self) -> float:
        """Log-probability of the whole target."""
        return sum(self.token_scores)
