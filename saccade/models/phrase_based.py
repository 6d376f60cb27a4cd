"""Phrase-based translation: the source is cut into phrases, which are translated and reordered."""

from collections.abc import Mapping
from typing import Any, ClassVar

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor, nn

from saccade.errors import CheckpointError, DataError, RecipeError
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
from saccade.heads._backoff import NEVER, BackoffHead
from saccade.heads.given import GivenHead
from saccade.kernels.backoff import ROOT
from saccade.kernels.stack import FURTHEST, LONGEST, PhraseOptions, StackLimits
from saccade.models import _phrase_table as tables
from saccade.models._aligner import Aligner, AlignerState
from saccade.models._candidates import candidates
from saccade.models._held import HeldArrays
from saccade.models._kneser_ney import estimate
from saccade.models._links import symmetrise, turned
from saccade.models._phrase_options import (
    FEATURES,
    START_WEIGHTS,
    Weighting,
    fused,
    guesses,
    laid,
    options_of,
    weighted,
)
from saccade.models._phrase_table import PhraseTable
from saccade.models._phrases import aligned, extract
from saccade.models._tuning import PhraseCandidates, merged, tune
from saccade.models.base import CountedModel, CountedPass, LaidPairs, LaidSide, PhraseWriter
from saccade.models.ngram import MOST
from saccade.nouns import Side
from saccade.search._forced import follow
from saccade.search.stack import cover
from saccade.tokenizers._vocabulary import END, UNK

Array = NDArray[Any]
_SHARE = 0.1  # of the language model alone, in what is said word by word
_WIDTH = 50  # hypotheses that write a given beginning
_RULE = "grow-diag-final-and"
_ALIGNER_KINDS = ("int64", "int32", "float32", "float32", "float64", "float64")
_ALIGNER = dict(zip(AlignerState._fields, _ALIGNER_KINDS, strict=True))
_MOST_PASSES = 100
_LANGUAGE = FEATURES.index("language")  # its weight becomes 1: so scores are in nats
_LEAST = 0.01  # of that weight, where all add up to 1
_TUNED = 64  # sentences that are translated together
_TUNE_WIDTH, _TUNE_BEST, _FAR = 50, 100, 1e9  # of stacks while tuning; nothing is too far behind


