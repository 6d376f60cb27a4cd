"""The dictionary translator: a word list and rules that somebody wrote, as in the 1950s."""

import json
from collections.abc import Mapping
from functools import lru_cache
from typing import Any, ClassVar

import numpy as np
import torch
from torch import Tensor, nn

from saccade.errors import CheckpointError, RecipeError
from saccade.flow import (
    SOURCE,
    Batch,
    Decoded,
    Padded,
    Sources,
    State,
    Stepped,
    nested,
    only,
    tensor,
)
from saccade.heads._planned import PlannedHead
from saccade.models._rule_book import RuleBook
from saccade.models._rule_engine import RuleEngine, Spoken, spans
from saccade.models._rule_file import RuleFile, read_rules
from saccade.models._word_list import induced_words
from saccade.models.base import CountedModel, CountedPass, LaidPairs, Writer
from saccade.nouns import Side
from saccade.tokenizers._vocabulary import END, MARK, PAD, START, UNK, UNKNOWN

_LARGEST = 64 << 20  # bytes of the rules in a model folder


class RuleTranslator(CountedModel, Writer):
    """Writes what a file of rules says: words looked up, reordered, inflected and spelt.

        source pieces -> text -> words -> readings -> order -> forms -> spelling -> target pieces

    The rules are those of `docs/mechanisms/rules.md`; `_rule_engine.py` applies them. Nothing is
    learned from the training data, unless `induce` asks for a word list: then words that the file
    does not have are translated by the word that they are linked with most often (`_word_list.py`).
    The one pass reads the file and keeps it in the weights, so that a model folder needs no other
    file. A word that is not in the list passes through. The output is written with probability
    `1 - doubt`; its weights say which word of the source each piece comes from.

    Args:
        sources: text.
        target: text.
        rules: a YAML file of rules; relative to where the recipe's other paths are.
        induce: learn a word list from the training pairs.
        doubt: the share of probability that is left to every other output.
    """

    source_raws: ClassVar[tuple[str, ...]] = ("text",)
    target_raws: ClassVar[tuple[str, ...]] = ("text",)
    discrete: ClassVar[bool | None] = True
    search: ClassVar[str] = "greedy"
    head: PlannedHead

    def __init__(
        self,
        sources: Mapping[str, Side],
        target: Side,
        *,
        rules: str = "",
        induce: bool = False,
        doubt: float = 0.01,
    ) -> None:
        super().__init__()
        if not 0 < doubt < 1:
            raise RecipeError(f"rules.doubt: {doubt:g} is not between 0 and 1; 0.01 is usual.")
        (side,) = sources.values()
        self.rules, self.induce = rules, induce
        self.pieces = side.pieces or _numbered(side.size)
        self.target_pieces = target.pieces or _numbered(target.size)
        self._ids = {piece: i for i, piece in enumerate(self.target_pieces) if i > END}
        self._longest = max(map(len, self._ids), default=0)
        self._leads = any(len(piece) > 1 and piece[0] == MARK for piece in self._ids)
        self.book = nn.Parameter(_stored({}), requires_grad=False)
        self.head = PlannedHead(1, target.size, None, doubt=doubt)

    @property
    def attention_names(self) -> tuple[str, ...]:
        """Where a word comes from."""
        return ("origin",)

    @property
    def plain(self) -> dict[str, Any]:
        """The rules, as the file has them."""
        found: dict[str, Any] = json.loads(bytes(self.book.detach().cpu().numpy()))
        return found

    def count(self, corpus: LaidPairs, iteration: int) -> CountedPass:
        """Read the file, and induce a word list if asked for."""
        plain = dict(read_rules(corpus.root / self.rules).plain if self.rules else {})
        told = ""
        if self.rules:
            RuleBook(read_rules(corpus.root / self.rules))  # its errors name lines
        if self.induce:
            (side,) = corpus.sources.values()
            known = plain.get("words", {})
            found = induced_words(side, corpus.target, self.pieces, self.target_pieces)
            more = {word: to for word, to in found.items() if word not in known}
            plain["words"] = {**known, **more}
            told = f"{len(more):,} words were induced. "
        book = RuleBook(RuleFile(plain, self.rules or "rules", {}))
        self.book.data = _stored(plain).to(self.book.device)
        figures = {"words": float(len(book.words)), "rules": float(len(book.order))}
        return CountedPass(
            figures, f"{told}{len(book.words):,} words, {len(book.order)} rules of order."
        )

    def accept(self, weights: Mapping[str, Tensor], where: str) -> None:
        """Check the rules of a file and make room for them."""
        given = weights.get("book")
        if given is None or given.dtype != torch.uint8 or given.dim() != 1:
            raise CheckpointError(
                f"{where}: the weights are another model's: book is missing or of another kind. Use"
                " the folder as it was written."
            )
        if len(given) > _LARGEST:
            raise CheckpointError(
                f"{where}: its rules have {len(given):,} bytes; expected at most {_LARGEST:,}."
            )
        try:
            plain = json.loads(bytes(given.cpu().numpy()))
            if not isinstance(plain, dict):
                raise ValueError("no sections")
            RuleBook(RuleFile(plain, where, {}))
        except (ValueError, RecipeError, RecursionError, AttributeError, TypeError) as error:
            raise CheckpointError(
                f"{where}: its rules cannot be followed ({error}); expected what training wrote."
                " Copy the model folder again."
            ) from None
        self.book.data = torch.empty_like(given)

    def forward(self, batch: Batch, *, look: bool = False) -> Decoded:
        """Name the symbol of every place, whatever the prefix is: `[B, T, 1]`."""
        symbols, origins = self._planned(batch.source.flat())
        place = torch.arange(batch.prefix.shape[1], device=symbols.device)
        at = place.clamp(max=symbols.shape[1] - 1).expand(len(symbols), -1)
        features = symbols.gather(1, at)[..., None]
        weights = None
        if look:
            weights = origins.gather(1, at[..., None].expand(-1, -1, origins.shape[2]))[:, :, None]
        return Decoded(features, weights)

    def start(self, sources: Sources) -> State:
        """Translate; no piece has been written yet."""
        symbols, origins = self._planned(only(sources).flat())
        place = torch.zeros(len(symbols), dtype=torch.long, device=symbols.device)
        return {SOURCE: {"symbols": symbols, "origins": origins}, "place": place}

    def advance(self, token: Tensor, state: State, *, look: bool = False) -> Stepped:
        """Name the next symbol, whatever was written."""
        source, place = nested(state, SOURCE), tensor(state, "place")
        symbols, origins = tensor(source, "symbols"), tensor(source, "origins")
        at = place.clamp(max=symbols.shape[1] - 1)
        rows = torch.arange(len(at), device=at.device)
        weights = origins[rows, at][:, None] if look else None
        return Stepped(symbols[rows, at][:, None], weights, {**state, "place": place + 1})

    def _planned(self, source: Padded) -> tuple[Tensor, Tensor]:
        """Return the symbols of all outputs `[B, T]`, END behind, and their origins `[B, T, S]`."""
        engine = _engine(bytes(self.book.detach().cpu().numpy()))
        rows = [
            self._translated(engine, ids[:n])
            for ids, n in zip(source.values.tolist(), source.lengths.tolist(), strict=True)
        ]
        longest = max((len(row) for row in rows), default=0) + 1
        symbols = np.full((len(rows), longest), END, dtype=np.int64)
        origins = np.zeros((len(rows), longest, source.mask.shape[1]), dtype=np.float32)
        for b, row in enumerate(rows):
            for t, (symbol, places) in enumerate(row):
                symbols[b, t] = symbol
                origins[b, t, places] = 1 / max(len(places), 1)
        device = source.values.device
        return torch.from_numpy(symbols).to(device), torch.from_numpy(origins).to(device)

    def _translated(self, engine: RuleEngine, ids: list[int]) -> list[tuple[int, list[int]]]:
        """Return the symbols of one output, each with the places of the source it comes from."""
        text, owner = "", list[int]()  # the piece of every character
        for place, i in enumerate(ids):
            if i in (PAD, START, END):
                continue
            shown = UNKNOWN if i == UNK else self.pieces[i]
            shown = f" {UNKNOWN} " if shown.strip(MARK) == UNKNOWN else shown.replace(MARK, " ")
            text += shown
            owner += [place] * len(shown)
        pieces = [sorted({owner[c] for c in range(*span)}) for span in spans(text)]
        found = list[tuple[int, list[int]]]()
        for spoken in engine.translate(text):
            places = sorted({p for word in spoken.sources for p in pieces[word]})
            found += [(symbol, places) for symbol in self._symbols(spoken, first=not found)]
        return found

    def _symbols(self, spoken: Spoken, *, first: bool) -> list[int]:
        """Cut a word into pieces of the target, the longest first; UNK if that cannot be done."""
        marked = spoken.spaced or (first and self._leads)
        rest, found = (MARK if marked else "") + spoken.text, list[int]()
        while rest:
            n = next((n for n in range(self._longest, 0, -1) if rest[:n] in self._ids), 0)
            if not n:
                return [UNK]
            found.append(self._ids[rest[:n]])
            rest = rest[n:]
        return found


@lru_cache(maxsize=4)
def _engine(stored: bytes) -> RuleEngine:
    """Compile rules once for all batches."""
    return RuleEngine(RuleBook(RuleFile(json.loads(stored), "rules", {})))


def _stored(plain: Mapping[str, Any]) -> Tensor:
    text = json.dumps(plain, ensure_ascii=False, separators=(",", ":")).encode()
    return torch.from_numpy(np.frombuffer(text, dtype=np.uint8).copy())


def _numbered(size: int) -> tuple[str, ...]:
    """Call symbols by their numbers, where nobody says what they are."""
    return tuple(f"{MARK}{i}" for i in range(size))
