"""Pairs in one file of JSON: an object a line, or one list of objects."""

import json
from collections.abc import Iterator, Mapping
from itertools import islice
from pathlib import Path
from typing import Any

from saccade.errors import DataError, suggest
from saccade.nouns import SOURCE_NAME, Example
from saccade.readers._lines import fingerprint, is_broken, numbered, open_bytes
from saccade.readers._names import PAIRS, find_pair, find_side
from saccade.readers._remote import address
from saccade.readers._table import LOOKED, Table, Unread, with_features

INSTEAD = "|"  # between keys of which the first that is not null is read
_SHOWN = 12  # keys in a message
_LARGEST = 1_000_000_000  # bytes of a list, which is read as a whole


class Jsonl(Table):
    """A UTF-8 file of JSON objects, one a line, plain or `.gz`. Blank lines are skipped.

    A file called `.json` that begins with `[` is one list of objects; it must fit into memory.

    `source` and `target` are keys; `translation.en` is the key `en` of the object at `translation`,
    and `rewritten|title` is the key `rewritten`, or `title` in objects where that is null.
    If neither is named, the first object decides: `source` and `target`, `src` and `tgt`, `input`
    and `output`, or other usual names. A target that is a list of texts has several references:
    `{"source": "a", "target": ["b", "c"]}`. A source that is a list, as of sentences, is refused,
    unless `join` says how many of its texts, from the first on, make one with spaces between them.
    `sources` names several sources and the key of each, in
    the place of `source`: `{text: question, image: path}`. `features` is the key of a text or list
    that is put behind the source and a tab for the tokenizer `featured`.
    """

    def __init__(
        self,
        root: Path,
        *,
        path: str = "",
        source: str = "",
        target: str = "",
        features: str = "",
        sources: dict[str, str] = {},  # noqa: B006 - only read
        join: int = 0,
    ) -> None:
        self.path = address(root, path)
        super().__init__(root, self.path)
        self.sources = sources or ({SOURCE_NAME: source} if source else {})
        self.target, self.features, self.join = target, features, join

    def read(self) -> Iterator[Example]:
        """Yield an example for every object."""
        keys: tuple[Mapping[str, str], str] | None = None
        for where, entry in self._objects():
            keys = keys or self._keys(entry, where)
            sources, target = keys
            found = {name: self._text(entry, key, where) for name, key in sources.items()}
            if self.features:
                first = next(iter(found))
                beside = _features(entry, self.features, where)
                found[first] = with_features(found[first], beside, where)
            yield Example(found, _references(entry, target, where), where)

    def unread(self) -> list[Unread]:
        """List the keys of the first objects that hold text and are not read."""
        seen: dict[str, str] = {}
        used: set[str] = set()
        for where, entry in islice(self._objects(), LOOKED):
            sources, target = self._keys(entry, where)
            named = {*sources.values(), target, self.features}
            used |= named | {one for key in named for one in key.split(INSTEAD)}
            texts = {key: value for key, value in _leaves(entry) if isinstance(value, str | list)}
            seen = {key: str(value) for key, value in texts.items() if value} | seen
        return [Unread(self.path, key, text) for key, text in seen.items() if key not in used]

    def fingerprint(self) -> str:
        """Hash the file and which keys are read."""
        sources, target = self.sources or {SOURCE_NAME: "source"}, self.target or "target"
        beside = [self.features] if self.features else []
        joined = [self.join] if self.join else []
        return fingerprint([self.path], "jsonl", sources, target, *beside, *joined)

    def _text(self, entry: dict[str, Any], key: str, where: str) -> str:
        found = _value(entry, key, where)
        if self.join and isinstance(found, list):
            return " ".join(_checked(one, key, where).strip() for one in found[: self.join])
        return _checked(found, key, where)

    def _objects(self) -> Iterator[tuple[str, dict[str, Any]]]:
        if self._is_list():
            yield from _listed(self.path)
            return
        for number, line in numbered(self.path):
            if line.strip():
                where = f"{self.path}:{number}"
                yield where, _object(line, where)

    def _is_list(self) -> bool:
        if ".json" not in self.path.suffixes[-2:]:
            return False
        first = next((line for _, line in numbered(self.path) if line.strip()), "")
        return first.lstrip().startswith("[")

    def _keys(self, entry: dict[str, Any], where: str) -> tuple[Mapping[str, str], str]:
        """Return the keys of the sources and of the target: those named, or the usual ones."""
        if self.sources and self.target:
            return self.sources, self.target
        keys = [key for key, _ in _leaves(entry)]
        if self.sources or self.target:
            side = "target" if self.sources else "source"
            one = find_side(side, keys)
            usual = None if one is None else (one, one)
        else:
            side, usual = "source and target", find_pair(keys)
        if usual is None:
            shown = ", ".join(keys[:_SHOWN]) + (", ..." if len(keys) > _SHOWN else "")
            pairs = ", ".join(f"{one}/{other}" for one, other in PAIRS)
            raise DataError(
                f"{where}: cannot tell which keys to read; keys found: {shown or 'none'}; expected"
                f" one of the pairs {pairs}. Name {side} in the reader's options."
            )
        source, target = (keys[i] for i in usual)
        return self.sources or {SOURCE_NAME: source}, self.target or target


