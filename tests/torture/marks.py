"""What two runs must have in common: every file of a folder, without what the clock decides."""

import hashlib
import json
from pathlib import Path
from typing import Any

_TIMED = ("seconds", "tokens_per_second", "elapsed", "created", "seal", "promised", "taken")
_TOLD = ("train.log", "metrics.damaged.jsonl", ".lock")  # say what happened, faults included
_PAPERS = {"report.html": "</html>", "README.md": "\n"}  # with seconds in words; how they end


def marks_of(root: Path) -> dict[str, str]:
    """Return a mark of every file below a folder: equal marks, equal content."""
    files = sorted(path for path in root.rglob("*") if path.is_file() or path.is_symlink())
    return {
        str(path.relative_to(root)): _mark(path)
        for path in files
        if path.name not in _TOLD and "tensorboard" not in path.parts
    }


def differences(wanted: dict[str, str], found: dict[str, str]) -> list[str]:
    """Name the files that are missing, left over or different."""
    missing = [f"{name} is missing" for name in wanted if name not in found]
    extra = [f"{name} is left over" for name in found if name not in wanted]
    both = [name for name in wanted if name in found and wanted[name] != found[name]]
    return [*missing, *extra, *(f"{name} differs" for name in both)]


def _mark(path: Path) -> str:
    if path.name in _PAPERS:
        ending = path.read_text(encoding="utf-8").rstrip(" ").endswith(_PAPERS[path.name])
        return "whole" if ending or _closes(path) else "cut"
    if path.suffix == ".json" and path.name != "examples.json":
        return _plain(json.loads(path.read_text(encoding="utf-8")))
    if path.suffix == ".jsonl":
        lines = path.read_text(encoding="utf-8").splitlines()
        return _plain([json.loads(line) for line in lines])
    return hashlib.sha256(path.read_bytes()).hexdigest()


def _closes(path: Path) -> bool:
    return path.read_text(encoding="utf-8").rstrip().endswith(_PAPERS[path.name].strip() or " ")


def _plain(content: Any) -> str:
    return hashlib.sha256(json.dumps(_untimed(content), sort_keys=True).encode()).hexdigest()


def _untimed(content: Any) -> Any:
    if isinstance(content, dict):
        return {key: _untimed(one) for key, one in content.items() if key not in _TIMED}
    return [_untimed(one) for one in content] if isinstance(content, list) else content
