import io
import json
import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from saccade.cli import translate as verb
from saccade.cli.streams import input_size
from tests.cli.conftest import SOURCES, TARGETS, Call


def test_one_line_out_for_each_line_in_and_in_order(call: Call, work: Path) -> None:
    lines = [*SOURCES[::-1], "", *SOURCES]
    said = call("translate", work / "model", stdin="\n".join(lines).encode())
    assert said.code == 0
    assert said.out.split("\n") == [*TARGETS[::-1], "", *TARGETS, ""]
    assert said.err == ""
    assert call("predict", work / "model", stdin=b"un chat dort").out == "a cat sleeps\n"


def test_only_a_line_feed_ends_a_line(call: Call, work: Path) -> None:
    odd = "un chat\u2028dort\nun\u0085chien dort\r\nun chat\x0bcourt\n"
    said = call("translate", work / "model", stdin=odd.encode())
    assert said.out.count("\n") == 3


def test_line_buffered_answers_the_same(call: Call, work: Path) -> None:
    text = "\n".join(SOURCES).encode()
    plain = call("translate", work / "model", stdin=text)
    assert call("translate", work / "model", "--line-buffered", stdin=text) == plain


def test_nbest_is_in_the_form_of_moses(call: Call, work: Path) -> None:
    options = ("--nbest", 2, "--alignments")
    said = call("translate", work / "model", *options, stdin=b"un chat dort\n\nun chien court\n")
    rows = [line.split(" ||| ") for line in said.out.splitlines()]
    assert [row[0] for row in rows] == ["0", "0", "1", "2", "2"]
    assert rows[0][1] == "a cat sleeps"
    assert float(rows[0][2]) > float(rows[1][2])
    assert [pair.split("-")[1] for pair in rows[0][3].split()] == ["0", "1", "2"]


def test_tsv_has_source_output_score_alignment(call: Call, work: Path) -> None:
    options = ("--format", "tsv", "--scores", "--alignments")
    said = call("translate", work / "model", *options, stdin=b"un\tchat dort\n")
    source, output, score, alignment = said.out.rstrip("\n").split("\t")
    assert (source, output) == ("un chat dort", "a cat sleeps")
    assert float(score) < 0
    assert alignment.count("-") == 3


def test_jsonl_holds_all_there_is_to_know(call: Call, work: Path) -> None:
    options = ("--format", "jsonl", "--nbest", 2, "--alignments")
    said = call("translate", work / "model", *options, stdin=b"un chat dort\n\n")
    first, empty = map(json.loads, said.out.splitlines())
    assert first["text"] == "a cat sleeps"
    assert first["tokens"] == ["▁a", "▁cat", "▁sleeps"]
    assert len(first["token_scores"]) == 4
    assert all(round(s, 4) == s for s in (first["score"], *first["token_scores"]))
    assert first["finished"]
    assert [pair[1] for pair in first["alignment"]] == [0, 1, 2]
    assert first["nbest"][0]["text"] == "a cat sleeps"
    assert len(first["nbest"]) == 2
    assert (empty["id"], empty["text"], empty["alignment"]) == (1, "", [])


def test_prefix_and_scores(call: Call, work: Path) -> None:
    said = call(
        "translate", work / "model", "--prefix", "a dog", "--scores", stdin=b"un chat dort\n"
    )
    text, score = said.out.rstrip("\n").split(" ||| ")
    assert text.startswith("a dog")
    assert float(score) < 0


def test_files_in_and_out(call: Call, work: Path, tmp_path: Path) -> None:
    said = call("translate", work / "model", "-i", work / "train.source", "-o", "out.txt")
    assert (said.code, said.out) == (0, "")
    assert (tmp_path / "out.txt").read_text(encoding="utf-8").split("\n") == [*TARGETS, ""]
    assert [path.name for path in tmp_path.iterdir()] == ["out.txt"]


def test_a_failure_keeps_the_old_output(call: Call, work: Path, tmp_path: Path) -> None:
    (tmp_path / "out.txt").write_text("old\n", encoding="utf-8")
    said = call("translate", work / "model", "-o", "out.txt", stdin=b"un chat\nun \xff chien\n")
    assert said.code == 1
    assert "<stdin>:2: byte 4 of the line is 0xff, which is not UTF-8 here" in said.err
    assert (tmp_path / "out.txt").read_text(encoding="utf-8") == "old\n"
    assert [path.name for path in tmp_path.iterdir()] == ["out.txt"]


