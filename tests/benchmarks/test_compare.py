"""The comparison runs on a tiny model and its files are complete; no time is ever asserted."""

import json
import sys
from collections.abc import Callable
from dataclasses import asdict, replace
from pathlib import Path

import pytest

from benchmarks import (
    compare,
    environments,
    kit,
    machine,
    meter,
    saccade_side,
    saccade_training,
    tables,
)
from benchmarks.engines import ENGINES, Ended, run
from benchmarks.reference import __main__ as reference
from benchmarks.workloads import (
    WRITTEN,
    Effort,
    Kit,
    Shape,
    flops,
    rnn_flops,
    step_bytes,
    transformer_flops,
)

SHAPE = Shape(width=16, heads=2, hidden=32, layers=1, cells=16, vocabulary=90)
EFFORT = Effort(
    threads=1, warm=1, window=1, windows=2, tokens=64, rows=4, sentences=6, alone=2, repeats=1,
    matrix=16, megabytes=1,
)  # fmt: skip
WORKS: dict[str, dict[str, Callable[..., None]]] = {
    "benchmarks.saccade_side": {"D": saccade_side.decode, "S": saccade_side.untrained},
    "benchmarks.saccade_training": {"T": saccade_training.transformer, "R": saccade_training.rnn},
    "benchmarks.reference": {
        "T": reference.transformer,
        "R": reference.rnn,
        "D": reference.decode,
        "L": reference.start,
    },
}


def write_data(folder: Path) -> None:
    folder.mkdir()
    for name, n in (("train", 40), ("val", 4), ("test_2016_flickr", 6)):
        english = [f"a {c} dog sees {i} cats ." for i in range(n) for c in ("red", "big")][:n]
        german = [line.replace("dog", "Hund").replace("cats", "Katzen") for line in english]
        (folder / f"{name}.en").write_text("\n".join(english) + "\n", encoding="utf-8")
        (folder / f"{name}.de").write_text("\n".join(german) + "\n", encoding="utf-8")


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("kit")
    write_data(folder / "data")
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("SACCADE_HOME", str(folder / "home"))
        kit.make(folder / "kit", folder / "data", SHAPE, steps=2)
    return folder / "kit"


