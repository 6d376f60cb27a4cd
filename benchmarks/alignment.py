"""Word alignment on the English-French gold: lay the data out, and set eflomal beside it.

    python -m benchmarks.alignment lay ../shared/data/word-alignment-en-fr runs/alignment
    python -m benchmarks.alignment eflomal runs/alignment
    python -m benchmarks.alignment posterior runs/alignment runs/align-hmm runs/align-hmm-back
    python -m benchmarks.alignment speed SOURCE TARGET
    python -m benchmarks.alignment growth --svg docs/pictures

`lay` writes pairs of French, tab, English: `train.tsv` has the novels and the stories, of at most
200 words a side; `dev` (The Master Cat, Blue Beard) and `test` (The Inn, The Last Lesson, The
Vision) are the stories with their links. The aligners learn from the text of the stories too, as is
usual, but never from links. Settings were chosen on `dev`.

`posterior` chooses the threshold of posterior decoding by the error on `dev`, in steps of 0.05,
and measures `test` with it.

`growth` measures made text of more and more pairs. Every size is a process of its own, so that its
peak memory is its own; what the bare program holds is taken off.
"""

import argparse
import json
import shutil
import subprocess
import sys
import time
from collections.abc import Iterator, Sequence
from itertools import pairwise
from pathlib import Path

import numpy as np

from benchmarks.engines import run
from benchmarks.growth import Curve, exponent, markdown
from benchmarks.meter import peak_mib
from saccade.folders import model as folders
from saccade.metrics._links import LinkScore, link_score
from saccade.models._aligner import Aligner, AlignerSettings
from saccade.models._links import RULES, symmetrise, turned
from saccade.models.base import LaidSide
from saccade.predict.linking import link_by_posteriors, read_pairs
from saccade.predict.pharaoh import read_gold, read_links
from saccade.views.curves import to_svg

DEV = ("MasterCat", "BlueBeard")
LONGEST = 200  # words
PASSES = ("ibm1",) * 3 + ("hmm",) * 4
SIZES = (1_000, 10_000, 100_000, 300_000, 1_000_000)  # pairs
_MARK = "POINT "
_WORDS = 50_000  # of the vocabulary of made text
_LIMIT = 1800  # seconds of a point


def lay(data: Path, folder: Path) -> None:
    """Write the pairs to learn from, and those with links."""
    folder.mkdir(parents=True, exist_ok=True)
    sets: dict[str, list[tuple[str, str]]] = {"train": list(_novels(data)), "dev": [], "test": []}
    for links in sorted((data / "gold").glob("ali_w2w_*.txt")):
        french, english = links.stem.split("_")[2:]
        name = "dev" if english in DEV else "test"
        texts = [_story(data / "gold" / f"{one}_sents.txt") for one in (french, english)]
        drawn = _story(links)
        for source, target, row in zip(*texts, drawn, strict=True):
            sets[name].append((f"{source}\t{target}", row))
    sets["train"] += [(pair, "") for pair, _ in sets["dev"] + sets["test"]]
    for name, rows in sets.items():
        text = "".join(f"{pair}\n" for pair, _ in rows)
        (folder / f"{name}.tsv").write_text(text, encoding="utf-8")
        if name != "train":
            drawn = [f"{row.strip()}\n" for _, row in rows]
            (folder / f"{name}.links").write_text("".join(drawn), encoding="utf-8")
        print(f"{name}: {len(rows):,} pairs")


def _novels(data: Path) -> Iterator[tuple[str, str]]:
    for english in sorted((data / "novels").glob("*.en")):
        sides = [
            one.read_text("utf-8").split("\n") for one in (english.with_suffix(".fr"), english)
        ]
        for pair in zip(*sides, strict=True):
            words = [side.split() for side in pair]
            if all(0 < len(one) <= LONGEST for one in words):
                yield "\t".join(" ".join(one) for one in words), ""


def _story(path: Path) -> list[str]:
    lines = path.read_text("utf-8").splitlines()
    return [" ".join(line.partition("\t")[2].split()) for line in lines]