def test_an_output_that_cannot_be_written_is_said_first(call: Call) -> None:
    said = call("translate", "no-model", "-o", "nowhere/out.txt")
    assert said.code == 1
    assert "nowhere/out.txt: cannot be written: No such file or directory." in said.err
    assert "Choose another place with --output." in said.err


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="no /dev/full on this system")
def test_a_full_disk_is_not_a_bug(call: Call, work: Path) -> None:
    said = call("translate", work / "model", "-o", "/dev/full", stdin=b"un chat dort\n")
    assert said.code == 1
    assert "No space left on device. Check the space left and the rights on files." in said.err


def test_what_is_not_a_model_is_refused(call: Call, tmp_path: Path) -> None:
    missing = call("translate", "nothing")
    assert missing.code == 1
    assert "nothing: no such model folder. `saccade train RECIPE` makes one." in missing.err
    (tmp_path / "other").mkdir()
    foreign = call("translate", "other")
    assert foreign.code == 1
    assert "other: not a saccade model folder: it has no saccade.json." in foreign.err


def test_on_a_terminal_it_asks_and_draws(
    call: Call, work: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(verb, "_is_terminal", lambda _: True)
    said = call("translate", work / "model", stdin=b"un chat dort\n")
    assert said.err.startswith("Type a line to translate; Ctrl-D ends.\n> ")
    lines = said.out.splitlines()
    assert lines[0] == "a cat sleeps"
    assert any("▁sleeps" in line or "sleeps " in line for line in lines[1:])


def test_a_broken_pipe_is_quiet(work: Path) -> None:
    command = [sys.executable, "-m", "saccade", "translate", str(work / "model"), "--line-buffered"]
    with subprocess.Popen(
        command,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        env={**os.environ, "OMP_NUM_THREADS": "1"},
    ) as process:
        assert process.stdin
        assert process.stdout
        assert process.stderr
        process.stdin.write(b"un chat dort\n")
        process.stdin.flush()
        assert process.stdout.readline() == b"a cat sleeps\n"
        process.stdout.close()
        process.stdin.write(b"un chien dort\n" * 10)
        process.stdin.close()
        assert process.stderr.read() == b""
        assert process.wait() in (0, 1, -signal.SIGPIPE)


def test_flags_in_jsonl(call: Call, work: Path) -> None:
    options = ("--format", "jsonl", "--flags")
    said = call("translate", work / "model", *options, stdin=b"un chat dort\nQuux Quux Quux\n\n")
    good, bad, empty = map(json.loads, said.out.splitlines())
    assert good["flags"] == []
    assert empty["flags"] == []
    assert bad["flags"][0]["kind"] == "unknown"
    assert bad["flags"][0]["message"] == "The model does not know 'Quux'."
    assert bad["flags"][0]["side"] == "source"
    plain = call("translate", work / "model", "--format", "jsonl", stdin=b"un chat dort\n")
    assert "flags" not in json.loads(plain.out)


def test_flags_of_text_go_to_standard_error_with_their_line(call: Call, work: Path) -> None:
    text = b"un chat dort\nQuux Quux Quux\n"
    said = call("translate", work / "model", "--flags", stdin=text)
    assert said.out == call("translate", work / "model", stdin=text).out
    assert "line 2: warning: The model does not know 'Quux'." in said.err
    assert "line 1:" not in said.err


def test_how_much_there_is_to_read_is_known_of_files_alone(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    file = tmp_path / "lines.txt"
    file.write_bytes(b"one\ntwo\n")
    assert input_size(file) == 8
    assert input_size(tmp_path / "missing.txt") == 0
    assert input_size(tmp_path) == 0
    with file.open() as opened:
        monkeypatch.setattr(sys, "stdin", opened)
        assert input_size(None) == input_size(Path("-")) == 8
    monkeypatch.setattr(sys, "stdin", io.StringIO("no file at all"))
    assert input_size(None) == 0


@pytest.mark.parametrize(("n_lines", "much"), [(3, False), (40_000, True)])
def test_long_files_are_opened_as_much(
    work: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, n_lines: int, much: bool
) -> None:
    file = tmp_path / "lines.txt"
    file.write_text("a b\n" * n_lines, encoding="utf-8")
    asked: dict[str, object] = {}

    def stop(*_: object, **options: object) -> None:
        asked.update(options)
        raise KeyboardInterrupt

    monkeypatch.setattr(verb, "load", stop)
    with pytest.raises(KeyboardInterrupt):
        verb.translate(work, source=file, target=tmp_path / "out.txt")
    assert asked["much"] is much
    assert asked["engine"] == "auto"
