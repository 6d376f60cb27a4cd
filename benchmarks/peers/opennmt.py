"""OpenNMT-py: its own trainer on T and R, its own engine on D and L.

Its token batches count the longer padded side, and its attention has dropout 0.1 by its own
default, which T's other engines do not have; it is set to 0 here. It adds no END to a source, so
the kit's weights are given theirs as a piece.
"""

import os
import sys
from collections.abc import Callable
from typing import Any

import numpy as np
import torch
import yaml

os.environ["TORCH_FORCE_NO_WEIGHTS_ONLY_LOAD"] = "1"  # its checkpoints hold Python objects

import onmt
from onmt.bin.train import main as train_main
from onmt.bin.translate import _get_parser
from onmt.inference_engine import InferenceEnginePY
from onmt.trainer import Trainer
from onmt.utils.parse import ArgumentParser

from benchmarks import meter
from benchmarks.peers._trainer import end_after
from benchmarks.workloads import PAD, SYMBOLS, WRITTEN, Effort, Kit

_NAMED = ("opennmt", onmt.__version__)
_END = SYMBOLS[3]


def transformer(kit: Kit, effort: Effort) -> None:
    """Train T."""
    _measure("T", kit, effort)


def rnn(kit: Kit, effort: Effort) -> None:
    """Train R."""
    _measure("R", kit, effort)


def _measure(work: str, kit: Kit, effort: Effort) -> None:
    torch.set_num_threads(effort.threads)
    steps = meter.Steps(*_NAMED, work, kit, effort)
    inner = Trainer._gradient_accumulation

    def counted(self: Any, batches: Any, *rest: Any) -> Any:
        for batch in batches:
            target = batch["tgt"][:, 1:, 0]
            kept = int((target != self.train_loss.padding_idx).sum())
            steps.count(int(batch["srclen"].sum()), kept)
        return inner(self, batches, *rest)

    Trainer._gradient_accumulation = counted
    end_after(steps, "own trainer and batches, 2 loader workers")
    _train(work, kit, effort, updates=10**6)


def _train(work: str, kit: Kit, effort: Effort, updates: int) -> None:
    folder = kit.folder / _NAMED[0]
    folder.mkdir(exist_ok=True)
    vocabulary = folder / "vocabulary.tsv"
    pieces = [piece for piece in kit.vocabulary if piece not in SYMBOLS]
    vocabulary.write_text("".join(f"{piece}\t1\n" for piece in pieces), encoding="utf-8")
    corpus = {
        "path_src": str(kit.corpus("source")),
        "path_tgt": str(kit.corpus("target")),
        "transforms": [],
    }
    settings = {
        "data": {"corpus": corpus},
        "save_model": str(folder / work),
        "src_vocab": str(vocabulary),
        "tgt_vocab": str(vocabulary),
        "src_vocab_size": kit.shape.vocabulary,
        "tgt_vocab_size": kit.shape.vocabulary,
        "bucket_size": len(kit.lines("train.target.ids")),  # sorts the whole corpus by length
        "train_steps": updates,
        "save_checkpoint_steps": updates,
        **_COMMON,
        **(_transformer(kit, effort) if work == "T" else _rnn(kit, effort)),
    }
    path = folder / f"{work}.yaml"
    path.write_text(yaml.safe_dump(settings), encoding="utf-8")
    sys.argv = ["onmt_train", "-config", str(path)]
    train_main()


_COMMON = {
    "share_vocab": True,
    "vocab_size_multiple": 1,
    "world_size": 1,
    "seed": 1,
    "optim": "adam",
    "learning_rate": 0.001,
    "max_grad_norm": 0,
    "normalization": "tokens",
    "accum_count": [1],
    "num_workers": 2,
    "report_every": 1000000,
    "valid_steps": 1000000,
    "share_embeddings": True,
}


def _transformer(kit: Kit, effort: Effort) -> dict[str, Any]:
    shape = kit.shape
    return {
        "encoder_type": "transformer",
        "decoder_type": "transformer",
        "layers": shape.layers,
        "hidden_size": shape.width,
        "word_vec_size": shape.width,
        "heads": shape.heads,
        "transformer_ff": shape.hidden,
        "dropout": [shape.dropout],
        "attention_dropout": [0.0],
        "label_smoothing": shape.smoothing,
        "position_encoding": True,
        "add_qkvbias": True,
        "add_ffnbias": True,
        "share_decoder_embeddings": True,
        "param_init": 0,
        "param_init_glorot": True,
        "adam_beta2": 0.98,
        "batch_type": "tokens",
        "batch_size": effort.tokens,
    }


def _rnn(kit: Kit, effort: Effort) -> dict[str, Any]:
    return {
        "encoder_type": "brnn",
        "decoder_type": "rnn",
        "rnn_type": "LSTM",
        "enc_layers": 1,
        "dec_layers": 1,
        "hidden_size": kit.shape.cells,
        "word_vec_size": kit.shape.width,
        "global_attention": "general",
        "input_feed": 1,
        "dropout": [kit.shape.dropout],
        "batch_type": "sents",
        "batch_size": effort.rows,
    }