def eflomal(folder: Path) -> None:
    """Align the training pairs by eflomal, and measure the stories."""
    pairs = read_pairs(folder / "train.tsv")
    for n, name in enumerate(("fr", "en")):
        text = "".join(f"{pair[n].lower()}\n" for pair in pairs)
        (folder / f"eflomal.{name}").write_text(text, encoding="utf-8")
    began = time.monotonic()
    names = [str(folder / f"eflomal.{one}") for one in ("fr", "en", "forward", "reverse")]
    program = shutil.which("eflomal-align") or "eflomal-align"
    flags = [x for pair in zip(("-s", "-t", "-f", "-r"), names, strict=True) for x in pair]
    subprocess.run([program, *flags, "--overwrite"], check=True)
    print(f"eflomal: {time.monotonic() - began:.1f} s")
    first = len(pairs)
    for name in ("test", "dev"):  # the last of the training pairs, dev before test
        first -= len(read_pairs(folder / f"{name}.tsv"))
        _measure(folder, name, [Path(one) for one in names[2:]], first)


def _measure(folder: Path, name: str, files: list[Path], first: int) -> None:
    pairs = read_pairs(folder / f"{name}.tsv")
    lengths = [[len(pair[n].split()) for pair in pairs] for n in (0, 1)]
    found = []
    for path in files:
        own = folder / f"{path.name}.{name}"
        lines = path.read_text("utf-8").splitlines()[first : first + len(pairs)]
        own.write_text("".join(f"{line}\n" for line in lines), encoding="utf-8")
        found.append(read_links(own, *lengths))
    gold = read_gold(folder / f"{name}.links", *lengths)
    rows = dict(zip(("forward", "reverse"), found, strict=True))
    rows |= {rule: symmetrise(found[0], found[1], rule, *lengths) for rule in RULES}
    for label, links in rows.items():
        print(f"{name}  eflomal  {label:20}  {link_score(links, gold).line()}")


def posterior(folder: Path, models: Sequence[Path]) -> None:
    """Choose the threshold of posterior decoding on `dev`; measure `test` once with it."""
    predictors = [folders.load(one) for one in models]

    def score(name: str, threshold: float) -> LinkScore:
        pairs = read_pairs(folder / f"{name}.tsv")
        lengths = [[len(pair[n].split()) for pair in pairs] for n in (0, 1)]
        links = link_by_posteriors(predictors[0], pairs, threshold, *predictors[1:])
        return link_score(links, read_gold(folder / f"{name}.links", *lengths))

    tried = {n / 20: score("dev", n / 20) for n in range(1, 16)}
    best = min(tried, key=lambda threshold: tried[threshold].aer)
    print(f"dev   threshold {best:.2f}  {tried[best].line()}")
    print(f"test  threshold {best:.2f}  {score('test', best).line()}")


def speed(source: Path, target: Path) -> None:
    """Time both directions of the HMM on the lines of two files."""
    sides, sizes = zip(
        *(_laid(one.read_text("utf-8").lower().splitlines()) for one in (source, target)),
        strict=True,
    )
    began = time.monotonic()
    links = []
    for n in (0, 1):
        ours, theirs = sides[n], sides[1 - n]
        aligner = Aligner(Aligner.begin(ours, theirs, sizes[n], sizes[1 - n]), AlignerSettings())
        for kind in PASSES:
            aligner.step(ours, theirs, kind)
        links.append(aligner.links(ours, theirs, "hmm"))
    symmetrise(links[0], turned(links[1]), RULES[-1], sides[0].lengths, sides[1].lengths)
    print(f"{len(sides[0].lengths):,} pairs, both directions: {time.monotonic() - began:.1f} s")


def _laid(lines: list[str]) -> tuple[LaidSide, int]:
    known: dict[str, int] = {}
    rows = [[known.setdefault(word, len(known)) for word in line.split()] for line in lines]
    values = np.array([i for row in rows for i in row], np.int64)
    return LaidSide(values, np.array([len(row) for row in rows])), len(known)


