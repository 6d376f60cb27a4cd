"""Make the folder that all engines work from: vocabulary, ids, batches, and one trained model.

    python -m benchmarks.kit FOLDER [--data ../shared/data/multi30k] [--steps 1500]

saccade learns the vocabulary and trains the model of D; the weights are written once more under
neutral names, which the peers' adapters read. What is there already is not made again.
"""

import argparse
import json
from collections.abc import Mapping
from dataclasses import asdict, replace
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray
from torch import Tensor

from benchmarks.workloads import END, WRITTEN, Effort, Shape
from saccade import recipe as recipes
from saccade import run
from saccade.data.codecs import Codecs
from saccade.data.prepare import batches_of, prepare
from saccade.folders import claims
from saccade.folders import model as folders
from saccade.folders.identity import read_identity, write_identity
from saccade.positions.sinusoidal import waves
from saccade.readers.base import Reader
from saccade.recipe import Recipe
from saccade.tokenizers._vocabulary import SYMBOLS, Vocabulary
from saccade.train import weights

DATA = Path("../shared/data/multi30k")
STEPS = 1500
_HERE = Path(__file__).parent
_PLACES = 512  # rows of the table of positions that peers are given
_ROWS = 100_000  # padded symbols in a batch of R: no limit, rows are


def main() -> None:
    """Make the kit that the command line names."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawTextHelpFormatter
    )
    parser.add_argument("folder", type=Path)
    parser.add_argument("--data", type=Path, default=DATA)
    parser.add_argument("--steps", type=int, default=STEPS, help="of training D's model")
    parser.add_argument("--shape", default="{}", help="another Shape, as JSON")
    arguments = parser.parse_args()
    shape = Shape(**json.loads(arguments.shape))
    make(arguments.folder, arguments.data, shape, arguments.steps)


def make(folder: Path, data: Path, shape: Shape, steps: int = STEPS) -> None:
    """Train and write everything, unless it is there; kit.json comes last."""
    if not (folder / "kit.json").exists():
        _make(folder, data, shape, steps)
    if not (folder / "rnn").exists():
        _write_untrained(folder)


def _make(folder: Path, data: Path, shape: Shape, steps: int) -> None:
    data = data.resolve()
    recipe = transformer_recipe(shape, [f"training.max_steps={steps}"])
    run.train(recipe, folder / "model", overwrite=True, root=data)
    codecs = read_identity(folder / "model").codecs
    _write_texts(folder, recipe, data, codecs)
    for work, one in (("T", recipe), ("R", rnn_recipe(shape))):
        _write(folder / f"batches.{work}.json", json.dumps(_batches(work, one, data, codecs)))
    tensors, _ = folders.read_weights(folder / "model")
    arrays: dict[str, Any] = neutral(tensors)
    np.savez(folder / "weights.npz", **arrays)
    shape = replace(shape, vocabulary=codecs.target.side.size)
    _write(folder / "kit.json", json.dumps({"shape": asdict(shape), "data": str(data)}, indent=1))


def _write_untrained(folder: Path) -> None:
    """Write the model of S: R's without training, which never ends before it must."""
    facts = json.loads((folder / "kit.json").read_text(encoding="utf-8"))
    length = ["decoding.max_ratio=0.0", f"decoding.max_extra={WRITTEN}"]
    stop = ["decoding.search={kind: beam, width: 5, patient: false}"]
    recipe = rnn_recipe(Shape(**facts["shape"]), [*length, *stop])
    codecs = read_identity(folder / "model").codecs
    model = folders.build_model(recipe, codecs)
    held = weights.of(model)
    held["head.bias"][END] = -100.0
    claims.begin(folder / "rnn")
    weights.save(folder / "rnn" / "model.safetensors", held)
    write_identity(folder / "rnn", recipe, codecs, {})


def transformer_recipe(shape: Shape, more: list[str] | None = None) -> Recipe:
    """Return the recipe of T and D in another shape."""
    sides = [
        f"model.{side}.{name}={value}"
        for side in ("encoder", "decoder")
        for name, value in {
            "layers": shape.layers,
            "feed_forward": shape.hidden,
            "dropout": shape.dropout,
            "attention": f"{{kind: multihead, heads: {shape.heads}}}",
        }.items()
    ]
    smoothing = f"training.objective.smoothing={shape.smoothing}"
    path = _HERE / "transformer.yaml"
    return recipes.load(path, [*_both(shape), *sides, smoothing, *(more or [])])


