"""What the tokenizers share: normalisers by name, the word mark, and assembling a Vocabulary."""

import json
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from typing import Any

import tokenizers
from tokenizers import Regex, decoders, models, normalizers, pre_tokenizers

from saccade.errors import DataError, RecipeError, suggest
from saccade.tokenizers import _known as known
from saccade.tokenizers._vocabulary import MARK, SYMBOLS, UNK, Vocabulary

_NORMALISERS: dict[str, Callable[[], list[Any]]] = {
    "nfc": lambda: [normalizers.NFC()],
    "nfd": lambda: [normalizers.NFD()],
    "nfkc": lambda: [normalizers.NFKC()],
    "nfkd": lambda: [normalizers.NFKD()],
    "lowercase": lambda: [normalizers.Lowercase()],
    "strip": lambda: [normalizers.Strip()],
    "squeeze": lambda: [normalizers.Replace(Regex(known.SPACES), " ")],
    "digits": lambda: [normalizers.Replace(Regex(known.DIGITS), "0")],
    "no_punctuation": lambda: [normalizers.Replace(Regex(known.MARKS), "")],
    "quotes": lambda: [normalizers.Replace(Regex(old), new) for old, new in known.QUOTES.items()],
}


def plain_text(normalise: Sequence[str]) -> Any:
    """Chain the named normalisers."""
    for name in normalise:
        if name not in _NORMALISERS:
            raise RecipeError(
                f"normalise: there is no '{name}'.{suggest(name, _NORMALISERS)}"
                f" Choices: {', '.join(_NORMALISERS)}."
            )
    return normalizers.Sequence([step for name in normalise for step in _NORMALISERS[name]()])


def marked(
    model: Any, normalise: Sequence[str], *, punctuation: bool, factors: bool = False
) -> tokenizers.Tokenizer:
    """Put a model behind the word mark: ▁ before the text and in place of every space.

    Text is cut before every ▁ and, with `punctuation`, around every punctuation mark; with
    `factors`, instead, before every ￨ inside a word. Joining
    pieces, turning ▁ into a space and dropping the first one gives the text back.
    """
    tokenizer = tokenizers.Tokenizer(model)
    spaces = [normalizers.Prepend(MARK), normalizers.Replace(" ", MARK)]
    tokenizer.normalizer = normalizers.Sequence([plain_text(normalise), *spaces])
    pattern = known.FACTORS if factors else known.PUNCTUATION if punctuation else known.WORD
    cuts = [pre_tokenizers.Split(Regex(pattern), "isolated")]
    if factors or not punctuation:
        cuts.append(pre_tokenizers.Split(Regex(known.SYMBOL_IN_TEXT), "merged_with_previous"))
    tokenizer.pre_tokenizer = pre_tokenizers.Sequence(cuts)
    tokenizer.decoder = decoders.Sequence(
        [decoders.Replace(MARK, " "), decoders.Fuse(), decoders.Strip(" ", 1, 0)]
    )
    return tokenizer


def characters(model: Any, normalise: Sequence[str]) -> tokenizers.Tokenizer:
    """Put a model behind a cut at every character."""
    tokenizer = tokenizers.Tokenizer(model)
    tokenizer.normalizer = plain_text(normalise)
    tokenizer.pre_tokenizer = pre_tokenizers.Split(Regex(known.CHARACTER), "isolated")
    tokenizer.decoder = decoders.Fuse()
    return tokenizer


def whole_lines(model: Any, normalise: Sequence[str]) -> tokenizers.Tokenizer:
    """Put a model behind no cut at all, but one that keeps a line from being a symbol."""
    tokenizer = tokenizers.Tokenizer(model)
    tokenizer.normalizer = plain_text(normalise)
    tokenizer.pre_tokenizer = pre_tokenizers.Split(
        Regex(known.SYMBOL_ALONE), "merged_with_previous"
    )
    tokenizer.decoder = decoders.Fuse()
    return tokenizer


def most_common(
    counts: Counter[str], size: int | None, min_count: int, more: Sequence[str] = ()
) -> models.WordLevel:
    """Number the commonest pieces behind the four symbols, then `more`; ties are broken by text."""
    kept = sorted((p for p, n in counts.items() if n >= min_count), key=lambda p: (-counts[p], p))
    room = None if size is None else max(size - len(SYMBOLS), 0)
    pieces = [*SYMBOLS, *kept[:room], *more]
    ids = {piece: i for i, piece in enumerate(pieces)}
    return models.WordLevel(ids, unk_token=SYMBOLS[UNK])


def finished(tokenizer: tokenizers.Tokenizer) -> Vocabulary:
    """Make a Vocabulary; symbols lose their spelling, so that text cannot contain them."""
    saved = json.loads(tokenizer.to_str())
    saved["added_tokens"] = []
    vocabulary = Vocabulary(json.dumps(saved, ensure_ascii=False))
    if len(vocabulary) <= len(SYMBOLS):
        raise DataError(
            "no piece to learn: the lines are empty or every piece is rarer than min_count;"
            " expected some text. Check the files, or lower min_count."
        )
    return vocabulary


def replaced(tokenizer: tokenizers.Tokenizer, scored: list[tuple[str, float]]) -> None:
    """Give a tokenizer a unigram model of these pieces, likeliest first, ties broken by text."""
    best = sorted(
        ((piece, round(score, 6)) for piece, score in scored), key=lambda e: (-e[1], e[0])
    )
    symbols = [(symbol, 0.0) for symbol in SYMBOLS]
    tokenizer.model = models.Unigram([*symbols, *best], UNK, byte_fallback=False)


def count_pieces(tokenizer: tokenizers.Tokenizer, lines: Iterable[str]) -> Counter[str]:
    """Count what a tokenizer cuts lines into."""
    counts: Counter[str] = Counter()
    normal, cut = tokenizer.normalizer.normalize_str, tokenizer.pre_tokenizer.pre_tokenize_str
    for line in lines:
        counts.update(piece for piece, _ in cut(normal(line)))
    return counts
