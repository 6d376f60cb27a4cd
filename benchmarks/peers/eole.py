"""eole: its own trainer on T and R."""

import importlib.metadata
import sys
from typing import Any

import torch
import yaml
from eole import trainer
from eole.bin.main import main as eole_main

from benchmarks import meter
from benchmarks.peers._trainer import end_after
from benchmarks.workloads import SYMBOLS, Effort, Kit

_NAMED = ("eole", importlib.metadata.version("eole"))
_PAD = 1  # its own numbering


def transformer(kit: Kit, effort: Effort) -> None:
    """Train T."""
    shape = kit.shape
    model = {
        "architecture": "transformer",
        "hidden_size": shape.width,
        "layers": shape.layers,
        "heads": shape.heads,
        "transformer_ff": shape.hidden,
        "share_decoder_embeddings": True,
        "share_embeddings": True,
        "add_qkvbias": True,
        "add_ffnbias": True,
        "embeddings": {
            "word_vec_size": shape.width,
            "position_encoding_type": "SinusoidalInterleaved",
        },
    }
    batch = {"batch_type": "tokens", "batch_size": effort.tokens}
    _measure("T", kit, effort, model, {**batch, "label_smoothing": shape.smoothing})


def rnn(kit: Kit, effort: Effort) -> None:
    """Train R."""
    cells = {"rnn_type": "LSTM", "layers": 1, "hidden_size": kit.shape.cells}
    model = {
        "architecture": "rnn",
        "hidden_size": kit.shape.cells,
        "share_embeddings": True,
        "embeddings": {"word_vec_size": kit.shape.width},
        "encoder": {"encoder_type": "brnn", **cells},
        "decoder": {"decoder_type": "rnn", "global_attention": "general", **cells},
    }
    _measure("R", kit, effort, model, {"batch_type": "sents", "batch_size": effort.rows})


def _measure(
    work: str, kit: Kit, effort: Effort, model: dict[str, Any], batch: dict[str, Any]
) -> None:
    torch.set_num_threads(effort.threads)
    steps = meter.Steps(*_NAMED, work, kit, effort)
    owner = next(
        one
        for one in vars(trainer).values()
        if isinstance(one, type) and "process_batch" in vars(one)
    )
    inner = owner.process_batch  # type: ignore[attr-defined]

    def counted(self: Any, batch: Any, *rest: Any, **named: Any) -> Any:
        kept = int((batch["tgt"][:, 1:] != _PAD).sum())
        steps.count(int(batch["srclen"].sum()), kept)
        return inner(self, batch, *rest, **named)

    owner.process_batch = counted  # type: ignore[attr-defined]
    end_after(steps, "own trainer and batches, 2 loader workers")
    folder = kit.folder / _NAMED[0]
    folder.mkdir(exist_ok=True)
    vocabulary = folder / "vocabulary.tsv"
    pieces = [piece for piece in kit.vocabulary if piece not in SYMBOLS]
    vocabulary.write_text("".join(f"{piece}\t1\n" for piece in pieces), encoding="utf-8")
    corpus = {"path_src": str(kit.corpus("source")), "path_tgt": str(kit.corpus("target"))}
    settings = {
        "overwrite": True,
        "seed": 1,
        "report_every": 1000000,
        "src_vocab": str(vocabulary),
        "tgt_vocab": str(vocabulary),
        "src_vocab_size": kit.shape.vocabulary,
        "tgt_vocab_size": kit.shape.vocabulary,
        "vocab_size_multiple": 1,
        "share_vocab": True,
        "save_data": str(folder / "data"),
        "n_sample": 0,
        "data": {"corpus": corpus},
        "training": {
            **_TRAINING,
            **batch,
            "dropout": [kit.shape.dropout],
            "bucket_size": len(kit.lines("train.target.ids")),  # sorts the whole corpus by length
            "model_path": str(folder / work),
        },
        "model": model,
    }
    path = folder / f"{work}.yaml"
    path.write_text(yaml.safe_dump(settings), encoding="utf-8")
    sys.argv = ["eole", "train", "-config", str(path)]
    eole_main()


_TRAINING: dict[str, Any] = {
    "train_steps": 1000000,
    "save_checkpoint_steps": 1000000,
    "valid_steps": 1000000,
    "num_workers": 2,
    "prefetch_factor": 20,
    "world_size": 1,
    "gpu_ranks": [],
    "batch_size_multiple": 1,
    "accum_count": [1],
    "accum_steps": [0],
    "dropout_steps": [0],
    "attention_dropout": [0.0],
    "compute_dtype": "fp32",
    "optim": "adam",
    "use_amp": False,
    "learning_rate": 0.001,
    "adam_beta2": 0.98,
    "max_grad_norm": 0,
    "param_init_method": "xavier_uniform",
    "param_init": 0.0,
    "normalization": "tokens",
    "save_format": "safetensors",
    "log_attention_entropy": False,
}


if __name__ == "__main__":
    meter.serve({"T": transformer, "R": rnn})
