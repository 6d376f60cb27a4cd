"""Rows of comma-separated files: cut by a dialect, which is given or found by trying."""

import csv
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from saccade.errors import DataError

DELIMITERS = {"tab": "\t", "comma": ",", "semicolon": ";", "pipe": "|"}
QUOTES = {"double": '"', "none": "", "single": "'"}
_MOSTLY = 0.9  # of the fields stand in single quotes, or apostrophes are apostrophes


@dataclass(frozen=True, slots=True)
class Dialect:
    r"""How a file is cut into fields.

    quote: what stands around a field that holds a delimiter, doubled inside it; nothing if there is
    none.  escaped: whether `\"` is a quote inside a field.  spaced: whether spaces may stand before
    a field.
    """

    delimiter: str
    quote: str = '"'
    escaped: bool = False
    spaced: bool = False


@dataclass(frozen=True, slots=True)
class CsvRow:
    """The fields of a row, and the number of its first line."""

    line: int
    fields: list[str]


def rows_of(lines: Iterable[str], dialect: Dialect, path: Path) -> Iterator[CsvRow]:
    """Cut lines, without their ends, into rows; those with nothing on them are skipped."""
    reader = csv.reader(
        (f"{line}\n" for line in lines),
        delimiter=dialect.delimiter,
        quotechar=dialect.quote or None,
        quoting=csv.QUOTE_MINIMAL if dialect.quote else csv.QUOTE_NONE,
        escapechar="\\" if dialect.escaped else None,
        skipinitialspace=dialect.spaced,
        strict=True,
    )
    while True:
        line = reader.line_num + 1
        try:
            fields = next(reader)
        except StopIteration:
            return
        except csv.Error as error:
            raise DataError(_broken(f"{path}:{line}", str(error), dialect)) from None
        if any(field.strip() for field in fields):
            yield CsvRow(line, fields)


def find_dialect(
    lines: Sequence[str], path: Path, *, delimiter: str = "auto", quote: str = "auto"
) -> Dialect:
    """Find the dialect under which most lines belong to rows of one width, two fields or more.

    Args:
        lines: the first ones of the file.
        path: what errors call it.
        delimiter: its name, if it is known.
        quote: its name, if it is known.
    """
    delimiters = DELIMITERS.values() if delimiter == "auto" else [DELIMITERS[delimiter]]
    quotes = QUOTES.values() if quote == "auto" else [QUOTES[quote]]
    tried = [_dressed(Dialect(d, q), lines) for d in delimiters for q in quotes]
    fits = {dialect: _fit(lines, dialect, path) for dialect in tried}
    best, most = max(fits.values())
    if best <= 0:
        if delimiter != "auto":
            return tried[0]
        raise DataError(
            f"{path}: every row has a single column, {lines[0][:40]!r} in the first; expected two"
            " or more, parted by commas, semicolons, tabs or pipes. Name the reader's delimiter."
        )
    likely = [d for d, fit in fits.items() if fit[0] == best and fit[1] == most]
    return next((d for d in likely if d.quote == "'" and _mostly_quoted(lines, d, path)), likely[0])


def _dressed(dialect: Dialect, lines: Sequence[str]) -> Dialect:
    """Add what can be seen in the lines: escaped quotes, and spaces before quotes."""
    quote, delimiter = dialect.quote, dialect.delimiter
    if not quote:
        return dialect
    ends = (f"\\{quote}{delimiter}", f"\\{quote}{quote}")
    escaped = any(
        f"\\{quote}" in line.replace(ends[0], "").replace(ends[1], "").removesuffix(f"\\{quote}")
        for line in lines
    )
    spaced = delimiter != "\t" and any(f"{delimiter} {quote}" in line for line in lines)
    return Dialect(delimiter, quote, escaped, spaced)


def _fit(lines: Sequence[str], dialect: Dialect, path: Path) -> tuple[float, int]:
    """Return the share of lines in rows of the commonest width, if that is two or more.

    Behind it stands the number of rows: a stray quote that takes lines together loses.
    """
    taken: Counter[int] = Counter()
    n_rows = 0
    rows = rows_of(lines, dialect, path)
    last: CsvRow | None = None
    try:
        for row in rows:
            if last is not None:
                taken[len(last.fields)] += row.line - last.line
            last, n_rows = row, n_rows + 1
    except DataError:
        pass  # what comes behind is not counted; the sample may end inside a field
    if last is not None:
        taken[len(last.fields)] += 1
    widths = {width: n for width, n in taken.items() if width > 1}
    return round(max(widths.values(), default=0) / max(len(lines), 1), 2), n_rows


def _mostly_quoted(lines: Sequence[str], dialect: Dialect, path: Path) -> bool:
    bare = rows_of(lines, Dialect(dialect.delimiter, ""), path)
    fields = [field.strip() for row in bare for field in row.fields]
    inside = sum(len(f) > 1 and f.startswith("'") and f.endswith("'") for f in fields)
    return inside >= _MOSTLY * len(fields)


def _broken(where: str, said: str, dialect: Dialect) -> str:
    """Say what the standard library finds wrong with a row, and what to do."""
    quote = dialect.quote
    if "field larger" in said:
        return (
            f"{where}: a field has more than {csv.field_size_limit():,} characters; expected fewer."
            f" Is a {quote or 'quote'} left open in this row? Close it, or set quote: none."
        )
    if "new-line" in said:
        return (
            f"{where}: a carriage return stands inside a row; expected line feeds at the ends of"
            " lines. Convert the file, for example with tr '\\r' '\\n', or quote the field."
        )
    return (
        f"{where}: the quotes {quote} of this row do not match ({said}); expected every quoted"
        " field to be closed, and quotes inside it doubled. Mend the row, or set quote: none."
    )
