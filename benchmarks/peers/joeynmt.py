"""JoeyNMT: its own trainer on T and R. It does not form batches by length."""

from pathlib import Path
from typing import Any

import joeynmt
import torch
from joeynmt import training

from benchmarks import meter
from benchmarks.peers._trainer import end_after
from benchmarks.workloads import SYMBOLS, Effort, Kit

_NAMED = ("joeynmt", str(getattr(joeynmt, "__version__", "2.3.0")))


def transformer(kit: Kit, effort: Effort) -> None:
    """Train T."""
    shape = kit.shape
    side = {
        "type": "transformer",
        "num_layers": shape.layers,
        "num_heads": shape.heads,
        "hidden_size": shape.width,
        "ff_size": shape.hidden,
        "dropout": shape.dropout,
        "layer_norm": "pre",
        "embeddings": {"embedding_dim": shape.width, "scale": True, "dropout": shape.dropout},
    }
    model = {"tied_embeddings": True, "tied_softmax": True, "encoder": side, "decoder": dict(side)}
    batch = {"batch_type": "token", "batch_size": effort.tokens}
    _measure("T", kit, effort, model, {**batch, "label_smoothing": shape.smoothing})


def rnn(kit: Kit, effort: Effort) -> None:
    """Train R."""
    shape = kit.shape
    both = {
        "type": "recurrent",
        "rnn_type": "lstm",
        "num_layers": 1,
        "dropout": shape.dropout,
        "freeze": False,
        "embeddings": {"embedding_dim": shape.width, "scale": False, "dropout": 0.0},
    }
    decoder = {
        "hidden_size": shape.cells,
        "hidden_dropout": shape.dropout,
        "input_feeding": True,
        "init_hidden": "bridge",
        "attention": "luong",
    }
    model = {
        "tied_embeddings": True,
        "tied_softmax": False,
        "bias_initializer": "zeros",
        "encoder": {**both, "hidden_size": shape.cells // 2, "bidirectional": True},
        "decoder": {**both, **decoder},
    }
    batch = {"batch_type": "sentence", "batch_size": effort.rows, "label_smoothing": 0.0}
    _measure("R", kit, effort, model, batch)


def _measure(
    work: str, kit: Kit, effort: Effort, model: dict[str, Any], batch: dict[str, Any]
) -> None:
    torch.set_num_threads(effort.threads)
    steps = meter.Steps(*_NAMED, work, kit, effort)
    inner = training.TrainManager._train_step

    def counted(self: Any, batch: Any) -> Any:
        steps.count(int(batch.src_mask.sum()), int(batch.ntokens))
        return inner(self, batch)

    training.TrainManager._train_step = counted
    end_after(steps, "own trainer; batches are not formed by length")
    folder = kit.folder / _NAMED[0] / work
    folder.mkdir(parents=True, exist_ok=True)
    settings = {
        "name": work,
        "joeynmt_version": "2.3.0",
        "model_dir": str(folder),
        "use_cuda": False,
        "fp16": False,
        "random_seed": 1,
        "data": _data(kit, folder),
        "testing": {"n_best": 1, "beam_size": 5, "beam_alpha": 1.0, "eval_metrics": []},
        "training": {**_TRAINING, **batch},
        "model": model,
    }
    training.train(0, 1, settings, skip_test=True)


def _data(kit: Kit, folder: Path) -> dict[str, Any]:
    """Name the corpus as it wants to: one path, and an ending for each side."""
    vocabulary = folder / "vocabulary.txt"
    pieces = [piece for piece in kit.vocabulary if piece not in SYMBOLS]
    pad, unknown, start, end = SYMBOLS
    symbols = [unknown, pad, start, end]
    vocabulary.write_text("\n".join([*symbols, *pieces]) + "\n", encoding="utf-8")
    for side in ("source", "target"):
        text = kit.corpus(side).read_text(encoding="utf-8")
        (folder / f"train.{side}").write_text(text, encoding="utf-8")
    shared = {
        "max_length": 200,
        "level": "word",
        "voc_file": str(vocabulary),
        "lowercase": False,
        "normalize": False,
        "tokenizer_cfg": {"pretokenizer": "none"},
    }
    names = ("unk", "pad", "bos", "eos")
    special = {f"{name}_token": symbol for name, symbol in zip(names, symbols, strict=True)}
    return {
        "train": str(folder / "train"),
        "dev": str(folder / "train"),
        "dataset_type": "plain",
        "src": {"lang": "source", **shared},
        "trg": {"lang": "target", **shared},
        "special_symbols": special | {f"{name}_id": i for i, name in enumerate(names)},
    }


_TRAINING = {
    "optimizer": "adam",
    "learning_rate": 0.001,
    "adam_betas": [0.9, 0.98],
    "epochs": 1000,
    "updates": 1000000,
    "shuffle": True,
    "loss": "crossentropy",
    "normalization": "tokens",
    "scheduling": "warmupinversesquareroot",  # its plateau passes what torch no longer takes
    "learning_rate_warmup": 100,
    "learning_rate_min": 1e-9,
    "early_stopping_metric": "loss",
    "validation_freq": 1000000,
    "logging_freq": 1000000,
    "keep_best_ckpts": 0,
    "overwrite": True,
}


if __name__ == "__main__":
    meter.serve({"T": transformer, "R": rnn})