@pytest.fixture
def inside(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    """Run engines in this process: a process each would take longer than the work."""

    def run_here(command: list[str], *_: float) -> Ended:
        if command[1] == "-c":
            return Ended(0, "", "")
        module, *rest = command[2:]
        if module == "benchmarks.machine":
            machine.measure(Effort(**json.loads(rest[-1])), "1 thread")
        elif module != "saccade":
            work, folder, effort = rest[:3]
            WORKS[module][work](Kit(Path(folder)), Effort(**json.loads(effort)))
        return Ended(0, capsys.readouterr().out, "")

    monkeypatch.setattr(compare, "run", run_here)


@pytest.mark.usefixtures("inside")
def test_every_figure_is_there(made: Path) -> None:
    comparison = compare.Comparison(made, EFFORT)
    engines = [engine for engine in ENGINES if engine.name in ("saccade", "torch")]
    said = list(comparison.measure(["T", "R", "D", "L"], engines, rounds=2))
    whole = json.loads(json.dumps(comparison.plain(2)))
    assert not whole["failed"]
    assert any(line.startswith("D torch beam 5, batch 1: ") for line in said)
    rows = {(row["work"], row["peer"], row["case"]): row for row in whole["figures"]}
    for peer in ("saccade", "torch"):
        for work in ("T", "R"):
            row = rows[work, peer, ""]
            assert row["low"] <= row["median"] <= row["high"]
            assert len(row["rounds"]) == 2
            assert row["share"]["of"] == "fp32 product of squares"
            assert {"gflops", "peak_mib", "symbols_per_step"} <= set(row["facts"])
        for beam in (5, 1):
            together, alone = (rows["D", peer, f"beam {beam}, batch {n}"] for n in (4, 1))
            assert together["share"]["of"] == "fp32 product of squares"
            assert alone["share"]["of"] == "read memory"
            assert alone["facts"]["p50_ms"] <= alone["facts"]["p95_ms"]
            assert 0 <= together["facts"]["bleu"] <= 100
        assert ("L", peer, "") in rows
    assert {("L", "python", ""), ("L", "import torch", "")} <= set(rows)
    steps = [rows["T", peer, ""]["facts"]["symbols_per_step"] for peer in ("saccade", "torch")]
    assert steps[0] == steps[1], "both train on the same batches"
    text = tables.markdown(whole)
    for title in ("M. The machine", "T. Train a Transformer", "D. Decode", "L. From the command"):
        assert f"### {title}" in text


@pytest.mark.parametrize(
    ("name", "work"),
    [
        (engine.name, work)
        for engine in ENGINES
        for work in engine.works
        if engine.runs and work in "TR"
    ],
)
def test_every_way_to_train_has_a_name(
    name: str, work: str, made: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    engine = next(engine for engine in ENGINES if engine.name == name)
    runs, quantise = engine.command(work, made, "{}")[-2:]
    train = WORKS[engine.module_of(work)][work]
    train(Kit(made), EFFORT, engine=runs, quantise=quantise)
    (figure,) = meter.heard(capsys.readouterr().out)
    assert (figure.peer, figure.work) == (name, work)


def test_the_plain_decoder_and_saccade_find_the_same(
    made: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """With the same weights and the same rules to stop, so both do the same work."""
    saccade_side.decode(Kit(made), EFFORT)
    ours = meter.heard(capsys.readouterr().out)
    reference.decode(Kit(made), EFFORT)
    theirs = meter.heard(capsys.readouterr().out)
    assert [a.case for a in ours] == [b.case for b in theirs]
    assert [a.outputs for a in ours] == [b.outputs for b in theirs]


def test_an_untrained_model_writes_as_much_as_it_must(
    made: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    saccade_side.untrained(Kit(made), EFFORT)
    figures = meter.heard(capsys.readouterr().out)
    assert [figure.work for figure in figures] == ["S"] * 4
    for figure in figures:
        written = figure.facts["symbols_per_second"] / figure.values[0]
        assert written == pytest.approx(WRITTEN + 1), "END counts"
        assert not figure.outputs


def test_engines_without_torch_are_measured_without_it() -> None:
    code = "import benchmarks.saccade_side, sys; assert 'torch' not in sys.modules"
    assert run([sys.executable, "-c", code], 1, 60).code == 0


def test_a_kit_is_made_once(made: Path) -> None:
    before = (made / "kit.json").stat().st_mtime_ns
    kit.make(made, made.parent / "nothing", SHAPE)
    assert (made / "kit.json").stat().st_mtime_ns == before


def test_a_failure_is_kept(made: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(compare, "run", lambda *_: Ended(3, "", "Traceback\nKeyError: 'x'"))
    comparison = compare.Comparison(made, EFFORT)
    said = list(comparison.measure(["T"], [ENGINES[0]], rounds=1))
    assert said == ["saccade T failed with code 3: Traceback / KeyError: 'x'"]
    assert comparison.plain(1)["failed"] == {"saccade T": "Traceback\nKeyError: 'x'"}


def test_a_process_is_run_and_stopped_in_time() -> None:
    assert run([sys.executable, "-c", "print('yes')"], 1, 60).text == "yes\n"
    endless = run([sys.executable, "-c", "import threading; threading.Event().wait()"], 1, 0.2)
    assert endless.code == -9
    assert "stopped after 0 seconds" in endless.told


def test_peers_that_are_not_installed_are_named(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("SACCADE_BENCH", str(tmp_path))
    skipped: dict[str, str] = {}
    engines = compare.chosen("torch,ctranslate2", skipped)
    assert [engine.name for engine in engines] == ["saccade", "torch"]
    assert skipped == {"ctranslate2": "python -m benchmarks.environments ctranslate2"}
    (tmp_path / "environments" / "ctranslate2").mkdir(parents=True)
    assert not environments.ready("ctranslate2"), "half made is not made"
    (tmp_path / "environments" / "ctranslate2" / "ready").touch()
    assert [engine.name for engine in compare.chosen("ctranslate2", {})][-1] == "ctranslate2"
    (onnx,) = (engine for engine in ENGINES if engine.name == "saccade-onnx")
    assert onnx.how == "pip install onnxruntime"
    assert onnx.command("L", tmp_path, "{}")[-2:] == ["--engine", "onnx"]
    with pytest.raises(SystemExit, match=r"--peers: no fairseq; there are all, saccade, "):
        compare.chosen("fairseq", {})


def test_every_peer_has_an_environment_and_a_file() -> None:
    peers = [engine for engine in ENGINES if engine.environment]
    elsewhere = {"yoyodyne", "ocr", "pocketsphinx"}  # few_words, print and speech measure them
    assert {engine.environment for engine in peers} | elsewhere == set(environments.NAMES)
    for engine in peers:
        path = Path(compare.__file__).parent / "peers" / f"{engine.name}.py"
        assert path.exists(), engine.name


def test_arithmetic_of_one_symbol() -> None:
    shape = Shape(width=2, hidden=3, layers=1, cells=4, vocabulary=5)
    assert transformer_flops(shape, 1, 0) == 2 * (4 * 4 + 2 * 6 + 2 * 4)
    assert transformer_flops(shape, 0, 1) == 2 * (6 * 4 + 2 * 6 + 10)
    assert rnn_flops(shape, 1, 0) == 2 * (2 * 4 * 2 * (2 + 2) + 16)
    assert rnn_flops(shape, 0, 1) == 2 * (16 * (2 + 8) + 32 + 8 + 10)
    assert rnn_flops(replace(shape, fed=False), 0, 1) == 2 * (16 * (2 + 4) + 32 + 8 + 10)
    assert flops("T", shape, 3, 4) == flops("D", shape, 3, 4) == transformer_flops(shape, 3, 4)
    assert flops("R", shape, 3, 4) == flops("S", shape, 3, 4) == rnn_flops(shape, 3, 4)
    assert step_bytes("D", shape) == 4 * (6 * 4 + 2 * 6 + 10), "each weight once"


def test_tables_fill_the_place_between_marks(tmp_path: Path) -> None:
    path = tmp_path / "page.md"
    path.write_text("before\n<!-- compare -->\nold\n<!-- /compare -->\nafter\n", encoding="utf-8")
    tables.put(path, "compare", r"new \1")
    expected = "before\n<!-- compare -->\nnew \\1\n<!-- /compare -->\nafter\n"
    assert path.read_text(encoding="utf-8") == expected
    tables.put(tmp_path / "fresh.md", "compare", "whole")
    assert (tmp_path / "fresh.md").read_text(encoding="utf-8") == "whole\n"


def test_runs_are_joined(made: Path) -> None:
    def ran(value: float, peer: str) -> dict[str, object]:
        comparison = compare.Comparison(made, EFFORT)
        figure = meter.Figure(peer, "1", "T", "", "target symbols/s", [value])
        comparison.figures.append({**asdict(figure), "round": 0, "load": 0.0})
        return comparison.plain(1)

    both = tables.joined([ran(1, "saccade"), ran(2, "torch"), ran(3, "saccade")])
    assert {row["peer"]: row["median"] for row in both["figures"]} == {"saccade": 3, "torch": 2}