class PhraseBased(CountedModel, PhraseWriter):
    """Cuts the source into phrases, translates each and puts them in order, by a log-linear model.

        score(e, d | f) = sum_i weight[i] h[i](e, d, f)      d: which phrase, written after which
        h: -words jumped over, log p_lm(e), words, phrases,
           log p(f~|e~), log lex(f~|e~), log p(e~|f~), log lex(e~|f~), log p(turn | f~, e~) x 3

    Koehn, Och & Marcu 2003; Och & Ney 2004; turns: Koehn et al. 2005, backward direction, by words.
    It is fitted in passes: EM of word aligners in both directions (Model 1, then the HMM), one that
    symmetrises the links, extracts phrases (`_phrases.py`), scores them (`_phrase_table.py`) and
    counts the language model (`_kneser_ney.py`), and one that chooses the weights on the validation
    pairs (`_tuning.py`). `search/stack.py` finds the best derivation.

    It has no probability of a text. Word by word it says

        p(v | e[<t], f) = (1 - a) softmax_v value(v) + a p_lm(v | e[<t])        a = 0.1

    where value(v) is the best score of a derivation that has written e[<t] and goes on with v,
    with the outlook of the stack search; where no derivation has, a = 1. This is a distribution
    over texts built of the same scores, for cross-entropy, forced scoring and searches that go word
    by word; the stack search ranks by scores, not by it. What a word looks at are the source words
    of its phrase, in the best derivation of the whole text; words that no derivation reaches look
    evenly at all.

    Args:
        sources: one, of words.
        target: of words.
        passes: of EM, by Model 1 and then by the HMM.
        longest: words of a phrase, on either side.
        options: translations that are kept of each source phrase.
        order: words of the longest n-grams of the language model.
        distortion_limit: how many words a jump may pass; 0 translates from left to right.
        tune: rounds of decoding the validation pairs to choose the weights; 0 keeps those at start.
    """

    tunes: ClassVar[bool] = True
    source_raws: ClassVar[tuple[str, ...]] = ("text",)
    target_raws: ClassVar[tuple[str, ...]] = ("text",)
    head: GivenHead

    def __init__(
        self,
        sources: Mapping[str, Side],
        target: Side,
        *,
        passes: list[int] = [5, 5],  # noqa: B006 - only read
        longest: int = 7,
        options: int = 20,
        order: int = 5,
        distortion_limit: int = 6,
        tune: int = 8,
    ) -> None:
        super().__init__()
        _check(passes, longest, options, order, distortion_limit, tune)
        self.kinds = ["ibm1"] * passes[0] + ["hmm"] * passes[1]
        self.longest, self.most, self.order = longest, options, order
        self.reach, self.rounds = distortion_limit, tune
        (source,) = sources.values()
        self.sizes = source.size, target.size
        self.judged = len(self.kinds) + 1  # before there are phrases, nothing is translated
        self.iterations = self.judged + (tune > 0)
        self.language = BackoffHead(1, target.size, None)
        self.table = HeldArrays(tables.empty()._asdict())
        nothing = {name: np.zeros(0, kind) for name, kind in _ALIGNER.items()}
        self.there, self.back = HeldArrays(nothing), HeldArrays(nothing)
        self.weights = nn.Parameter(torch.tensor(START_WEIGHTS), requires_grad=False)
        self.head = GivenHead(target.size, target.size, None)

    @property
    def attention_names(self) -> tuple[str, ...]:
        """One map: the source words of each word's phrase."""
        return ("phrases",)

    def count(self, corpus: LaidPairs, iteration: int) -> CountedPass:
        """Make one pass of EM in both directions; or build the tables; or tune the weights."""
        (source,), target = corpus.sources.values(), corpus.target
        if not len(target.values) or not len(source.values):
            raise DataError("phrase_based: there is nothing to count; expected pairs of sentences.")
        if iteration < len(self.kinds):
            return self._align(source, target, iteration)
        if iteration == len(self.kinds):
            return self._build(source, target)
        return self._tune(corpus.held_out)

    def _align(self, source: LaidSide, target: LaidSide, iteration: int) -> CountedPass:
        """Make one pass of EM in each direction."""
        figures = {}
        ways = (
            (self.there, source, target, self.sizes),
            (self.back, target, source, self.sizes[::-1]),
        )
        for name, (held, given, written, sizes) in zip(("there", "back"), ways, strict=True):
            known = AlignerState(**held.arrays())
            if not iteration:
                known = Aligner.begin(given, written, *sizes)
            aligner = Aligner(known)
            found = aligner.step(given, written, self.kinds[iteration])
            held.put(aligner.state._asdict())
            figures[f"nats a word {name}"] = -found.likelihood / len(written.values)
        return CountedPass(figures)

    def _build(self, source: LaidSide, target: LaidSide) -> CountedPass:
        """Link words, extract phrases, score them, and count n-grams of the target."""
        kind = self.kinds[-1]
        there = Aligner(AlignerState(**self.there.arrays())).links(source, target, kind)
        back = turned(Aligner(AlignerState(**self.back.arrays())).links(target, source, kind))
        links = symmetrise(there, back, _RULE, source.lengths, target.lengths)
        given = aligned(source, target, links)
        table = tables.build(
            given, extract(given, self.longest), self.sizes, self.longest, self.most
        )
        if not len(table.features):
            raise DataError(
                f"phrase_based: no phrase pair was found in {len(target.lengths):,} pairs; expected"
                " text whose words can be linked. Are source and target translations, line by line?"
            )
        made = estimate(target.values, target.lengths, self.sizes[1], self.order)
        self.language.put(made.table)
        table.features[:, -1] = guesses(table, self.language)
        self.table.put(table._asdict())
        for held in (self.there, self.back):
            held.put({name: np.zeros(0, kind) for name, kind in _ALIGNER.items()})
        n, m = len(table.features), int((np.diff(table.options) > 0).sum())
        figures = {"links": len(links), "phrases": m, "phrase pairs": n}
        told = f"{len(links):,} links; {m:,} phrases with {n:,} translations."
        return CountedPass({k: float(v) for k, v in figures.items()}, told)

    def _tune(self, held_out: LaidPairs | None) -> CountedPass:
        """Choose the weights on the validation pairs."""
        if held_out is None:
            return CountedPass({}, "There are no validation pairs to tune on; the weights stay.")
        (source,) = held_out.sources.values()
        wanted = held_out.target
        references = LaidSide(np.where(wanted.values == UNK, -1, wanted.values), wanted.lengths)
        before = self.weights.numpy(force=True)

        def decode(weights: Array) -> PhraseCandidates:
            return self._candidates(source, weights)

        found = tune(decode, references, before, self.rounds, _LANGUAGE)
        chosen = found.weights / max(found.weights[_LANGUAGE], _LEAST)
        self.weights.data = torch.from_numpy(chosen.astype(np.float32)).to(self.weights.device)
        figures = {f"weight {n}": float(w) for n, w in zip(FEATURES, chosen, strict=True)}
        rounds = ", ".join(f"{one:.2f}" for one in found.rounds)
        told = f"BLEU of the validation pairs, words as they are: {rounds}; the best was taken."
        return CountedPass({**figures, "tuned bleu": found.bleu}, told)

    def _candidates(self, source: LaidSide, weights: Array) -> PhraseCandidates:
        """Translate sentences by some weights; return the best of each."""
        parts = list[PhraseCandidates]()
        n = len(source.lengths)
        for first in range(0, n, _TUNED):
            some = source.rows(np.arange(first, min(first + _TUNED, n)))
            options = self._options(*_padded(some), weights)
            limits = 4 * some.lengths + 10
            found = cover(options, limits, END, StackLimits(_TUNE_WIDTH, _FAR, _TUNE_BEST))
            parts.append(candidates(options, found, self.language, first))
        return merged(parts)

    def _options(self, ids: Array, lengths: Array, weights: Array) -> PhraseOptions:
        table = PhraseTable(**self.table.arrays())
        weighting = Weighting.of(weights)
        found = options_of(ids, lengths, table, self.sizes[0], self.longest)
        language = fused(self.language, weighting.language)
        return weighted(found, lengths, table, weighting, language, self.reach)

    def read_phrases(self, sources: Sources) -> PhraseOptions:
        """Return the options of all spans of the sources."""
        source = only(sources).flat()
        return self._options(*laid(source.values, source.mask), self.weights.numpy(force=True))

    def accept(self, weights: Mapping[str, Tensor], where: str) -> None:
        """Check the tables of a file and make room for them."""
        self.language.accept(_below("language.", weights), where)
        table = PhraseTable(**self.table.given(weights, "table.", where))
        problem = tables.fault(table, self.sizes, self.longest)
        if problem:
            raise CheckpointError(
                f"{where}: {problem}; expected a phrase table of {self.sizes[0]} and"
                f" {self.sizes[1]} words. The file is damaged or another model's: copy the model"
                " folder again."
            )
        if not len(table.features) and len(self.language.table.keys) > 1 + self.sizes[1]:
            raise CheckpointError(
                f"{where}: its phrase table is empty though its language model is not, so it would"
                " translate no word; expected phrase pairs. Copy the model folder again."
            )
        self.table.put(table._asdict())
        chosen = weights.get("weights", torch.zeros(0))
        if chosen.shape != self.weights.shape or not bool(chosen.isfinite().all()):
            raise CheckpointError(
                f"{where}: the weights of the features are {chosen.tolist()}; expected"
                f" {len(FEATURES)} finite numbers. Copy the model folder again."
            )
        for name, held in (("there.", self.there), ("back.", self.back)):
            held.put(held.given(weights, name, where))

    def forward(self, batch: Batch, *, look: bool = False) -> Decoded:
        """Say how likely every next word is, `[B, T, V]`, given the prefix before it."""
        options = self.read_phrases(batch.sources)
        features = self._said(options, batch.prefix)
        weights = self._looked(options, batch) if look else None
        return Decoded(features, weights)

    def start(self, sources: Sources) -> State:
        """Keep the source; nothing is written yet."""
        source = only(sources).flat()
        nothing = source.values.new_zeros(len(source.values), 0, dtype=torch.long)
        return {SOURCE: {"values": source.values, "mask": source.mask}, "written": nothing}

    def advance(self, token: Tensor, state: State, *, look: bool = False) -> Stepped:
        """Read one word `[B]`; a step looks nowhere, since phrases are known behind the last."""
        source = nested(state, SOURCE)
        written = torch.cat([tensor(state, "written"), token[:, None]], dim=1)
        padded = Padded(tensor(source, "values"), tensor(source, "mask"))
        options = self.read_phrases({SOURCE: padded})
        features = self._said(options, written)[:, -1]
        weights = features.new_zeros(len(token), 1, padded.mask.shape[1]) if look else None
        return Stepped(features, weights, {SOURCE: source, "written": written})

    def _said(self, options: PhraseOptions, prefix: Tensor) -> Tensor:
        """Return log-probabilities of what follows every beginning of `prefix [B, T]`."""
        contexts, here = list[Tensor](), torch.full_like(prefix[:, 0], ROOT)
        for word in prefix.unbind(dim=1):
            here = self.language.walk(here, word)
            contexts.append(here)
        alone = self.language.log_probs(torch.stack(contexts, dim=1)[:, :, None])  # [B, T, V]
        for row, words in enumerate(prefix[:, 1:].tolist()):
            values = torch.from_numpy(follow(options, row, words, END, _WIDTH).values)
            reached = values.isfinite().any(dim=1)  # [T]
            said = values[reached].softmax(dim=1).to(alone.dtype)
            mixed = (1 - _SHARE) * said + _SHARE * alone[row, reached].exp()
            alone[row, reached] = mixed.log().clamp(min=NEVER)
        return alone

    def _looked(self, options: PhraseOptions, batch: Batch) -> Tensor:
        """Return which source words each word of the target comes from: `[B, T, 1, S]`."""
        mask = batch.source.flat().mask
        n_places = batch.target.values.shape[1]
        weights = torch.zeros(len(mask), n_places, mask.shape[1])
        for row, n in enumerate(batch.target.lengths.tolist()):
            text = batch.target.values[row, : max(n - 1, 0)].tolist()
            words = int(options.lengths[row])
            weights[row, : len(text), :words] = 1 / max(words, 1)
            t = 0
            for o in follow(options, row, text, END, _WIDTH).path:
                begin, stop = options.spans[o].tolist()
                size = len(options.target(o))
                weights[row, t : t + size] = 0.0
                weights[row, t : t + size, begin:stop] = 1 / (stop - begin)
                t += size
            weights[row, len(text) : n, words] = 1.0
        return weights[:, :, None].to(mask.device)


