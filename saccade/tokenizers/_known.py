r"""Which tokenizer files are read: those whose steps are the ones that we write, and no others.

A file of the `tokenizers` library may hold any regular expression, and some take for ever. All of
ours are listed here; the separator of `featured` is a recipe's, and stands escaped in one.
"""

import re
from collections.abc import Iterator, Mapping
from typing import Any

from saccade.tokenizers._symbols import MARK, SYMBOLS, UNK

QUOTES = {"[‘’‚‛‹›]": "'", "[“”„‟«»]": '"'}
MARKS = r"[\p{P}\p{S}]+(?!\S)|(?<!\S)[\"(\[]+"  # alone, behind a word, or opening one; not 's
SPACES, DIGITS, CHARACTER = r"\s+", "[0-9]", r"[\s\S]"

# ▁ is itself a symbol to Unicode, hence the care. An apostrophe between letters ends its piece.
PUNCTUATION = r"▁?[^▁\p{P}\p{S}]+(?:['’](?=\p{L}))?|▁?(?!▁)[\p{P}\p{S}]|▁"
WORD = r"▁?[^▁]+|▁"
FACTORS = r"▁?[^▁￨]+|￨[^▁￨]*|▁"
SYMBOL_IN_TEXT = r"<(?=(?:pad|unk|s|/s)>)"  # cut behind it, so that no piece can be a symbol
SYMBOL_ALONE = r"\A<(?=(?:pad|unk|s|/s)>\z)"

BESIDE_TABS = {"squeeze": (r"[^\S\t]+", " "), "strip": (r"\A[^\S\t]+|\s+\z", "")}
FEATURE = rf"{MARK}[^{MARK}]+|[\s\S]"
LAST_MARK = rf"{MARK}\z"
LONGEST_SEPARATOR = 8

_EXPRESSIONS = {
    *QUOTES,
    *(MARKS, SPACES, DIGITS, CHARACTER, PUNCTUATION, WORD, FACTORS, SYMBOL_IN_TEXT, SYMBOL_ALONE),
    *(pattern for pattern, _ in BESIDE_TABS.values()),
    *(FEATURE, LAST_MARK),
}
_TYPES = {
    "normalizer": {"NFC", "NFD", "NFKC", "NFKD", "Lowercase", "Strip", "Replace", "Prepend"},
    "pre_tokenizer": {"Split"},
    "decoder": {"Replace", "Fuse", "Strip"},
}
_MODELS = {"WordLevel", "BPE", "Unigram"}
_LONGEST = 16  # characters of a text that is put in the place of another
_HEAD, _MIDDLE = r"(?:\s*\t|(?<=\t[^\n]*)\s*", r")(?:\s|"  # of what stands between features


def between_features(separator: str) -> str:
    """Return the expression of what stands between two features.

    Spaces beside a separator do not count, nor does one with nothing behind it.
    """
    between = re.escape(separator)
    return f"{_HEAD}{between}{_MIDDLE}{between})*"


def fault(facts: Mapping[str, Any]) -> str:
    """Say what in a tokenizer's JSON we never write; "" if nothing."""
    for name in ("added_tokens", "truncation", "padding", "post_processor"):
        if facts.get(name):
            return f"it has {name}"
    for section, types in _TYPES.items():
        if not isinstance(facts.get(section), dict):
            return f"it has no {section}"
        for step in _steps(facts.get(section)):
            if step.get("type") not in types:
                return f"its {section} has a step {str(step.get('type'))[:40]!r}"
            if odd := _odd_text(step):
                return f"its {section} has the pattern {odd[:60]!r}"
    model = facts["model"]
    if model["type"] not in _MODELS:
        return f"its model is {str(model['type'])[:40]!r}"
    return _odd_unknown(model) or _odd_ids(model["vocab"])


def _odd_unknown(model: Mapping[str, Any]) -> str:
    """Say what is wrong with how a model takes what it does not know, or leaves joins out."""
    if model.get("unk_token", SYMBOLS[UNK]) != SYMBOLS[UNK] or model.get("unk_id", UNK) != UNK:
        return "its model has no unknown piece, or another"
    return "its model leaves joins out by chance" if model.get("dropout") else ""


def _steps(step: Any) -> Iterator[Mapping[str, Any]]:
    """Yield the steps of a section, those of sequences one by one."""
    if step.get("type") != "Sequence":
        yield step
        return
    for name in ("normalizers", "pretokenizers", "decoders"):
        for inner in step.get(name, []):
            yield from _steps(inner)


def _odd_text(step: Mapping[str, Any]) -> str:
    pattern = step.get("pattern") or {}
    expression = pattern.get("Regex")
    if expression is not None and expression not in _EXPRESSIONS and not _is_ours(expression):
        return str(expression)
    texts = (pattern.get("String", ""), step.get("content", ""), step.get("prepend", ""))
    return next((str(text) for text in texts if len(text) > _LONGEST), "")


def _is_ours(expression: str) -> bool:
    """Tell whether an expression is what `between_features` makes of some separator."""
    between = expression.removeprefix(_HEAD).partition(_MIDDLE)[0]
    separator = re.sub(r"\\(.)", r"\1", between[: 2 * LONGEST_SEPARATOR], flags=re.DOTALL)
    return len(separator) <= LONGEST_SEPARATOR and between_features(separator) == expression


def _odd_ids(vocabulary: Any) -> str:
    """Say which id is none of those from 0 on; a list has no ids."""
    if not isinstance(vocabulary, dict):
        return ""
    n, ids = len(vocabulary), set(vocabulary.values())
    odd = next((one for one in ids if type(one) is not int or not 0 <= one < n), None)
    if odd is not None:
        return f"it has {n:,} pieces and the id {str(odd)[:20]}"
    return "" if len(ids) == n else f"it has {n:,} pieces, but {len(ids):,} ids"
