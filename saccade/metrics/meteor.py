"""Alignment with the nearest reference by words, stems, synonyms and paraphrases."""

import math
from collections.abc import Sequence
from typing import Literal

import numpy as np

from saccade.errors import RecipeError
from saccade.metrics import _meteor_tables
from saccade.metrics._alignment import align, chunks_of
from saccade.metrics._captions import words
from saccade.metrics._meteor_tables import Tables
from saccade.metrics._meteor_text import normalised
from saccade.metrics.base import Metric, Score, Stats

_ALPHA, _BETA, _GAMMA, _DELTA = 0.85, 0.2, 0.6, 0.75
_WEIGHTS = np.array([1.0, 0.6, 0.8, 0.6])  # exact, stem, synonym, paraphrase


class Meteor(Metric):
    """Weigh precision and recall of aligned words, less if they stand in another order.

        P, R = weighed matches / weighed words of output, reference
        weight of a match: 1 exact, 0.6 stem, 0.8 synonym, 0.6 paraphrase
        weight of a word:  0.75, or 0.25 if it is a function word
        F = P R / (0.85 P + 0.15 R)
        METEOR = F * (1 - 0.6 * (chunks / matches)^0.2)

    Denkowski & Lavie 2014 (W14-3348): METEOR 1.5 for English with its normaliser, as pycocoevalcap
    runs it, written here without Java. Of several references the one with the best score counts.
    Counts are summed over segments; a segment that is wholly right adds no chunk.

    matchers: `full` needs the tables of METEOR, which this package does not contain: install
    pycocoevalcap, or name their folder in SACCADE_METEOR. `stem` matches words and stems and knows
    no function words. `auto` is `full` where the tables are found and `stem` elsewhere; the two are
    different figures, so their names and signatures differ.

    tokenize: `captions` drops case and punctuation first, as in `bleu`; `none` leaves the text to
    METEOR's own normaliser.

    detail: `precision`, `recall`, `fragmentation` (chunks / matches), `exact`, `stem`, `synonym`,
    `paraphrase`: words of the output that matched so.
    """

    higher_is_better = True

    def __init__(
        self,
        *,
        matchers: Literal["auto", "full", "stem"] = "auto",
        tokenize: Literal["captions", "none"] = "captions",
    ) -> None:
        self._tokenize = tokenize
        self._place = None if matchers == "stem" else _meteor_tables.folder()
        if matchers == "full" and self._place is None:
            raise RecipeError(
                "meteor.matchers: full, but no tables of METEOR were found; expected the package"
                " pycocoevalcap or a folder named in SACCADE_METEOR. Run"
                " `pip install --no-deps pycocoevalcap`, or set matchers to stem."
            )
        self.name = "METEOR" if self._place else "METEOR (words and stems)"

    def stats(self, hypothesis: str, references: Sequence[str]) -> Stats:
        """Return lengths, function words, matches by kind, chunks, of the best reference: `[21]`.

        [0:4] words and function words of the output, then of the reference; [4:20] matched words by
        kind: content and function words of the output, then of the reference; [20] chunks.
        """
        tables = _meteor_tables.tables(self._place) if self._place else None
        own = self._words(hypothesis, tables)
        rows = [_counts(own, self._words(line, tables), tables) for line in references]
        return max(rows, key=lambda row: (_value(row), tuple(row)))

    def score(self, summed: Stats) -> Score:
        """Return METEOR in percent."""
        precision, recall = _shares(summed)
        matches = _matches(summed)
        by_kind = summed[4:12].reshape(2, 4).sum(axis=0).tolist()
        detail = {"precision": 100 * precision, "recall": 100 * recall}
        detail["fragmentation"] = float(summed[20]) / matches if matches else 0.0
        names = ("exact", "stem", "synonym", "paraphrase")
        detail |= dict(zip(names, by_kind, strict=True))
        kinds = "exact,stem,synonym,paraphrase|functions:en" if self._place else "exact,stem"
        norm = "captions+meteor" if self._tokenize == "captions" else "meteor"
        signature = f"case:lc|norm:{norm}|match:{kinds}|lang:en|params:1.5"
        return Score(self.name, 100 * _value(summed), signature, detail, self.higher_is_better)

    def _words(self, text: str, tables: Tables | None) -> list[str]:
        if self._tokenize == "captions":
            text = " ".join(words(text))
        return normalised(text, tables.prefixes if tables else {})


def _counts(own: list[str], wanted: list[str], tables: Tables | None) -> Stats:
    """Align two texts and count; see `Meteor.stats`."""
    known = tables.function_words if tables else frozenset[str]()
    matches = align(own, wanted, tables)
    found = np.zeros(21)
    found[:4] = [len(side) for side in (own, [word for word in own if word in known])] + [
        len(side) for side in (wanted, [word for word in wanted if word in known])
    ]
    kinds = found[4:20].reshape(4, 4)  # content, function of the output, then of the reference
    for match in matches:
        for word in own[match.own_start : match.own_start + match.own_length]:
            kinds[int(word in known), match.module] += 1
        for word in wanted[match.start : match.start + match.length]:
            kinds[2 + int(word in known), match.module] += 1
    chunks = chunks_of(matches)
    whole = kinds[:2].sum() == len(own) and kinds[2:].sum() == len(wanted)
    found[20] = 0 if whole and chunks == 1 else chunks
    return found


def _shares(row: Stats) -> tuple[float, float]:
    """Return weighed precision and recall."""
    length, functions, wanted, wanted_functions = row[:4].tolist()
    totals = row[4:20].reshape(4, 4) @ _WEIGHTS  # [4]
    content, function, wanted_content, wanted_function = totals.tolist()
    written = _weighed(length - functions, functions)
    expected = _weighed(wanted - wanted_functions, wanted_functions)
    precision = _weighed(content, function) / written if written else 0.0
    recall = _weighed(wanted_content, wanted_function) / expected if expected else 0.0
    return precision, recall


def _weighed(content: float, function: float) -> float:
    return _DELTA * content + (1 - _DELTA) * function


def _matches(row: Stats) -> float:
    """Return matched words, the mean of both sides."""
    return float(row[4:20].sum()) / 2


def _value(row: Stats) -> float:
    """Return METEOR between 0 and 1; 0 if nothing matches."""
    precision, recall = _shares(row)
    if not precision or not recall:
        return 0.0
    mean = 1 / ((1 - _ALPHA) / precision + _ALPHA / recall)
    return mean * (1 - _GAMMA * math.pow(float(row[20]) / _matches(row), _BETA))
