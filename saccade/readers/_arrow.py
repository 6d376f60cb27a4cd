"""Tables of Apache Arrow, batch by batch: what Parquet files and saved data sets share.

The package pyarrow is an extra; it is imported when a file is opened.
"""

import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from itertools import islice
from pathlib import Path
from types import ModuleType
from typing import Any, TypeAlias

from saccade.errors import DataError, suggest
from saccade.nouns import SOURCE_NAME, Example
from saccade.readers._names import PAIRS, SIDES, find_pair, find_side
from saccade.readers._table import LOOKED, Unread, with_features

BATCH = 1024  # rows in memory at a time
_DEEPEST = 4  # structures inside structures
_LONGEST = 1_000_000  # characters of a cell
_COMPLAINTS = (OSError, ValueError, TypeError, KeyError, MemoryError, OverflowError)  # of pyarrow

Schema: TypeAlias = Any  # pyarrow.Schema
Batch: TypeAlias = Any  # pyarrow.RecordBatch


@dataclass(frozen=True, slots=True)
class Sides:
    """The columns that are asked for, by name; nothing for what is to be found by itself."""

    source: str
    target: str
    features: str


@dataclass(frozen=True, slots=True)
class ArrowFile:
    """An open file: its schema, a function that yields batches of some columns, and its rows."""

    path: Path
    schema: Schema
    batches: Callable[[list[str]], Iterator[Batch]]
    n_rows: int = 0  # as far as the file says it


def arrow(reader: str) -> ModuleType:
    """Import pyarrow, or say how to get it."""
    try:
        import pyarrow  # noqa: PLC0415 - an extra
    except ImportError:
        raise DataError(
            f"reader {reader}: the package pyarrow is not installed; expected it beside saccade."
            " Install it: pip install saccade[data]."
        ) from None
    found: ModuleType = pyarrow
    return found


def read_examples(opened: ArrowFile, sides: Sides, first: int = 1) -> Iterator[Example]:
    """Yield the rows as examples; they are numbered from `first`."""
    chosen = choose(opened, sides)
    wanted = [column for column in (chosen.source, chosen.target, chosen.features) if column]
    names = _labels(opened.schema)
    row = first
    for batch in guarded(opened.batches(wanted), opened.path):
        columns = {name: _values(batch, name, opened.path) for name in wanted}
        for i in range(batch.num_rows):
            where = f"{opened.path}:{row}"
            cells = {name: _named(column[i], names.get(name)) for name, column in columns.items()}
            yield _example(cells, chosen, where)
            row += 1


