"""Pieces and their numbers: one saved tokenizer that encodes, decodes and knows the four symbols.

The normaliser, the way text is split and the learned pieces live together in one JSON file of the
`tokenizers` library, so that a model folder can be used without the recipe that made it.
"""

import hashlib
import json
import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import chain
from pathlib import Path
from typing import Final, final

import tokenizers

from saccade.errors import CheckpointError, DataError, RecipeError
from saccade.intake.files import parse_json, read_text
from saccade.tokenizers._by_word import LEAST, ByWord, goes_by_word
from saccade.tokenizers._known import fault
from saccade.tokenizers._suffixes import SuffixClasses
from saccade.tokenizers._symbols import END, MARK, PAD, START, SYMBOLS, UNK, UNKNOWN

__all__ = [
    "END",
    "MARK",
    "NOTHING",
    "PAD",
    "START",
    "SYMBOLS",
    "UNK",
    "UNKNOWN",
    "Reading",
    "Vocabulary",
]

# The library's threads do not survive a fork and it warns about them unless it is told; one thread
# is also what makes encoding cost the same whoever calls. Set the variable yourself to change it.
os.environ.setdefault("TOKENIZERS_PARALLELISM", "false")

LARGEST: Final = 64 << 20  # bytes of a file
MOST_VALUES: Final = 1 << 23  # in it
_SLOT: Final = "<copy {}>"  # with a space inside, which no word has
NOTHING: Final[Mapping[int, str]] = {}


@dataclass(frozen=True, slots=True)
class Reading:
    """How a text is laid out as ids.

    reverse: its pieces from the last to the first.  separator: what parts the turns of a dialogue;
    each is a text of its own, and an END stands between them.
    """

    reverse: bool = False
    separator: str = ""


_PLAIN: Final = Reading()