def _listed(path: Path) -> Iterator[tuple[str, dict[str, Any]]]:
    """Yield the objects of a list, with where they stand: the file, and their number from 1."""
    with open_bytes(path) as file:
        raw = file.read(_LARGEST + 1)
    if len(raw) > _LARGEST:
        raise DataError(
            f"{path}: a JSON list of more than {_LARGEST:,} bytes; expected one that fits into"
            " memory. Write an object a line and call it .jsonl: jq -c '.[]'."
        )
    try:
        entries = json.loads(raw.decode("utf-8-sig"))
    except (ValueError, RecursionError) as error:
        raise DataError(
            f"{path}: not a JSON list ({str(error)[:80]}); expected [{{...}}, {{...}}]. Mend the"
            " file, or call it .jsonl if it has an object a line."
        ) from None
    for number, entry in enumerate(entries, start=1):
        where = f"{path}, object {number}"
        if not isinstance(entry, dict):
            raise DataError(
                f"{where}: found {json.dumps(entry)[:40]}; expected an object such as"
                ' {"source": "...", "target": "..."}. Mend the list.'
            )
        yield where, entry
    if not entries:
        raise DataError(f"{path}: the list is empty; expected some objects. Check the path.")


def _object(line: str, where: str) -> dict[str, Any]:
    try:
        entry = json.loads(line)
    except json.JSONDecodeError as error:
        raise DataError(
            f"{where}: not JSON at character {error.pos + 1} ({error.msg}); expected one object"
            " a line. Mend the line."
        ) from None
    except RecursionError:
        raise DataError(
            f"{where}: lists or objects stand too deep in each other; expected one object of texts"
            " a line. Mend the line."
        ) from None
    if not isinstance(entry, dict):
        raise DataError(
            f"{where}: found {line[:40]}; expected an object such as"
            ' {"source": "...", "target": "..."}. Mend the line.'
        )
    return entry


def _references(entry: dict[str, Any], key: str, where: str) -> tuple[str, ...]:
    """Return the text of a key, or all texts of a list."""
    found = _value(entry, key, where)
    if not isinstance(found, list):
        return (_checked(found, key, where),)
    if not found:
        raise DataError(
            f"{where}: '{key}' is an empty list; expected at least one text. Mend the line."
        )
    return tuple(_checked(one, key, where) for one in found)


def _features(entry: dict[str, Any], key: str, where: str) -> str:
    found = _value(entry, key, where)
    many = found if isinstance(found, list) else [found]
    return ";".join(_checked(one, key, where) for one in many)


def _value(entry: dict[str, Any], key: str, where: str) -> Any:
    """Return what stands at a key, or at the first of `a|b` that is not null."""
    keys = [key] if key in entry else key.split(INSTEAD)
    found = (_at(entry, one, where) for one in keys)
    return next((value for value in found if value is not None), None)


def _at(entry: dict[str, Any], key: str, where: str) -> Any:
    """Return what stands at a key, or below it: `a.b` is the key b of the object at a."""
    inside: Any = entry
    for name in [key] if key in entry else key.split("."):
        if not isinstance(inside, dict) or name not in inside:
            keys = [found for found, _ in _leaves(entry)]
            raise DataError(
                f"{where}: no key '{key}'.{suggest(key, keys)} Keys found:"
                f" {', '.join(keys[:_SHOWN]) or 'none'}. Name the right one in the reader's"
                " options."
            )
        inside = inside[name]
    return inside


def _leaves(entry: dict[str, Any]) -> Iterator[tuple[str, Any]]:
    """Yield keys and values, those of an inner object as `translation.en`."""
    for key, value in entry.items():
        if isinstance(value, dict) and value:
            yield from ((f"{key}.{inner}", one) for inner, one in value.items())
        else:
            yield key, value


def _checked(text: Any, key: str, where: str) -> str:
    if text is None:
        raise DataError(
            f"{where}: '{key}' is null; expected text. Name a key to read instead, as"
            f" '{key}{INSTEAD}OTHER', or leave such objects out of the file."
        )
    if not isinstance(text, str):
        raise DataError(
            f"{where}: '{key}' is {json.dumps(text)[:40]}; expected text. Put it in quotes."
        )
    if is_broken(text):
        raise DataError(
            f"{where}: '{key}' holds half a character, a lone surrogate escape; expected text."
            " Write both halves, or the character itself."
        )
    return text