def unread_columns(opened: ArrowFile, sides: Sides) -> list[Unread]:
    """List columns of text that are not read, with their first value."""
    chosen = choose(opened, sides)
    used = (chosen.source, chosen.target, chosen.features)
    free = [name for name in readable(opened.schema) if name not in used]
    first: dict[str, str] = {}
    left = LOOKED
    for batch in islice(guarded(opened.batches(free), opened.path), -(-LOOKED // BATCH) + 1):
        for name in free:
            for value in _values(batch, name, opened.path)[:left]:
                if value not in (None, "", []):
                    first.setdefault(name, str(value))
        left -= batch.num_rows
        if left <= 0:
            break
    return [Unread(opened.path, name, first[name]) for name in free if name in first]


def choose(opened: ArrowFile, sides: Sides) -> Sides:
    """Find the columns to read: those named, those with usual names, or the only two of text."""
    names = readable(opened.schema)
    for side in ("source", "target", "features"):
        name = getattr(sides, side)
        if name and name not in names:
            raise DataError(
                f"{opened.path}: no column of text '{name}' for the {side}.{suggest(name, names)}"
                f" Columns found: {', '.join(names) or 'none'}. Name the right one in the reader's"
                " options."
            )
    if sides.source and sides.target:
        return sides
    taken = [i for i, n in enumerate(names) if n in (sides.source, sides.target, sides.features)]
    free = [name for i, name in enumerate(names) if i not in taken]
    lacking = [side for side in SIDES if not getattr(sides, side)]
    usual = find_pair(names)
    one = find_side(lacking[0], names, taken)
    if len(lacking) == 2 and usual is not None:
        found = dict(zip(SIDES, (names[i] for i in usual), strict=True))
    elif len(lacking) == 1 and one is not None:
        found = {lacking[0]: names[one]}
    elif len(free) == len(lacking):
        found = dict(zip(lacking, free, strict=True))
    else:
        pairs = ", ".join(f"{one}/{other}" for one, other in PAIRS)
        raise DataError(
            f"{opened.path}: cannot tell which columns to read; columns found:"
            f" {', '.join(names) or 'none'}; expected two of text, or one of the pairs {pairs}."
            f" Name {' and '.join(lacking)} in the reader's options."
        )
    source, target = sides.source or found["source"], sides.target or found["target"]
    return Sides(source, target, sides.features)


def readable(schema: Schema) -> list[str]:
    """List the columns of text, of whole numbers and of lists of text; `a.b` is b inside a."""
    return [name for field in schema for name in _leaves(field, "", 0)]


def guarded(batches: Iterator[Batch], path: Path) -> Iterator[Batch]:
    """Pass batches on; say which file is broken if one cannot be read."""
    with unbroken(path):
        yield from batches


@contextmanager
def unbroken(path: Path) -> Iterator[None]:
    """Say which file is broken, however pyarrow complains about it."""
    lib = arrow("")
    try:
        yield
    except (lib.ArrowException, *_COMPLAINTS) as error:
        raise DataError(broken(path, error)) from None


def broken(path: Path, error: Exception) -> str:
    """Say that a file cannot be read."""
    said = str(error).partition("\n")[0][:120]
    return f"{path}: cannot be read ({said}); expected a whole file. Copy or write it again."


def _leaves(field: Any, before: str, depth: int) -> Iterator[str]:
    types, kind, name = arrow("").types, field.type, f"{before}{field.name}"
    if types.is_struct(kind) and depth < _DEEPEST:
        for i in range(kind.num_fields):
            yield from _leaves(kind.field(i), f"{name}.", depth + 1)
    elif _is_readable(kind):
        yield name


def _is_readable(kind: Any) -> bool:
    types = arrow("").types
    if types.is_dictionary(kind) or types.is_list(kind) or types.is_large_list(kind):
        kind = kind.value_type
    return bool(
        types.is_string(kind)
        or types.is_large_string(kind)
        or types.is_string_view(kind)
        or types.is_integer(kind)
        or types.is_boolean(kind)
    )


def _values(batch: Batch, name: str, path: Path) -> list[Any]:
    """Return the cells of a column, found by its whole name or by its way through structures."""
    with unbroken(path):
        try:
            if name in batch.schema.names:
                return list(batch.column(name).to_pylist())
            outer, *inner = name.split(".")
            column = batch.column(outer)
            for step in inner:
                column = column.field(step)
            return list(column.to_pylist())
        except UnicodeDecodeError as error:
            raise DataError(
                f"{path}: column '{name}' holds bytes that are not UTF-8 ({error.reason}); expected"
                " text. Write the file again from UTF-8."
            ) from None


def _labels(schema: Schema) -> Mapping[str, Sequence[str]]:
    """Return the names of numbered labels, as the package `datasets` keeps them in a schema."""
    raw = (schema.metadata or {}).get(b"huggingface", b"{}")
    try:
        features = json.loads(raw)["info"]["features"]
        names = {name: one["names"] for name, one in features.items() if "names" in one}
        return {name: one for name, one in names.items() if isinstance(one, list)}
    except (ValueError, KeyError, TypeError, AttributeError, RecursionError):
        return {}


def _named(cell: Any, names: Sequence[str] | None) -> Any:
    inside = names and isinstance(cell, int) and 0 <= cell < len(names)
    return names[cell] if names and inside else cell


def _example(cells: Mapping[str, Any], sides: Sides, where: str) -> Example:
    source = _text(cells[sides.source], sides.source, where)
    if sides.features:
        found = cells[sides.features]
        many = found if isinstance(found, list) else [] if found is None else [found]
        beside = ";".join(_text(one, sides.features, where) for one in many)
        source = with_features(source, beside, where)
    target = cells[sides.target]
    targets = target if isinstance(target, list) else [target]
    if not targets:
        raise DataError(
            f"{where}: '{sides.target}' is an empty list; expected at least one text. Drop the row."
        )
    references = tuple(_text(one, sides.target, where) for one in targets)
    return Example({SOURCE_NAME: source}, references, where)


def _text(cell: Any, name: str, where: str) -> str:
    if cell is None:
        raise DataError(f"{where}: '{name}' is null; expected text. Drop the row, or fill it in.")
    if not isinstance(cell, str | int):
        raise DataError(
            f"{where}: '{name}' is {str(cell)[:40]}; expected text or a whole number. Choose"
            " another column."
        )
    text = str(cell)
    if len(text) > _LONGEST:
        raise DataError(
            f"{where}: '{name}' has {len(text):,} characters; expected at most {_LONGEST:,}. Cut it"
            " into shorter texts."
        )
    return text
