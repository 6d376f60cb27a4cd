from pathlib import Path
from typing import Any

import pytest

import saccade
from saccade.engines._open import load_pair
from saccade.engines.base import EngineOptions
from saccade.engines.native import Native
from saccade.errors import RecipeError
from saccade.export.base import export
from saccade.kernels import library
from saccade.kernels.library import KernelStatus
from saccade.predict.decode import DecodeOptions
from tests.engines.folders import SOURCES, stack, write_noise
from tests.native.kernels import kernels, needs_bytes, needs_kernels

WIDE = stack(attention={"heads": 2}, feed_forward=40)
LSTM = {"kind": "rnn", "cell": "lstm", "hidden": 16}
MODELS: dict[str, dict[str, Any]] = {
    "transformer": {"embedding": 32, "encoder": WIDE, "decoder": WIDE},
    "lstm": {
        "embedding": 16,
        "encoder": LSTM,
        "decoder": {**LSTM, "hidden": 32, "wiring": "luong", "attention": "bilinear"},
    },
    "gru": {"encoder": {"kind": "rnn", "hidden": 8}, "decoder": {"kind": "rnn", "hidden": 8}},
}
FEW = SOURCES[:4]  # a memory that is folded is exact, and few are
every_model = pytest.mark.parametrize("kind", MODELS)


@needs_kernels
@every_model
@pytest.mark.parametrize(
    "options", [{}, {"beam": 1}, {"nbest": 3}, {"sample": {"seed": 3}}, {"prefix": "un"}], ids=str
)
def test_it_writes_what_torch_writes(tmp_path: Path, kind: str, options: DecodeOptions) -> None:
    folder = write_noise(tmp_path, MODELS[kind])
    ours = saccade.load(folder, engine="native").translate(SOURCES, **options)
    theirs = saccade.load(folder, engine="torch").translate(SOURCES, **options)
    for one, other in zip(ours, theirs, strict=True):
        assert [h.tokens for h in one.nbest] == [h.tokens for h in other.nbest]
        expected = [h.score for h in other.nbest]
        assert [h.score for h in one.nbest] == pytest.approx(expected, abs=1e-5)
        assert one.token_scores == pytest.approx(other.token_scores, abs=1e-5)


@needs_kernels
def test_attention_and_scores_are_torchs(tmp_path: Path) -> None:
    folder = write_noise(tmp_path, MODELS["transformer"])
    native, torch = (saccade.load(folder, engine=name) for name in ("native", "torch"))
    assert native.attention_names == torch.attention_names
    one, other = native.translate(SOURCES[0]), torch.translate(SOURCES[0])
    assert one.attention is not None
    assert one.attention == pytest.approx(other.attention)
    assert native.self_attention_names == torch.self_attention_names != ()
    for name, weights in other.self_attention.items():
        assert one.self_attention[name] == pytest.approx(weights)
    assert native.score(["one"], ["un"]) == torch.score(["one"], ["un"])


@needs_bytes
@every_model
@pytest.mark.parametrize("engine", ["native", "torch", None])  # as it is called, and was called
def test_weights_are_rounded_to_bytes(tmp_path: Path, kind: str, engine: str | None) -> None:
    folder = write_noise(tmp_path, MODELS[kind])
    exact = saccade.load(folder).translate(FEW, beam=1)
    opened = saccade.load(folder, engine=engine, quantise="int8")
    rounded = opened.translate(FEW, beam=1)
    first = [[one.token_scores[0] for one in found] for found in (exact, rounded)]
    assert first[0] != first[1]
    assert first[1] == pytest.approx(first[0], abs=0.3)
    alone = [opened.translate(text, beam=1) for text in FEW]
    assert [one.text for one in rounded] == [one.text for one in alone]
    torch, given = saccade.load(folder, engine="torch"), rounded[0].arrays
    assert opened.token_scores(given, (6,)) == torch.token_scores(given, (6,))


@needs_bytes
def test_rounded_weights_stand_beside_exact_ones(tmp_path: Path) -> None:
    folder = write_noise(tmp_path, MODELS["lstm"])
    translator, writer = load_pair(folder, quantise="int8")
    assert writer is not None
    alone = saccade.load(folder, engine="native", quantise="int8").translate(SOURCES)
    assert [one.score for one in writer.translate(SOURCES)] == [one.score for one in alone]
    exact = saccade.load(folder).translate(SOURCES)
    assert [one.score for one in translator.translate(SOURCES)] == [one.score for one in exact]


def test_without_kernels_it_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    folder = write_noise(tmp_path)
    without = KernelStatus(None, "no C compiler was found")
    monkeypatch.setattr(library, "found", lambda: without)
    told = r"--engine native: there are no kernels in C: no C compiler was found. Use --engine"
    for engine, quantise in (("native", ""), ("native", "int8"), ("torch", "int8")):
        with pytest.raises(RecipeError, match=told):
            saccade.load(folder, engine=engine, quantise=quantise)


@needs_kernels
def test_a_processor_without_bytes_does_not_round(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(kernels(), "rounds", False)
    told = r"--quantise int8: this processor has no instructions for bytes; .* leave it out."
    with pytest.raises(RecipeError, match=told):
        saccade.load(write_noise(tmp_path), engine="native", quantise="int8")


def test_other_devices_and_other_rounding_are_refused(tmp_path: Path) -> None:
    folder, engine = write_noise(tmp_path), Native()
    (told,) = engine.refusals(folder, EngineOptions(device="cuda"))
    assert told.startswith("--device cuda: the engine native runs on the cpu. Leave it out, or")
    (told,) = engine.refusals(folder, EngineOptions(quantise="int4"))
    assert told == "--quantise int4: the engine native does not know it; expected int8. Use that."


def test_an_exported_folder_is_refused(tmp_path: Path) -> None:
    pytest.importorskip("ctranslate2")
    folder, out = write_noise(tmp_path / "model"), tmp_path / "out"
    export("ctranslate2", folder, out)
    (told,) = Native().refusals(out, EngineOptions())
    assert told.endswith(
        "expected a model folder, which native can read. Use --engine ctranslate2."
    )
