"""Symmetrising: the rules against a few plain lines, with kernels and without."""

from itertools import product

import numpy as np
import pytest

from saccade.errors import DataError
from saccade.models._links import RULES, Links, from_places, sorted_links, symmetrise, turned
from tests.samples import kernels_off

Set = set[tuple[int, int]]


NEAR = ((-1, 0), (0, -1), (1, 0), (0, 1), (-1, -1), (-1, 1), (1, -1), (1, 1))


def free(link: tuple[int, int], chosen: Set) -> list[bool]:
    return [all(one[side] != link[side] for one in chosen) for side in (0, 1)]


def plain(forward: Set, backward: Set, rule: str) -> Set:
    """Do as Koehn, Och & Marcu 2003 tell; links are (source, target)."""
    chosen, union = forward & backward, forward | backward
    if rule in ("intersection", "union"):
        return chosen if rule == "intersection" else union
    before = -1
    while before != len(chosen):
        before = len(chosen)
        for t, s in product(range(12), range(12)):
            for link in ((s + right, t + down) for down, right in NEAR if (s, t) in chosen):
                if link in union and any(free(link, chosen)):
                    chosen.add(link)
    enough = all if rule.endswith("and") else any
    for side in (forward, backward) if "final" in rule else ():
        for link in sorted(side, key=lambda one: one[::-1]):
            if enough(free(link, chosen)):
                chosen.add(link)
    return chosen


def corpus(pairs: int = 60) -> tuple[Links, Links, np.ndarray, np.ndarray]:
    draw = np.random.default_rng(5)
    lengths = draw.integers(0, 8, (2, pairs))
    links = []
    for density in (0.25, 0.35):
        rows = [
            (p, s, t)
            for p in range(pairs)
            for s in range(lengths[0, p])
            for t in range(lengths[1, p])
            if draw.random() < density
        ]
        links.append(sorted_links(np.array(rows)))
    return links[0], links[1], lengths[0], lengths[1]


def of_pair(links: Links, pair: int) -> Set:
    return {(s, t) for p, s, t in links.tolist() if p == pair}


@pytest.mark.parametrize("rule", RULES)
def test_rules_are_those_of_the_plain_lines(rule: str) -> None:
    forward, backward, source, target = corpus()
    found = symmetrise(forward, backward, rule, source, target)
    for pair in range(len(source)):
        wanted = plain(of_pair(forward, pair), of_pair(backward, pair), rule)
        assert of_pair(found, pair) == wanted, pair
    with kernels_off():
        np.testing.assert_array_equal(symmetrise(forward, backward, rule, source, target), found)


def test_both_directions_alike_stay_as_they_are() -> None:
    forward, _, source, target = corpus()
    for rule in RULES:
        np.testing.assert_array_equal(symmetrise(forward, forward, rule, source, target), forward)


def test_links_turn_and_turn_back() -> None:
    forward, *_ = corpus()
    assert turned(forward)[:, 0].tolist() == sorted(forward[:, 0].tolist())
    np.testing.assert_array_equal(turned(turned(forward)), forward)


def test_no_links_are_links() -> None:
    none, lengths = from_places(np.zeros(0, np.int32), np.array([0])), np.array([0])
    assert symmetrise(none, none, "grow-diag", lengths, lengths).shape == (0, 3)


def test_what_is_wrong_is_told() -> None:
    lengths = np.array([2])
    good, wide = np.array([[0, 1, 1]], np.int32), np.array([[0, 2, 1]], np.int32)
    with pytest.raises(DataError, match="no rule 'grow'; expected one of intersection, union"):
        symmetrise(good, good, "grow", lengths, lengths)
    with pytest.raises(DataError, match="backward: the link 2-1 of pair 0 is out of range"):
        symmetrise(good, wide, "union", lengths, lengths)
    with pytest.raises(DataError, match="forward: links are not sorted"):
        symmetrise(good[[0, 0]], good, "union", lengths, lengths)
    with pytest.raises(DataError, match=r"shape \(3,\); expected \[n, 3\]"):
        symmetrise(good[0], good, "union", lengths, lengths)
    huge = np.array([20_000])
    with pytest.raises(DataError, match="400,000,000 pairs of words"):
        symmetrise(good, good, "union", huge, huge)
