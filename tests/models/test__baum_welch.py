"""Baum-Welch against hmmlearn and against all paths, listed one by one."""

from itertools import pairwise, product
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from saccade import run
from saccade.errors import RecipeError
from saccade.folders import model as folders
from saccade.models._baum_welch import (
    MarkovChain,
    chain_of,
    expect,
    first_guess,
    maximise,
    named,
    tables_of,
)
from saccade.models.hmm import HiddenMarkov
from tests.models.test_hmm import counted, recipe
from tests.samples import sides
from tests.train import small

LENGTHS = np.array([3, 0, 5, 1, 3])
WORDS = np.random.Generator(np.random.PCG64(3)).integers(0, 6, int(LENGTHS.sum()))


def chain(seed: int = 1, n_states: int = 3) -> MarkovChain:
    return first_guess(WORDS, 8, n_states, seed)


def test_the_first_guess_is_a_model() -> None:
    found = chain()
    np.testing.assert_allclose(found.start.sum(), 1.0)
    np.testing.assert_allclose(found.follow.sum(axis=1), np.ones(3))
    np.testing.assert_allclose(found.emit.sum(axis=0), np.ones(3))
    assert not found.emit[6:].any()


def test_what_is_expected_is_the_sum_over_all_paths() -> None:
    model, places = chain(), np.zeros((len(WORDS), 3))
    follow, log_prob, begin = np.zeros((3, 4)), 0.0, 0
    for n in LENGTHS.tolist():
        every = {}
        for path in product(range(3), repeat=n) if n else []:
            p = model.start[path[0]] * model.follow[path[-1], -1]
            p *= np.prod([model.follow[a, b] for a, b in pairwise(path)])
            every[path] = p * np.prod(model.emit[WORDS[begin : begin + n], list(path)])
        total = sum(every.values())
        log_prob += np.log(total) if n else 0.0
        for path, p in every.items():
            places[np.arange(begin, begin + n), list(path)] += p / total
            for a, b in zip(path, [*path[1:], 3], strict=True):
                follow[a, b] += p / total
        begin += n
    found = expect(model, WORDS, LENGTHS)
    np.testing.assert_allclose(found.places, places)
    np.testing.assert_allclose(found.follow, follow)
    np.testing.assert_allclose(found.start, places[[0, 3, 8, 9]].sum(axis=0))
    assert found.log_prob == pytest.approx(log_prob)


@pytest.mark.parametrize("seed", [1, 2, 3])
def test_the_likelihood_never_falls(seed: int) -> None:
    model, before = chain(seed, 4), -np.inf
    for _ in range(25):
        found = expect(model, WORDS, LENGTHS)
        assert found.log_prob >= before - 1e-9
        before, model = found.log_prob, maximise(model, found, WORDS)
    assert before > expect(chain(seed, 4), WORDS, LENGTHS).log_prob + 1


def test_hmmlearn_makes_the_same_step() -> None:
    """It has no END: one that is as likely everywhere changes nothing but the likelihood."""
    hmm = pytest.importorskip("hmmlearn.hmm", reason="needs hmmlearn: pip install -e .[oracles]")
    model, lengths = chain(2), LENGTHS[LENGTHS > 0]
    inner = model.follow[:, :-1] / model.follow[:, :-1].sum(axis=1, keepdims=True)
    model = model._replace(follow=np.concatenate([0.9 * inner, np.full((3, 1), 0.1)], axis=1))
    oracle = hmm.CategoricalHMM(3, n_iter=1, init_params="", n_features=8)
    oracle.startprob_, oracle.transmat_ = model.start, inner
    oracle.emissionprob_ = model.emit.T
    ends = len(lengths) * np.log(0.1) + (len(WORDS) - len(lengths)) * np.log(0.9)
    found = expect(model, WORDS, LENGTHS)
    assert found.log_prob == pytest.approx(oracle.score(WORDS[:, None], lengths) + ends)
    oracle.fit(WORDS[:, None], lengths)
    after = maximise(model, found, WORDS)
    np.testing.assert_allclose(after.start, oracle.startprob_)
    np.testing.assert_allclose(after.emit.T, oracle.emissionprob_)
    inner = after.follow[:, :-1] / after.follow[:, :-1].sum(axis=1, keepdims=True)
    np.testing.assert_allclose(inner, oracle.transmat_)


