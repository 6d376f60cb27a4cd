import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
import torch

import saccade
from saccade.engines import ctranslate2 as engine
from saccade.errors import CheckpointError, DataError, RecipeError
from tests.engines.folders import BEAM, SOURCES, stack, write_noise

ROTARY, RELATIVE = {"kind": "rotary", "base": 50.0}, {"kind": "relative", "reach": 2}
LEARNED = {"kind": "learned", "most": 64}
MODELS: dict[str, dict[str, Any]] = {
    "pre": {"encoder": stack(), "decoder": stack()},
    "post": {"encoder": stack(norm="post"), "decoder": stack(norm="post")},
    "mixed": {
        "encoder": stack(norm="post", layers=1, attention={"heads": 4}),
        "decoder": stack(norm="pre", layers=3, feed_forward=24),
    },
    "learned": {"encoder": stack(positions=LEARNED), "decoder": stack(positions=LEARNED)},
    "no positions": {"encoder": stack(positions="none"), "decoder": stack()},
    "rotary": {"encoder": stack(positions="rotary"), "decoder": stack(positions=ROTARY)},
    "relative": {"encoder": stack(positions=RELATIVE), "decoder": stack(positions="relative")},
    "both": {"encoder": stack(positions="rotary"), "decoder": stack(positions=RELATIVE)},
    "untied": {"encoder": stack(), "decoder": stack(), "tie": "none"},
    "joint": {"encoder": stack(), "decoder": stack(), "tie": "all"},
    "joint, tied output": {"encoder": stack(), "decoder": stack(), "tie": "output"},
}