def _padded(side: LaidSide) -> tuple[Array, Array]:
    """Lay sequences out, `[B, S]`, and say how long they are."""
    lengths = np.asarray(side.lengths, np.int64)
    ids = np.zeros((len(lengths), max(int(lengths.max(initial=0)), 1)), np.int64)
    ids[np.arange(ids.shape[1]) < lengths[:, None]] = side.values
    return ids, lengths


def _below(prefix: str, weights: Mapping[str, Tensor]) -> dict[str, Tensor]:
    return {n.removeprefix(prefix): one for n, one in weights.items() if n.startswith(prefix)}


def _check(
    passes: list[int], longest: int, options: int, order: int, reach: int, tune: int
) -> None:
    """Refuse options that cannot be."""
    problems = []
    if len(passes) != 2 or min(passes) < 0 or not 0 < sum(passes) <= _MOST_PASSES:
        problems.append(
            f"phrase_based.passes: {passes} does not fit; expected how many of Model 1 and of the"
            f" HMM, 1 to {_MOST_PASSES} together, such as [5, 5]."
        )
    ranges = {
        "longest": (longest, 1, LONGEST),
        "options": (options, 1, 1000),
        "order": (order, 1, MOST),
        "distortion_limit": (reach, 0, FURTHEST),
        "tune": (tune, 0, 100),
    }
    problems += [
        f"phrase_based.{name}: {value} is not between {low} and {high}."
        for name, (value, low, high) in ranges.items()
        if not low <= value <= high
    ]
    if problems:
        raise RecipeError(problems)
