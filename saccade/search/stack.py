"""Stack decoding: the source is covered phrase by phrase, in any order within a limit."""

from typing import ClassVar

import torch

from saccade.errors import RecipeError
from saccade.flow import State, StepFunction
from saccade.kernels import stack as kernels
from saccade.kernels.stack import Covered, PhraseOptions, StackLimits
from saccade.nouns import Hypothesis
from saccade.search._stacks import Language, StackSearch
from saccade.search._tree import paths
from saccade.search.base import Found, Search, Task

_SPARE = 20  # paths looked at for each output that is asked for: several may write the same


class Stack(Search):
    """Follow the `width` best hypotheses for each number of covered source words.

        score(d) = sum over features i of weight[i] h[i](d)          d: phrases in their order
        total(h) = score(h) + the best score of covering the rest, phrase by phrase

    Koehn, Och & Marcu 2003, section 3; Koehn 2010, chapter 6. Hypotheses with the same covered
    words, the same end and the same context of the language model are one: the better is followed,
    the other stays a way to it, for the list of the best. Those whose total is more than
    `threshold` behind the best of their stack are not followed. How far a phrase may jump is an
    option of the model. Unknown words are written as UNK, which `decoding.replace_unknown` turns
    into the source word; where UNK may not be written they are left out.

    `token_scores` share the score out evenly among all words and END: a derivation has no score of
    a single word.
    """

    once: ClassVar[bool] = True
    phrases: ClassVar[bool] = True

    def __init__(self, *, width: int = 100, n_best: int = 1, threshold: float = 10.0) -> None:
        self.width, self.n_best, self.threshold = width, n_best, threshold
        problems = []
        if width < 1:
            problems.append(f"stack.width: {width} is below 1; a stack holds 1 or more.")
        if n_best < 1:
            problems.append(f"stack.n_best: {n_best} is below 1; expected 1 or more outputs.")
        if not threshold > 0:
            problems.append(f"stack.threshold: {threshold} is not above 0; 10 is usual.")
        if problems:
            raise RecipeError(problems)

    @torch.no_grad()
    def __call__(
        self, step: StepFunction, state: State, task: Task, *, trace: bool = False
    ) -> list[Found]:
        """Cover the sources of `task.options`; the tree holds the paths of the `n_best`."""
        options = _options(task)
        n = 1 if self.n_best == 1 else _SPARE * self.n_best
        limits = task.limits.numpy(force=True)
        found = cover(options, limits, task.end, StackLimits(self.width, self.threshold, n))
        rows = [
            _hypotheses(options, one, task, int(limit), self.n_best)
            for one, limit in zip(found, limits, strict=True)
        ]
        for row, hypotheses in enumerate(rows):
            _tell(task, row, hypotheses[0])
        return [Found(tuple(one), paths(one, task.end) if trace else ()) for one in rows]


def cover(
    options: PhraseOptions, limits: kernels.Array, end: int, kept: StackLimits
) -> list[Covered]:
    """Cover every sentence, by the kernels if there are any."""
    by_kernels = kernels.cover(options, limits, end, kept)
    if by_kernels is not None:
        return by_kernels
    language = Language(options.language)
    return [
        StackSearch(options, row, language).run(int(limit), end, kept)
        for row, limit in enumerate(limits)
    ]


def _options(task: Task) -> PhraseOptions:
    if task.options is None:
        raise RecipeError(
            "stack: the model has no phrases to cover the source with; expected one such as"
            " phrase_based. Use beam."
        )
    if any(task.prefixes):
        raise RecipeError(
            "stack: covers the source in any order and cannot begin with a given text; expected no"
            " prefix. Use beam, which writes word by word."
        )
    if task.shapers:
        raise RecipeError(
            "stack: scores whole phrases by a language model of its own; expected no lexicon, other"
            " language model or rule against repeats. Leave them out, or use beam."
        )
    return task.options


def _hypotheses(
    options: PhraseOptions, found: Covered, task: Task, limit: int, n_best: int
) -> list[Hypothesis]:
    """Turn paths into outputs, each text once."""
    seen, hypotheses = set[tuple[int, ...]](), list[Hypothesis]()
    for path, score in zip(found.paths, found.scores, strict=True):
        tokens = [w for o in path for w in options.target(o) if w not in task.banned][:limit]
        if tuple(tokens) in seen:
            continue
        seen.add(tuple(tokens))
        each = score / (len(tokens) + found.finished) if tokens or found.finished else 0.0
        scores = (each,) * (len(tokens) + found.finished)
        hypotheses.append(Hypothesis(tuple(tokens), score, scores, found.finished))
        if len(hypotheses) == n_best:
            break
    return hypotheses


def _tell(task: Task, row: int, best: Hypothesis) -> None:
    """Tell who watches what was found for a row."""
    if task.watch is not None and best.tokens:
        device = task.limits.device
        task.watch(torch.tensor([row], device=device), torch.tensor([best.tokens], device=device))
