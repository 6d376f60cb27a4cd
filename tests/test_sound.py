"""Sounds go the way of every other source: from files to words, and to when they were said."""

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from fastapi.testclient import TestClient
from safetensors.numpy import load_file

import saccade
from saccade import recipe, run
from saccade.modalities._sound import Sound, SoundFile
from saccade.modalities._uri import file_uri
from saccade.modalities._wave import write_wave
from saccade.predict.decode import SearchChoice
from saccade.server.app import create_app
from saccade.server.models import open_models
from tests.cli.conftest import Call, call

__all__ = ["call"]

RATE = 8000
READER = "{kind: sounds, files: sounds, names: '{label}_{speaker}_{index}'"
RECIPE = f"""
name: tones
data:
  train: {READER}, index: 2-9}}
  valid: {READER}, index: 0-1}}
  test:
    single: {READER}, index: 0-1}}
    strings: {{kind: strings, count: 6, most: 3, joiner: '', corpus: {READER}, index: 0-1}}}}
  source: {{kind: sound, rate: 8000, bins: 12, silence: 0.02, random_speed: 0.05, random_masks: 1}}
  target: {{tokenizer: character}}
model: MODEL
training: {{max_steps: 6, validate_every: 3, batch_tokens: 100, learning_rate: 0.01, threads: 1}}
decoding: {{search: greedy, max_ratio: 0.0, max_extra: 5, metrics: [error_rate]}}
"""
MODELS = {
    "attention": "{kind: encoder_decoder, embedding: 16, embedder: {kind: spectrogram, width: 4},"
    " encoder: {kind: rnn, hidden: 16, layers: 1}, decoder: {kind: rnn, hidden: 16,"
    " attention: {kind: location_aware, hidden: 16}}}",
    "pyramid": "{kind: encoder_decoder, embedding: 16,"
    " embedder: {kind: spectrogram, width: 4, stride: 2},"
    " encoder: {kind: pyramid, hidden: 8, layers: 2}}",
    "ctc": "{kind: ctc, embedding: 16, embedder: {kind: spectrogram, width: 4},"
    " encoder: {kind: transformer, layers: 1, feed_forward: 16,"
    " attention: {kind: multihead, heads: 2}}}",
}


def tone(label: int, seed: int = 0) -> Any:
    """Hum a label: a tone of its own, in some noise."""
    chance = np.random.default_rng(10 * label + seed)
    time = np.arange(1200 + 40 * seed) / RATE
    noise = chance.normal(size=len(time)) * 200
    return (4000 * np.sin(2 * np.pi * (300 + 500 * label) * time) + noise).astype(np.int16)


@pytest.fixture(scope="module")
def place(tmp_path_factory: pytest.TempPathFactory) -> Path:
    place = tmp_path_factory.mktemp("sound")
    (place / "sounds").mkdir()
    for label in (1, 2, 3):
        for speaker in ("ann", "bob"):
            for index in range(4):
                path = place / "sounds" / f"{label}_{speaker}_{index}.wav"
                path.write_bytes(write_wave(tone(label, index), RATE))
    return place


def read(kind: str) -> recipe.Recipe:
    objective = ", objective: ctc" if kind == "ctc" else ""
    text = RECIPE.replace("MODEL", MODELS[kind]).replace("threads: 1", f"threads: 1{objective}")
    return recipe.parse(text)


@pytest.fixture(scope="module", params=list(MODELS))
def folder(request: pytest.FixtureRequest, place: Path) -> Path:
    run.train(read(request.param), place / str(request.param), root=place)
    return place / str(request.param)


def test_a_model_of_sounds_writes_and_tells_when(folder: Path) -> None:
    model = saccade.load(folder)
    given = [Sound(tone(n, n), RATE) for n in (1, 2, 3)]
    together = model.predict(given)
    for one, found in zip(given, together, strict=True):
        (alone,) = model.predict([one])
        assert found.hypothesis.tokens == alone.hypothesis.tokens
        assert found.score == pytest.approx(alone.score, abs=1e-4)
        drawn = found.drawing()
        if found.hypothesis.tokens:
            assert drawn is not None
            assert drawn.svg.count("<image") == 1
            assert found.attention is not None
            assert found.attention.shape[1] == found.grid[1]
    assert str(together[0].source_text) == model.sources["source"].write(given[0])


