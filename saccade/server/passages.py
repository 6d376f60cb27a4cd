"""Texts of several lines or sentences: cut by what the model reads, asked, and joined again."""

from collections.abc import Sequence
from typing import Any

from saccade.predict.passage import Passage, ReadingUnit, cut, whole
from saccade.server.limits import Input, Limits
from saccade.server.models import Served
from saccade.server.predict import score_number
from saccade.server.refusal import Refused

AUTO = "auto"


def passages_of(
    model: Served, limits: Limits, texts: Sequence[Input], where: str, split: str = AUTO
) -> list[Passage]:
    """Cut texts as a model reads them, or as `split` says; a blank text has no parts.

    Refuses more parts than the model takes at once.
    """
    asked = model.unit if split == AUTO else ReadingUnit(split)
    unit = asked if model.reads_text else ReadingUnit.none
    size, most = model.translator.size, model.most_pieces
    found = [
        cut(text, unit, size, most) if isinstance(text, str) else whole(text) for text in texts
    ]
    n = sum(len(passage.parts) for passage in found)
    if n > max(limits.queue, len(texts)):
        raise Refused(
            413,
            f"{where}: {n} lines or sentences; expected at most {limits.queue} in a request; send"
            " them in several requests.",
        )
    return found


def never_blank(passages: Sequence[Passage], texts: Sequence[Input]) -> list[Passage]:
    """Give a blank text one part, itself, so that there is something to tell of it."""
    pairs = zip(passages, texts, strict=True)
    return [passage if passage.parts else whole(text) for passage, text in pairs]


def joined(passage: Passage, results: Sequence[dict[str, Any]]) -> dict[str, Any]:
    """Tell of a whole text what is known of its parts.

    Its score is the sum of theirs. What was wanted beside text and score stands with each part,
    flags with the text as well.
    """
    if len(results) == 1:
        (one,) = results
        best = [{**n, "text": passage.join([n["text"]])} for n in one["nbest"]]
        return {**one, "text": passage.join([one["text"]]), "nbest": best}
    ranks = range(min(len(one["nbest"]) for one in results))
    rows = [[one["nbest"][rank] for one in results] for rank in ranks]
    parts = zip(passage.gaps, passage.parts, results, strict=False)  # a gap stands behind all
    told: dict[str, Any] = {
        "text": passage.join([one["text"] for one in results]),
        "score": _sum([one["score"] for one in results]),
        "finished": all(one["finished"] for one in results),
        "nbest": [
            {
                "text": passage.join([n["text"] for n in row]),
                "score": _sum([n["score"] for n in row]),
            }
            for row in rows
        ],
        "sentences": [{"before": gap, "source": part, **one} for gap, part, one in parts],
        "after": passage.gaps[-1],
    }
    if "flags" in results[0]:
        numbered = enumerate(one["flags"] for one in results)
        told["flags"] = [{**flag, "sentence": n} for n, flags in numbered for flag in flags]
    return told


def _sum(scores: Sequence[float | None]) -> float | None:
    known = [score for score in scores if score is not None]
    return score_number(sum(known)) if len(known) == len(scores) else None