def test_a_state_that_never_is_stays() -> None:
    model = chain()
    emit = model.emit.copy()
    emit[:, 2] = 0.0
    emit[7, 2] = 1.0  # it emits a word that never stands
    dead = model._replace(emit=emit)
    after = maximise(dead, expect(dead, WORDS, LENGTHS), WORDS)
    assert all(np.isfinite(one).all() for one in after)
    np.testing.assert_allclose(after.follow[2], model.follow[2])


def test_a_state_is_named_after_the_tag_that_it_agrees_with() -> None:
    places = np.array([[0.9, 0.1, 0], [0.8, 0.2, 0], [0, 0.4, 0.7], [0.6, 0, 0.4]])
    assert named(places, np.array([5, 5, 4, 4]), 7).tolist() == [5, 4, 4]


def test_tags_are_as_likely_as_all_paths_of_states_that_write_them() -> None:
    model, predictor = counted(order=1, baum_welch=3, states=5)
    chain = chain_of(
        model.tables.scores.numpy(),
        model.tables.pairs.numpy(),
        np.ones(99, bool)[: model.tables.size],
    )
    names, text = model.tables.tags.tolist(), "the cats see"
    words, tags = predictor.codecs.source.vocabulary, predictor.codecs.target.vocabulary
    assert words is not None
    assert tags is not None
    assert len(set(names[:-1])) < 5  # two states write the same tag
    every = dict[tuple[int, ...], float]()
    for path in product(range(5), repeat=3):
        p = chain.start[path[0]] * chain.follow[path[-1], -1]
        p *= np.prod([chain.follow[a, b] for a, b in pairwise(path)])
        p *= np.prod(chain.emit[words.encode(text), list(path)])
        written = tuple(names[s] for s in path)
        every[written] = every.get(written, 0.0) + float(p)
    total = sum(every.values())
    for written, p in every.items():
        if p > 1e-9 * total:
            scored = predictor.score([text], [tags.decode(written)])[0]
            assert scored.score == pytest.approx(np.log(p / total), abs=1e-3)
    found = predictor.predict(text)
    assert found.score == pytest.approx(np.log(every[found.hypothesis.tokens] / total), abs=1e-3)


def test_tables_hold_the_model() -> None:
    model = chain()
    emissions, transitions = tables_of(model, np.array([4, 5, 6]))
    again = chain_of(emissions.scores, transitions.pairs, model.emit.sum(axis=1) > 0)
    for one, other in zip(model, again, strict=True):
        np.testing.assert_array_equal(one, other)
    assert (emissions.scores[6:] == 1).all()


EM: dict[str, Any] = {"order": 1, "baum_welch": 4}


def test_passes_are_resumed_bit_for_bit(tmp_path: Path) -> None:
    run.train(recipe(**EM), tmp_path / "whole", console=small.quiet())
    made = run.train(recipe(**EM, max_steps=2), tmp_path / "parts", console=small.quiet())
    assert made.progress.step == 2
    run.train(recipe(**EM), tmp_path / "parts", resume=True, console=small.quiet())
    small.assert_same(tmp_path / "whole", tmp_path / "parts")
    rows = [row for row in small.rows(tmp_path / "whole") if row["kind"] == "train"]
    found = [row["log-likelihood"] for row in rows]
    assert found == sorted(found)
    loaded = folders.load(tmp_path / "whole")
    assert len(loaded.predict("the unheard cat").text.split()) == 3


def test_what_it_cannot_do_is_refused() -> None:
    with pytest.raises(
        RecipeError, match=r"hmm\.baum_welch: 5 passes over the words go with order"
    ):
        HiddenMarkov(*sides(8), baum_welch=5)
    with pytest.raises(
        RecipeError, match=r"hmm\.baum_welch: -1 is not between 0, which counts tag"
    ):
        HiddenMarkov(*sides(8), order=1, baum_welch=-1)