def test_every_model_listens_as_it_reads_files_and_tells_times(folder: Path) -> None:
    model, sound = saccade.load(folder), np.concatenate([tone(1, 0), tone(3, 2)])
    listener = saccade.Listener(model)
    found = [one for i in range(0, len(sound), 500) for one in listener.push(sound[i : i + 500])]
    (heard,) = [*found, *listener.finish()]
    given: Any = Sound(sound, RATE)
    whole = model.predict(given)
    assert heard.prediction.hypothesis == whole.hypothesis
    forced = model.predict(given, search=SearchChoice("greedy"), prefix="13")
    assert len(forced.times) == len(forced.hypothesis.tokens) >= 2
    for one in forced.times:
        assert 0 <= one.begins < one.ends <= len(sound) / RATE


def test_a_file_its_text_and_an_array_are_one(folder: Path, place: Path) -> None:
    model, path = saccade.load(folder), place / "sounds" / "2_ann_1.wav"
    given: list[Any] = [SoundFile(path), file_uri(path), tone(2, 1), Sound(tone(2, 1), RATE)]
    found = model.predict(given)
    assert len({(one.text, round(one.score, 5)) for one in found}) == 1


def test_files_are_transcribed_and_looked_at(folder: Path, place: Path, call: Call) -> None:
    path, wanted = place / "sounds" / "2_ann_1.wav", saccade.load(folder).predict(tone(2, 1)).text
    done = call("transcribe", str(folder), str(path), str(path))
    assert (done.code, done.out) == (0, f"{wanted}\n{wanted}\n")
    if wanted:
        assert call("inspect", str(folder), str(path), "-o", str(place / "look.svg")).code == 0
        assert "<image" in (place / "look.svg").read_text(encoding="utf-8")


def test_a_text_is_laid_over_a_sound(place: Path, call: Call) -> None:
    folder = place / "aligned"
    run.train(read("ctc"), folder, root=place)
    path = place / "sounds" / "2_ann_1.wav"  # 0.155 seconds, with 0.02 of silence around
    rows = call("align", str(folder), str(path), "2").out.splitlines()
    begins, ends = (float(cell.split()[0]) for cell in rows[0].split("\t")[2:4])
    assert 0 <= begins < ends <= 0.155 + 0.04


def test_the_server_hears_an_upload(folder: Path, place: Path) -> None:
    model, path = saccade.load(folder), place / "sounds" / "3_bob_0.wav"
    with TestClient(create_app(open_models([f"m={folder}"]))) as client:
        (about,) = client.get("/v1/models").json()["models"]
        assert about["inputs"][0]["kind"] == "sound"
        assert about["examples"][0]["source"].startswith("data:audio/wav")
        files = {"file": ("a.wav", path.read_bytes(), "audio/wav")}
        answer = client.post("/v1/predict", files=files, data={"views": "attention"})
        assert answer.status_code == 200, answer.text
        told = answer.json()["results"][0]
        assert told["text"] == model.predict(tone(3, 0)).text
        assert not told["text"] or "<image" in told["views"]["attention"]
        broken = {"file": ("a.wav", path.read_bytes()[:99], "audio/wav")}
        refused = client.post("/v1/predict", files=broken)
        assert refused.status_code == 400
        assert "bytes of samples that its header promises" in refused.text


def test_resuming_with_changed_sounds_is_bit_for_bit(place: Path, tmp_path: Path) -> None:
    whole, parts = tmp_path / "whole", tmp_path / "parts"
    run.train(read("attention"), whole, root=place)
    half = recipe.parse(
        RECIPE.replace("MODEL", MODELS["attention"]), overrides=("training.max_steps=3",)
    )
    run.train(half, parts, root=place)
    run.train(read("attention"), parts, root=place, resume=True)
    one, other = (load_file(folder / "model.safetensors") for folder in (whole, parts))
    assert all(np.array_equal(one[name], other[name]) for name in one)


def test_strings_are_evaluated(
    folder: Path, place: Path, call: Call, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(place)
    done = call("evaluate", str(folder), "--split", "strings")
    assert done.code == 0, done.err


def test_doctor_listens(place: Path, call: Call, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(place)
    text = RECIPE.replace("MODEL", MODELS["attention"])
    (place / "r.yaml").write_text(text, encoding="utf-8")
    said = " ".join(call("doctor", "r.yaml").out.split())
    assert "seconds, usually 0.16" in said
    assert "at 8,000 Hz" in said
