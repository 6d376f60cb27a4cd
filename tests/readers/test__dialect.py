from pathlib import Path

import pytest

from saccade.readers._dialect import Dialect, find_dialect, rows_of

HERE = Path("a.csv")


@pytest.mark.parametrize(
    ("lines", "delimiter"),
    [
        (["a, b;c", "d;e, f, g"], ";"),
        (["Hello, you\tBonjour, toi", "a\tb"], "\t"),
        (["run,ran,V;PST;3", "ox,oxen,N;PL;X"], ","),  # both fit: commas come first
        (["lemma,form,features", "run,ran,V;PST"], ","),
        (["a | b", "c | d"], "|"),
    ],
)
def test_delimiters_that_cut_every_line_alike_win(lines: list[str], delimiter: str) -> None:
    assert find_dialect(lines, HERE).delimiter == delimiter


def test_a_sample_may_end_inside_a_field() -> None:
    lines = ['a,"b', 'c"'] * 20 + ['d,"e']
    assert find_dialect(lines, HERE) == Dialect(",")


def test_what_is_named_is_kept() -> None:
    assert find_dialect(["a,b;c"], HERE, delimiter="semicolon", quote="none") == Dialect(";", "")


def test_rows_have_the_number_of_their_first_line() -> None:
    lines = ["a,b", "", '"c', 'd",e', " , ", "f,g"]
    rows = list(rows_of(lines, Dialect(","), HERE))
    assert [(row.line, row.fields) for row in rows] == [
        (1, ["a", "b"]),
        (3, ["c\nd", "e"]),
        (6, ["f", "g"]),
    ]
