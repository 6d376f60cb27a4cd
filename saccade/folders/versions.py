"""What this is, and what it runs with."""

import platform
from importlib.metadata import PackageNotFoundError, version


def versions() -> dict[str, str]:
    """Name what this was made with."""
    found = {"python": platform.python_version(), "system": platform.platform()}
    for package in ("saccade", "torch", "tokenizers", "numpy"):
        try:
            found[package] = version(package)
        except PackageNotFoundError:  # run from a bare checkout
            found[package] = "unknown"
    return found


def version_text() -> str:
    """Name the version, as `saccade 0.1.0`."""
    try:
        return f"saccade {version('saccade')}"
    except PackageNotFoundError:
        return "saccade, run from a checkout that is not installed"
