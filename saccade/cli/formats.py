"""How one translation is written as text, TSV or JSON."""

import json
from collections.abc import Iterator
from dataclasses import dataclass
from enum import StrEnum
from typing import Any

from saccade.predict.prediction import DECIMALS, Prediction, rounded


class Format(StrEnum):
    """What a line of output looks like; hocr and alto are one document: see `documents.py`."""

    text = "text"
    tsv = "tsv"
    jsonl = "jsonl"
    hocr = "hocr"
    alto = "alto"


DOCUMENTS = (Format.hocr, Format.alto)


@dataclass(frozen=True, slots=True)
class OutputColumns:
    """What to write of a translation."""

    form: Format = Format.text
    nbest: int = 1
    scores: bool = False
    alignments: bool = False
    flags: bool = False


def format_rows(number: int, translation: Prediction, wanted: OutputColumns) -> Iterator[str]:
    """Write one translation: one row, or one for each of the n best unless it is JSON."""
    if wanted.form is Format.jsonl:
        yield json.dumps(_object(number, translation, wanted), ensure_ascii=False)
        return
    kept = translation.nbest if wanted.nbest > 1 else [translation]
    for one in kept:
        yield _line(number, one, wanted)


def pharaoh(pairs: list[tuple[int, int]]) -> str:
    """Write an alignment as `0-0 1-2`, source-target.

    >>> pharaoh([(0, 0), (1, 2)])
    '0-0 1-2'
    """
    return " ".join(f"{source}-{target}" for source, target in pairs)


def one_line(text: str) -> str:
    r"""Put a text on one line without tabs, so that lines and columns stay in step.

    >>> one_line("a\tb\nc")
    'a b c'
    """
    return text.replace("\n", " ").replace("\t", " ").replace("\r", " ")


def _line(number: int, one: Prediction, wanted: OutputColumns) -> str:
    """Join text and what was asked for, with ||| in text and tabs in TSV."""
    tsv, many = wanted.form is Format.tsv, wanted.nbest > 1
    fields = [one_line(one.source_text)] if tsv else [str(number)] if many else []
    fields.append(one_line(one.text) if tsv else one.text.replace("\n", " "))
    if wanted.scores or (many and not tsv):
        fields.append(f"{rounded(one.score):.{DECIMALS}f}")
    if wanted.alignments:
        fields.append(pharaoh(one.alignment))
    return ("\t" if tsv else " ||| ").join(fields)


def _object(number: int, translation: Prediction, wanted: OutputColumns) -> dict[str, Any]:
    found = {"id": number, "source": translation.source_text, **_facts(translation, wanted)}
    if wanted.flags:
        found["flags"] = [flag.plain() for flag in translation.flags]
    if wanted.nbest > 1:
        found["nbest"] = [_facts(one, wanted) for one in translation.nbest]
    return found


def _facts(one: Prediction, wanted: OutputColumns) -> dict[str, Any]:
    facts: dict[str, Any] = {
        "text": one.text,
        "tokens": list(one.tokens),
        "score": rounded(one.score),
        "token_scores": [rounded(value) for value in one.token_scores],
        "finished": one.finished,
    }
    if one.times:
        facts["times"] = [[round(t, 3) for t in (p.begins, p.ends)] for p in one.times]
        facts["words"] = [word.plain() for word in one.word_times]
    if wanted.alignments:
        facts["alignment"] = [list(pair) for pair in one.alignment]
    return facts
