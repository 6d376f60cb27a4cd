"""Hugging Face transformers: the M2M100 architecture, which is T's Transformer to the letter.

Pre-norm, shared embeddings, fixed positions. Its table of positions is replaced by ours, and its
output layer is given a bias. Training is a loop of our own around it, on the batches of the others,
as the library has no trainer for plain ids; `generate` decodes.
"""

from collections.abc import Callable
from itertools import cycle
from typing import Any

import numpy as np
import torch
import transformers
from torch import Tensor, nn
from torch.nn.functional import cross_entropy
from transformers import M2M100Config, M2M100ForConditionalGeneration

from benchmarks import meter
from benchmarks.reference.transformer import padded
from benchmarks.workloads import END, PAD, START, UNK, Effort, Kit

_NAMED = ("transformers", transformers.__version__)


def train(kit: Kit, effort: Effort) -> None:
    """Train T."""
    torch.set_num_threads(effort.threads)
    torch.manual_seed(1)
    model = _build(kit).train()
    optimiser = torch.optim.AdamW(model.parameters(), lr=1e-3, betas=(0.9, 0.98))
    sources, targets = kit.ids("train.source"), kit.ids("train.target")
    steps = meter.Steps(*_NAMED, "T", kit, effort)
    batches = cycle(kit.batches("T"))
    while not steps.done:
        chosen = next(batches)
        source = padded([[*sources[i], END] for i in chosen])
        prefix = padded([[START, *targets[i]] for i in chosen])
        gold = padded([[*targets[i], END] for i in chosen])
        found = model(
            input_ids=source,
            attention_mask=(source != PAD).long(),
            decoder_input_ids=prefix,
            use_cache=False,
        )
        loss = cross_entropy(
            found.logits.flatten(0, 1),
            gold.flatten(),
            ignore_index=PAD,
            label_smoothing=kit.shape.smoothing,
        )
        loss.backward()  # type: ignore[no-untyped-call]
        optimiser.step()
        optimiser.zero_grad()
        steps.count(int((source != PAD).sum()), int((gold != PAD).sum()))
        steps.tick()
    steps.tell("M2M100, own loop around it, no attention dropout, same batches as saccade")


def decode(kit: Kit, effort: Effort) -> None:
    """Decode D with `generate`."""
    torch.set_num_threads(effort.threads)
    model = _load(kit)

    def prepare(beam: int, rows: int) -> Callable[[list[list[int]]], list[list[str]]]:
        return lambda sources: _translate(model, kit, sources, beam, rows)

    meter.decode((*_NAMED, "D"), kit, effort, kit.ids("test.source"), prepare, "generate()")


def start(kit: Kit, effort: Effort) -> None:
    """Translate one sentence, L."""
    torch.set_num_threads(effort.threads)
    print(" ".join(_translate(_load(kit), kit, kit.ids("test.source")[:1], 5, 1)[0]))


@torch.inference_mode()
def _translate(
    model: Any, kit: Kit, sources: list[list[int]], beam: int, rows: int
) -> list[list[str]]:
    order = sorted(range(len(sources)), key=lambda i: -len(sources[i]))
    found: dict[int, list[str]] = {}
    for begin in range(0, len(order), rows):
        chosen = order[begin : begin + rows]
        source = padded([[*sources[i], END] for i in chosen])
        outputs = model.generate(
            input_ids=source,
            attention_mask=(source != PAD).long(),
            num_beams=beam,
            do_sample=False,
            max_new_tokens=int(1.5 * source.shape[1]) + 10,
            length_penalty=1.0,
            early_stopping=False,
            suppress_tokens=[PAD, UNK, START] if beam > 1 else [UNK, START],
        ).tolist()
        for i, output in zip(chosen, outputs, strict=True):
            found[i] = kit.spell([t for t in output if t not in (PAD, START, END)])
    return [found[i] for i in range(len(sources))]


def _build(kit: Kit) -> Any:
    shape = kit.shape
    config = M2M100Config(
        vocab_size=shape.vocabulary,
        d_model=shape.width,
        encoder_layers=shape.layers,
        decoder_layers=shape.layers,
        encoder_attention_heads=shape.heads,
        decoder_attention_heads=shape.heads,
        encoder_ffn_dim=shape.hidden,
        decoder_ffn_dim=shape.hidden,
        encoder_layerdrop=0.0,
        decoder_layerdrop=0.0,
        dropout=shape.dropout,
        attention_dropout=0.0,
        activation_dropout=0.0,
        activation_function="relu",
        max_position_embeddings=510,
        scale_embedding=True,
        pad_token_id=PAD,
        bos_token_id=START,
        eos_token_id=END,
        decoder_start_token_id=START,
    )
    return M2M100ForConditionalGeneration(config)


def _load(kit: Kit) -> Any:
    """Open D's weights."""
    model = _build(kit)
    with np.load(kit.folder / "weights.npz") as file:
        given = {name: torch.from_numpy(file[name]) for name in file.files}
    model.load_state_dict(_renamed(given, kit.shape.layers), strict=False)
    model.tie_weights()
    output = nn.Linear(kit.shape.width, kit.shape.vocabulary)
    output.weight, output.bias = model.lm_head.weight, nn.Parameter(given["bias"])
    model.lm_head = output
    for side in (model.model.encoder, model.model.decoder):  # it counts from the pad id on
        table = side.embed_positions.weights
        table[PAD + 1 :] = given["positions"][: len(table) - PAD - 1]
    return model.eval()


def _renamed(given: dict[str, Tensor], layers: int) -> dict[str, Tensor]:
    found = {"model.shared.weight": given["embedding"]}
    for side in ("encoder", "decoder"):
        for kind in ("weight", "bias"):
            found[f"model.{side}.layer_norm.{kind}"] = given[f"{side}.norm.{kind}"]
            for i in range(layers):
                for old, new in _NAMES.items():
                    if f"{side}.{i}.{old}.{kind}" in given:
                        tensor = given[f"{side}.{i}.{old}.{kind}"]
                        found[f"model.{side}.layers.{i}.{new}.{kind}"] = tensor
    return found


_NAMES = {
    **{
        f"{old}.{part}": f"{new}.{name}"
        for old, new in (("self", "self_attn"), ("cross", "encoder_attn"))
        for part, name in (
            ("query", "q_proj"),
            ("key", "k_proj"),
            ("value", "v_proj"),
            ("output", "out_proj"),
        )
    },
    "self.norm": "self_attn_layer_norm",
    "cross.norm": "encoder_attn_layer_norm",
    "feed_forward.norm": "final_layer_norm",
    "feed_forward.inner": "fc1",
    "feed_forward.outer": "fc2",
}


if __name__ == "__main__":
    meter.serve({"T": train, "D": decode, "L": start})
