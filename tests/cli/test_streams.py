"""Bytes in and out of the command line."""

import contextlib
import errno
import os
import subprocess
import sys
from pathlib import Path

import pytest

from saccade.cli.streams import named_input, named_inputs, output
from saccade.errors import DataError

NAMES = ("story", "question")


def test_lines_of_a_model_with_one_source_stay_as_they_are() -> None:
    lines = ['{"story": 1}', "", "a"]
    assert list(named_inputs(lines, ["source"])) == lines


def test_objects_of_a_model_with_several_sources() -> None:
    found = named_inputs(['{"question": "Who?", "story": "Ann ran."}'], NAMES)
    assert list(found) == [{"question": "Who?", "story": "Ann ran."}]


@pytest.mark.parametrize(
    "line", ["Who?", "[]", '{"story": "a"}', '{"story": "a", "question": 3}', "{", "[" * 9999]
)
def test_what_is_not_such_an_object_is_refused(line: str) -> None:
    with pytest.raises(DataError) as caught:
        list(named_inputs(['{"story": "", "question": ""}', line], NAMES))
    assert str(caught.value) == (
        f"line 2: found {line[:60]!r}; expected a JSON object with the text of each source of the"
        ' model: {"story": "...", "question": "..."}.'
    )
    assert named_input('{"story": "", "question": "x"}', NAMES, "here")["question"] == "x"


def _fail_half_way(path: Path) -> None:
    with contextlib.suppress(ZeroDivisionError), output(path) as file:
        file.write(b"half")
        raise ZeroDivisionError


def test_a_file_takes_its_place_only_once_it_is_whole(tmp_path: Path) -> None:
    path = tmp_path / "out.txt"
    path.write_bytes(b"before")
    _fail_half_way(path)
    assert path.read_bytes() == b"before"
    with output(path) as file:
        file.write(b"whole")
    assert path.read_bytes() == b"whole"
    assert list(tmp_path.iterdir()) == [path]
    said = r"out.txt: cannot be written: .*Choose another place with"
    with pytest.raises(DataError, match=said), output(tmp_path / "no" / "out.txt"):
        pass


def test_what_a_kill_left_of_an_output_goes_with_the_next(tmp_path: Path) -> None:
    script = (
        "import os, sys; from pathlib import Path; from saccade.cli.streams import output\n"
        "with output(Path(sys.argv[1])) as file: file.write(b'half'); file.flush(); os._exit(9)"
    )
    path = tmp_path / "out.txt"
    killed = subprocess.run([sys.executable, "-c", script, str(path)], check=False)
    assert killed.returncode == 9
    assert not path.exists()
    assert len(list(tmp_path.iterdir())) == 1
    with output(path) as file:
        file.write(b"whole")
    assert list(tmp_path.iterdir()) == [path]


def test_a_file_is_on_the_disk_before_it_takes_its_place(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path, seen = tmp_path / "out", []
    monkeypatch.setattr(os, "fsync", lambda file: seen.append((os.fstat(file).st_size, path)))
    with output(path) as file:
        file.write(b"text")
        assert not seen
    assert seen == [(4, path)]
    assert path.read_bytes() == b"text"


def test_a_full_disk_is_told_with_the_name_of_the_file(tmp_path: Path) -> None:
    with pytest.raises(DataError) as caught, output(tmp_path / "out"):
        raise OSError(errno.ENOSPC, "No space left on device")
    assert str(caught.value) == (
        f"{tmp_path / 'out'}: cannot be written: No space left on device. Free some space, or"
        " choose another place with --output."
    )
    assert not list(tmp_path.iterdir())
