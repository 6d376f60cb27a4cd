"""What is wrong with pairs of text, and with what a reader leaves out: pure functions that find."""

import re
from collections import Counter
from collections.abc import Iterable, Sequence
from statistics import median

import numpy as np

from saccade.look.doctor import SHOWN, Finding, counted, percent
from saccade.modalities._picture import PictureFile
from saccade.modalities._sound import SoundFile, SplicedSound
from saccade.nouns import Example, Raw
from saccade.readers._table import Unread
from saccade.tokenizers._vocabulary import UNK, Vocabulary

_FILES = PictureFile | SoundFile | SplicedSound
_FEATURES = re.compile(r"[^\s;|]+(?:[;|][^\s;|]+)+")  # V;PST;3;SG
_NOTABLE, _FEW = 0.02, 5  # share and number of unknown pieces that are more than chance
_ONCE = 0.3  # of the different words of running text, or more, occur only once
_MANY = 0.2  # of the sources with several targets


def examine_pairs(name: str, examples: Sequence[Example]) -> list[Finding]:
    """Look at pairs: empty sides, repeats, contradictions, copies, and lengths that do not fit."""
    pairs = [(e.source, e.target) for e in examples]
    found = _empty_sides(name, examples)
    if repeated := len(pairs) - len(set(pairs)):
        found.append(
            Finding(
                "note",
                f"{name}: {repeated:,} pairs ({percent(repeated, pairs)}) are repeats",
                "Remove them unless they are meant to weigh more.",
            )
        )
    copies = [i for i, (source, target) in enumerate(pairs) if source == target and source.strip()]
    found += _contradictions(name, examples)
    found += counted(
        copies,
        pairs,
        f"{name}: the target is a copy of the source",
        "Fine for names and numbers; otherwise lines that were never translated.",
    )
    return found + _ratios(name, pairs)


def examine_unread(found: Sequence[Unread]) -> list[Finding]:
    """Tell of columns of a file that nobody reads."""
    findings = []
    for one in found:
        text = f"{one.path.name}: column {one.column} is not read, for example {one.value[:40]!r}"
        if _FEATURES.fullmatch(one.value.strip()):
            advice = (
                f"These look like features, as of inflection: set features: {one.column} of the"
                " reader, and data.source.tokenizer: featured."
            )
            findings.append(Finding("warning", text, advice))
        else:
            advice = "Fine if the output does not depend on it; else name it in the reader."
            findings.append(Finding("note", text, advice))
    return findings


def overlap(train: Iterable[Example], held_out: Sequence[Example], name: str) -> Finding:
    """Count held-out sources that stand in training too."""
    seen = {_key(example) for example in train}
    shared = [e for e in held_out if _key(e) in seen]
    if not shared:
        return Finding("good", f"{name}: no source stands in training")
    return Finding(
        "warning",
        f"{name}: {len(shared):,} of {len(held_out):,} sources"
        f" ({percent(len(shared), held_out)}) stand in training too",
        "Scores on them measure memory. Split by source: `saccade init` does.",
        tuple(_shown(e) for e in shared[:SHOWN]),
    )


def _shown(example: Example) -> str:
    named = isinstance(example.source, str | _FILES)
    return str(example.source) if named else example.origin


