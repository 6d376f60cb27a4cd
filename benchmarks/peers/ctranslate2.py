"""CTranslate2: D's weights in its format, its translator on D and L. It does not train."""

import time
from collections.abc import Callable
from functools import partial
from typing import Any

import ctranslate2
import numpy as np

from benchmarks import meter
from benchmarks.workloads import SYMBOLS, Effort, Kit

_NAME = "ctranslate2"
_TYPES = ("float32", "int8")
_TRIAL = 10  # sentences by which the faster number of threads is found


def convert(kit: Kit, _: Effort) -> None:
    """Write the weights as a CTranslate2 model, P."""
    from ctranslate2.specs import common_spec, transformer_spec  # noqa: PLC0415 - imports torch

    shape = kit.shape
    spec = transformer_spec.TransformerSpec.from_config(
        (shape.layers, shape.layers),
        shape.heads,
        pre_norm=True,
        activation=common_spec.Activation.RELU,
    )
    with np.load(kit.folder / "weights.npz") as file:
        given = {name: file[name] for name in file.files}
    for name, side in (("encoder", spec.encoder), ("decoder", spec.decoder)):
        _put_side(name, side, given)
    spec.decoder.projection.weight = given["embedding"]
    spec.decoder.projection.bias = given["bias"]
    spec.register_source_vocabulary(kit.vocabulary)
    spec.register_target_vocabulary(kit.vocabulary)
    spec.config.add_source_eos = True
    config = spec.config
    config.unk_token, config.decoder_start_token, config.eos_token = SYMBOLS[1:]
    spec.validate()
    spec.optimize(quantization=None)
    folder = kit.folder / _NAME
    folder.mkdir(exist_ok=True)
    spec.save(str(folder))


def _put_side(name: str, side: Any, given: dict[str, Any]) -> None:
    embeddings = side.embeddings[0] if name == "encoder" else side.embeddings
    embeddings.weight, embeddings.multiply_by_sqrt_depth = given["embedding"], True
    side.scale_embeddings = True
    side.position_encodings.encodings = given["positions"]
    _put_norm(side.layer_norm, f"{name}.norm", given)
    for i, layer in enumerate(side.layer):
        at = f"{name}.{i}"
        own = layer.self_attention
        _put(own.linear[0], given, *(f"{at}.self.{part}" for part in ("query", "key", "value")))
        _put(own.linear[1], given, f"{at}.self.output")
        _put_norm(own.layer_norm, f"{at}.self.norm", given)
        if name == "decoder":
            cross = layer.attention
            _put(cross.linear[0], given, f"{at}.cross.query")
            _put(cross.linear[1], given, f"{at}.cross.key", f"{at}.cross.value")
            _put(cross.linear[2], given, f"{at}.cross.output")
            _put_norm(cross.layer_norm, f"{at}.cross.norm", given)
        _put(layer.ffn.linear_0, given, f"{at}.feed_forward.inner")
        _put(layer.ffn.linear_1, given, f"{at}.feed_forward.outer")
        _put_norm(layer.ffn.layer_norm, f"{at}.feed_forward.norm", given)


def _put(linear: Any, given: dict[str, Any], *names: str) -> None:
    linear.weight = np.concatenate([given[f"{name}.weight"] for name in names])
    linear.bias = np.concatenate([given[f"{name}.bias"] for name in names])


def _put_norm(norm: Any, name: str, given: dict[str, Any]) -> None:
    norm.gamma, norm.beta = given[f"{name}.weight"], given[f"{name}.bias"]


def decode(kit: Kit, effort: Effort) -> None:
    """Decode D in both number types; batches with as many workers as threads, one thread each.

    One sentence at a time is written by one thread or shared by all, whichever is faster here.
    """
    for kind in _TYPES:

        def prepare(
            beam: int, rows: int, kind: str = kind
        ) -> Callable[[list[list[str]]], list[list[str]]]:
            if rows > 1:
                translator = _open(kit, kind, effort.threads, 1)
            else:
                both = [_open(kit, kind, 1, threads) for threads in {1, effort.threads}]
                translator = min(both, key=partial(_seconds, kit.pieces("test.source")[:_TRIAL]))

            def translate(sources: list[list[str]]) -> list[list[str]]:
                found = translator.translate_batch(
                    sources,
                    beam_size=beam,
                    max_batch_size=rows,
                    batch_type="examples",
                    max_decoding_length=128,
                    disable_unk=True,
                )
                return [one.hypotheses[0] for one in found]

            return translate

        named = (f"{_NAME} {kind}", ctranslate2.__version__, "D")
        note = "a worker a thread in batches, alone the faster of one thread and all"
        meter.decode(named, kit, effort, kit.pieces("test.source"), prepare, note)


def _seconds(sources: list[list[str]], translator: Any) -> float:
    """Say how long it takes a translator to write some sentences one after another."""
    translator.translate_batch(sources[:1])
    begun = time.perf_counter()
    for source in sources:
        translator.translate_batch([source])
    return time.perf_counter() - begun


def start(kit: Kit, effort: Effort) -> None:
    """Translate one sentence, L."""
    translator = _open(kit, "float32", 1, effort.threads)
    found = translator.translate_batch(kit.pieces("test.source")[:1], beam_size=5)
    print(" ".join(found[0].hypotheses[0]))


def _open(kit: Kit, kind: str, workers: int, threads: int) -> Any:
    return ctranslate2.Translator(
        str(kit.folder / _NAME),
        device="cpu",
        compute_type=kind,
        inter_threads=workers,
        intra_threads=threads,
    )


if __name__ == "__main__":
    meter.serve({"P": convert, "D": decode, "L": start})
