"""Viterbi search writes the best path of a trellis, and says how likely it is."""

from dataclasses import replace
from math import log

import pytest
import torch

from saccade.errors import RecipeError
from saccade.flow import State
from saccade.objectives._frames import frameless
from saccade.search.base import Task
from saccade.search.viterbi import Viterbi
from tests.search.test__trellis import noise, weights_of
from tests.search.toys import chain_step

END = 3


def task(*limits: int) -> Task:
    return Task(2, END, torch.tensor(limits), banned=(0, 1))


@pytest.mark.parametrize("order", [1, 2])
def test_scores_are_those_of_the_path_given_everything(order: int) -> None:
    trellis = noise(order)
    for row, found in enumerate(Viterbi()(chain_step, trellis.as_state(), task(9, 9, 9, 9))):
        every = weights_of(trellis, row)
        (best,) = found.hypotheses
        path = tuple(token - 4 for token in best.tokens)
        assert every[path] == max(every.values())
        assert best.finished
        assert len(best.token_scores) == len(path) + 1
        assert best.score == pytest.approx(log(every[path] / sum(every.values())), abs=1e-5)
        assert best.token_scores[-1] == 0.0
        assert found.tree == ()


def test_a_limit_cuts_the_path() -> None:
    whole = Viterbi()(chain_step, noise(2).as_state(), task(9, 9, 9, 9))
    cut = Viterbi()(chain_step, noise(2).as_state(), task(2, 1, 0, 2), trace=True)
    assert [one.hypotheses[0].finished for one in cut] == [False, True, True, False]
    assert cut[0].hypotheses[0].tokens == whole[0].hypotheses[0].tokens[:2]
    assert len(cut[0].tree) == 2


def test_what_is_banned_is_not_written_if_there_is_another() -> None:
    trellis = noise(1, lengths=(6,))
    free = Viterbi()(chain_step, trellis.as_state(), task(9))[0].hypotheses[0]
    banned = replace(task(9), banned=(free.tokens[0],))
    found = Viterbi()(chain_step, trellis.as_state(), banned)[0].hypotheses[0]
    assert free.tokens[0] not in found.tokens
    assert found.score < free.score
    alone = replace(task(9), banned=(4, 5, 6))
    assert Viterbi()(chain_step, trellis.as_state(), alone)[0].hypotheses[0].tokens == free.tokens


def test_watching_and_empty_batches() -> None:
    told = list[list[list[int]]]()
    watched = replace(task(9, 9, 9, 9), watch=lambda _, lines: told.append(lines.tolist()))
    found = Viterbi()(chain_step, noise(1).as_state(), watched)
    assert told == [[list(one.hypotheses[0].tokens)] for one in found if one.hypotheses[0].tokens]
    nothing: State = noise(1, lengths=(1,)).as_state()
    held = nothing["trellis"]
    assert isinstance(held, dict)
    empty: State = {k: v if k == "tables" else v[:0] for k, v in held.items()}  # type: ignore[index]
    assert Viterbi()(chain_step, {"trellis": empty}, task()) == []


def test_what_it_cannot_do_is_refused() -> None:
    state = noise(1, lengths=(1,)).as_state()
    with pytest.raises(RecipeError, match="viterbi: finds the best of all paths and cannot begin"):
        Viterbi()(chain_step, state, replace(task(4), prefixes=((4,),)))
    with pytest.raises(RecipeError, match="viterbi: knows only the states of the model and cannot"):
        Viterbi()(chain_step, state, replace(task(4), shapers=(lambda _, scores: scores,)))
    assert frameless("tagger", "cross_entropy", "viterbi") == [
        "decoding.search: viterbi goes through the hidden states of a model, but tagger has none."
        " Use beam, or the model hmm."
    ]
    assert frameless("hmm", "cross_entropy", "viterbi") == []
