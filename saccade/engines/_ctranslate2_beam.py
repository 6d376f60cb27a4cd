"""Beam search of CTranslate2, made to end where `search.beam` ends.

The two agree down to the score, log_prob / length ** length_penalty with END counted, but for two
things, which are seen to here:

- CTranslate2 stops when a number of hypotheses is completed, whatever the active ones promise. So
  it is asked for twice as many as our rule wants at least, and where the later ones would change
  the outcome, `_settle` finds out at which step our rule stops.
- A batch has one limit. A line that comes to its own is searched again alone.

Banned symbols are taken out before the softmax and not after it, which matters as little as the
model believes in them.
"""

from collections.abc import Iterable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from typing import Any, NamedTuple

import ctranslate2

from saccade.engines._order import Order
from saccade.errors import DataError
from saccade.nouns import Hypothesis
from saccade.tokenizers._vocabulary import END

_PATIENCE = 2  # times as many completed hypotheses as our rule asks for at least
_TINY = 1e-9


class BeamLine(NamedTuple):
    """One source: its tokens, and the most symbols of its output, END not counted."""

    tokens: list[str]
    limit: int


@dataclass(frozen=True)
class CTranslate2Beam:
    """A search by one order.

    translator: the model.  order: how to search.  target: the spelling of every id.  ids: the id of
    every spelling.  threads: how many lines are looked at again at once.
    """

    translator: ctranslate2.Translator
    order: Order
    target: Sequence[str]
    ids: Mapping[str, int]
    threads: int

    def search(self, batches: Sequence[Sequence[BeamLine]]) -> list[list[tuple[Hypothesis, ...]]]:
        """Search batch by batch, all begun at once."""
        waiting = [self._begin(b, max(line.limit for line in b) + 1) for b in batches]
        found = [[self._read(result) for result in results] for results in waiting]
        if sum(map(len, batches)) == 1 or not self._patient:  # hardly a line is looked at again
            return [
                list(map(self._outputs, lines, outputs))
                for lines, outputs in zip(batches, found, strict=True)
            ]
        with ThreadPoolExecutor(self.threads) as pool:
            return [
                list(pool.map(self._outputs, lines, outputs))
                for lines, outputs in zip(batches, found, strict=True)
            ]

    @property
    def _patient(self) -> bool:
        """Whether the search goes on while an active hypothesis is better."""
        order = self.order
        waits = order.patient and order.n_completed == 0
        return waits and order.width > 1 and order.length_penalty > 0

    @property
    def _enough(self) -> int:
        """How many hypotheses to complete."""
        return self.order.n_completed or self.order.width * (_PATIENCE if self._patient else 1)

    def _outputs(self, line: BeamLine, found: Sequence[Hypothesis]) -> tuple[Hypothesis, ...]:
        """Choose among what a batch found for a line, or search again by the line's own limit."""
        within = [h for h in found if len(h.tokens) <= line.limit]
        known = len(within) >= self.order.n_best and (self._patient or len(within) == len(found))
        if known and all(h.finished for h in found):
            return self._settle(line, within)
        return (self._cut_short(line, found[0]),) if self.order.width == 1 else self._within(line)

    def _cut_short(self, line: BeamLine, found: Hypothesis) -> Hypothesis:
        """Cut what greedy search went on to write at the line's own limit, and score the rest."""
        tokens = found.tokens[: line.limit]
        (scored,) = self.translator.score_batch(
            [line.tokens], [[self.target[i] for i in tokens]], max_input_length=0
        )
        log_prob = sum(scored.log_probs[: len(tokens)])  # what follows is END
        score = log_prob / max(len(tokens), 1) ** self.order.length_penalty
        return Hypothesis(tokens, score, (), finished=False)

    def _within(self, line: BeamLine) -> tuple[Hypothesis, ...]:
        """Search one line by its own limit; unfinished outputs rank behind finished ones.

        The search counts what it cuts at its end among the completed, so where it comes to its end
        it is asked for all of them, and for those cut one symbol before, which is the limit.
        """
        found = self._alone(line, line.limit + 1)
        if all(h.finished for h in found):
            return self._settle(line, found)
        every = self._enough + self.order.width
        finished = [h for h in self._alone(line, line.limit + 1, every) if h.finished]
        if len(finished) >= self.order.n_best:
            return self._settle(line, finished)
        known = {h.tokens for h in finished}
        cut = self._alone(line, line.limit, every)
        finished += [h for h in cut if not h.finished and h.tokens not in known]
        return tuple(finished[: self.order.n_best])

    def _settle(self, line: BeamLine, finished: Sequence[Hypothesis]) -> tuple[Hypothesis, ...]:
        """Return the best of those that are completed when `search.beam` would stop.

        That is at the first step, once `width` are completed, at which no active hypothesis scores
        better than the worst of those to return. `finished` has the best first.
        """
        width, steps = self.order.width, sorted(_step(h) for h in finished)
        if not self._patient or len(steps) < width:
            return tuple(finished[: self.order.n_best])
        last = self._best(finished, steps[-1])
        # one before the step we want: a poor early ending may have been dropped from the list
        if _same(self._best(finished, steps[width - 2]), last):
            return last
        every = [h for h in self._cut(line, steps[-1]) if h.finished]
        for step in range(sorted(_step(h) for h in every)[width - 1], steps[-1]):
            best = self._best(every, step)
            if _same(best, last):
                break
            active = [h.score for h in self._cut(line, step) if not h.finished]
            if not active or max(active) <= best[-1].score:
                return best
        return last

    def _best(self, finished: Iterable[Hypothesis], step: int) -> tuple[Hypothesis, ...]:
        """Return the best of those that were completed by a step."""
        return tuple([h for h in finished if _step(h) <= step][: self.order.n_best])

    def _cut(self, line: BeamLine, n_steps: int) -> tuple[Hypothesis, ...]:
        """Return all that is completed within some steps, and what is active at the last."""
        return self._alone(line, n_steps, self.order.width * n_steps)

    def _alone(self, line: BeamLine, n_steps: int, n_completed: int = 0) -> tuple[Hypothesis, ...]:
        (waiting,) = self._begin([line], n_steps, n_completed)
        return self._read(waiting)

    def _begin(self, lines: Sequence[BeamLine], n_steps: int, n_completed: int = 0) -> Any:
        """Start a search that stops at `n_completed` and returns them all."""
        order, enough = self.order, n_completed or self._enough
        # without a penalty it stops with the first good one, which is right for the best alone
        least = _TINY if order.n_best > 1 else 0.0
        return self.translator.translate_batch(
            [line.tokens for line in lines],
            asynchronous=True,
            beam_size=order.width,
            patience=enough / order.width,
            num_hypotheses=enough if n_completed or self._patient else order.n_best,
            length_penalty=max(order.length_penalty, least),
            suppress_sequences=[[self.target[i]] for i in order.banned],
            return_end_token=True,
            return_scores=True,
            max_input_length=0,
            max_decoding_length=n_steps,
            min_decoding_length=0,
        )

    def _read(self, waiting: ctranslate2.AsyncTranslationResult) -> tuple[Hypothesis, ...]:
        """Wait for what was found."""
        try:
            result = waiting.result()
        except RuntimeError as error:  # a place beyond the table of positions
            raise DataError(
                f"translate: ctranslate2 stopped: {error}; expected lines and outputs that fit its"
                " table of positions. Shorten the lines, or use --engine torch."
            ) from None
        return tuple(map(self._hypothesis, result.hypotheses, result.scores))

    def _hypothesis(self, tokens: Sequence[str], score: float) -> Hypothesis:
        ids = [self.ids[token] for token in tokens]
        finished = bool(ids) and ids[-1] == END
        return Hypothesis(tuple(ids[:-1] if finished else ids), score, (), finished)


def _step(finished: Hypothesis) -> int:
    """Return the step at which a hypothesis was completed, from 1."""
    return len(finished.tokens) + 1


def _same(some: Sequence[Hypothesis], others: Sequence[Hypothesis]) -> bool:
    return [h.tokens for h in some] == [h.tokens for h in others]
