"""Language models between our folders and ARPA files: names of symbols, vocabularies, recipes."""

import re
from collections.abc import Sequence
from pathlib import Path
from typing import Any, NamedTuple

from tokenizers import models

from saccade import recipe as recipes
from saccade.data.codecs import Codecs
from saccade.errors import DataError
from saccade.folders import claims
from saccade.folders.arpa import ReadArpa, read_arpa, table_of
from saccade.folders.identity import write_identity, write_weights
from saccade.heads._backoff import fault
from saccade.modalities.text import TextCodec
from saccade.nouns import SOURCE_NAME
from saccade.tokenizers._build import characters, finished, marked
from saccade.tokenizers._vocabulary import MARK, SYMBOLS, UNK, Vocabulary

_ADVICE = "Choose a new folder with --output, or delete this one."
_ESCAPED = re.compile(r"<0x([0-9A-F]{2,6})>")


def names_of(vocabulary: Vocabulary) -> list[str]:
    """Return what ARPA files call every symbol: without white space, no two the same.

    Words lose the ▁ before them if all have one; the space among characters is ▁. Other white
    space is written as `<0x0A>`.
    """
    pieces = vocabulary.spellings[len(SYMBOLS) :]
    words = vocabulary.whole_words and all(p[:1] == MARK and p[1:] for p in pieces)
    space = MARK if MARK not in pieces else "<0x20>"
    names = [_escaped(piece[1:] if words else piece, space) for piece in pieces]
    return [*SYMBOLS, *names]


def _escaped(piece: str, space: str) -> str:
    if piece in SYMBOLS:
        return f"<0x3C>{piece[1:]}"
    return "".join(
        (space if c == " " else f"<0x{ord(c):02X}>") if c.isspace() else c for c in piece
    )


class Imported(NamedTuple):
    """What became of an ARPA file: how many n-grams, of how many symbols, and as what pieces."""

    n_grams: int
    n_symbols: int
    tokenizer: str


def import_arpa(path: Path, folder: Path) -> Imported:
    """Write the model folder of an ARPA file.

    If every name is one character, pieces are characters; if not, they are words that end at
    spaces, or at marks too if a name begins with ▁, as those that we export do.
    """
    claims.claim(folder, advice=_ADVICE)
    read = read_arpa(path)
    table, options, vocabulary = table_of(read), *_vocabulary(read)
    if wrong := fault(table, len(vocabulary)):
        raise DataError(f"{path}: {wrong}; expected a back-off model. Make the file anew.")
    nothing = {"kind": "pairs", "pairs": []}
    recipe = recipes.from_plain(
        {
            "name": re.sub(r"\W+", "-", path.name.partition(".")[0]) or "model",
            "data": {
                "train": [nothing],
                "valid": nothing,
                "obtain": "there is no text: the model was imported from an ARPA file",
                "target": {"tokenizer": options, "normalise": ["nfc"]},
            },
            "model": {"kind": "ngram", "order": len(read.sections)},
            "decoding": {"metrics": []},
        }
    )
    codec = TextCodec(vocabulary)
    tensors = {f"head.{name}": tensor for name, tensor in table._asdict().items()}
    with claims.claimed(folder, advice=_ADVICE):
        claims.begin(folder)
        write_weights(folder, tensors)
        write_identity(folder, recipe, Codecs({SOURCE_NAME: codec}, codec), {})
    return Imported(len(table.keys) - 1, len(vocabulary), options["kind"])


def _vocabulary(read: ReadArpa) -> tuple[dict[str, Any], Vocabulary]:
    """Make the vocabulary of names, and say which tokenizer it is."""
    pieces = [_ESCAPED.sub(_character, name) for name in read.names[len(SYMBOLS) :]]
    if not pieces:
        raise DataError(f"{read.where}: has no words; expected some in \\1-grams:. Make it anew.")
    if all(len(piece) == 1 for piece in pieces):
        own = [" " if p == MARK and " " not in pieces else p for p in pieces]
        return {"kind": "character"}, finished(characters(_numbered(own), ["nfc"]))
    cut = any(piece[0] == MARK for piece in pieces)
    own = pieces if cut else [MARK + piece for piece in pieces]
    made = finished(marked(_numbered(own), ["nfc"], punctuation=cut))
    return {"kind": "word", "punctuation": cut}, made


def _character(found: re.Match[str]) -> str:
    code = int(found[1], 16)
    return chr(code) if code < 0x110000 and not 0xD800 <= code < 0xE000 else found[0]


def _numbered(pieces: Sequence[str]) -> models.WordLevel:
    ids = {piece: i for i, piece in enumerate([*SYMBOLS, *pieces])}
    return models.WordLevel(ids, unk_token=SYMBOLS[UNK])
