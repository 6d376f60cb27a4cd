"""Targets for model folders: one file of a whole folder is the input, or several are."""

import json
from pathlib import Path

from saccade.folders import model as folders
from saccade.folders.examples import read_examples
from saccade.folders.rivals import read_rivals
from saccade.intake.tensors import read_header
from saccade.train.checkpoint import Checkpoints
from saccade.train.seals import sealed_json
from tests.fuzz import bundle
from tests.fuzz.target import Target

STORED = Path(__file__).parent.parent / "folders" / "format_2"
FILES = (
    *("saccade.json", "recipe.yaml", "source.json", "target.json", "profile.json"),
    *("examples.json", "rivals.json", "model.safetensors", "lexicon.tsv"),
)
_OWN = {"ngram": "12", "forecaster": "1 2 3"}
_CHECKPOINT = "step-00000003"
_PARTS = (
    "index.json",
    *(f"{_CHECKPOINT}/{n}" for n in ("state.json", "model.safetensors", "training.safetensors")),
)
_WORDS = (
    *(b'"format": 2', b'"F32"', b'"BF16"', b'"shape"', b'"data_offsets"', b"[0, 64]", b'"dtype"'),
    *(b"kind: ", b"hidden: ", b"embedding: ", b"layers: 2", b"rnn", b"transformer", b"\n  "),
    *(b'"id"', b'"content"', b'"special": true', b'"type"', b"WordLevel", b"Regex", b"null", b"[]"),
)


def folder_targets() -> list[Target]:
    """Return a target for each kind of model that is stored, and for what training leaves."""
    stored = sorted(path.name for path in STORED.iterdir() if path.is_dir())
    return [
        *(_folder(kind) for kind in stored),
        Target("safetensors", _header, words=_WORDS, mend=mend_header),
        Target("checkpoints", _checkpoints, _PARTS, _WORDS, mend=mend_seals),
    ]


def _folder(kind: str) -> Target:
    def run(data: bytes) -> None:
        given = bundle.split(data, FILES)
        with bundle.unpacked(given, STORED / kind) as folder:
            use(folder, kind)

    return Target(f"folder-{kind}", run, FILES, _WORDS, mend=mend_weights)


def use(folder: Path, kind: str) -> None:
    """Open a folder and let the model predict, as somebody does who was sent it."""
    predictor = folders.load(folder)
    read_examples(folder)
    read_rivals(folder)
    if kind == "ngram":
        predictor.score([""], ["otf"])
    else:
        predictor.predict(_OWN.get(kind, "12"))


def _header(data: bytes) -> None:
    with bundle.unpacked({"x": data}) as folder:
        try:
            read_header(folder / "x")
        except ValueError:
            return  # as it says: whoever reads tells where


def _checkpoints(data: bytes) -> None:
    with bundle.unpacked({f"checkpoints/{n}": b for n, b in _split(data).items()}) as folder:
        found = Checkpoints(folder)
        index = found.index()
        json.dumps([index.last if index.names else "", index.best, index.validated])
        for name in found.found():
            found.progress(name)
            found.header(name)
            found.load(name)


def _split(data: bytes) -> dict[str, bytes]:
    return bundle.split(data, _PARTS)


def mend_header(data: bytes) -> bytes:
    """Make the length of a header right: it ends behind the last brace that closes it."""
    end = data.rfind(b"}}", 8) + 2
    return data if end < 10 else (end - 8).to_bytes(8, "little") + data[8:end] + data[end:]


def mend_weights(data: bytes) -> bytes:
    """Mend the weights in a bundle."""
    files = bundle.split(data, FILES)
    if "model.safetensors" in files:
        files["model.safetensors"] = mend_header(files["model.safetensors"])
    return bundle.join(files)


def mend_seals(data: bytes) -> bytes:
    """Seal JSON files anew, so that what they say is believed."""
    files = _split(data)
    for name in ("index.json", f"{_CHECKPOINT}/state.json"):
        try:
            plain = json.loads(files[name])
            plain.pop("seal", None)
            files[name] = sealed_json(plain).encode("utf-8", "surrogatepass")
        except (KeyError, ValueError, AttributeError, RecursionError, TypeError):
            continue
    return bundle.join(files)
