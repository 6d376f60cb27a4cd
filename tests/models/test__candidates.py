"""Features of paths: weighted and added up they are the scores that the search gave."""

import numpy as np
import pytest

from saccade.kernels.stack import StackLimits
from saccade.models._candidates import candidates, log_probs
from saccade.models.base import LaidSide
from saccade.search.stack import cover
from tests.search.phrases import END, language, options, text_of


def test_weighted_features_are_the_score() -> None:
    given = options([3, 4], 6, weight=0.7)
    found = cover(given, np.array([99, 99]), END, StackLimits(20, 1e9, 5))
    made = candidates(given, found, language(), 7)
    weights = np.array([0.3, 0.7, 0.0, 0.0, *np.ones(7)])
    scores = [score for one in found for score in one.scores]
    assert made.features @ weights == pytest.approx(scores, abs=1e-4)
    assert made.sentences.tolist() == [7] * len(found[0].paths) + [8] * len(found[1].paths)
    paths = [path for one in found for path in one.paths]
    texts = np.split(made.texts.values, np.cumsum(made.texts.lengths)[:-1])
    assert [one.tolist() for one in texts] == [text_of(given, path) for path in paths]
    assert made.features[:, 2].tolist() == [len(one) for one in texts]
    assert made.features[:, 3].tolist() == [len(path) for path in paths]


def test_unknown_words_match_nothing() -> None:
    given = options([1], 2)
    strange = given._replace(words=np.full_like(given.words, 1))
    found = cover(strange, np.array([9]), END, StackLimits(5, 1e9, 1))
    assert set(candidates(strange, found, language(), 0).texts.values.tolist()) == {-1}


def test_log_probs_are_those_of_whole_texts() -> None:
    head = language()
    both = log_probs(head, LaidSide(np.array([4, 5, 6]), np.array([2, 1])))
    alone = [
        log_probs(head, LaidSide(np.array(words), np.array([len(words)])))[0]
        for words in ([4, 5], [6])
    ]
    assert both == pytest.approx(alone)
    assert (both < 0).all()
