"""What is wrong with data or with a model, and what to do about it: pure functions that find."""

import math
import re
import unicodedata
from collections import Counter
from collections.abc import Callable, Sequence, Sized
from dataclasses import dataclass
from statistics import fmean
from typing import Literal

import numpy as np

from saccade.guards.flag import KINDS, Kind
from saccade.look.probes import Nonsense
from saccade.modalities.base import Array
from saccade.modalities.numbers import as_numbers
from saccade.nouns import Raw
from saccade.predict.baselines import naive_forecasts
from saccade.predict.prediction import Prediction

Level = Literal["good", "note", "warning"]

SHOWN = 3  # examples of each finding
_LONGEST_UNIT = 8
_REPEATS = 3
_USUAL = 0.03  # of ordinary sentences that a guard may warn of
_ADVICE: dict[Kind, str] = {
    "unknown": "Train on text that holds them; of sentences, use sub-words (tokenizer: bpe).",
    "unfamiliar": "Validation text is unlike training text: train on text of its kind.",
    "loop": "Train longer, or raise data; early models loop most.",
    "coverage": "Outputs leave parts out: try a higher --length-penalty, or train longer.",
    "length": "Try another --length-penalty; look whether pairs of the data match.",
    "confidence": "The model is unsure: train longer, or on more text of this kind.",
}
_TABS = "tabs"
_CONTROL = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\x7f\u0085\u2028\u2029]")
_WORD = re.compile(r"[^\W\d_]+")
_SCRIPTS = ("LATIN", "CYRILLIC", "GREEK")  # the three that look alike


@dataclass(frozen=True, slots=True)
class Finding:
    """One thing that was looked at: what was found, what to do, and where to see it.

    stops: training would end at it, so that nothing more can be looked at.
    """

    level: Level
    text: str
    advice: str = ""
    places: tuple[str, ...] = ()
    stops: bool = False


def examine_lines(name: str, lines: Sequence[str], *, featured: bool = False) -> list[Finding]:
    """Look at the lines of one side: empty, repeated, and with characters that should not be.

    Where lines are `featured`, a tab parts a text from its features.
    """
    empty = [i for i, line in enumerate(lines) if not line.strip()]
    n_repeated = len(lines) - len(set(lines))
    found = [Finding("good", f"{name}: {len(lines):,} lines")]
    found += counted(
        empty, lines, f"{name}: empty lines", "Leave these pairs out; they teach to write nothing."
    )
    if n_repeated:
        found.append(
            Finding(
                "note",
                f"{name}: {n_repeated:,} lines ({percent(n_repeated, lines)}) are repeats",
                "Harmless if few; many repeats waste training time.",
            )
        )
    for what, (test, advice) in _ODDITIES.items():
        meant = featured and what == _TABS
        odd = [i for i, line in enumerate(lines) if test(line) and not meant]
        found += counted(odd, lines, f"{name}: {what}", advice)
    return found


def examine_arrays(name: str, what: str, arrays: Sequence[Array]) -> list[Finding]:
    """Look at a side that is not text: how many arrays, and columns that never change."""
    found = [Finding("good", f"{name}: {len(arrays):,} arrays; {what}")]
    flat = [array.reshape(-1, array.shape[-1]) for array in arrays if array.size]
    if not flat:
        return [Finding("warning", f"{name}: holds no numbers at all", "Check the readers.")]
    lowest = np.min([rows.min(axis=0) for rows in flat], axis=0)  # no sums: halves overflow
    highest = np.max([rows.max(axis=0) for rows in flat], axis=0)
    constant = [str(column + 1) for column in np.flatnonzero(lowest == highest)]
    if constant:
        found.append(
            Finding(
                "warning",
                f"{name}: column {', '.join(constant)} never changes, so nothing can be learned"
                " from it",
                "Leave it out of the reader's columns.",
            )
        )
    return found


