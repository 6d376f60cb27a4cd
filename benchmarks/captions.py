"""Captions a second: our beam search beside a plain torch loop of the same model.

    python -m benchmarks.captions runs/captions/soft

The folder is a trained model of recipes/captions/soft.yaml. Both sides get the same stored features
of validation pictures in batches of 64, write with a beam of 3 and the same rules, one thread each,
and take turns. Seconds are those of the processor, so that others on the machine do not count.
The plain loop runs twice: all rows to the end of the batch, and without pictures that are done.
"""

import argparse
import statistics
import time
from collections.abc import Callable, Sequence
from itertools import islice
from pathlib import Path

import numpy as np
import torch

from benchmarks.reference.captioner import Captioner, Shape, beam_search
from saccade import recipe as recipes
from saccade.data import store
from saccade.data.batching import pad
from saccade.data.codecs import Codecs
from saccade.folders import model as folders
from saccade.inference.searcher import TorchSearcher
from saccade.modalities.base import Array
from saccade.models.base import Model
from saccade.native.searcher import fastest_searcher
from saccade.nouns import SOURCE_NAME
from saccade.search.base import Searcher, Task
from saccade.search.beam import Beam
from saccade.tokenizers._vocabulary import END, PAD, START, UNK

BEAM, BATCH, LIMIT = 3, 64, 30
Ids = list[int]
Side = Callable[[Sequence[Array]], list[Ids]]
_NAMES = {  # of the plain loop, by ours
    "reading.embedders.source.projection.W": "project",
    "decoder.bridge": "first",
    "decoder.attention.inner.U": "U",
    "decoder.attention.inner.W": "W",
    "decoder.attention.inner.v": "v",
    "decoder.attention.beta": "beta",
    "decoder.cells.0": "cell",
    "decoder.readout": "deep",
    "target_embedding": "embedding",
    "head": "output",
}
_CELL = {"W": "weight_ih", "U": "weight_hh", "b": "bias_ih"}


def copied(model: Model) -> Captioner:
    """Return the plain loop's model with the weights of ours."""
    weights = {}
    for name, weight in model.state_dict().items():
        where, last = name.rsplit(".", 1)
        weights[f"{_NAMES[where]}.{_CELL.get(last, last)}"] = weight
    weights["output.weight"] = weights["embedding.weight"]
    weights["cell.bias_hh"] = torch.zeros_like(weights["cell.bias_ih"])
    width, channels = weights["project.weight"].shape
    plain = Captioner(Shape(channels, width, len(weights["output.bias"])))
    plain.load_state_dict(weights)
    return plain.eval()


def searched(searcher: Searcher, codecs: Codecs) -> Side:
    """Return our side, by one of our searchers."""

    @torch.inference_mode()
    def side(grids: Sequence[Array]) -> list[Ids]:
        task = Task(START, END, torch.full((len(grids),), LIMIT), (PAD, START, UNK))
        sources = pad(codecs, {SOURCE_NAME: list(grids)})
        found = searcher.search(sources, Beam(width=BEAM), task)
        return [list(one.hypotheses[0].tokens) for one in found]

    return side


def looped(plain: Captioner, *, leave: bool) -> Side:
    """Return the plain loop."""
    return lambda grids: beam_search(
        plain, torch.from_numpy(np.stack(grids)), BEAM, LIMIT, leave=leave
    )


def in_turn(
    sides: dict[str, Side], grids: Sequence[Array], rounds: int
) -> tuple[dict[str, list[float]], dict[str, list[Ids]]]:
    """Return captions a second of every side in every round, and what each wrote."""
    rates: dict[str, list[float]] = {name: [] for name in sides}
    written: dict[str, list[Ids]] = {}
    for n in range(rounds + 1):  # the first warms up
        for name, side in sides.items():
            start = time.process_time()
            batches = [side(grids[i : i + BATCH]) for i in range(0, len(grids), BATCH)]
            seconds = time.process_time() - start
            written[name] = [one for batch in batches for one in batch]
            rates[name] += [len(grids) / seconds] if n else []
    return rates, written


def table(rates: dict[str, list[float]], written: dict[str, list[Ids]]) -> str:
    """Return a table; the first side is ours."""
    first, *_ = rates
    ours = statistics.median(rates[first])
    lines = [
        "| | captions/s | lowest to highest | ours is | same captions |",
        "|---|---|---|---|---|",
    ]
    for name, found in rates.items():
        middle = statistics.median(found)
        same = sum(a == b for a, b in zip(written[first], written[name], strict=True))
        lines.append(
            f"| {name} | {middle:,.0f} | {min(found):,.0f} to {max(found):,.0f}"
            f" | {ours / middle:.2f} x | {same} of {len(written[name])} |"
        )
    return "\n".join(lines)


def stored(folder: Path, codecs: Codecs, where: Path, n: int) -> list[Array]:
    """Return the features of the first validation pictures of a model's recipe."""
    reader = recipes.load(folder / "recipe.yaml").data.valid.build(Path())
    found = store.build(reader, codecs, where)
    return [found.pair(i).sources[SOURCE_NAME] for i in islice(found.examples(), n)]


def main() -> None:
    """Compare and print."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawTextHelpFormatter
    )
    parser.add_argument("folder", type=Path)
    parser.add_argument("--store", type=Path, default=store.default_folder())
    parser.add_argument("--pictures", type=int, default=512)
    parser.add_argument("--rounds", type=int, default=5)
    given = parser.parse_args()
    torch.set_num_threads(1)
    predictor = folders.load(given.folder)
    model, codecs = predictor.model, predictor.codecs
    plain = copied(model)
    sides = {
        "saccade": searched(fastest_searcher(model), codecs),
        "saccade, engine torch": searched(TorchSearcher(model), codecs),
        "plain torch loop, pictures that are done leave": looped(plain, leave=True),
        "plain torch loop": looped(plain, leave=False),
    }
    rates, written = in_turn(
        sides, stored(given.folder, codecs, given.store, given.pictures), given.rounds
    )
    print(table(rates, written))
    words = sum(map(len, written["saccade"])) / max(len(written["saccade"]), 1)
    print(f"{words:.1f} words a caption")


if __name__ == "__main__":
    main()
