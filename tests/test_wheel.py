"""A wheel holds all that the package needs: it works far from the repository."""

import os
import subprocess
import sys
import zipfile
from pathlib import Path

ROOT = Path(__file__).parents[1]


def _run(*command: str, where: Path, wheel: Path, text: str = "") -> str:
    environment = {**os.environ, "PYTHONPATH": str(wheel), "OMP_NUM_THREADS": "1"}
    done = subprocess.run(
        [sys.executable, *command],
        input=text,
        cwd=where,
        env=environment,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


def test_wheel_trains_and_translates_without_the_repository(tmp_path: Path) -> None:
    source = tmp_path / "source"
    source.mkdir()
    for name in ("pyproject.toml", "README.md", "LICENSE", "saccade"):
        (source / name).symlink_to(ROOT / name)
    build = ["-m", "pip", "wheel", "-q", "--no-deps", "--no-build-isolation", "-w", str(tmp_path)]
    _run(*build, str(source), where=tmp_path, wheel=tmp_path)
    (archive,) = tmp_path.glob("saccade-*.whl")
    unpacked, desk = tmp_path / "unpacked", tmp_path / "desk"
    with zipfile.ZipFile(archive) as file:
        file.extractall(unpacked)
        names = file.namelist()
    assert not [name for name in names if name.startswith(("tests/", "benchmarks/"))]
    desk.mkdir()

    def saccade(*arguments: str, text: str = "") -> str:
        return _run("-m", "saccade", *arguments, where=desk, wheel=unpacked, text=text)

    where = "import saccade; print(saccade.__file__)"
    assert str(unpacked) in _run("-c", where, where=desk, wheel=unpacked)
    saccade("init", "dates", "-o", "dates.yaml")
    small = ["data.train.corpus={kind: dates, size: 50}", "training.max_steps=2"]
    small += ["training.max_epochs=0", "model.embedding=8"]
    changes = [part for change in small for part in ("--set", change)]
    saccade("train", "dates.yaml", "-o", "run", *changes)
    assert saccade("translate", "run", text="14 mars 2031\n\n").count("\n") == 2