def examine_forecasts(found: Sequence[Prediction], truths: Sequence[Raw]) -> list[Finding]:
    """Compare forecasts with the forecast that nothing changes, by mean absolute error."""
    naive = naive_forecasts(found, 0)["last value"]
    pairs = list(zip(found, naive, map(as_numbers, truths), strict=True))
    errors = [
        sum(float(np.abs(values - truth).sum()) for values, truth in rows)
        for rows in (
            [(one.values, truth) for one, _, truth in pairs],
            [(last, truth) for _, last, truth in pairs],
        )
    ]
    share = errors[0] / errors[1] if errors[1] else float("inf")
    said = f"its error is {share:.2f} times that of repeating the last value"
    if share >= 1:
        return [Finding("warning", said, "Train for longer, or look at the data: doctor RECIPE.")]
    return [Finding("good", said)]


def examine_outputs(
    found: Sequence[Prediction], references: Sequence[str], entropies: Sequence[float]
) -> list[Finding]:
    """Look at what a model wrote: loops, lengths, ends, and how sharply it looks."""
    loops = [t.text for t in found if loops_in(t.tokens)]
    cut = [t.text for t in found if not t.finished]
    written, wanted = sum(len(t.text) for t in found), sum(map(len, references))
    ratio = written / max(wanted, 1)
    findings = [
        _rate(loops, found, 0.01, "loop", "Train longer, or raise data; early models loop most."),
        _rate(
            cut,
            found,
            0.01,
            "never come to an end",
            "Raise decoding.max_ratio if outputs are much longer than inputs; else train longer.",
        ),
        Finding(
            "good" if 0.9 <= ratio <= 1.1 else "warning",
            f"outputs have {ratio:.2f} times the characters of the references",
            ""
            if 0.9 <= ratio <= 1.1
            else "Try another --length-penalty: higher writes more, lower writes less.",
        ),
    ]
    same = Counter(t.text for t in found).most_common(1)
    if len(found) > 4 and same and same[0][1] > len(found) / 2 and len(set(references)) > 2:
        findings.append(
            Finding(
                "warning",
                f"{same[0][1]} of {len(found)} outputs are the same",
                "The model ignores its input: train longer, or check that the sides match.",
                (same[0][0],),
            )
        )
    return findings + _sharpness(entropies)


def examine_flags(found: Sequence[Prediction]) -> list[Finding]:
    """Count, for every guard, the outputs that it warns of, and say what to do."""
    findings = []
    for kind, what in KINDS.items():
        hits = [(t, f) for t in found for f in t.flags if (f.kind, f.severity) == (kind, "warning")]
        n_hits = len({id(t) for t, _ in hits})
        share = n_hits / max(len(found), 1)
        text = f"guard {kind}: {n_hits} of {len(found)} outputs ({share:.1%}), {what}"
        shown = tuple(f"{t.source_text} → {t.text}: {f.message}" for t, f in hits[:SHOWN])
        if share <= _USUAL:
            findings.append(Finding("good", text, places=shown))
        else:
            findings.append(Finding("warning", text, _ADVICE[kind], shown))
    return findings


def examine_nonsense(probes: Sequence[Nonsense]) -> list[Finding]:
    """Tell what a model made of inputs that mean nothing, and whether its guards noticed."""
    findings = []
    for probe in probes:
        one = probe.translation
        kinds = ", ".join(dict.fromkeys(flag.kind for flag in one.flags)) or "no flag"
        text = f"nonsense, {probe.name}: {_cut(one.source_text)} → {_cut(one.text)} ({kinds})"
        if probe.noticed:
            findings.append(Finding("good", text))
        else:
            advice = "The model invents without a warning: do not show it input like this."
            findings.append(Finding("warning", text, advice))
    return findings


