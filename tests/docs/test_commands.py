"""Every command and Python block of README, tour and guards runs, in order, on a small model."""

import re
import shlex
import shutil
from pathlib import Path

import pytest
import torch

from saccade.metrics.base import Metric
from saccade.parts import kinds
from tests.docs.desk import ROOT, SHORT, furnish, run
from tests.docs.parsing import commands, parse

PAGES = ["README.md", "docs/tour.md", "docs/guards.md"]
BLOCK = re.compile(r"```(sh|python)\n(.*?)```", re.DOTALL)


@pytest.fixture
def desk(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A folder with what a reader of the pages has at hand: pairs, outputs, a demo model."""
    monkeypatch.chdir(tmp_path)
    furnish(tmp_path)


@pytest.mark.usefixtures("desk")
@pytest.mark.parametrize("page", PAGES)
def test_everything_documented_runs(page: str) -> None:
    ran = 0
    for language, block in BLOCK.findall((ROOT / page).read_text(encoding="utf-8")):
        if language == "python":
            exec(compile(block, page, "exec"), {})  # noqa: S102 - our own page
            ran += 1
            continue
        for line in block.splitlines():
            ran += _command(line.partition("  #")[0].strip())
    assert ran >= 5
    assert torch.get_num_threads() == 1


def test_every_metric_is_explained() -> None:
    page = (ROOT / "docs" / "metrics.md").read_text(encoding="utf-8")
    assert not [kind for kind in kinds(Metric) if f"`{kind}`" not in page]


@pytest.mark.parametrize("page", ["faq.md", "metrics.md"])
def test_commands_can_be_typed(page: str) -> None:
    found = commands(ROOT / "docs" / page)
    assert len(found) >= 5
    for words in found:
        parse(words)


def test_the_page_of_python_runs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    page = (ROOT / "docs" / "api.md").read_text(encoding="utf-8")
    (block,) = (b for lang, b in BLOCK.findall(page) if lang == "python" and ">>>" not in b)
    exec(compile(block, "api.md", "exec"), {})  # noqa: S102 - our own page
    assert (tmp_path / "runs" / "copy" / "model.safetensors").exists()


def _command(line: str) -> bool:
    """Run one line of a shell block; `make` lines must at least name a target that exists."""
    if line.startswith("make "):
        target = line.split()[1]
        assert f"\n{target}:" in (ROOT / "Makefile").read_text(encoding="utf-8")
        return True
    text = None
    if "|" in line:
        echo, line = (part.strip() for part in line.split("|"))
        text = " ".join(shlex.split(echo)[1:]) + "\n"
    arguments = shlex.split(line)
    assert arguments[0] == "saccade", line
    if arguments[1] in ("fit", "serve"):  # the one takes long, the other does not end
        parse(arguments)
        if arguments[1] == "fit":
            shutil.copytree("runs/demo", arguments[arguments.index("-o") + 1])
        return True
    trains = arguments[1] in ("train", "compare") and any(a.endswith(".yaml") for a in arguments)
    if trains and "--dry-run" not in arguments:
        arguments += SHORT
    run(arguments[1:], text)
    return True
