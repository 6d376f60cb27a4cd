"""For CTranslate2: a Transformer as the layers of its specification.

The folder works with the package alone: `ctranslate2.Translator(folder)`, tokens as the vocabulary
files spell them, which are those of source.json and target.json.
"""

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any, ClassVar

import numpy as np
from ctranslate2.specs import TransformerSpec, common_spec, transformer_spec
from numpy.typing import NDArray

from saccade.export.base import Exporter
from saccade.folders import model as folders
from saccade.folders.identity import read_identity
from saccade.nouns import SOURCE_NAME
from saccade.parts import find, kinds
from saccade.positions.base import Positions
from saccade.positions.sinusoidal import waves
from saccade.train import weights

PLACES = 4096  # of sinusoidal positions, which have no end; a longer line is refused
_EPSILON = 1e-5  # of torch's LayerNorm

Array = NDArray[np.float32]
Plain = Mapping[str, Any]
Get = Callable[[str], Array]
_ENCODER = "reading.encoders.source"  # before the names of its weights


class CTranslate2(Exporter):
    """Writes an encoder-decoder of two Transformers.

    Norms before or behind the layers, positions of any kind, tied or separate embeddings, one or
    two vocabularies: all have a counterpart there. Other models and attentions have none.
    """

    quantisations: ClassVar[tuple[str, ...]] = ("float32", "int8")

    def refusals(self, folder: Path) -> list[str]:
        """Refuse what is not a Transformer with plain multi-head attention."""
        identity = read_identity(folder)
        model = identity.recipe.model.plain()
        if model["kind"] != "encoder_decoder":
            return [_refusal(folder, "model.kind", model["kind"], "encoder_decoder")]
        problems = [
            problem
            for name in ("encoder", "decoder")
            for problem in _side_refusals(folder, f"model.{name}", model[name])
        ]
        source, target = identity.codecs.source.vocabulary, identity.codecs.target.vocabulary
        if source is None or target is None or len(identity.codecs.sources) > 1:
            found = " and ".join(part.kind for part in identity.recipe.data.read.values())
            return [_refusal(folder, "data", found, "one source of text, and a target of text")]
        if SOURCE_NAME not in identity.codecs.sources:
            (name,) = identity.codecs.sources
            return [_refusal(folder, "data.sources", name, "data.source")]
        words = target.whole_words
        if words and not identity.recipe.decoding.replace_unknown:
            problems.append(
                f"{folder}: data.target.tokenizer is word, whose unknown words are not written, and"
                " ctranslate2 shares their probability out among the others, which gives other"
                " text; expected pieces, or decoding.replace_unknown. Use --engine torch."
            )
        return problems

    def write(self, folder: Path, target: Path, quantise: str) -> Plain:
        """Fill the specification with weights, round them, save it."""
        translator = folders.load(folder)
        recipe = read_identity(folder).recipe.plain()
        found = weights.of(translator.model)

        def get(name: str) -> Array:
            # a copy: rounding writes into the arrays it is given
            array: Array = found[name].detach().cpu().numpy().astype(np.float32).copy()
            return array

        spec = _spec(recipe["model"], get, one="reading.embedders.source.weight" not in found)
        source, target_vocabulary = translator.source.vocabulary, translator.target.vocabulary
        assert source is not None
        assert target_vocabulary is not None
        spec.register_source_vocabulary(source.spellings)
        spec.register_target_vocabulary(target_vocabulary.spellings)
        spec.config.add_source_eos = True
        spec.config.decoder_start_token = "<s>"
        spec.config.layer_norm_epsilon = _EPSILON
        spec.validate()
        spec.optimize(quantization=None if quantise == "float32" else quantise)
        spec.save(str(target))
        return recipe


def _side_refusals(folder: Path, where: str, side: Plain) -> list[str]:
    if side["kind"] != "transformer":
        return [_refusal(folder, f"{where}.kind", side["kind"], "transformer")]
    problems = []
    if side["neighbourhood"]:
        problems.append(_refusal(folder, f"{where}.neighbourhood", side["neighbourhood"], 0))
    if side["positions"].get("across"):
        problems.append(_refusal(folder, f"{where}.positions.across", "true", "false"))
    if not find(Positions, kind := side["positions"]["kind"]).adds:
        others = ", ".join(one for one in kinds(Positions) if find(Positions, one).adds)
        problems.append(_refusal(folder, f"{where}.positions", kind, f"one of {others}"))
    attention = side["attention"]
    if attention["kind"] != "multihead":
        problems.append(_refusal(folder, f"{where}.attention", attention["kind"], "multihead"))
    elif attention["score"]["kind"] != "scaled_dot":
        found = attention["score"]["kind"]
        problems.append(_refusal(folder, f"{where}.attention.score", found, "scaled_dot"))
    elif attention["key_width"]:
        found = attention["key_width"]
        problems.append(_refusal(folder, f"{where}.attention.key_width", found, 0))
    return problems


