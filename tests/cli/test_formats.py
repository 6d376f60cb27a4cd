"""One prediction as a line of text, TSV or JSON: lines and columns stay in step."""

import json
from types import SimpleNamespace
from typing import Any

import pytest

from saccade.cli.formats import Format, OutputColumns, format_rows


def written(text: str, score: float, others: tuple[Any, ...] = ()) -> Any:
    found = SimpleNamespace(
        source_text="a\tb", text=text, tokens=text.split(), score=score, token_scores=[score],
        finished=True, alignment=[(0, 0), (1, 2)], flags=[], times=(),
    )  # fmt: skip
    found.nbest = [found, *others]
    return found


BEST = written("one\ntwo", -0.123456, (written("three", -2.0),))


@pytest.mark.parametrize(
    ("wanted", "rows"),
    [
        (OutputColumns(), ["one two"]),
        (OutputColumns(scores=True), ["one two ||| -0.1235"]),
        (OutputColumns(nbest=2), ["7 ||| one two ||| -0.1235", "7 ||| three ||| -2.0000"]),
        (OutputColumns(Format.tsv), ["a b\tone two"]),
        (OutputColumns(Format.tsv, nbest=2), ["a b\tone two", "a b\tthree"]),
        (
            OutputColumns(Format.tsv, scores=True, alignments=True),
            ["a b\tone two\t-0.1235\t0-0 1-2"],
        ),
    ],
)
def test_rows(wanted: OutputColumns, rows: list[str]) -> None:
    assert list(format_rows(7, BEST, wanted)) == rows


def test_json_keeps_line_feeds_and_has_one_row() -> None:
    wanted = OutputColumns(Format.jsonl, nbest=2, alignments=True, flags=True)
    (row,) = format_rows(7, BEST, wanted)
    found = json.loads(row)
    assert (found["id"], found["source"], found["text"]) == (7, "a\tb", "one\ntwo")
    assert found["score"] == -0.1235
    assert found["alignment"] == [[0, 0], [1, 2]]
    assert found["flags"] == []
    assert [one["text"] for one in found["nbest"]] == ["one\ntwo", "three"]
    (short,) = format_rows(7, BEST, OutputColumns(Format.jsonl))
    assert not {"nbest", "alignment", "flags"} & set(json.loads(short))
