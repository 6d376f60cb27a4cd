"""Clips go the way of every other source: from a recipe to what happens, and to when it looked."""

import base64
from io import BytesIO
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from fastapi.testclient import TestClient
from PIL import Image
from safetensors.numpy import load_file

import saccade
from saccade import recipe, run, starters
from saccade.errors import DataError, ShapeError
from saccade.modalities._clip import Clip
from saccade.parts import Part
from saccade.server.app import create_app
from saccade.server.models import open_models

RECIPES = Path(__file__).parent.parent / "recipes" / "video"
SMALL = (
    "data.train.corpus.size=60",
    "data.valid.corpus.size=40",
    "data.valid.split=train",
    "data.test.corpus.size=20",
    "data.test.split=train",
    "model.embedding=16",
    "training.max_steps=4",
    "training.validate_every=2",
    "training.batch_tokens=100",
)


def trained(name: str, place: Path, *more: str, **options: Any) -> Path:
    text = (RECIPES / f"{name}.yaml").read_text(encoding="utf-8")
    run.train(recipe.parse(text, overrides=(*SMALL, *more)), place, **options)
    return place


@pytest.fixture(scope="module", params=["mean", "frames", "conv3d", "both"])
def folder(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Path:
    return trained(request.param, tmp_path_factory.mktemp("video") / str(request.param))


def clips(n: int = 3) -> list[Any]:
    random = np.random.default_rng(n)
    return [random.integers(0, 256, (3 * i + 1, 24, 24, 3), dtype=np.uint8) for i in range(n)]


def test_a_model_of_clips_writes_and_tells_when_it_looked(folder: Path) -> None:
    model = saccade.load(folder)
    together = model.predict(clips())
    for clip, found in zip(clips(), together, strict=True):
        alone = model.predict(clip)
        assert found.hypothesis.tokens == alone.hypothesis.tokens
        assert found.score == pytest.approx(alone.score, abs=1e-4)
        assert found.grid == (1, len(clip))
        drawn = found.drawing()
        if folder.name == "mean":
            assert drawn is None
        elif found.hypothesis.tokens:
            assert drawn is not None
            assert drawn.svg.count("<image") == len(clip)
            assert drawn.terminal(80)


def test_text_array_and_clip_are_one(folder: Path) -> None:
    model, (clip,) = saccade.load(folder), clips(1)
    text = model.sources["source"].write(clip)
    given: list[Any] = [clip, Clip(clip), text]
    found = model.predict(given)
    assert len({one.text for one in found}) == 1
    assert len({one.source_text for one in found}) == 1


def test_the_server_says_the_same_and_draws(folder: Path) -> None:
    model, clip = saccade.load(folder), clips(2)[1]
    text = model.sources["source"].write(clip)
    views = [] if folder.name == "mean" else ["attention"]
    with TestClient(create_app(open_models([f"m={folder}"]))) as client:
        asked = {"text": text, "views": views, "words": True, "want": ["attention"]}
        answer = client.post("/v1/predict", json=asked)
        assert answer.status_code == 200, answer.text
        told = answer.json()["results"][0]
        (given,) = client.get("/v1/models").json()["models"][0]["inputs"]
        assert given == {"name": "source", "kind": "clip", "limit": 0}
        for part in told["layout"]:  # the page lights the strip frame by frame
            assert part["grid"] == [1, len(clip)]
            assert part["picture"].startswith("data:image/png")
        assert told["text"] == model.predict(clip).text
        assert all("<image" in told["views"][view] for view in views if told["text"])
        refused = client.post("/v1/predict", json={"text": "data:image/gif;base64,R0lGOA=="})
        assert refused.status_code == 400
        assert "ends before its last frame" in refused.text


def test_the_report_shows_the_strip(folder: Path) -> None:
    text = (folder / "report.html").read_text(encoding="utf-8")
    if folder.name == "mean":
        assert "<image" not in text
    assert "data:image/apng" not in text


def test_places_can_be_side_by_side(tmp_path: Path) -> None:
    model = saccade.load(trained("both", tmp_path / "run", "model.embedder.join=places"))
    (clip,) = clips(1)
    found = model.predict(np.repeat(clip, 4, axis=0))
    assert found.grid == (2, 4)
    assert found.attention is not None
    assert found.attention.shape[1] == 8
    drawn = saccade.inspect(model, np.repeat(clip, 4, axis=0), words=True)
    assert drawn.said.startswith("[clip] → ")
    heads = saccade.inspect(model, np.repeat(clip, 4, axis=0), "heads")
    assert not found.text or heads.svg.count("<image") == 4
    assert not found.text or ", network 2:" in drawn.svg


def test_a_tag_for_every_frame(tmp_path: Path) -> None:
    model = saccade.load(trained("frames-labels", tmp_path / "run"))
    together = model.predict(clips())
    for clip, found in zip(clips(), together, strict=True):
        assert len(found.text.split()) == len(clip)
        assert found.text == model.predict(clip).text
    text = (tmp_path / "run" / "report.html").read_text(encoding="utf-8")
    assert "data:image/apng" not in text


def test_a_tagger_needs_a_place_for_every_frame(tmp_path: Path) -> None:
    wrong = "model.embedder={kind: frames_conv3d, join: places}"
    with pytest.raises(
        ShapeError, match=r"tagger: the embedder makes \d+ states of \d+ words; exp"
    ):
        trained("frames-labels", tmp_path / "run", wrong)


def test_a_resumed_run_is_the_same_bit_for_bit(tmp_path: Path) -> None:
    trained("both", tmp_path / "whole")
    trained("both", tmp_path / "parts", "training.max_steps=2")
    trained("both", tmp_path / "parts", resume=True)
    one, other = (load_file(tmp_path / name / "model.safetensors") for name in ("whole", "parts"))
    assert one.keys() == other.keys()
    assert all(np.array_equal(one[name], other[name]) for name in one)


def test_bad_input_is_refused_in_a_sentence(folder: Path) -> None:
    model = saccade.load(folder)
    with pytest.raises(DataError, match=r"input 1: found 'clip.gif'; expected a clip as text that"):
        model.predict("clip.gif")
    with pytest.raises(
        DataError, match=r"an array \[24, 24, 3\] of uint8; expected a clip \[F, H,"
    ):
        model.predict(clips()[0][0])


def test_a_gif_is_described(folder: Path) -> None:
    model, file = saccade.load(folder), BytesIO()
    shown = [Image.new("RGB", (30, 20), (40 * i, 0, 0)) for i in range(5)]
    shown[0].save(file, "GIF", save_all=True, append_images=shown[1:], duration=80)
    text = "data:image/gif;base64," + base64.b64encode(file.getvalue()).decode()
    found = model.predict(text)
    assert found.source.frames.shape == (5, 24, 24, 3)
    assert found.source.times == (0, 80, 160, 240, 320)


def test_a_model_learns_a_few_clips_by_heart(tmp_path: Path) -> None:
    text = starters.text_of("video")
    few = (
        "data.train.corpus.size=8",
        "data.valid.corpus.size=8",
        "data.valid.split=train",
        "model.embedding=32",
        "model.dropout=0.0",
        "model.decoder.dropout=0.0",
        "model.decoder.hidden=32",
        "training.schedule=constant",
        "training.objective.smoothing=0.0",
        "training.learning_rate=0.01",
        "model.embedder.width=16",
        "training.max_steps=100",
        "training.validate_every=50",
    )
    found = run.train(recipe.parse(text, overrides=few), tmp_path / "run")
    reader = recipe.parse(text, overrides=few).data.valid.build(tmp_path)
    examples = list(reader.read())
    several = found.predictor.predict([example.sources for example in examples])
    right = [one.text == example.target for one, example in zip(several, examples, strict=True)]
    assert sum(right) == len(examples) == 8


def test_parts_are_known_by_name() -> None:
    for name in ("mean", "frames", "conv3d", "both", "frames-labels"):
        read = recipe.load(RECIPES / f"{name}.yaml")
        assert isinstance(read.model, Part)