@final
class Vocabulary:
    """Turns raw text into ids and ids into text; made by a Tokenizer or read from its JSON file.

    The four symbols have ids but no spelling: `</s>` written in a text is read as four characters.
    The `reading` is not part of the file: a recipe says it anew.
    whole_words: whether pieces are words and marks.  characters: whether each is one character.
    featured: whether some are features of the whole, behind its characters.  whole_lines: whether
    each is a whole text.  slots: ids that stand for unknown words, last.  Classes of rare words, if
    there are any, take the place of UNK wherever an unknown word belongs to one.
    """

    def __init__(self, saved: str, where: str = "vocabulary", reading: Reading = _PLAIN) -> None:
        self._reading = reading
        try:
            facts = parse_json(saved.encode(), MOST_VALUES)
            if odd := fault(facts):
                raise ValueError(odd)
            tokenizer = tokenizers.Tokenizer.from_str(saved)
            self._has_marks: bool = facts["decoder"]["type"] != "Fuse"
            self.whole_words: bool = self._has_marks and facts["model"]["type"] == "WordLevel"
            cut = (facts.get("pre_tokenizer") or {}).get("behavior")
            isolated = cut == "Isolated"
        except Exception as error:  # the library raises bare Exception
            raise CheckpointError(
                f"{where}: not a tokenizer's JSON file ({error}); expected what training wrote."
                " Copy the model folder again."
            ) from None
        self._saved, self._tokenizer = saved, tokenizer
        self._by_word = ByWord(self._cut_up) if goes_by_word(facts) else None
        pieces = [tokenizer.id_to_token(i) or "" for i in range(tokenizer.get_vocab_size())]
        for i, symbol in enumerate(SYMBOLS):
            if i >= len(pieces) or pieces[i] != symbol:
                found = f"'{pieces[i]}'" if i < len(pieces) else "missing"
                raise CheckpointError(
                    f"{where}: id {i} is {found}; expected '{symbol}'."
                    " Use a vocabulary that saccade wrote."
                )
        self.featured: bool = not self._has_marks and any(p[:1] == MARK and p[1:] for p in pieces)
        self.characters: bool = not self._has_marks and (isolated or self.featured)
        self.whole_lines: bool = not self._has_marks and not self.characters
        # A whole unknown word took its mark along; an unknown character did not.
        self._pieces = pieces
        self._pieces[UNK] = MARK + UNKNOWN if self.whole_words else UNKNOWN
        self.slots: tuple[int, ...] = _slots(pieces) if self.whole_words else ()
        self._classes = SuffixClasses(pieces if self.whole_words else ())
        for slot in self.slots:
            self._pieces[slot] = self._pieces[UNK]
        for number, shown in self._classes.shown().items():
            self._pieces[number] = shown

    @property
    def reading(self) -> Reading:
        """How texts are laid out."""
        return self._reading

    def __len__(self) -> int:
        return len(self._pieces)

    def encode(self, text: str) -> list[int]:
        """Normalise and split `text`; START and END are not added."""
        return self.encode_many([text])[0]

    def encode_many(self, texts: Sequence[str]) -> list[list[int]]:
        """Encode every text, faster than one by one."""
        separator = self._reading.separator
        if not separator:
            return self._encode(texts)
        turns = [[turn.strip() for turn in text.split(separator)] for text in texts]
        encoded = iter(self._encode(list(chain.from_iterable(turns))))
        return [_joined([next(encoded) for _ in row]) for row in turns]

    def _encode(self, texts: Sequence[str]) -> list[list[int]]:
        many = self._by_word if len(texts) >= LEAST else None
        rows = many(texts) if many else self._cut_up(texts)
        if self._classes:
            rows = [self._classed(*pair) for pair in zip(rows, texts, strict=True)]
        return [ids[::-1] for ids in rows] if self._reading.reverse else rows

    def _cut_up(self, texts: Sequence[str]) -> list[list[int]]:
        try:
            encoded = self._tokenizer.encode_batch_fast(list(texts), add_special_tokens=False)
        except TypeError:  # what the library says of text that has no UTF-8 form
            raise DataError(_unreadable(texts)) from None
        return [encoding.ids for encoding in encoded]

    def _classed(self, ids: list[int], text: str) -> list[int]:
        """Put classes in the place of unknown words."""
        if UNK not in ids:
            return ids
        cuts = zip(ids, self._cuts(text), strict=True)
        return [self._classes.of(cut) if i == UNK else i for i, cut in cuts]

    def decode(self, ids: Sequence[int], instead: Mapping[int, str] = NOTHING) -> str:
        """Join pieces to text. PAD, START and END are dropped, UNK is shown as ⁇.

        Args:
            ids: the pieces.
            instead: other pieces for some places, by the number of the place.
        """
        separator = self._reading.separator
        turns: list[list[str]] = [[]]
        for t in self.order(ids):
            if ids[t] == END and separator:
                turns.append([])
            elif ids[t] not in (PAD, START, END):
                turns[-1].append(instead.get(t, self._pieces[ids[t]]))
        return f" {separator} ".join(self._tokenizer.decoder.decode(turn) for turn in turns if turn)

    def order(self, ids: Sequence[int]) -> list[int]:
        """Return the places of `ids` in the order in which a reader of the text meets them."""
        if not self._reading.reverse:
            return list(range(len(ids)))
        order: list[int] = []
        run: list[int] = []
        for place, i in enumerate(ids):
            if i in (PAD, START, END):
                order += [*reversed(run), place]
                run = []
            else:
                run.append(place)
        return [*order, *reversed(run)]

    def pieces(self, ids: Sequence[int], instead: Mapping[int, str] = NOTHING) -> tuple[str, ...]:
        """Show every id, symbols too, with ▁ where a word begins; `instead` as in `decode`."""
        shown = (SYMBOLS[i] if i in (PAD, START, END) else self._pieces[i] for i in ids)
        shown = (instead.get(t, piece) for t, piece in enumerate(shown))
        return tuple(MARK if piece == " " else piece for piece in shown)

    @cached_property
    def all_pieces(self) -> tuple[str, ...]:
        """What every id spells, as `pieces` shows it."""
        return self.pieces(range(len(self)))

    def cuts(self, text: str) -> tuple[str, ...]:
        """Return, for every id of `encode(text)`, the word with its ▁ that it is cut from."""
        separator, step = self._reading.separator, -1 if self._reading.reverse else 1
        turns = [turn.strip() for turn in text.split(separator)] if separator else [text]
        kept = [found[::step] for found in map(self._cuts, turns) if found]
        return tuple(cut for n, turn in enumerate(kept) for cut in (["", *turn] if n else turn))

    def _cuts(self, text: str) -> list[str]:
        words = self._tokenizer.pre_tokenizer.pre_tokenize_str(
            self._tokenizer.normalizer.normalize_str(text)
        )
        encoding = self._tokenizer.encode(text, add_special_tokens=False)
        return [words[i][0] for i in encoding.word_ids]

    def reserve(self, n: int) -> "Vocabulary":
        """Return this vocabulary with `n` more ids, slots for unknown words."""
        if not self.whole_words:
            raise RecipeError(
                f"data.copies: {n} slots are for unknown words, but these pieces are not whole"
                " words; expected the tokenizer word. Change it, or set copies to 0."
            )
        if self._classes:
            raise RecipeError(
                f"data.copies: {n} slots are for unknown words, but word.suffixes makes classes of"
                " them; expected one or the other. Set copies or suffixes to 0."
            )
        facts = json.loads(self._saved)
        facts["model"]["vocab"] |= {_SLOT.format(k + 1): len(self) + k for k in range(n)}
        return Vocabulary(json.dumps(facts, ensure_ascii=False), reading=self._reading)

    def words(self, ids: Sequence[int]) -> list[int]:
        """Number the word that each piece belongs to: a word begins at ▁, or at a space.

        PAD, START and END are words of their own. Words count in the order of `order`.
        """
        order = self.order(ids)
        in_order = dict(zip(order, self._count([ids[place] for place in order]), strict=True))
        return [in_order[place] for place in range(len(ids))]

    def units(self, ids: Sequence[int]) -> list[int]:
        """Number what pictures and alignments show: words, or characters if they are the pieces."""
        if not self.characters:
            return self.words(ids)
        in_order = {place: number for number, place in enumerate(self.order(ids))}
        return [in_order[place] for place in range(len(ids))]

    def _count(self, ids: Sequence[int]) -> list[int]:
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
        reading = "" if self._reading == _PLAIN else repr(self._reading)
        return hashlib.blake2b((self._saved + reading).encode(), digest_size=16).hexdigest()

    def same_pieces(self, other: "Vocabulary") -> bool:
        """Tell whether every id means the same to both, however they read texts."""
        return self._saved == other._saved

    def ids_in(self, other: "Vocabulary") -> list[int]:
        """Return, for every id, the one that means the same to another; UNK if there is none."""
        known = {piece: i for i, piece in enumerate(other._pieces)}
        own = [known.get(piece, UNK) for piece in self._pieces]
        return [PAD, UNK, START, END, *own[END + 1 :]]

    def read_as(self, reading: Reading) -> "Vocabulary":
        """Return the same pieces for texts that are laid out in another way."""
        return self if reading == self._reading else Vocabulary(self._saved, reading=reading)

    def cut(self, word: str) -> list[str]:
        """Cut a word, ▁ and all, where no piece may reach across: around punctuation, say."""
        return [part for part, _ in self._tokenizer.pre_tokenizer.pre_tokenize_str(word)]

    @cached_property
    def joins(self) -> list[tuple[str, str]]:
        """The pairs of pieces that byte-pair encoding joins, first ones first; none of others."""
        return [(left, right) for left, right in json.loads(self._saved)["model"].get("merges", [])]

    @cached_property
    def broader(self) -> tuple[int, ...]:
        """For every id the class of rare words that it belongs to; () if there are no classes."""
        return self._classes.broader(self.spellings) if self._classes else ()

    @cached_property
    def spellings(self) -> list[str]:
        """Every id as the JSON file spells it, symbols and slots too; no two are the same."""
        found = (self._tokenizer.id_to_token(i) for i in range(len(self)))
        return [f"<none {i}>" if piece is None else piece for i, piece in enumerate(found)]

    def save(self, path: Path) -> None:
        """Write the JSON file of the `tokenizers` library."""
        if len(self._saved.encode()) > LARGEST:
            raise RecipeError(
                f"{path.name}: a vocabulary of {len(self):,} pieces takes"
                f" {len(self._saved.encode()):,} bytes; expected at most {LARGEST:,}. Set a smaller"
                " size, or a larger min_count, of its tokenizer."
            )
        path.write_text(self._saved, encoding="utf-8")

    @classmethod
    def load(cls, path: Path, other: "Vocabulary | None" = None) -> "Vocabulary":
        """Read what `save` wrote; if the `other` side wrote the same, its pieces are taken over."""
        try:
            text = read_text(path, LARGEST)
        except FileNotFoundError:
            raise CheckpointError(
                f"{path}: no such vocabulary; expected a tokenizer's JSON file."
                " Is the model folder complete?"
            ) from None
        except (OSError, ValueError) as error:
            raise CheckpointError(
                f"{path}: cannot be read as a vocabulary: {error}; expected a tokenizer's JSON"
                " file. Copy the model folder again."
            ) from None
        if other is not None and other._saved == text:
            return other.read_as(_PLAIN)
        return cls(text, str(path))


def _unreadable(texts: Sequence[str]) -> str:
    odd = next((t for t in texts if any("\ud800" <= c <= "\udfff" for c in t)), "")
    return (
        f"text {odd[:40]!r} holds half a character, a lone surrogate; expected text that UTF-8 can"
        " write. Decode the input as UTF-8."
    )


def _joined(turns: list[list[int]]) -> list[int]:
    """Put END between the turns that hold something."""
    kept = [turn for turn in turns if turn]
    return [i for n, turn in enumerate(kept) for i in ([END, *turn] if n else turn)]


def _slots(pieces: Sequence[str]) -> tuple[int, ...]:
    first = next((i for i, piece in enumerate(pieces) if piece == _SLOT.format(1)), len(pieces))
    return tuple(range(first, len(pieces)))
