"""yoyodyne on pronunciations: one of its models, with the options of its own test suite.

python -m benchmarks.peers.yoyodyne MODEL FOLDER SEED

FOLDER holds train.tsv, dev.tsv and test.tsv: a word, a tab, phones with spaces between. Batches of
100 words, Adam at 0.01, at most 50 epochs, patience of 10 on the validation loss. The checkpoint
with the best accuracy on dev.tsv is tested. Prints a JSON object.
"""

import json
import sys
import time
import warnings
from collections.abc import Callable, Iterable
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import lightning
import torch
from lightning.pytorch.callbacks import EarlyStopping, ModelCheckpoint
from yoyodyne import data, models, schedulers
from yoyodyne.models import modules

_EPOCHS, _PATIENCE, _BATCH, _RATE, _CLIP = 50, 10, 100, 0.01, 3
_SHARED = {
    "embedding_size": 64,
    "decoder_hidden_size": 256,
    "decoder_dropout": 0.2,
    "label_smoothing": 0.1,
    "max_target_length": 64,
}


def _lstm() -> Any:
    return modules.LSTMEncoder(dropout=0.2, embedding_size=64, hidden_size=256)


def _rotary() -> Any:
    return modules.RotaryTransformerEncoder(
        dropout=0.2, embedding_size=64, hidden_size=256, layers=4
    )


MODELS: dict[str, Callable[[dict[str, Any]], Any]] = {
    "rotary_transformer": lambda more: models.RotaryTransformerModel(
        source_encoder=_rotary(),
        decoder_layers=4,
        scheduler=lambda optimizer: schedulers.WarmupInverseSquareRoot(optimizer, 10),
        **more,
    ),
    "pointer_generator_lstm": lambda more: models.PointerGeneratorLSTMModel(
        source_encoder=_lstm(), **more
    ),
    "soft_attention_lstm": lambda more: models.SoftAttentionLSTMModel(
        source_encoder=_lstm(), **more
    ),
}


def _adam(parameters: Iterable[torch.nn.Parameter]) -> torch.optim.Optimizer:
    return torch.optim.Adam(parameters, lr=_RATE)


def run(name: str, folder: Path, seed: int) -> dict[str, Any]:
    """Train and test a model; return the words wrong in percent, and the seconds."""
    begun = time.perf_counter()
    lightning.seed_everything(seed, verbose=False)
    with TemporaryDirectory() as place:
        files = {"train": "train", "val": "dev", "test": "test"}
        corpus = data.DataModule(
            model_dir=place,
            **{part: str(folder / f"{file}.tsv") for part, file in files.items()},
            target_sep=" ",
            batch_size=_BATCH,
            max_source_length=64,
            max_target_length=64,
        )
        sizes = {
            "vocab_size": corpus.vocab_size,
            "target_vocab_size": corpus.target_vocab_size,
        }
        model = MODELS[name]({**_SHARED, **sizes, "optimizer": _adam})
        best = ModelCheckpoint(dirpath=place, monitor="val_accuracy", mode="max")
        trainer = lightning.Trainer(
            accelerator="cpu",
            max_epochs=_EPOCHS,
            gradient_clip_val=_CLIP,
            callbacks=[best, EarlyStopping("val_loss", patience=_PATIENCE)],
            logger=False,
            enable_progress_bar=False,
            enable_model_summary=False,
        )
        trainer.fit(model, corpus)
        epochs = trainer.current_epoch
        # yoyodyne's own checkpoint, written a moment ago, read by its own loader
        found = trainer.test(
            model, corpus, ckpt_path=best.best_model_path, verbose=False, weights_only=False
        )
    wrong = 100 * (1 - float(found[0]["test_accuracy"]))
    return {"wrong": wrong, "epochs": epochs, "seconds": time.perf_counter() - begun}


if __name__ == "__main__":
    warnings.filterwarnings("ignore")
    print(json.dumps(run(sys.argv[1], Path(sys.argv[2]), int(sys.argv[3]))))
