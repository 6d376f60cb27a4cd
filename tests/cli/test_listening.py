"""`saccade transcribe --stream`: lines as somebody pauses, partial results on a terminal."""

import io
import json
import sys
from itertools import pairwise
from pathlib import Path

import pytest

from saccade.cli.formats import Format
from saccade.cli.listening import StreamOptions, write_streams
from saccade.engines._open import load
from saccade.modalities._wave import write_wave
from tests.cli.conftest import Call
from tests.hummed import hum, hummer

DATA = write_wave(hum("21 3 13"), 8000)


def test_a_file_a_pipe_and_plain_samples_are_one(call: Call, tmp_path: Path) -> None:
    (tmp_path / "a.wav").write_bytes(DATA)
    named = call("transcribe", hummer(), "a.wav", "--stream")
    assert (named.code, named.out) == (0, "21\n3\n13\n"), named.err
    piped = call("transcribe", hummer(), "-", "--stream", stdin=DATA)
    plain = call("transcribe", hummer(), "-", "--stream", "--rate", 8000, stdin=DATA[44:])
    assert named.out == piped.out == plain.out
    tsv = call("transcribe", hummer(), "a.wav", "--stream", "--format", "tsv").out
    rows = [line.split("\t") for line in tsv.splitlines()]
    assert [row[3] for row in rows] == ["21", "3", "13"]
    assert all(float(a[2]) <= float(b[1]) for a, b in pairwise(rows))
    jsonl = call("transcribe", hummer(), "a.wav", "--stream", "--format", "jsonl").out
    told = [json.loads(line) for line in jsonl.splitlines()]
    assert [one["text"] for one in told] == ["21", "3", "13"]
    for one in told:
        (word,) = one["words"]
        assert one["begins"] <= word["begins"] < word["ends"] <= one["ends"]
    assert [round(one["begins"], 2) for one in told] == [float(row[1]) for row in rows]


def test_partial_results_are_written_over(monkeypatch: pytest.MonkeyPatch) -> None:
    shown, final = io.StringIO(), io.BytesIO()
    monkeypatch.setattr(sys, "stdout", shown)
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(write_wave(hum("213"), 8000))))
    write_streams(load(hummer()), ["-"], final, StreamOptions(form=Format.text, live=True), {})
    assert final.getvalue() == b"213\n"
    partial = [text for text in shown.getvalue().split("\r\x1b[K") if text]
    assert partial[0] == "2"
    assert partial[-1] in {"21", "213"}


def test_what_is_cut_off_is_written_as_far_as_it_goes(call: Call) -> None:
    done = call("transcribe", hummer(), "-", "--stream", stdin=DATA[:-4000])
    assert done.code == 1
    assert done.out.startswith("21\n3\n1")
    assert "bytes of samples that its header promises" in " ".join(done.err.split())


def test_wrong_use_is_refused(call: Call) -> None:
    for arguments, message in (
        (("--stream",), "--stream: no sound is named"),
        (("nothing.wav", "--stream"), "nothing.wav: cannot be read"),
        (("a.wav", "--stream", "--nbest", 3), "--stream: stands beside --nbest 3"),
        (("-", "--stream"), "standard input: begins with b''"),
    ):
        done = call("transcribe", hummer(), *arguments)
        assert done.code in (1, 2)
        assert message in " ".join(done.err.split())