def rnn_recipe(shape: Shape, more: list[str] | None = None) -> Recipe:
    """Return the recipe of R in another shape."""
    encoder = [f"model.encoder.hidden={shape.cells // 2}", f"model.encoder.dropout={shape.dropout}"]
    decoder = [f"model.decoder.hidden={shape.cells}", f"model.decoder.dropout={shape.dropout}"]
    return recipes.load(_HERE / "rnn.yaml", [*_both(shape), *encoder, *decoder, *(more or [])])


def _both(shape: Shape) -> list[str]:
    return [
        f"data.source.tokenizer.size={shape.vocabulary}",
        f"model.embedding={shape.width}",
        f"model.dropout={shape.dropout}",
    ]


def _write_texts(folder: Path, recipe: Recipe, data: Path, codecs: Codecs) -> None:
    vocabulary = codecs.target.vocabulary
    assert vocabulary is not None
    pieces = [*SYMBOLS, *vocabulary.pieces(range(len(SYMBOLS), len(vocabulary)))]
    _write(folder / "vocabulary.txt", "".join(f"{piece}\n" for piece in pieces))
    (train,), (test,) = recipe.data.train, recipe.data.test.values()
    for name, reader in (("train", train.build(data)), ("test", test.build(data))):
        _write_sides(folder, name, reader, vocabulary)
    first = (folder / "test.source.txt").read_text(encoding="utf-8").partition("\n")[0]
    _write(folder / "first.txt", f"{first}\n")


def _write_sides(folder: Path, name: str, reader: Reader, vocabulary: Vocabulary) -> None:
    examples = list(reader.read())
    texts = {"source": [e.source for e in examples], "target": [e.target for e in examples]}
    for side, lines in texts.items():
        ids = vocabulary.encode_many(lines)
        rows = (" ".join(map(str, row)) + "\n" for row in ids)
        _write(folder / f"{name}.{side}.ids", "".join(rows))
        _write(folder / f"{name}.{side}.txt", "".join(f"{line}\n" for line in lines))


def _batches(work: str, recipe: Recipe, data: Path, codecs: Codecs) -> list[list[int]]:
    """Plan an epoch as saccade does; R's batches are cut again, to the same number of rows.

    What is cut lies in order of length, so it is shuffled: a few steps must see every length.
    """
    stores, effort = prepare(recipe, data, codecs).train, Effort()
    size = effort.tokens if work == "T" else _ROWS
    plan = batches_of(recipe, stores, codecs, size).epoch(0)
    if work == "T":
        return [indices.tolist() for indices in plan]
    cut = [
        indices[i : i + effort.rows].tolist()
        for indices in plan
        for i in range(0, len(indices), effort.rows)
    ]
    whole = [batch for batch in cut if len(batch) == effort.rows] or cut
    turn = np.random.Generator(np.random.PCG64(recipe.seed)).permutation(len(whole))
    return [whole[i] for i in turn]


def neutral(tensors: Mapping[str, Tensor]) -> dict[str, NDArray[np.float32]]:
    """Give the weights of T's model names that no toolkit has.

        embedding [V, D]  bias [V]  positions [N, D]
        {encoder,decoder}.N.{self,cross}.{query,key,value,output,norm}.{weight,bias}
        {encoder,decoder}.N.feed_forward.{inner,outer,norm}.{weight,bias}
        {encoder,decoder}.norm.{weight,bias}

    Embeddings are multiplied by sqrt(D) when they are read, and shared with the output.
    """
    found = {"embedding": tensors["target_embedding.weight"], "bias": tensors["head.bias"]}
    found["positions"] = waves(_PLACES, found["embedding"].shape[1])
    for name, tensor in tensors.items():
        name = name.replace("reading.encoders.source.", "encoder.")  # noqa: PLW2901
        if not name.startswith(("encoder.", "decoder.")):
            continue
        for old, new in _NAMES:
            name = name.replace(old, new)  # noqa: PLW2901 - one step after another
        if ".keys_values." in name:
            key, value = tensor.chunk(2)
            found[name.replace("keys_values", "key")] = key
            found[name.replace("keys_values", "value")] = value
        else:
            found[name] = tensor
    return {name: tensor.float().numpy() for name, tensor in found.items()}


_NAMES = [
    (".layers.", "."),
    (".around_feed_forward.norm", ".feed_forward.norm"),
    (".around_attention.norm", ".self.norm"),
    (".around_self.norm", ".self.norm"),
    (".around_reading.norm", ".cross.norm"),
    (".self_attention.", ".self."),
    (".attention.", ".self."),
    (".reading.", ".cross."),
    (".feed_forward.U.", ".feed_forward.inner."),
    (".feed_forward.V.", ".feed_forward.outer."),
]


def _write(path: Path, text: str) -> None:
    path.write_text(text, encoding="utf-8")


if __name__ == "__main__":
    main()