def convert(kit: Kit, effort: Effort) -> None:
    """Let it train one step and put D's weights into the checkpoint; one step of R for S, P."""
    torch.set_num_threads(effort.threads)
    _train("R", kit, effort, updates=1)
    _train("T", kit, effort, updates=1)
    folder = kit.folder / _NAMED[0]
    saved = torch.load(folder / "T_step_1.pt", weights_only=False)
    with np.load(kit.folder / "weights.npz") as file:
        given = {name: torch.from_numpy(file[name]) for name in file.files}
    numbers = {piece: i for i, piece in enumerate(kit.vocabulary)} | {"<blank>": PAD}
    order = torch.tensor([numbers[piece] for piece in saved["vocab"]["src"]])
    embedding = given["embedding"][order]
    saved["generator"] = {"weight": embedding, "bias": given["bias"][order]}
    model = saved["model"]
    for name in model:
        if name.endswith("emb_luts.0.weight"):
            model[name] = embedding
        elif not name.endswith(".pe"):  # its positions are ours
            model[name] = given[_neutral(name)].view(model[name].shape)
    torch.save(saved, folder / "model.pt")


def _neutral(name: str) -> str:
    """Say under which neutral name the kit has one of its weights."""
    for old, new in _NAMES:
        name = name.replace(old, new)
    own = ".self.norm." if name.count(".") == 3 else ".norm."  # of a layer, or of a whole side
    return name.replace(".layer_norm.", own)


_NAMES = [
    (".transformer_layers.", "."),
    (".transformer.", "."),
    (".self_attn.", ".self."),
    (".context_attn.", ".cross."),
    (".linear_query.", ".query."),
    (".linear_keys.", ".key."),
    (".linear_values.", ".value."),
    (".final_linear.", ".output."),
    (".feed_forward.layer_norm.", ".feed_forward.norm."),
    (".feed_forward.w_1.", ".feed_forward.inner."),
    (".feed_forward.w_2.", ".feed_forward.outer."),
    (".layer_norm_1.", ".self.norm."),
    (".layer_norm_2.", ".cross.norm."),
]


def decode(kit: Kit, effort: Effort) -> None:
    """Decode D with its inference engine."""
    _decode("D", kit, effort, "model.pt", {"max_length": 60})


def untrained(kit: Kit, effort: Effort) -> None:
    """Decode S: every output is as long as it must be, and takes a step for END like others'."""
    lengths = {"min_length": WRITTEN, "max_length": WRITTEN + 1}
    _decode("S", kit, effort, "R_step_1.pt", lengths)


def _decode(work: str, kit: Kit, effort: Effort, model: str, lengths: dict[str, int]) -> None:
    torch.set_num_threads(effort.threads)

    def prepare(beam: int, rows: int) -> Callable[[list[list[str]]], list[list[str]]]:
        engine = _engine(kit, beam, rows, model, lengths)
        least = lengths.get("min_length")  # what stands in the place of END does not count
        return lambda sources: [output[:least] for output in _translate(engine, sources)]

    note = "InferenceEnginePY.infer_list"
    meter.decode((*_NAMED, work), kit, effort, kit.pieces("test.source"), prepare, note)


def start(kit: Kit, effort: Effort) -> None:
    """Translate one sentence, L."""
    torch.set_num_threads(effort.threads)
    engine = _engine(kit, 5, 1, "model.pt", {"max_length": 60})
    print(" ".join(_translate(engine, kit.pieces("test.source")[:1])[0]))


def _translate(engine: Any, sources: list[list[str]]) -> list[list[str]]:
    _, found = engine.infer_list([" ".join([*source, _END]) for source in sources])
    return [nbest[0].split() for nbest in found]


def _engine(kit: Kit, beam: int, rows: int, model: str, lengths: dict[str, int]) -> Any:
    folder = kit.folder / _NAMED[0]
    given = {
        "model": folder / model,
        "src": "none",
        "output": folder / "output.txt",
        "beam_size": beam,
        "batch_size": rows,
        "batch_type": "sents",
        "gpu": -1,
        **lengths,
    }
    words = [word for name, value in given.items() for word in (f"-{name}", str(value))]
    options = _get_parser().parse_args(words)
    ArgumentParser.validate_translate_opts(options)
    ArgumentParser._get_all_transform_translate(options)
    ArgumentParser._validate_transforms_opts(options)
    ArgumentParser.validate_translate_opts_dynamic(options)
    return InferenceEnginePY(options)


if __name__ == "__main__":
    meter.serve({"P": convert, "T": transformer, "R": rnn, "D": decode, "S": untrained, "L": start})
