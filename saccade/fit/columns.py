"""Columns that a user did not name: which one holds features, and which are not read at all."""

import re
from collections.abc import Sequence
from dataclasses import replace
from itertools import islice
from pathlib import Path

from saccade.data.files import tables_of
from saccade.fit.files import ColumnNames, Reading, UserData, find_corpus
from saccade.parts import Part
from saccade.readers._table import Table, Unread
from saccade.readers.base import Reader

_UNIMORPH = re.compile(r"[A-Z0-9][A-Z0-9.+/(){}-]*(?:;[A-Z0-9.+/(){}-]+)+")  # V;PST;3;SG
_UNIVERSAL = re.compile(r"[A-Za-z]+=\w+(?:\|[A-Za-z]+=\w+)*")  # Number=Sing|Tense=Past
_LOOKED = 20  # targets that must all look like features
_SHOWN = 40  # characters of a value


def with_features(columns: ColumnNames, paths: Sequence[Path]) -> ColumnNames:
    """Return the columns with that of features, if the files have one and nobody named it.

    Features are as UniMorph (V;PST) or Universal Dependencies (Tense=Past) write them. A table
    without a header may have them between lemma and form, as some tasks of SIGMORPHON do.
    """
    if columns.features:
        return columns
    for table in _tables(find_corpus(paths, columns=columns)):
        unread = table.unread()
        for one in unread:
            if looks_like_features(one.value):
                return replace(columns, features=one.column)
        if not columns.named and _are_between(table, unread):
            return ColumnNames("1", "3", "2")
    return columns


def looks_like_features(value: str) -> bool:
    """Tell whether a cell holds features.

    >>> looks_like_features("V;PST;3;SG"), looks_like_features("Number=Sing|Tense=Past")
    (True, True)
    >>> looks_like_features("comedy;drama"), looks_like_features("17")
    (False, False)
    """
    text = value.strip()
    return bool(_UNIMORPH.fullmatch(text) or _UNIVERSAL.fullmatch(text))


def left_unread(corpus: UserData) -> list[str]:
    """Say which columns of the files are not read, a sentence each."""
    return [
        f"{one.path}: column {one.column} is not read, as {one.value[:_SHOWN]!r}. Name the columns"
        " if you want it."
        for table in _tables(corpus)
        for one in table.unread()
    ]


def _are_between(table: Table, unread: Sequence[Unread]) -> bool:
    """Tell whether the second of three numbered columns holds features, and the third is free."""
    if [one.column for one in unread] != ["3"]:
        return False
    targets = [str(example.target) for example in islice(table.read(), _LOOKED)]
    return bool(targets) and all(looks_like_features(text) for text in targets)


def _tables(corpus: UserData) -> list[Table]:
    return tables_of({f"train.{i}": _part(one) for i, one in enumerate(corpus.train)})


def _part(reading: Reading) -> Part[Reader]:
    return Part(Reader, reading["kind"], {k: v for k, v in reading.items() if k != "kind"})
