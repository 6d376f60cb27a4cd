"""Pieces and their numbers: one saved tokenizer that encodes, decodes and knows the four symbols.

The normaliser, the way text is split and the learned pieces live together in one JSON file of the
`tokenizers` library, so that a model folder can be used without the recipe that made it.
"""

import hashlib
import json
import os
from collections.abc import Sequence
from functools import cached_property
from pathlib import Path
from typing import Final, final

import tokenizers

from saccade.errors import CheckpointError, DataError

# The library's threads do not survive a fork and it warns about them unless it is told; one thread
# is also what makes encoding cost the same whoever calls. Set the variable yourself to change it.
os.environ.setdefault("TOKENIZERS_PARALLELISM", "false")

PAD, UNK, START, END = 0, 1, 2, 3
SYMBOLS: Final = ("<pad>", "<unk>", "<s>", "</s>")
MARK: Final = "▁"  # U+2581, stands before the first piece of a word
UNKNOWN: Final = "⁇"  # how UNK looks in text


@final
class Vocabulary:
    """Turns raw text into ids and ids into text; made by a Tokenizer or read from its JSON file.

    The four symbols have ids but no spelling: `</s>` written in a text is read as four characters.
    """

    def __init__(self, saved: str, where: str = "vocabulary") -> None:
        try:
            tokenizer = tokenizers.Tokenizer.from_str(saved)
            facts = json.loads(saved)
            self._has_marks: bool = facts["decoder"]["type"] != "Fuse"
            whole_words: bool = self._has_marks and facts["model"]["type"] == "WordLevel"
        except Exception as error:  # the library raises bare Exception
            raise CheckpointError(
                f"{where}: not a tokenizer's JSON file ({error}); expected what training wrote."
                " Copy the model folder again."
            ) from None
        self._saved, self._tokenizer = saved, tokenizer
        pieces = [tokenizer.id_to_token(i) or "" for i in range(tokenizer.get_vocab_size())]
        for i, symbol in enumerate(SYMBOLS):
            if i >= len(pieces) or pieces[i] != symbol:
                found = f"'{pieces[i]}'" if i < len(pieces) else "missing"
                raise CheckpointError(
                    f"{where}: id {i} is {found}; expected '{symbol}'."
                    " Use a vocabulary that saccade wrote."
                )
        # A whole unknown word took its mark along; an unknown character did not.
        self._pieces = pieces
        self._pieces[UNK] = MARK + UNKNOWN if whole_words else UNKNOWN

    def __len__(self) -> int:
        return len(self._pieces)

    def encode(self, text: str) -> list[int]:
        """Normalise and split `text`; START and END are not added."""
        return self.encode_many([text])[0]

    def encode_many(self, texts: Sequence[str]) -> list[list[int]]:
        """Encode every text, faster than one by one."""
        try:
            encoded = self._tokenizer.encode_batch_fast(list(texts), add_special_tokens=False)
        except TypeError:  # what the library says of text that has no UTF-8 form
            raise DataError(_unreadable(texts)) from None
        return [encoding.ids for encoding in encoded]

    def decode(self, ids: Sequence[int]) -> str:
        """Join pieces to text. PAD, START and END are dropped, UNK is shown as ⁇."""
        text: str = self._tokenizer.decoder.decode([self._pieces[i] for i in _spelled(ids)])
        return text

    def pieces(self, ids: Sequence[int]) -> tuple[str, ...]:
        """Show every id, symbols too, with ▁ where a word begins."""
        shown = (SYMBOLS[i] if i in (PAD, START, END) else self._pieces[i] for i in ids)
        return tuple(MARK if piece == " " else piece for piece in shown)

    def words(self, ids: Sequence[int]) -> list[int]:
        """Number the word that each piece belongs to: a word begins at ▁, or at a space.

        PAD, START and END are words of their own.
        """
        numbers: list[int] = []
        fresh = True
        for i in ids:
            alone = i in (PAD, START, END)
            begins = alone or fresh or self._pieces[i].startswith((MARK, " "))
            last = numbers[-1] if numbers else -1
            numbers.append(last + 1 if begins else last)
            fresh = alone
        return numbers

    def unknown(self, text: str) -> tuple[str, ...]:
        """Return what stands in `text` where its pieces are UNK, in their order."""
        encoding = self._tokenizer.encode(text, add_special_tokens=False)
        spans = zip(encoding.ids, encoding.offsets, strict=True)
        return tuple(
            text[start:end].strip() or text[start:end] for i, (start, end) in spans if i == UNK
        )

    def normalise(self, text: str) -> str:
        """Return `text` as it is after normalisation: what decoding known pieces gives back."""
        normal: str = self._tokenizer.normalizer.normalize_str(text)
        return normal.replace(MARK, " ")[1:] if self._has_marks else normal

    @cached_property
    def fingerprint(self) -> str:
        """Hash of all that decides how text is encoded."""
        return hashlib.blake2b(self._saved.encode(), digest_size=16).hexdigest()

    def cut(self, word: str) -> list[str]:
        """Cut a word, ▁ and all, where no piece may reach across: around punctuation, say."""
        return [part for part, _ in self._tokenizer.pre_tokenizer.pre_tokenize_str(word)]

    @cached_property
    def joins(self) -> list[tuple[str, str]]:
        """The pairs of pieces that byte-pair encoding joins, first ones first; none of others."""
        return [(left, right) for left, right in json.loads(self._saved)["model"].get("merges", [])]

    def save(self, path: Path) -> None:
        """Write the JSON file of the `tokenizers` library."""
        path.write_text(self._saved, encoding="utf-8")

    @classmethod
    def load(cls, path: Path) -> "Vocabulary":
        """Read what `save` wrote."""
        try:
            text = path.read_text(encoding="utf-8")
        except FileNotFoundError:
            raise CheckpointError(
                f"{path}: no such vocabulary; expected a tokenizer's JSON file."
                " Is the model folder complete?"
            ) from None
        except (OSError, UnicodeDecodeError) as error:
            raise CheckpointError(
                f"{path}: cannot be read as a vocabulary: {error}; expected a tokenizer's JSON"
                " file. Copy the model folder again."
            ) from None
        return cls(text, str(path))


def _unreadable(texts: Sequence[str]) -> str:
    odd = next((t for t in texts if any("\ud800" <= c <= "\udfff" for c in t)), "")
    return (
        f"text {odd[:40]!r} holds half a character, a lone surrogate; expected text that UTF-8 can"
        " write. Decode the input as UTF-8."
    )


def _spelled(ids: Sequence[int]) -> list[int]:
    return [i for i in ids if i not in (PAD, START, END)]
