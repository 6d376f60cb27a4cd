"""Pairs that somebody holds in memory: lists, DataFrames of pandas, Datasets of `datasets`.

Neither package is imported: what an object can do decides how it is read.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any, Protocol, runtime_checkable

from saccade.errors import DataError, shown, suggest
from saccade.nouns import SOURCE_NAME, Example

TARGET_NAME = "target"
FEATURES_NAME = "features"
_TAKEN = (
    "expected a list of (source, target) pairs, a pandas DataFrame or a datasets.Dataset with"
    " columns source and target, or with these first"
)


@runtime_checkable
class ColumnTable(Protocol):
    """A DataFrame of pandas, as far as it is needed here."""

    columns: Any

    def __getitem__(self, name: Any) -> Any: ...

    def itertuples(self) -> Any:
        """Yield rows; not used here, but what else has columns does not have it."""


@runtime_checkable
class RowTable(Protocol):
    """A Dataset of `datasets`, streamed or not, as far as it is needed here."""

    column_names: Any

    def __iter__(self) -> Iterator[Any]: ...


PairTable = Iterable[Any] | ColumnTable | RowTable  # of rows or pairs; see `text_pairs`


def text_pairs(data: Any, where: str) -> list[list[str]]:
    """Return [source, target] of every row; refuse what is not text.

    >>> text_pairs([("un", "one")], "pairs")
    [['un', 'one']]
    """
    rows = []
    for n, (source, target) in enumerate(_rows(data, where), start=1):
        for name, value in ((SOURCE_NAME, source), (TARGET_NAME, target)):
            if not isinstance(value, str):
                raise DataError(
                    f"{where}:{n}: the {name} is {shown(value)}; expected text (a str). Convert"
                    " it, or leave the row out."
                )
        rows.append([source, target])
    return rows


def named_texts(data: Any, where: str, columns: Mapping[str, str]) -> list[dict[str, str]]:
    """Return the texts of every row under the names of their columns.

    >>> named_texts([("un", "one")], "data", {"source": "fr"})
    [{'fr': 'un', 'target': 'one'}]

    Args:
        data: what `text_pairs` takes.
        where: what messages call the data.
        columns: what the columns of source, target and features are called, if not the usual.
    """
    keys = [columns.get(name, name) for name in (SOURCE_NAME, TARGET_NAME)]
    if not columns or _is_unnamed(data):
        return [dict(zip(keys, row, strict=True)) for row in text_pairs(data, where)]
    names = [*keys, *(columns[name] for name in columns if name == FEATURES_NAME)]
    found = []
    for n, row in enumerate(_named(data, names, where), start=1):
        odd = [name for name in names if not isinstance(row[name], str)]
        if odd:
            raise DataError(
                f"{where}:{n}: {odd[0]} is {shown(row[odd[0]])}; expected text (a str). Convert it,"
                " or leave the row out."
            )
        found.append(row)
    return found


def examples_in(data: Any, where: str, *, alone: bool = False) -> list[Example]:
    """Return an example for every row.

    Args:
        data: rows; a source may be a mapping from the names of several, a target a list of
            references.
        where: what messages call the data.
        alone: the model has no source, so a row may be a text alone.
    """
    if alone and isinstance(data, list) and all(isinstance(one, str) for one in data):
        data = [("", one) for one in data]
    return [
        Example(
            source if isinstance(source, Mapping) else {SOURCE_NAME: source},
            _references(target, f"{where}:{n}"),
            f"{where}:{n}",
        )
        for n, (source, target) in enumerate(_rows(data, where), start=1)
    ]


def _references(target: Any, origin: str) -> tuple[Any, ...]:
    several = tuple(target) if isinstance(target, list | tuple) else (target,)
    if not several or any(one is None or isinstance(one, float) for one in several):
        raise DataError(
            f"{origin}: the target is {shown(target)}; expected a text, or a list of the texts"
            " that are right. Fill it in, or leave the row out."
        )
    return several


def _rows(data: Any, where: str) -> Iterator[tuple[Any, Any]]:
    """Yield source and target of every row, whatever holds them."""
    if isinstance(data, Mapping):
        raise DataError(
            f"{where}: found {type(data).__name__} of {', '.join(map(str, data)) or 'nothing'};"
            f" {_TAKEN}. Give one of its parts, as data['train']."
        )
    if isinstance(data, ColumnTable):
        source, target = _chosen(list(data.columns), where)
        yield from zip(data[source], data[target], strict=True)
    elif isinstance(data, RowTable):
        source, target = _chosen(list(data.column_names or ()), where)
        for row in data:
            yield row[source], row[target]
    elif isinstance(data, Iterable) and not isinstance(data, str | bytes):
        yield from (_pair(entry, f"{where}:{n}") for n, entry in enumerate(data, start=1))
    else:
        raise DataError(f"{where}: found {shown(data)}; {_TAKEN}. Convert it.")


def _chosen(names: list[Any], where: str) -> tuple[Any, Any]:
    if SOURCE_NAME in names and TARGET_NAME in names:
        return SOURCE_NAME, TARGET_NAME
    if len(names) < 2:
        raise DataError(
            f"{where}: found {len(names)} columns ({', '.join(map(str, names)) or 'no name'});"
            f" {_TAKEN}. Add a column."
        )
    return names[0], names[1]


def _pair(entry: Any, origin: str) -> tuple[Any, Any]:
    if isinstance(entry, Mapping):
        source, target = _chosen(list(entry), origin)
        return entry[source], entry[target]
    if not isinstance(entry, Sequence) or isinstance(entry, str | bytes) or len(entry) != 2:
        raise DataError(
            f"{origin}: found {shown(entry)}; expected a pair (source, target). Mend the entry."
        )
    return entry[0], entry[1]


def _is_unnamed(data: Any) -> bool:
    """Tell whether rows are plain pairs, whose columns have no names."""
    if not isinstance(data, list | tuple):
        return False
    return not any(isinstance(entry, Mapping) for entry in data)


def _named(data: Any, names: Sequence[str], where: str) -> Iterator[dict[str, Any]]:
    """Yield the columns `names` of every row; refuse names that are not there."""
    if isinstance(data, ColumnTable):
        _check_names(names, list(data.columns), where)
        columns = [data[name] for name in names]
        yield from (dict(zip(names, row, strict=True)) for row in zip(*columns, strict=True))
    elif isinstance(data, Iterable) and not isinstance(data, str | bytes | Mapping):
        for n, row in enumerate(data, start=1):
            if not isinstance(row, Mapping):
                raise DataError(f"{where}:{n}: found {shown(row)}; expected named columns.")
            _check_names(names, list(row), f"{where}:{n}")
            yield {name: row[name] for name in names}
    else:
        raise DataError(f"{where}: found {shown(data)}; {_TAKEN}. Convert it.")


def _check_names(names: Sequence[str], found: Sequence[Any], where: str) -> None:
    lacking = [name for name in names if name not in found]
    if lacking:
        raise DataError(
            f"{where}: no column '{lacking[0]}'.{suggest(lacking[0], map(str, found))} Columns"
            f" found: {', '.join(map(str, found)) or 'none'}. Name the right one."
        )
