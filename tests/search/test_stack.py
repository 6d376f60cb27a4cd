"""The stack search: what it writes, how it is told, and what it refuses."""

from dataclasses import replace

import numpy as np
import pytest
import torch

from saccade.errors import RecipeError
from saccade.search.base import Task
from saccade.search.stack import Stack
from tests.samples import kernels_off
from tests.search.phrases import END, derivations, options, score_of, text_of
from tests.search.toys import chain_step

TASK = Task(start=2, end=END, limits=torch.tensor([99, 99]), options=options([3, 4], 2))


def run(task: Task, **given: float) -> list[list[tuple[tuple[int, ...], float]]]:
    found = Stack(**given)(chain_step, {}, task)  # type: ignore[arg-type]
    return [[(one.tokens, one.score) for one in row.hypotheses] for row in found]


def test_it_writes_the_best_derivation() -> None:
    given = TASK.options
    assert given is not None
    for row, ((tokens, score), *_) in enumerate(run(TASK, width=1000, threshold=1e9)):
        every = list(derivations(given, row))
        best = max(every, key=lambda path: score_of(given, path))
        assert list(tokens) == text_of(given, best)
        assert score == pytest.approx(score_of(given, best), abs=1e-5)


def test_n_best_are_different_texts_in_order() -> None:
    for row in run(TASK, n_best=5, threshold=1e9):
        texts, scores = zip(*row, strict=True)
        assert len(set(texts)) == 5
        assert list(scores) == sorted(scores, reverse=True)


def test_a_row_does_not_depend_on_its_batch() -> None:
    together = run(TASK)
    for row, n in enumerate([3, 4]):
        assert TASK.options is not None
        first, end = TASK.options.firsts[row : row + 2]
        begins = TASK.options.begins[first : end + 1]
        alone = TASK.options._replace(
            lengths=np.array([n]),
            firsts=np.array([0, end - first]),
            begins=begins - begins[0],
            words=TASK.options.words[begins[0] : begins[-1]],
            **{k: getattr(TASK.options, k)[first:end] for k in ("spans", "scores", "guesses")},
            **{k: getattr(TASK.options, k)[first:end] for k in ("turns", "features")},
        )
        task = replace(TASK, options=alone, limits=torch.tensor([99]))
        assert run(task) == [together[row]]


def test_it_finds_the_same_without_kernels() -> None:
    by_kernels = run(TASK, n_best=3)
    with kernels_off():
        assert run(TASK, n_best=3) == by_kernels


def test_banned_words_are_left_out_and_limits_kept() -> None:
    for (tokens, _), *_ in run(replace(TASK, banned=(4, 5))):
        assert not {4, 5} & set(tokens)
    cut = Stack()(chain_step, {}, replace(TASK, limits=torch.tensor([1, 2])))
    assert [len(one.hypotheses[0].tokens) <= n for one, n in zip(cut, (1, 2), strict=True)]
    assert not any(one.hypotheses[0].finished for one in cut)


def test_scores_of_tokens_add_up_and_trees_hold_the_paths() -> None:
    told: list[list[int]] = []
    task = replace(TASK, watch=lambda rows, _: told.append(rows.tolist()))
    for found in Stack(n_best=2)(chain_step, {}, task, trace=True):
        for one in found.hypotheses:
            assert sum(one.token_scores) == pytest.approx(one.score)
            assert len(one.token_scores) == len(one.tokens) + 1
        assert found.tree
    assert told == [[0], [1]]


def test_what_cannot_be_is_refused() -> None:
    with pytest.raises(RecipeError, match=r"stack.width: 0 is below 1; a stack holds 1 or more"):
        Stack(width=0)
    with pytest.raises(RecipeError, match=r"stack.n_best: 0 is below 1; expected 1 or more outp"):
        Stack(n_best=0)
    with pytest.raises(RecipeError, match=r"stack.threshold: 0.0 is not above 0; 10 is usual"):
        Stack(threshold=0.0)
    with pytest.raises(RecipeError, match=r"stack: the model has no phrases to cover the source"):
        run(replace(TASK, options=None))
    with pytest.raises(RecipeError, match=r"stack: covers the source in any order and cannot beg"):
        run(replace(TASK, prefixes=[(4,), ()]))
    with pytest.raises(RecipeError, match=r"stack: scores whole phrases by a language model of it"):
        run(replace(TASK, shapers=[lambda _, log_probs: log_probs]))