def _refusal(folder: Path, option: str, found: object, expected: object) -> str:
    return (
        f"{folder}: {option} is {found}, which ctranslate2 has no counterpart of; expected"
        f" {expected}. Use --engine torch, or export to onnx."
    )


def _spec(model: Plain, get: Get, *, one: bool) -> Any:
    """Fill both stacks; `one` tells that a single embedding serves both sides."""
    encoder, decoder = model["encoder"], model["decoder"]
    spec = TransformerSpec(
        transformer_spec.TransformerEncoderSpec(**_shape(encoder)),
        transformer_spec.TransformerDecoderSpec(
            **_shape(decoder), alignment_layer=-1, alignment_heads=0
        ),
    )
    own = "target_embedding.weight"
    spec.encoder.embeddings[0].weight = get(own if one else "reading.embedders.source.weight")
    spec.decoder.embeddings.weight = get(own)
    spec.decoder.projection.weight = get(own if model["tie"] != "none" else "head.weight")
    spec.decoder.projection.bias = get("head.bias")
    for name, stack in (("encoder", spec.encoder), ("decoder", spec.decoder)):
        where = _ENCODER if name == "encoder" else name
        _put_positions(stack, model[name], model["embedding"], get, where)
        if model[name]["norm"] == "pre":
            _norm(stack.layer_norm, get, f"{where}.norm")
    for i, layer in enumerate(spec.encoder.layer):
        at = f"{_ENCODER}.layers.{i}"
        _reading_itself(layer.self_attention, get, f"{at}.attention", f"{at}.around_attention")
        _feed_forward(layer.ffn, get, at)
    for i, layer in enumerate(spec.decoder.layer):
        at = f"decoder.layers.{i}"
        _reading_itself(layer.self_attention, get, f"{at}.self_attention", f"{at}.around_self")
        _reading_memory(layer.attention, get, f"{at}.reading", f"{at}.around_reading")
        _feed_forward(layer.ffn, get, at)
    return spec


def _shape(side: Plain) -> dict[str, Any]:
    return {
        "num_layers": side["layers"],
        "num_heads": side["attention"]["heads"],
        "pre_norm": side["norm"] == "pre",
        "activation": common_spec.Activation.RELU,
        **_inside(side["positions"]),
    }


def _inside(positions: Plain) -> dict[str, Any]:
    """Return what positions do in self-attention; 0 rotates whole heads, in halves as ours do."""
    if positions["kind"] == "rotary":
        return {"rotary_dim": 0, "rotary_interleave": False, "rotary_base": positions["base"]}
    return {"relative_position": positions["kind"] == "relative"}


def _put_positions(stack: Any, side: Plain, dim: int, get: Get, name: str) -> None:
    """Put in what positions add to vectors, or to keys."""
    added = vars(stack).get("position_encodings")
    if added is not None:
        added.encodings = _positions(side, dim, get, name)
    if side["positions"]["kind"] == "relative":
        keys = get(f"{name}.positions.a")
        for layer in stack.layer:
            layer.self_attention.relative_position_keys = keys
            layer.self_attention.relative_position_values = np.zeros_like(keys)


def _positions(side: Plain, dim: int, get: Get, name: str) -> Array:
    kind = side["positions"]["kind"]
    if kind == "learned":
        return get(f"{name}.positions.P")
    table: Array = waves(PLACES, dim).numpy().copy()
    return table if kind == "sinusoidal" else np.zeros_like(table)


def _reading_itself(spec: Any, get: Get, name: str, around: str) -> None:
    """One matrix for query, keys and values, in this order."""
    spec.linear[0].weight = _stacked(get, name, "weight")
    spec.linear[0].bias = _stacked(get, name, "bias")
    _linear(spec.linear[1], get, f"{name}.output")
    _norm(spec.layer_norm, get, f"{around}.norm")


def _reading_memory(spec: Any, get: Get, name: str, around: str) -> None:
    for linear, own in zip(spec.linear, ("query", "keys_values", "output"), strict=True):
        _linear(linear, get, f"{name}.{own}")
    _norm(spec.layer_norm, get, f"{around}.norm")


def _stacked(get: Get, name: str, what: str) -> Array:
    return np.concatenate([get(f"{name}.query.{what}"), get(f"{name}.keys_values.{what}")])


def _feed_forward(spec: Any, get: Get, layer: str) -> None:
    _linear(spec.linear_0, get, f"{layer}.feed_forward.U")
    _linear(spec.linear_1, get, f"{layer}.feed_forward.V")
    _norm(spec.layer_norm, get, f"{layer}.around_feed_forward.norm")


def _linear(spec: Any, get: Get, name: str) -> None:
    spec.weight, spec.bias = get(f"{name}.weight"), get(f"{name}.bias")


def _norm(spec: Any, get: Get, name: str) -> None:
    spec.gamma, spec.beta = get(f"{name}.weight"), get(f"{name}.bias")
