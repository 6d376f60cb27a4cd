"""Folders that somebody made to harm: our own error in about a second, and little memory.

Each is opened in one process of its own with limited memory, which tells what became of it.
"""

import json
import os
import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import torch

from saccade.train import weights
from tests.train import small

ALIASES = "a0: &a0 [x, x, x, x, x, x, x, x, x]\n" + "".join(
    f"a{i}: &a{i} [{', '.join([f'*a{i - 1}'] * 9)}]\n" for i in range(1, 12)
)
OPENER = """
import json, resource, sys, time
from pathlib import Path
from saccade.errors import SaccadeError
from saccade.folders import model as folders
from saccade.folders.examples import read_examples
from saccade.folders.rivals import read_rivals
from saccade.look.report import read_curves

def use(folder):
    folders.load(folder).translate("12").text
    read_examples(folder), read_rivals(folder), read_curves(folder)

root = Path(sys.argv[1])
use(root / "whole")  # warm
most = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
size = int(Path("/proc/self/statm").read_text().split()[0]) * resource.getpagesize()
resource.setrlimit(resource.RLIMIT_AS, (size + (600 << 20),) * 2)
found = {}
for folder in sorted(root.iterdir()):
    begun = time.process_time()
    try:
        use(folder)
        said = "opened"
    except SaccadeError as error:
        said = str(error)
    except BaseException as error:
        said = f"{type(error).__name__} {error}"
    now = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    found[folder.name] = [said, time.process_time() - begun, (now - most) >> 10]
    most = max(most, now)
print(json.dumps(found))
"""
Change = Callable[[Path], object]


def yaml_with(old: str, new: str) -> Change:
    def change(folder: Path) -> None:
        path = folder / "recipe.yaml"
        text = path.read_text(encoding="utf-8")
        assert old in text
        path.write_text(text.replace(old, new), encoding="utf-8")

    return change


def text_in(name: str, text: str) -> Change:
    return lambda folder: (folder / name).write_text(text, encoding="utf-8")


def vast(name: str, millions: int) -> Change:
    return lambda folder: (folder / name).write_bytes(b"[" + b"[]," * (millions * 10**6) + b"0]")


def pipe(name: str) -> Change:
    def change(folder: Path) -> None:
        (folder / name).unlink(missing_ok=True)
        os.mkfifo(folder / name)

    return change


def device(name: str) -> Change:
    def change(folder: Path) -> None:
        (folder / name).unlink(missing_ok=True)
        (folder / name).symlink_to("/dev/zero")

    return change


def tensors(make: Callable[[dict[str, torch.Tensor]], object]) -> Change:
    def change(folder: Path) -> None:
        found = {name: one.clone() for name, one in weights.load(folder / W).items()}
        make(found)
        weights.save(folder / W, found)

    return change


def each(make: Callable[[torch.Tensor], torch.Tensor]) -> Change:
    return tensors(lambda found: found.update({k: make(v) for k, v in found.items()}))


def poisoned(number: float) -> Change:
    return tensors(lambda found: next(iter(found.values())).view(-1)[:3].fill_(number))


def header(entry: dict[str, Any]) -> Change:
    def change(folder: Path) -> None:
        raw = json.dumps({"x": entry}).encode()
        (folder / W).write_bytes(len(raw).to_bytes(8, "little") + raw + bytes(64))

    return change


