"""Environments of the peers, one each, outside the repository.

    python -m benchmarks.environments ctranslate2 opennmt      make these
    python -m benchmarks.environments                          say which there are

They live under $SACCADE_BENCH, or ~/.cache/saccade/bench. Where a peer needs torch, the very torch
of saccade goes in first and holds the rest to it: a looser range would bring gigabytes of another.
Peers that ask for an older torch are installed without their dependencies, which are named here.
"""

import argparse
import os
import subprocess
import sys
from pathlib import Path

TORCH = "torch==2.13.0"
_BASIS = ["numpy", "setuptools<81", "wheel"]

# Of each environment, what is installed without and what with dependencies.
_ALONE = {
    "opennmt": ["OpenNMT-py==3.5.1"],
    "joeynmt": ["joeynmt==2.3.0"],
    "eole": ["eole"],
    "yoyodyne": ["yoyodyne==0.5.27"],
}
_WITH = {
    "ctranslate2": "ctranslate2==4.8.4",
    "transformers": "transformers==4.57.1",
    "opennmt": "configargparse ctranslate2==4.8.4 tensorboard flask waitress pyonmttok pyyaml"
    " sacrebleu rapidfuzz pyahocorasick fasttext-wheel spacy six sentencepiece",
    "pymarian": "pymarian",
    "ocr": "ddddocr==1.6.1 rapidocr-onnxruntime==1.4.4",
    "joeynmt": "tensorboard sacrebleu sentencepiece subword-nmt pyyaml matplotlib seaborn packaging"
    " datasets importlib_metadata pandas six",
    "eole": "configargparse ctranslate2==4.8.4 fastapi huggingface_hub datasets pandas"
    " pyahocorasick pyonmttok pyyaml rapidfuzz rich sacrebleu safetensors sentencepiece six spacy"
    " subword-nmt tensorboard tokenizers torch-optimi uvicorn waitress pydantic aiohttp",
    "yoyodyne": "pyyaml jsonargparse[signatures] lightning maxwell omegaconf rich torchmetrics"
    " wandb",
    "pocketsphinx": "pocketsphinx==5.1.1",
}
_WITHOUT_TORCH = {"ctranslate2", "ocr", "pocketsphinx", "pymarian"}
NAMES = tuple(_WITH)
_READY = "ready"  # an empty file, written last


def cache() -> Path:
    """Return where environments and kits are kept."""
    chosen = os.environ.get("SACCADE_BENCH")
    return Path(chosen) if chosen else Path.home() / ".cache" / "saccade" / "bench"


def python(name: str) -> Path:
    """Return the interpreter of an environment; the empty name is this one."""
    return cache() / "environments" / name / "bin" / "python" if name else Path(sys.executable)


def ready(name: str) -> bool:
    """Say whether an environment was made to its end; the empty name is this one."""
    return not name or (cache() / "environments" / name / _READY).exists()


def make(name: str) -> None:
    """Make an environment anew."""
    folder = cache() / "environments" / name
    subprocess.run([sys.executable, "-m", "venv", "--clear", str(folder)], check=True)
    torch = [] if name in _WITHOUT_TORCH else [TORCH]
    _install(name, *torch, *_BASIS)
    if name in _ALONE:
        _install(name, "--no-deps", *_ALONE[name])
    held = cache() / "environments" / "constraints.txt"
    held.write_text(f"{TORCH}\n", encoding="utf-8")
    _install(name, "-c", str(held), *_WITH[name].split())
    (folder / _READY).touch()


def _install(name: str, *packages: str) -> None:
    subprocess.run([str(python(name)), "-m", "pip", "install", "--quiet", *packages], check=True)


def main() -> None:
    """Make what is asked for, or say what there is."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawTextHelpFormatter
    )
    parser.add_argument("names", nargs="*", choices=[*NAMES, []], metavar="PEER")
    names = parser.parse_args().names
    for name in names:
        make(name)
    for name in names or NAMES:
        print(f"{name}: {python(name) if ready(name) else 'not installed'}")


if __name__ == "__main__":
    main()
