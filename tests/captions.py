"""A tiny model that reads pictures of any size, and pictures to give it."""

import io
import json
from itertools import islice
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from rich.console import Console

from saccade import recipe, run, starters
from saccade.corpora.shapes import Shapes
from saccade.modalities import _png

SMALL = (
    "data.train.corpus.size=64",
    "data.valid={kind: embedded, corpus: {kind: shapes, size: 8}, split: train}",
    "data.test={shapes: {kind: embedded, corpus: {kind: shapes, size: 8}, split: train}}",
    "data.source={kind: image, size: 40}",
    "model.embedding=16",
    "model.embedder.width=16",
    "model.decoder={kind: rnn, hidden: 24, attention: {kind: additive, hidden: 16}}",
    "training.learning_rate=0.02",
    "training.schedule=constant",
    "training.batch_tokens=25600",
    "training.max_steps=60",
    "training.validate_every=60",
)


def make_captions(folder: Path, *changes: str) -> Path:
    """Train a model of pictures for a few seconds; return its folder."""
    pytest.importorskip("PIL", reason="pictures are resized by Pillow")
    text = starters.text_of("captions")
    run.train(recipe.parse(text, overrides=[*SMALL, *changes]), folder, console=Console(quiet=True))
    return folder


def make_clips(folder: Path) -> Path:
    """Train a model of clips on a few of them, in a moment; return its folder."""
    pytest.importorskip("PIL", reason="clips are resized by Pillow")
    few = "{kind: embedded, corpus: {kind: moving, size: 24}, split: train}"
    changes = [
        *(f"data.{split}={few}" for split in ("train", "valid")),
        f"data.test={{moving: {few}}}",
        "model.embedding=16",
        "model.embedder={kind: frames, network: {kind: cnn, width: 8}, hidden: 16}",
        "model.decoder={kind: rnn, hidden: 24, attention: {kind: additive, hidden: 16}}",
        "training.learning_rate=0.02",
        "training.schedule=constant",
        "training.max_steps=40",
        "training.validate_every=40",
    ]
    recipes = recipe.parse(starters.text_of("video"), overrides=changes)
    run.train(recipes, folder, console=Console(quiet=True))
    return folder


def moving(kind: str = "gif", n_frames: int = 8, side: int = 32) -> bytes:
    """Return a clip of stripes that change as the bytes of a file: gif, png or webp."""
    from PIL import Image  # noqa: PLC0415

    frames = [Image.fromarray(pixels(seed, side, side)) for seed in range(n_frames)]
    held = io.BytesIO()
    frames[0].save(held, kind.upper(), save_all=True, append_images=frames[1:], duration=100)
    return held.getvalue()


def make_scenes(folder: Path) -> Path:
    """Train a model of two sources, a picture `scene` and a text `question`, on three examples."""
    pytest.importorskip("PIL", reason="pictures are resized by Pillow")
    asked = ["what is there", "what is it", "which shapes"]
    pairs = zip(islice(Shapes().pairs("train"), 3), asked, strict=True)
    rows = [{"scene": text, "question": q, "target": [c]} for (text, c), q in pairs]
    folder.mkdir()
    lines = "".join(f"{json.dumps(row)}\n" for row in rows)
    (folder / "rows.jsonl").write_text(lines, encoding="utf-8")
    names = {"scene": "scene", "question": "question"}
    reader = {"kind": "jsonl", "path": str(folder / "rows.jsonl"), "sources": names}
    small = {"kind": "rnn", "hidden": 8, "dropout": 0.0}
    plain = {
        "name": "scenes",
        "data": {
            **dict.fromkeys(("train", "valid", "test"), reader),
            "sources": {"scene": {"kind": "image", "size": 40}, "question": {"tokenizer": "word"}},
            "target": {"tokenizer": "word"},
        },
        "model": {
            "kind": "encoder_decoder",
            "embedding": 16,
            "encoder": small,
            "encoders": {"scene": "none"},
            "embedders": {"scene": {"kind": "cnn", "width": 16, "stride": 8}},
            "decoder": {**small, "attention": "additive"},
        },
        "training": {
            "max_steps": 60,
            "validate_every": 60,
            "learning_rate": 0.02,
            "schedule": "constant",
        },
        "decoding": {"metrics": ["exact_match"], "max_ratio": 0.0, "max_extra": 16},
    }
    run.train(recipe.from_plain(plain), folder / "run", console=Console(quiet=True))
    return folder / "run"


def pixels(seed: int, height: int = 30, width: int = 50) -> Any:
    """Return a picture `[H, W, 3]`: stripes and noise, another one for each seed."""
    random = np.random.default_rng(seed)
    colour = random.integers(0, 256, (1, 1, 3))
    stripes = np.arange(width)[None, :, None] // (4 + seed) % 2 * colour
    noise = random.integers(0, 60, (height, width, 3))
    return np.clip(stripes + noise, 0, 255).astype(np.uint8)


def file_of(kind: str, seed: int = 1, height: int = 30, width: int = 50) -> bytes:
    """Return a picture as the bytes of a file: png, jpeg, gif or webp."""
    if kind == "png":
        return _png.encode(pixels(seed, height, width))
    from PIL import Image  # noqa: PLC0415

    held = io.BytesIO()
    Image.fromarray(pixels(seed, height, width)).save(held, kind.upper())
    return held.getvalue()
