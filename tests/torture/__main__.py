"""Injects faults into file calls while models are trained and used, and looks what was lost.

    python -m tests.torture 1000 --seed 1

Every trial does one piece of work, such as a training, in which one to three faults come about; it
goes on behind each as a user would, and ends in the same files as one that nothing happened to.
"""

import argparse
import importlib
import os
import shutil
import sys
import tempfile
from pathlib import Path

from tests.torture.interposed import enter, leave


def main(arguments: list[str]) -> int:
    """Run; return 1 if something was lost."""
    options = _options(arguments)
    enter()
    os.environ["SACCADE_METEOR"] = "off"
    os.environ.setdefault("SACCADE_NATIVE", str(Path.home() / ".cache" / "saccade" / "native"))
    campaign = importlib.import_module("tests.torture.campaign")
    folder = Path(tempfile.mkdtemp(prefix="torture-"))
    try:
        return int(campaign.run(folder, options))
    finally:
        shutil.rmtree(folder, ignore_errors=True)
        leave()


def _options(arguments: list[str]) -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m tests.torture", description=__doc__)
    parser.add_argument("faults", nargs="?", type=int, default=1000, help="how many, in all")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument(
        "--only",
        default="",
        help="works, models, or patterns of names as 'speech/*', with semicolons between",
    )
    parser.add_argument("--trial", type=int, default=0, help="this one alone, as a message says")
    parser.add_argument(
        "--most", type=float, default=20.0, help="seconds of a processor that a work may take"
    )
    parser.add_argument("--list", action="store_true", help="the works, and nothing else")
    return parser.parse_args(arguments)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