def point(pairs: int) -> dict[str, float]:
    """Measure so many made pairs: processor time of each step, and peak memory of all."""
    chance = np.random.default_rng(pairs)
    before = peak_mib()
    source, target = (_made(chance, pairs) for _ in "st")
    marks = [time.process_time()]
    aligner = Aligner(Aligner.begin(source, target, _WORDS, _WORDS))
    marks.append(time.process_time())
    for kind in ("ibm1", "hmm"):
        aligner.step(source, target, kind)
        marks.append(time.process_time())
    aligner.links(source, target, "hmm")
    marks.append(time.process_time())
    names = ("begin s", "model 1 s", "HMM s", "links s")
    found = dict(zip(names, (b - a for a, b in pairwise(marks)), strict=True))
    return {**found, "peak MiB": peak_mib() - before}


def growth(sizes: Sequence[int], svg: Path | None) -> list[Curve]:
    """Measure more and more pairs, print a table, and draw it."""
    found: dict[str, list[tuple[float, float]]] = {}
    for size in sizes:
        command = [sys.executable, "-m", "benchmarks.alignment", "point", str(size)]
        ended = run(command, 1, _LIMIT)
        lines = [line for line in ended.text.splitlines() if line.startswith(_MARK)]
        if not lines:
            sys.exit(f"{size:,} pairs ended with code {ended.code}:\n{ended.told[-2000:]}")
        for name, value in json.loads(lines[-1].removeprefix(_MARK)).items():
            found.setdefault(name, []).append((float(size), float(value)))
    curves = [
        Curve("corpus", name, points, exponent(points), exponent(points[len(points) // 2 :]))
        for name, points in found.items()
    ]
    print(markdown(curves))
    if svg:
        for unit, word in (("s", "seconds"), ("MiB", "memory")):
            path = svg / f"growth-alignment-{word}.svg"
            path.write_text(drawn(curves, unit), encoding="utf-8")
    return curves


def drawn(curves: Sequence[Curve], unit: str) -> str:
    """Draw the curves that have one unit, over logarithms."""
    word = "seconds" if unit == "s" else unit
    series = {
        one.name.removesuffix(f" {unit}"): [
            (float(np.log10(x)), float(np.log10(y))) for x, y in one.points if y > 0
        ]
        for one in curves
        if one.name.endswith(f" {unit}")
    }
    labels = {"x_label": "log10 of pairs", "y_label": f"log10 of {word}"}
    return to_svg(series, title=f"word alignment: {word} over pairs", **labels)


def _made(chance: np.random.Generator, n: int) -> LaidSide:
    """Draw sentences of 5 to 20 words, the r-th word as often as 1 / r."""
    lengths = chance.integers(5, 21, n)
    words = np.exp(chance.uniform(0, np.log(_WORDS), int(lengths.sum()))).astype(np.int64) - 1
    return LaidSide(words, lengths)


def main() -> None:
    """Read the command line."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    verbs = parser.add_subparsers(dest="verb", required=True)
    numbers: dict[str, int | str] = {"lay": 2, "eflomal": 1, "posterior": "+", "speed": 2}
    for verb, names in numbers.items():
        verbs.add_parser(verb).add_argument("paths", type=Path, nargs=names)
    more = verbs.add_parser("growth")
    more.add_argument("--sizes", type=int, nargs="+", default=SIZES, help="pairs")
    more.add_argument("--svg", type=Path, help="a folder for the pictures")
    verbs.add_parser("point", help="what growth runs").add_argument("pairs", type=int)
    given = parser.parse_args()
    if given.verb == "growth":
        growth(given.sizes, given.svg)
    elif given.verb == "point":
        print(_MARK + json.dumps(point(given.pairs)))
    elif given.verb == "eflomal":
        eflomal(given.paths[0])
    elif given.verb == "posterior":
        posterior(given.paths[0], given.paths[1:])
    else:
        (lay if given.verb == "lay" else speed)(given.paths[0], given.paths[1])


if __name__ == "__main__":
    main()
