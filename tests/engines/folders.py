"""Model folders with weights of noise: quick to make, and fussy about every option."""

from pathlib import Path
from typing import Any

import torch

from saccade import recipe as recipes
from saccade.folders import claims
from saccade.folders import model as folders
from saccade.folders.examples import pick_examples, write_examples
from saccade.folders.identity import write_identity
from saccade.tokenizers._vocabulary import PAD, START, UNK
from saccade.tokenizers.character import Character
from saccade.tokenizers.word import Word
from saccade.train import weights
from tests.samples import scramble, text_codecs

SOURCES = ["one two", "three", "four five six", "seven eight", "a", "nine", "eleven twelve", "two"]
TARGETS = ["un deux", "trois", "quatre cinq six", "sept huit", "un", "neuf", "onze douze", "deux"]
BEAM = {"kind": "beam", "width": 4, "n_completed": 4}


def stack(**options: Any) -> dict[str, Any]:
    """A small Transformer."""
    small = {"kind": "transformer", "layers": 2, "feed_forward": 16, "attention": {"heads": 2}}
    return {**small, **options}


def plain_recipe(
    model: dict[str, Any], decoding: dict[str, Any] | None = None, *, joint: bool = False
) -> dict[str, Any]:
    reader = {"kind": "pairs", "pairs": [list(p) for p in zip(SOURCES, TARGETS, strict=True)]}
    return {
        "name": "noise",
        "data": {"train": [reader], "valid": reader, "joint": joint},
        "model": {"kind": "encoder_decoder", "embedding": 8, **model},
        "training": {"max_steps": 1},
        "decoding": {"search": BEAM, "metrics": ["chrf"], **(decoding or {})},
    }


def write_noise(
    folder: Path,
    model: dict[str, Any] | None = None,
    decoding: dict[str, Any] | None = None,
    *,
    joint: bool = False,
    seed: int = 1,
    words: bool = False,
) -> Path:
    """Write a whole model folder, of a Transformer if nothing else is asked for."""
    model = {"encoder": stack(), "decoder": stack()} if model is None else model
    recipe = recipes.from_plain(plain_recipe(model, decoding, joint=joint))
    tokenizer = Word(min_count=1) if words else Character()
    source = tokenizer.fit([*SOURCES, *(TARGETS if joint else [])], ["nfc"])
    target = source if joint else tokenizer.fit(TARGETS, ["nfc"])
    codecs = text_codecs(source, target)
    built = scramble(folders.build_model(recipe, codecs), seed, 0.4)
    _never_banned(built)
    claims.begin(folder)
    weights.save(folder / "model.safetensors", weights.of(built))
    write_identity(folder, recipe, codecs, {})
    write_examples(folder, pick_examples(recipe, codecs))
    return folder


def _never_banned(model: torch.nn.Module) -> None:
    """Make symbols that no search writes unlikely, as training does."""
    for name, parameter in model.named_parameters():
        if name == "head.bias":
            parameter.data[[PAD, START, UNK]] = -30.0
