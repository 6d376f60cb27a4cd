"""Recipes for somebody's own stories: they load, they suit, and they take a few steps."""

import json
from itertools import islice
from pathlib import Path

import pytest

from saccade import recipe, run
from saccade.corpora.rooms import Rooms
from saccade.errors import DataError
from saccade.starters.stories import answers_recipe, look_at_stories
from tests.cli.conftest import Call, call

__all__ = ["call"]
SMALL = ("training.max_steps=2", "training.validate_every=2", "model.embedding=8")


def rows(n: int = 60) -> list[tuple[str, str, str]]:
    found = islice(Rooms(size=n).pairs("train"), n)
    return [(*source.split("\t"), answer) for source, answer in found]  # type: ignore[misc]


def jsonl(folder: Path, *, stop: str = "", answer: str = "") -> Path:
    told = [
        {"story": [f"{stop}{s}" for s in story.rstrip(".").split(". ")], "question": q, "answer": a}
        for story, q, a in rows()
    ]
    told = [{**one, "answer": f"{answer}{one['answer']}"} for one in told]
    path = folder / "own.jsonl"
    path.write_text("\n".join(map(json.dumps, told)), encoding="utf-8")
    return path


def trained(path: Path, folder: Path) -> recipe.Recipe:
    text = answers_recipe(look_at_stories(path), folder / "own.yaml")
    made = recipe.parse(text, overrides=SMALL)
    run.train(made, folder / "run")
    return made


def test_objects_become_a_memory_network(tmp_path: Path) -> None:
    found = look_at_stories(jsonl(tmp_path))
    assert (found.kind, found.count, found.separator, found.worded) == ("stories", 60, ".", True)
    made = trained(found.path, tmp_path)
    assert (made.name, made.model.kind, made.data.joint) == ("own", "memory_network", True)
    assert (tmp_path / "run" / "model.safetensors").exists()


def test_stops_inside_sentences_and_answers_of_several_words(tmp_path: Path) -> None:
    path = jsonl(tmp_path, stop="At 7.30 ", answer="the old ")
    assert look_at_stories(path).separator == "\n"
    made = trained(path, tmp_path)
    assert (made.model.kind, made.data.joint) == ("dynamic_memory", False)


def test_columns_and_the_form_of_babi(tmp_path: Path) -> None:
    table = tmp_path / "own.tsv"
    table.write_text("".join(f"{s}\t{q}\t{a}\n" for s, q, a in rows()), encoding="utf-8")
    assert look_at_stories(table).kind == "stories"
    babi = tmp_path / "own.txt"
    told = [f"1 {s.split('.')[0]}.\n2 {q}\t{a}\t1\n" for s, q, a in rows()]
    babi.write_text("".join(told), encoding="utf-8")
    assert look_at_stories(babi).kind == "babi"
    assert trained(babi, tmp_path).data.train[0].options["corpus"].kind == "babi"


def test_what_cannot_be_a_recipe(tmp_path: Path, call: Call) -> None:
    with pytest.raises(DataError, match="this is a folder; expected a file of stories: JSONL, TSV"):
        look_at_stories(tmp_path)
    few = tmp_path / "few.tsv"
    few.write_text("A.\tB?\tC\n", encoding="utf-8")
    with pytest.raises(DataError, match="1 questions; expected at least 20 to learn from"):
        look_at_stories(few)
    wrong = call("init", "labels", "--stories", str(few))
    assert wrong.code == 2
    assert "--stories is for answers and goes with no other files" in wrong.err


def test_the_command_writes_it(tmp_path: Path, call: Call) -> None:
    target = tmp_path / "a" / "own.yaml"
    done = call("init", "answers", "--stories", str(jsonl(tmp_path)), "-o", str(target))
    assert done.code == 0
    assert "60 questions with 6 different answers" in done.err
    assert recipe.load(target).model.kind == "memory_network"
