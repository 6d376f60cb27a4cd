"""The rows of a shard: what a model is given of each, or why it cannot be read.

A row that cannot be read does not end the shard: it is yielded with the reason. What has no rows
that can be counted, as a packed file that ends too soon, raises DataError.
"""

import gzip
import json
import zlib
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from saccade.cli.streams import named_input
from saccade.errors import DataError, suggest
from saccade.predict.shards import Shard
from saccade.readers._arrow import guarded, readable
from saccade.readers._lines import decoded_line, open_bytes
from saccade.readers._names import find_side
from saccade.readers.parquet import open_parquet

Given = str | Mapping[str, str]


@dataclass(frozen=True, slots=True)
class ShardRow:
    """One row: its place, what a model is given, or what is wrong with it.

    Both are empty for a line of JSON Lines with nothing on it.
    """

    where: str
    given: Given | None = None
    problem: str = ""


def read_rows(shard: Shard, sources: Collection[str], column: str) -> Iterator[ShardRow]:
    """Yield the rows of a shard in order: every line, or every row of a table.

    Args:
        shard: text (a line is an input, as without shards), TSV, JSON Lines or Parquet.
        sources: the names of what the model reads.
        column: which column of a table to read: a number from 1 of TSV, else a name; empty for the
            first, or for the one with a usual name.
    """
    if shard.kind == "parquet":
        yield from _parquet_rows(shard.path, sources, column)
        return
    read = {"text": _line_value, "tsv": _tsv_cell, "jsonl": _json_value}[shard.kind]
    number = 0
    try:
        with open_bytes(shard.path) as file:
            for number, raw in enumerate(file, start=1):
                where = f"{shard.path}:{number}"
                try:
                    line = decoded_line(raw, shard.path, number)
                    yield ShardRow(where, read(line, sources, column, where))
                except DataError as error:
                    yield ShardRow(where, problem=_placed(error, where))
    except (gzip.BadGzipFile, EOFError, zlib.error) as error:
        raise DataError(
            f"{shard.path}: not a whole gzip file, broken behind line {number} ({error}); expected"
            " one. Pack it again."
        ) from None


def _placed(error: DataError, where: str) -> str:
    said = str(error)
    return said if said.startswith(where) else f"{where}: {said}"


def _line_value(line: str, sources: Collection[str], _: str, where: str) -> Given:
    return line if len(sources) == 1 else named_input(line, sources, where)


def _tsv_cell(line: str, sources: Collection[str], column: str, where: str) -> Given:
    cells, number = line.split("\t"), int(column) if column.isdecimal() else 1
    if not 1 <= number <= len(cells):
        raise DataError(
            f"{where}: no column {number}; the line has {len(cells)}, parted by tabs, counted from"
            " 1. Mend the line, or change --column."
        )
    return _line_value(cells[number - 1], sources, "", where)


def _json_value(line: str, sources: Collection[str], column: str, where: str) -> Given | None:
    """Return the value of a key, or of every source by its name."""
    if not line.strip():
        return None
    try:
        entry = json.loads(line)
    except (ValueError, RecursionError):
        entry = None
    if not isinstance(entry, dict):
        raise DataError(f"{where}: found {line[:40]!r}; expected a JSON object. Mend the line.")
    found = {key: entry.get(key) for key in _keys(list(entry), sources, column, where)}
    odd = [key for key, value in found.items() if not isinstance(value, str)]
    if odd:
        raise DataError(
            f"{where}: '{odd[0]}' is {json.dumps(found[odd[0]])[:40]}; expected text. Mend the"
            " line, or name another key with --column."
        )
    return _as_given({key: str(value) for key, value in found.items()}, sources)


def _parquet_rows(path: Path, sources: Collection[str], column: str) -> Iterator[ShardRow]:
    number = 0
    with open_parquet(path) as opened:
        names = _keys(readable(opened.schema), sources, column, str(path))
        for batch in guarded(opened.batches(names), path):
            for row in batch.to_pylist():
                number += 1
                where = f"{path}:{number}"
                odd = [name for name in names if not isinstance(row[name], str)]
                if odd:
                    problem = (
                        f"{where}: '{odd[0]}' is {str(row[odd[0]])[:40]}; expected text. Fill it"
                        " in, or name another column with --column."
                    )
                    yield ShardRow(where, problem=problem)
                else:
                    yield ShardRow(where, _as_given({name: row[name] for name in names}, sources))


def _keys(names: Sequence[str], sources: Collection[str], column: str, where: str) -> list[str]:
    """Return the keys or columns to read: one, or one for each source of the model."""
    several = len(sources) > 1
    usual = find_side("source", names)
    wanted = list(sources) if several else [column or ("source" if usual is None else names[usual])]
    lacking = [key for key in wanted if key not in names]
    if lacking:
        advice = (
            "The model reads sources of these names: " + ", ".join(sources) + "."
            if several
            else "Name the right one with --column."
        )
        raise DataError(
            f"{where}: no key or column '{lacking[0]}'.{suggest(lacking[0], names)} Found:"
            f" {', '.join(names[:12]) or 'none'}. {advice}"
        )
    return wanted


def _as_given(found: Mapping[str, Any], sources: Collection[str]) -> Given:
    return next(iter(found.values())) if len(sources) == 1 else found