@pytest.fixture(scope="session", params=MODELS)
def folder(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Path:
    place = tmp_path_factory.mktemp("noise")
    return write_noise(place, MODELS[request.param], joint=request.param.startswith("joint"))


@pytest.mark.parametrize(
    "options",
    [{}, {"beam": 3}, {"beam": 1}, {"nbest": 3}, {"length_penalty": 0.0}, {"length_penalty": 0.6}],
    ids=str,
)
def test_writes_what_torch_writes(folder: Path, options: dict[str, Any]) -> None:
    lines = [*SOURCES, "", "unheard-of: ß"]
    ours = saccade.load(folder).translate(lines, **options)
    theirs = saccade.load(folder, engine="ctranslate2").translate(lines, **options)
    for one, other in zip(ours, theirs, strict=True):
        assert [h.tokens for h in one.nbest] == [h.tokens for h in other.nbest]
        assert [h.finished for h in one.nbest] == [h.finished for h in other.nbest]
        assert [h.score for h in other.nbest] == pytest.approx(
            [h.score for h in one.nbest], abs=1e-4
        )
        assert other.token_scores == pytest.approx(one.token_scores, abs=1e-4)
        assert other.source_tokens == one.source_tokens


def test_a_line_alone_is_the_line_in_a_batch(tmp_path: Path) -> None:
    model = saccade.load(write_noise(tmp_path), engine="ctranslate2")
    together = [found.text for found in model.translate(SOURCES)]
    assert [model.translate(text).text for text in SOURCES] == together
    assert [found.text for found in model.stream(SOURCES, chunk=3)] == together


def test_limits_cut_every_line_by_its_own_length(tmp_path: Path) -> None:
    decoding = {"max_ratio": 0.5, "max_extra": 1}
    folder = write_noise(tmp_path, decoding=decoding)
    ours = saccade.load(folder).translate(SOURCES, nbest=2)
    theirs = saccade.load(folder, engine="ctranslate2").translate(SOURCES, nbest=2)
    assert not all(found.finished for found in ours)
    for one, other in zip(ours, theirs, strict=True):
        assert [(h.tokens, h.finished) for h in one.nbest] == [
            (h.tokens, h.finished) for h in other.nbest
        ]


def test_greedy_is_a_search_of_its_own(tmp_path: Path) -> None:
    folder = write_noise(tmp_path, decoding={"search": {"kind": "greedy"}})
    ours = saccade.load(folder).translate(SOURCES)
    theirs = saccade.load(folder, engine="ctranslate2").translate(SOURCES)
    assert [f.text for f in theirs] == [f.text for f in ours]
    assert [f.score for f in theirs] == pytest.approx([f.score for f in ours], abs=1e-3)


def test_attention_is_that_of_torch(tmp_path: Path) -> None:
    folder = write_noise(tmp_path)
    one = saccade.load(folder).translate("four five")
    other = saccade.load(folder, engine="ctranslate2").translate("four five")
    assert one.attention is not None
    assert other.attention == pytest.approx(one.attention, abs=1e-5)
    assert list(other.attention_maps) == list(one.attention_maps)
    assert other.alignment == one.alignment


def test_a_place_beyond_the_table_is_refused(tmp_path: Path) -> None:
    short = {"kind": "learned", "most": 8}
    model = {"encoder": stack(positions=short), "decoder": stack(positions=short)}
    opened = saccade.load(write_noise(tmp_path, model), engine="ctranslate2")
    with pytest.raises(DataError, match=r"table of positions. Shorten the lines, or use --engine"):
        opened.translate("four five six seven")


def test_a_missing_vocabulary_of_the_engine(tmp_path: Path) -> None:
    folder = write_noise(tmp_path)
    saccade.load(folder, engine="ctranslate2")
    place = folder / "engines" / "ctranslate2-float32"
    (place / "source_vocabulary.json").unlink()
    with pytest.raises(CheckpointError, match=r"source_vocabulary.json: cannot be read .* Export"):
        saccade.load(folder, engine="ctranslate2")


def test_int8_is_close(tmp_path: Path) -> None:
    folder = write_noise(tmp_path, seed=2)  # whose outputs are long and far from the next best
    exact = saccade.load(folder, engine="ctranslate2").translate(SOURCES)
    rounded = saccade.load(folder, engine="ctranslate2", quantise="int8").translate(SOURCES)
    sizes = [
        (folder / "engines" / f"ctranslate2-{kind}" / "model.bin").stat().st_size
        for kind in ("int8", "float32")
    ]
    assert sizes[0] < sizes[1]
    same = [(a, b) for a, b in zip(exact, rounded, strict=True) if a.text == b.text]
    assert len(same) >= 6
    apart = [abs(a.score - b.score) for a, b in same]
    assert 1e-5 < max(apart) < 0.01  # rounded indeed, and not by much: 0.002 was seen


@pytest.mark.parametrize(("told", "cores"), [("1", 1), ("", 2), ("0", 2), ("64", 2), ("two", 2)])
def test_threads_follow_the_environment(
    monkeypatch: pytest.MonkeyPatch, told: str, cores: int
) -> None:
    monkeypatch.setattr(os, "sched_getaffinity", lambda _: {0, 1})
    monkeypatch.setenv("OMP_NUM_THREADS", told)
    assert engine._cores() == cores


CHECK = """
import sys
from saccade.cli import main
try:
    main(sys.argv[1:])
except SystemExit as left:
    assert not left.code, left.code
slow = {"torch", "numpy", "pydantic", "sacrebleu", "matplotlib", "scipy"}
late = slow & set(sys.modules)
assert not late, late
"""


def _torchless(*arguments: str) -> str:
    """Run a verb in a process of its own, which must not import what is slow."""
    done = subprocess.run(
        [sys.executable, "-c", CHECK, *arguments],
        input="four\n",
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


@pytest.mark.parametrize("engine_name", ["auto", "ctranslate2"])
def test_translate_does_without_torch(tmp_path: Path, engine_name: str) -> None:
    folder = write_noise(tmp_path)
    expected = saccade.load(folder, engine="ctranslate2").translate("four").text
    said = _torchless("translate", str(folder), "--engine", engine_name, "--scores")
    assert said.partition(" ||| ")[0] == expected


@pytest.mark.parametrize("arguments", [["--help"], ["recipe", "--help"], ["translate", "--help"]])
def test_help_does_without_torch(arguments: list[str]) -> None:
    assert "Usage" in _torchless(*arguments)


def test_importing_the_package_is_light() -> None:
    code = (
        "import saccade, sys; saccade.load; saccade.RecipeError; assert 'torch' not in sys.modules"
    )
    subprocess.run([sys.executable, "-c", code], check=True)


@pytest.mark.parametrize("rule", [{"n_completed": 7}, {"patient": False}], ids=str)
def test_the_rule_of_the_recipe_ends_the_search(tmp_path: Path, rule: dict[str, Any]) -> None:
    folder = write_noise(tmp_path, decoding={"search": {**BEAM, **rule}})
    ours = saccade.load(folder).translate(SOURCES)
    theirs = saccade.load(folder, engine="ctranslate2").translate(SOURCES)
    assert [f.text for f in theirs] == [f.text for f in ours]


@pytest.mark.parametrize("options", [{}, {"nbest": 2}, {"length_penalty": 0.5}], ids=str)
@pytest.mark.parametrize("seed", range(5))
def test_goes_on_while_an_active_one_is_better(
    tmp_path: Path, seed: int, options: dict[str, Any]
) -> None:
    patient = {"search": {"kind": "beam", "width": 3, "n_completed": 0}, "max_ratio": 4.0}
    folder = write_noise(tmp_path, decoding=patient, seed=seed)
    lines = [*SOURCES, *(f"{a} {b}" for a in SOURCES[:4] for b in SOURCES)]
    ours = saccade.load(folder).translate(lines, **options)
    theirs = saccade.load(folder, engine="ctranslate2").translate(lines, **options)
    assert [[h.text for h in f.nbest] for f in theirs] == [[h.text for h in f.nbest] for f in ours]


def test_words_that_are_banned_are_refused(tmp_path: Path) -> None:
    folder = write_noise(tmp_path, words=True)
    with pytest.raises(RecipeError, match=r"data.target.tokenizer is word.* Use --engine torch."):
        saccade.load(folder, engine="ctranslate2")


def test_torch_keeps_its_threads(tmp_path: Path) -> None:
    model = saccade.load(write_noise(tmp_path), engine="ctranslate2")
    model.translate(SOURCES[0])
    model.translate(SOURCES)
    assert torch.get_num_threads() == 1