W = "model.safetensors"
SMALL = ("saccade.json", "recipe.yaml", "source.json", "target.json", "profile.json")
MORE = ("examples.json", "rivals.json", "metrics.jsonl", W, "lexicon.tsv")
HOSTILE: dict[str, tuple[Change, str]] = {
    **{f"pipe {name}": (pipe(name), "not a file") for name in (*SMALL, *MORE)},
    **{f"device {name}": (device(name), "not a file") for name in (*SMALL, *MORE)},
    "aliases": (text_in("recipe.yaml", ALIASES), "says more than 600,000 values"),
    "merges": (text_in("recipe.yaml", ALIASES.replace("[x", "[{x: 1}")), "says more than"),
    "deep yaml": (text_in("recipe.yaml", "[" * 100_000), "nested more than 40 levels deep"),
    "long number": (text_in("recipe.yaml", "seed: " + "9" * 5000), "a number of 5,000 characters"),
    "sixtieths": (text_in("recipe.yaml", "seed: 1" + ":1" * 99_999), "a number of 199,999"),
    "no date": (text_in("recipe.yaml", "name: 2001-99-99"), "not valid YAML: month must be"),
    "nonsense": (
        text_in("recipe.yaml", "".join(f"key{n}: 1\n" for n in range(50_000))),
        "recipe has no option 'key0'",
    ),
    "long key": (text_in("recipe.yaml", f"? {'k' * 10**6}\n: 1\n"), "recipe has no option 'kkkk"),
    "layers": (
        yaml_with("layers: 1\n", "layers: 1000000\n"),
        "but the recipe's model takes",
    ),
    "widths": (yaml_with("hidden: 16", "hidden: 10000000"), "but the recipe's model takes"),
    "wide": (yaml_with("hidden: 16", "hidden: 9000"), "but the recipe's model takes"),
    "wider": (yaml_with("embedding: 16", "embedding: 4611686018427387904"), "recipe's model takes"),
    "widest": (yaml_with("embedding: 16", f"embedding: {10**30}"), "recipe's model takes"),
    "below zero": (yaml_with("hidden: 16", "hidden: -3"), "the recipe's model takes"),
    "nan": (poisoned(float("nan")), "holds 3 numbers that are not finite; expected none"),
    "inf": (poisoned(float("-inf")), "holds 3 numbers that are not finite; expected none"),
    "half": (each(lambda t: t.half()), "is of type float16; expected float32"),
    "brain": (each(lambda t: t.bfloat16()), "is of type bfloat16; expected float32"),
    "whole numbers": (each(lambda t: t.long()), "is of type int64; expected float32"),
    "no weights": (tensors(lambda found: found.clear()), "the weights are another model's"),
    "vast tensor": (
        header({"dtype": "F32", "shape": [1 << 40], "data_offsets": [0, 64]}),
        "does not lie where its size says",
    ),
    "odd type": (
        header({"dtype": "F8_E4M3", "shape": [64], "data_offsets": [0, 64]}),
        "is no tensor of a known type",
    ),
    "long header": (
        lambda folder: (folder / W).write_bytes((1 << 40).to_bytes(8, "little") + bytes(64)),
        "ends within its header",
    ),
    **{
        f"deep {name}": (text_in(name, "[" * 500_000), "nested too deeply|over|damaged")
        for name in (*SMALL[2:], *MORE[:2])
    },
    **{
        f"huge {name}": (vast(name, millions), "over")
        for name, millions in (("saccade.json", 1), ("source.json", 9), (MORE[0], 1), (MORE[1], 2))
    },
    "deep facts": (text_in("saccade.json", "[" * 500_000), "nested too deeply"),
}
STAYS_OPEN = {"pipe metrics.jsonl", "device metrics.jsonl"}


@pytest.fixture(scope="module")
def opened(tmp_path_factory: pytest.TempPathFactory) -> dict[str, tuple[str, float, int]]:
    root = tmp_path_factory.mktemp("hostile")
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("SACCADE_HOME", str(root.parent / "home"))
        small.run(root / "whole", max_steps=2)
    shutil.rmtree(root / "whole" / "checkpoints")
    small.unseal(root / "whole")  # whoever makes a folder to harm makes its seals too
    for name, (change, _) in HOSTILE.items():
        change(Path(shutil.copytree(root / "whole", root / name)))
    command = [sys.executable, "-c", OPENER, str(root)]
    done = subprocess.run(command, capture_output=True, text=True, timeout=240, check=False)
    assert done.returncode == 0, done.stderr[-2000:]
    return {name: tuple(row) for name, row in json.loads(done.stdout).items()}


@pytest.mark.parametrize("name", HOSTILE)
def test_it_is_refused_soon_and_for_little(
    opened: dict[str, tuple[str, float, int]], name: str
) -> None:
    said, seconds, megabytes = opened[name]
    if name not in STAYS_OPEN:
        assert pytest.raises(ValueError, match=HOSTILE[name][1]).matches(ValueError(said)), said
    assert seconds < 2  # on a busy machine
    assert megabytes < 200


def test_a_whole_folder_is_opened(opened: dict[str, tuple[str, float, int]]) -> None:
    assert opened["whole"][0] == "opened"