def unknowns(vocabulary: Vocabulary, lines: Sequence[str], name: str) -> Finding:
    """Measure which share of the pieces the vocabulary does not know, and name them.

    Sub-words are advised where they help: for words of running text of which many are unknown.
    """
    rows = vocabulary.encode_many(list(lines))
    n_pieces, n_unknown = sum(map(len, rows)), sum(row.count(UNK) for row in rows)
    rate = n_unknown / max(n_pieces, 1)
    text = f"{name}: {n_unknown:,} of {n_pieces:,} pieces ({rate:.2%}) are unknown"
    if not n_unknown:
        return Finding("good", text)
    odd = [line for line, row in zip(lines, rows, strict=True) if UNK in row]
    unknown = _unknown(vocabulary, odd)
    text += ": " + ", ".join(f"{word!r} ({n:,})" for word, n in unknown.most_common(SHOWN))
    text += f" and {len(unknown) - SHOWN:,} more" if len(unknown) > SHOWN else ""
    notable = rate > _NOTABLE and n_unknown >= _FEW
    if rate <= 0.001:
        return Finding("good", text)
    if notable and _is_running(vocabulary, rows, unknown):
        advice = "Use sub-words (tokenizer: bpe), a larger size, or normalise both alike."
    else:
        advice = (
            "Training never shows them, so the model cannot tell them apart: look whether they are"
            " written alike there, or add examples that hold them."
        )
    return Finding("warning" if notable else "note", text, advice, tuple(odd[:SHOWN]))


def _unknown(vocabulary: Vocabulary, lines: Iterable[str]) -> Counter[str]:
    separator = vocabulary.reading.separator
    turns = (turn for line in lines for turn in (line.split(separator) if separator else [line]))
    return Counter(word for turn in turns for word in vocabulary.unknown(turn))


def _is_running(
    vocabulary: Vocabulary, rows: Sequence[Sequence[int]], unknown: Counter[str]
) -> bool:
    """Tell words of sentences, many of which occur once, from phones or tags, of which few do."""
    known = Counter(i for row in rows for i in row if i != UNK)
    once = sum(n == 1 for counts in (known, unknown) for n in counts.values())
    return vocabulary.whole_words and once >= _ONCE * (len(known) + len(unknown))


def _empty_sides(name: str, examples: Sequence[Example]) -> list[Finding]:
    empty = [e for e in examples if not (e.source.strip() and all(map(str.strip, e.references)))]
    if not empty:
        return []
    return [
        Finding(
            "warning" if len(empty) > 0.01 * len(examples) else "note",
            f"{name}: {len(empty):,} pairs ({percent(len(empty), examples)}) have an empty side",
            "Leave them out; they teach to write nothing, or to write something about nothing.",
            tuple(e.origin or f"{e.source!r} → {e.target!r}" for e in empty[:SHOWN]),
        )
    ]


def _contradictions(name: str, examples: Sequence[Example]) -> list[Finding]:
    """Find sources that stand in several examples with different targets."""
    targets: dict[str, dict[str, None]] = {}
    for example in examples:
        targets.setdefault(example.source, {})[example.target] = None
    several = {source: list(found) for source, found in targets.items() if len(found) > 1}
    if not several:
        return []
    shown = [f"{source} → {' | '.join(found[:SHOWN])}" for source, found in several.items()]
    return [
        Finding(
            "warning" if len(several) > _MANY * len(targets) else "note",
            f"{name}: {len(several):,} of {len(targets):,} sources"
            f" ({percent(len(several), targets)}) have different targets",
            "Fine if each is right: a model writes one of them. If something else decides, as a"
            " column of features, let the reader read it.",
            tuple(shown[:SHOWN]),
        )
    ]


def _key(example: Example) -> tuple[str | bytes, ...]:
    """Return what tells sources apart."""
    return tuple(map(_content, example.sources.values()))


def _content(raw: Raw) -> str | bytes:
    if isinstance(raw, _FILES):
        return raw.digest or str(raw)
    return raw if isinstance(raw, str) else np.asarray(raw).tobytes()


def _ratios(name: str, pairs: Sequence[tuple[str, str]]) -> list[Finding]:
    """Find pairs whose lengths are over 4 times further apart than usual."""
    ratios = [(len(t) + 1) / (len(s) + 1) for s, t in pairs]
    if not ratios:
        return []
    usual = median(ratios)
    odd = [i for i, ratio in enumerate(ratios) if not usual / 4 <= ratio <= usual * 4]
    return counted(
        odd,
        pairs,
        f"{name}: lengths that do not go together (usual target/source: {usual:.2f})",
        "Look whether lines have slipped; pairs that do not match do harm.",
    )
