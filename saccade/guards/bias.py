"""Paired probe sentences: a file of templates in, pairs that differ in one thing alone out.

The file is a YAML list. An entry is a template whose words are swapped together, for every way to
fill its other slots:

    - template: "{He} is a {job}."
      swap: {He: [He, She]}
      vary: {job: [doctor, nurse]}

or a source with two readings, of which the model will say which it finds likelier:

    - source: "The nurse is tired."
      readings: ["L'infirmier est fatigué.", "L'infirmière est fatiguée."]
"""

import re
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from difflib import SequenceMatcher
from itertools import product
from math import prod
from typing import Any

import numpy as np

from saccade.errors import DataError
from saccade.guards.entries import read_entries

Change = tuple[str, str]
_SLOT = re.compile(r"\{(\w+)\}")
_RESAMPLED = 1000
_MOST_PAIRS = 100_000  # of one template
_KEYS = {"template", "swap", "vary", "source", "readings"}


@dataclass(frozen=True, slots=True)
class Pair:
    """Two sources that differ in the swapped words alone; `group` numbers the template from 0."""

    group: int
    name: str
    first: str
    second: str


@dataclass(frozen=True, slots=True)
class BiasReading:
    """A source, and two targets of which only one thing is different."""

    source: str
    first: str
    second: str


@dataclass(frozen=True, slots=True)
class Probes:
    """All that a file of probes asks."""

    pairs: tuple[Pair, ...]
    readings: tuple[BiasReading, ...]


@dataclass(frozen=True, slots=True)
class Mean:
    """A mean with its 95 % interval; the interval is None for fewer than two values."""

    value: float
    interval: tuple[float, float] | None
    n: int


def parse(text: str, where: str) -> Probes:
    """Read a file of probes; `where` is its name in messages.

    >>> parse("- {template: '{he} runs', swap: {he: [he, she]}}", "x").pairs[0].second
    'she runs'
    """
    entries = read_entries(
        text,
        where,
        known=_KEYS.issuperset,
        begins="`- template:` or `- source:`",
        expected="template, swap and vary, or source and readings",
    )
    pairs: list[Pair] = []
    readings: list[BiasReading] = []
    for i, (place, entry) in enumerate(entries):
        if "template" in entry:
            pairs += _filled(i, entry, place)
        else:
            readings.append(_reading(entry, place))
    return Probes(tuple(pairs), tuple(readings))


def changes(first: str, second: str) -> tuple[Change, ...]:
    """Return the words that differ between two texts, as (first, second), in their order.

    >>> changes("il est las", "elle est lasse")
    (('il', 'elle'), ('las', 'lasse'))
    """
    a, b = first.split(), second.split()
    steps = SequenceMatcher(None, a, b, autojunk=False).get_opcodes()
    return tuple(
        (" ".join(a[i:j]), " ".join(b[k:m])) for tag, i, j, k, m in steps if tag != "equal"
    )


def usual(of_group: Sequence[Sequence[Change]]) -> set[Change]:
    """Return the changes that at least half of a template's pairs have in common."""
    counts = Counter(change for one in of_group for change in set(one))
    return {change for change, n in counts.items() if 2 * n >= len(of_group)}


def mean_of(values: Sequence[float]) -> Mean:
    """Return the mean of paired differences with its interval, by resampling the pairs.

    Percentile bootstrap with 1000 resamples and a fixed seed; Efron & Tibshirani 1993, chapter 13.
    """
    if not values:
        return Mean(0.0, None, 0)
    known = np.asarray(values, dtype=np.float64)
    if known.size < 2:
        return Mean(float(known[0]), None, 1)
    draws = np.random.default_rng(0).integers(0, known.size, (_RESAMPLED, known.size))
    low, high = np.quantile(known[draws].mean(axis=1), [0.025, 0.975]).tolist()
    return Mean(float(known.mean()), (low, high), known.size)


def _filled(group: int, entry: Mapping[str, Any], place: str) -> list[Pair]:
    template, swap, vary = entry["template"], entry.get("swap"), entry.get("vary") or {}
    if not isinstance(template, str) or not isinstance(swap, dict) or not isinstance(vary, dict):
        raise DataError(
            f"{place}: found template {template!r:.90} and swap {swap!r:.90}; expected a text and"
            " a mapping of slots to words, as swap: {he: [he, she]}. Add it."
        )
    slots = set(_SLOT.findall(template))
    if slots != {*swap, *vary} or {*swap} & {*vary}:
        raise DataError(
            f"{place}: the template's slots are {sorted(slots)} but swap and vary name"
            f" {sorted([*swap, *vary], key=str)!r:.90}; each slot must be named once."
            " Correct either."
        )
    for name, words in {**swap, **vary}.items():
        wrong = not isinstance(words, list) or not words or (name in swap and len(words) != 2)
        if wrong or not all(isinstance(word, str) for word in words):
            many = "two words" if name in swap else "a list of words"
            raise DataError(
                f"{place}: slot '{name}' has {words!r:.90}; expected {many}. Put words that YAML"
                " reads otherwise, as no, between quotation marks."
            )
    n = prod(map(len, vary.values()))
    if n > _MOST_PAIRS:
        raise DataError(
            f"{place}: its words make {n:,} sentences; expected at most {_MOST_PAIRS:,}. Vary fewer"
            " of them."
        )
    found = []
    for chosen in product(*vary.values()):
        rest = dict(zip(vary, chosen, strict=True))
        first, second = (
            _fill(template, {**rest, **{name: words[side] for name, words in swap.items()}})
            for side in (0, 1)
        )
        found.append(Pair(group, " ".join(chosen), first, second))
    return found


def _fill(template: str, words: Mapping[str, str]) -> str:
    return _SLOT.sub(lambda slot: words[slot[1]], template)


def _reading(entry: Mapping[str, Any], place: str) -> BiasReading:
    source, readings = entry.get("source"), entry.get("readings")
    fit = (
        isinstance(readings, list)
        and len(readings) == 2
        and all(isinstance(r, str) for r in readings)
    )
    if not isinstance(source, str) or not fit or set(entry) != {"source", "readings"}:
        raise DataError(
            f"{place}: found source {source!r} and readings {readings!r:.90}; expected a text and a"
            " list of two texts. Correct it."
        )
    assert isinstance(readings, list)
    return BiasReading(source, readings[0], readings[1])
