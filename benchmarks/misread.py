"""What Tesseract reads on lines of Fraktur, beside what stands there: data for models that mend it.

    python -m benchmarks.misread ../shared/data/fraktur-lines runs/misread --lines 1600

`train.tsv` has lines of the training list that are alike far apart in it, `valid.tsv` every 16th
line of all, `test.tsv` and `books.tsv` the two test lists: what was read, tab, what stands there.
`texts.tsv` has the texts of all training lines that are not in `valid.tsv`, each with itself. Lines
where nothing was read are left out of `train.tsv`; elsewhere they stay, as "?". Files that are
there already are kept.
"""

import argparse
import os
import subprocess
import tempfile
from collections.abc import Sequence
from pathlib import Path

Line = tuple[Path, str]
EACH = 16  # every so many lines one is for validation


def listed(data: Path, name: str, folder: str) -> list[Line]:
    """Return the files of a list with their texts."""
    rows = (data / name).read_text("utf-8").splitlines()
    pairs = (row.split("\t", 1) for row in rows)
    return [(data / folder / file, " ".join(text.split())) for file, text in pairs]


def read(command: str, language: str, files: Sequence[Path]) -> list[str]:
    """Let Tesseract read files of a line each."""
    with tempfile.NamedTemporaryFile("w", suffix=".txt") as file:
        file.write("".join(f"{one.resolve()}\n" for one in files))
        file.flush()
        said = subprocess.run(
            [command, file.name, "-", "--psm", "13", "-l", language],
            check=True,
            capture_output=True,
            text=True,
            env={**os.environ, "OMP_THREAD_LIMIT": "1"},
        )
    pages = said.stdout.split("\f")[: len(files)]
    return [" ".join(page.split()) for page in pages]


def parted(lines: Sequence[Line], n: int) -> tuple[list[Line], list[Line], list[Line]]:
    """Part lines into those to read for training, all for training, and those to validate on."""
    valid = list(lines[::EACH])
    train = [one for i, one in enumerate(lines) if i % EACH]
    some = [train[i * len(train) // n] for i in range(min(n, len(train)))]
    return some, train, valid


def write(path: Path, pairs: Sequence[tuple[str, str]]) -> None:
    """Write pairs, whole or not at all."""
    aside = path.with_suffix(".aside")
    aside.write_text("".join(f"{a}\t{b}\n" for a, b in pairs), encoding="utf-8")
    aside.replace(path)
    print(f"{path}: {len(pairs):,} lines")


def main() -> None:
    """Read the command line, and all lists."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawTextHelpFormatter
    )
    parser.add_argument("data", type=Path)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--lines", type=int, default=1600, help="of the training list to read")
    parser.add_argument("--tesseract", default="tesseract", help="the command")
    parser.add_argument("--language", default="frk")
    given = parser.parse_args()
    given.folder.mkdir(parents=True, exist_ok=True)
    some, train, valid = parted(listed(given.data, "train.tsv", "train"), given.lines)
    write(given.folder / "texts.tsv", [(text, text) for _, text in train])
    sets = {
        "train": some,
        "valid": valid,
        "test": listed(given.data, "test.tsv", "test"),
        "books": listed(given.data, "extra-test.tsv", "extra-test"),
    }
    for name, lines in sets.items():
        path = given.folder / f"{name}.tsv"
        if path.exists():
            continue
        seen = read(given.tesseract, given.language, [file for file, _ in lines])
        pairs = [(one or "?", text) for one, (_, text) in zip(seen, lines, strict=True)]
        write(path, [one for one in pairs if name != "train" or one[0] != "?"])


if __name__ == "__main__":
    main()
