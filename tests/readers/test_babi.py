"""bAbI files: stories, questions, what is held out, and what is malformed."""

import gzip
import tempfile
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from saccade.errors import DataError, RecipeError
from saccade.nouns import Example
from saccade.readers.babi import Babi

TEXT = """\
1 Mary moved to the bathroom.
2 John went to the hallway.
3 Where is Mary? \tbathroom\t1
4 Daniel took the milk.
5 What is Daniel carrying?\tapple,milk\t4 2
1 Sandra slept.
2 Who slept?\tSandra\t1
"""
REAL = Path("../shared/data/babi")


def write(folder: Path, name: str, text: str) -> Path:
    path = folder / name
    path.write_text(text, encoding="utf-8")
    return path


def test_a_question_is_asked_of_all_before_it(tmp_path: Path) -> None:
    path = write(tmp_path, "a.txt", TEXT)
    first, second, third = Babi(Path(), path=str(path), part="test").read()
    assert dict(first.sources) == {
        "story": "Mary moved to the bathroom. John went to the hallway.",
        "question": "Where is Mary?",
    }
    assert (first.references, first.supporting) == (("bathroom",), (0,))
    assert second.sources["story"].endswith("hallway. Daniel took the milk.")
    assert (second.target, second.supporting) == ("apple,milk", (1, 2))  # lines 2 and 4
    assert third.sources["story"] == "Sandra slept."
    assert first.origin == f"{path}:3"


def tasks(folder: Path, n: int = 40) -> Path:
    stories = "".join(f"1 Mary is in room{i}.\n2 Where is Mary?\troom{i}\t1\n" for i in range(n))
    write(folder, "qa1_one_train.txt", stories)
    write(folder, "qa1_one_test.txt", TEXT)
    (folder / "qa12_two_train.txt.gz").write_bytes(gzip.compress(TEXT.encode()))
    write(folder, "qa12_two_test.txt", TEXT)
    write(folder, "README", "no task")
    return folder


def test_a_folder_is_all_tasks_or_some(tmp_path: Path) -> None:
    folder = str(tasks(tmp_path))
    assert len(list(Babi(Path(), path=folder, part="test").read())) == 6
    one = list(Babi(Path(), path=folder, part="test", tasks=[12]).read())
    assert {example.origin.split(":")[0][-17:] for example in one} == {"qa12_two_test.txt"}
    zipped = Babi(Path(), path=folder, tasks=[12], held_out=0.0)
    assert len(list(zipped.read())) == 3
    with pytest.raises(DataError, match=r"no test file of task 3; expected qa1_\.\.\._test.txt or"):
        list(Babi(Path(), path=folder, part="test", tasks=[3]).read())
    (tmp_path / "empty").mkdir()
    with pytest.raises(DataError, match=r"no train file of any task; .* tasks found: none"):
        list(Babi(tmp_path, path="empty").read())


def test_a_tenth_is_held_out_by_story_and_seed(tmp_path: Path) -> None:
    folder = str(tasks(tmp_path))

    def targets(part: str, seed: int = 1) -> set[str]:
        reader = Babi(Path(), path=folder, tasks=[1], part=part, seed=seed)  # type: ignore[arg-type]
        return {example.target for example in reader.read()}

    assert len(targets("train")) == 36
    assert len(targets("valid")) == 4
    assert not targets("train") & targets("valid")
    assert targets("valid") == targets("valid")
    assert targets("valid") != targets("valid", seed=2)
    prints = {Babi(Path(), path=folder, part=p).fingerprint() for p in ("train", "valid", "test")}
    assert len(prints) == 3


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("Mary slept.\n", "a.txt:1: found 'Mary slept.'; expected a line number, a space and a"),
        ("1\n", "a.txt:1: found '1'; expected a line number"),
        ("1 Mary slept.\n3 John slept.\n", "a.txt:2: line number 3 behind 1; expected 2, or 1 for"),
        ("2 Mary slept.\n", "a.txt:1: line number 2 behind nothing; expected 1"),
        ("1 A.\n2 Who slept?\n", r"a.txt:2: the question 'Who slept\?' has no tab behind it; expe"),
        ("1 Who slept?\tMary\t1\n", r"a.txt:1: the question 'Who slept\?' has no story before it"),
        ("1 A.\n2 Who?\tMary\t3\n", "a.txt:2: supporting line 3 is no sentence of this story befo"),
        ("1 A.\n2 Who?\tMary\tx\n", "a.txt:2: supporting line x is no sentence"),
        ("1 A.\n2 Who?\t\t1\n", r"a.txt:2: found 'Who\?.*expected question<TAB>answer<TAB>line n"),
        ("1 A. B.\n", r"a.txt:1: 'A. B.' is 2 sentences, as '\.' parts them; expected one a line"),
        ("", "a.txt: the file is empty"),
    ],
)
def test_malformed_files_say_where(tmp_path: Path, text: str, message: str) -> None:
    path = write(tmp_path, "a.txt", text)
    with pytest.raises(DataError, match=message):
        list(Babi(Path(), path=str(path), part="test").read())


def test_wrong_options() -> None:
    with pytest.raises(RecipeError, match=r"babi.held_out: 1.0 is not in \[0, 1\); 0.1 is usual"):
        Babi(Path(), path="x", held_out=1.0)
    with pytest.raises(RecipeError, match=r"babi.separator: is empty"):
        Babi(Path(), path="x", separator="")


PIECES = st.sampled_from(
    ["1 ", "2 ", "3 ", "Mary slept.", "Who?", "\t", "a", "\n", "9999999 ", "²"]
)


@settings(max_examples=80, deadline=None)
@given(st.lists(PIECES, max_size=25))
def test_anything_is_read_or_refused(pieces: list[str]) -> None:
    with tempfile.TemporaryDirectory() as folder:
        path = write(Path(folder), "a.txt", "".join(pieces))
        found = read_or_refused(path)
    for example in found:
        n = example.sources["story"].count(".")
        assert n >= 1
        assert all(place < n for place in example.supporting)


def read_or_refused(path: Path) -> list[Example]:
    """Read a file; what is refused names it."""
    try:
        return list(Babi(Path(), path=str(path), part="test").read())
    except DataError as error:
        if path.name not in str(error):
            raise AssertionError(error) from error
        return []


@pytest.mark.skipif(not (REAL / "en").exists(), reason="needs ../shared/data/babi")
def test_the_tasks_have_a_thousand_questions() -> None:
    test = list(Babi(Path(), path=str(REAL / "en"), part="test", tasks=[1, 2, 16]).read())
    assert len(test) == 3000
    train = Babi(Path(), path=str(REAL / "en"), part="train", tasks=[1])
    valid = Babi(Path(), path=str(REAL / "en"), part="valid", tasks=[1])
    assert (train.count(), valid.count()) == (900, 100)