def loops_in(tokens: Sequence[str]) -> bool:
    """Tell whether a unit of up to 8 pieces stands three times in a row, or more.

    >>> loops_in("a b a b a b".split()), loops_in("a b a b c".split())
    (True, False)
    """
    for size in range(1, _LONGEST_UNIT + 1):
        run = 0
        for here, there in zip(tokens, tokens[size:], strict=False):
            run = run + 1 if here == there else 0
            if run >= size * (_REPEATS - 1):
                return not all(piece.strip("▁").isdigit() for piece in tokens[:size])
    return False


def entropy(translation: Prediction) -> float:
    """Return how widely a model looks, 0 (one piece) to 1 (all alike); NaN if it says nothing.

    mean over t of -sum_s w[t, s] log w[t, s] / log S
    """
    weights = translation.attention
    if weights is None or not weights.size or weights.shape[1] < 2:
        return math.nan
    safe = np.maximum(weights, 1e-12)
    return float(-(weights * np.log(safe)).sum(axis=1).mean() / math.log(weights.shape[1]))


def _sharpness(entropies: Sequence[float]) -> list[Finding]:
    known = [value for value in entropies if math.isfinite(value)]
    if not known:
        return [Finding("note", "the model has no attention to look at")]
    mean = fmean(known)
    text = f"attention entropy is {mean:.2f} (0 looks at one piece, 1 at all alike)"
    if mean < 0.85:
        return [Finding("good", text)]
    return [Finding("warning", text, "Attention has not learned where to look: train longer.")]


def _mixed_scripts(line: str) -> bool:
    """Find a word that mixes scripts whose letters look alike, as a Cyrillic а in a Latin word."""
    if line.isascii():
        return False
    return any(
        len({s for c in word for s in _SCRIPTS if unicodedata.name(c, "").startswith(s)}) > 1
        for word in _WORD.findall(line)
        if not word.isascii()
    )


_ODDITIES: dict[str, tuple[Callable[[str], bool], str]] = {
    "U+FFFD, a character lost in an earlier conversion": (
        lambda line: "\ufffd" in line,
        "Go back to the original and convert it anew; the text is damaged.",
    ),
    "control characters or odd line ends": (
        lambda line: _CONTROL.search(line) is not None,
        "Remove them; other tools may break lines there.",
    ),
    _TABS: (lambda line: "\t" in line, "Is this a TSV file? Then read it with kind: tsv."),
    "spaces around the text": (
        lambda line: line != line.strip(),
        "Keep `strip` in normalise: [nfc, strip].",
    ),
    "text not in NFC": (
        lambda line: not unicodedata.is_normalized("NFC", line),
        "Keep `nfc` in normalise, or equal words are different pieces.",
    ),
    "words that mix Latin, Cyrillic or Greek letters": (
        _mixed_scripts,
        "Letters that only look alike make unknown words; replace them.",
    ),
}


def counted(
    places: Sequence[int], everything: Sequence[object], text: str, advice: str
) -> list[Finding]:
    """Tell of lines that have something in common, with their share and the first of them."""
    if not places:
        return []
    share = len(places) / len(everything)
    shown = tuple(f"line {i + 1}: {everything[i]}" for i in places[:SHOWN])
    said = f"{text}: {len(places):,} ({percent(len(places), everything)})"
    return [Finding("warning" if share > 0.01 else "note", said, advice, shown)]


def _rate(
    hits: Sequence[str], everything: Sequence[object], limit: float, what: str, advice: str
) -> Finding:
    share = len(hits) / max(len(everything), 1)
    text = f"{len(hits)} of {len(everything)} outputs ({share:.1%}) {what}"
    if share <= limit:
        return Finding("good", text)
    return Finding("warning", text, advice, tuple(hits[:SHOWN]))


def _cut(text: str, longest: int = 60) -> str:
    return text if len(text) <= longest else f"{text[: longest - 1]}…"


def percent(n: int, everything: Sized) -> str:
    """Write n as a share of all."""
    return f"{n / max(len(everything), 1):.1%}"
