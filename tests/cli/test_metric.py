"""The verb that measures texts without a model."""

import json
from pathlib import Path

import pytest

from tests.cli.conftest import TARGETS, Call


def test_metric_compares_files(call: Call, work: Path, tmp_path: Path) -> None:
    (tmp_path / "ours.txt").write_text("\n".join(TARGETS), encoding="utf-8")
    (tmp_path / "theirs.txt").write_text("a cat\na dog\na cat\na dog\n", encoding="utf-8")
    files = ("metric", "ours.txt", work / "train.target", tmp_path / "theirs.txt")
    said = call(*files, "--metric", "chrf", "--against", "theirs.txt")
    assert said.code == 0
    assert "chrF2" in said.out
    assert "difference" in said.out
    machine = call("metric", "theirs.txt", work / "train.target", "--json", "-")
    assert list(json.loads(machine.out)["metrics"]) == ["bleu", "chrf"]


def test_metric_names_both_files_that_do_not_match(call: Call, work: Path, tmp_path: Path) -> None:
    (tmp_path / "ours.txt").write_text("a cat\n", encoding="utf-8")
    said = call("metric", "ours.txt", work / "train.target")
    assert said.code == 1
    assert "train.target has 4 lines but ours.txt has 1;" in said.err
    assert "Check that neither file lost a line." in said.err


def test_two_texts_are_laid_over_each_other(call: Call) -> None:
    said = call("metric", "kitten", "sitting", "--table")
    assert said.code == 0
    assert "distance 3: 2 substituted, 0 deleted, 1 inserted, 4 kept\n1 path\n" in said.out
    assert "  3 insert g" in said.out


def test_all_paths_of_words_are_listed(call: Call) -> None:
    options = ("--table", "--words", "--substitution", 2, "--paths", "all")
    said = call("metric", "the cat", "a cat", *options)
    assert "– the cat\nI D   .\na –   cat" in said.out
    assert "3 paths of equal cost" in said.out
    machine = json.loads(call("metric", "the cat", "a cat", *options, "--json", "-").out)
    assert (machine["distance"], machine["n_paths"], len(machine["paths"])) == (2, 3, 3)
    assert machine["from"][1][1] == ["diagonal", "up", "left"]


def test_the_table_is_drawn(call: Call, tmp_path: Path) -> None:
    said = call("metric", "ab", "b", "--table", "-o", tmp_path / "table.svg")
    assert said.code == 0
    assert "distance 1: 0 substituted, 1 deleted" in said.err
    assert "<svg" in (tmp_path / "table.svg").read_text(encoding="utf-8")


@pytest.mark.parametrize(
    ("given", "told"),
    [
        (("a", "b", "c", "--table"), "--table compares two texts; found 3."),
        (("a", "b", "--words"), "found no --table. Add it, or leave them out."),
        (("a", "b", "--table", "--paths", "some"), "--paths some: expected a number from 1 to"),
        (("a", "b", "--table", "--substitution", 3), "--substitution 3: expected 1, or 2"),
        (("a" * 401, "b", "--table"), "a sequence has 401 symbols; a table has room for 400."),
        (("a" * 12, "b" * 12, "--table", "--substitution", 2, "--paths", "all"), "can be listed."),
        (("a", "b", "--table", "-o", "table.txt"), "table.txt: ends in '.txt'; expected"),
    ],
)
def test_wrong_questions_are_refused(call: Call, given: tuple[object, ...], told: str) -> None:
    said = call("metric", *given)
    assert said.code in (1, 2)
    assert told in said.err
