"""Sentences a second and milliseconds a sentence of decoding, as one JSON line a setting.

    python benchmarks/decoding.py runs/demo --lines FILE
    python benchmarks/decoding.py --shape rnn --lines FILE --by native torch clear    # by turns

With --shape the model is untrained, has the size that other toolkits are compared at and writes as
many symbols as it reads. --by says who searches it: the engines native and torch, or the model as
it is. Figures wander with the machine: compare those of one run.
"""

import argparse
import json
import statistics
import time
from collections.abc import Callable, Iterable
from dataclasses import replace
from pathlib import Path
from typing import Any

import torch

from saccade.data.codecs import Codecs
from saccade.flow import Sources
from saccade.folders import model as folder
from saccade.inference.searcher import TorchSearcher
from saccade.inference.steps import batch_places
from saccade.modalities.text import TextCodec
from saccade.models.base import Model, writer
from saccade.models.encoder_decoder import EncoderDecoder
from saccade.native.searcher import fastest_searcher
from saccade.nouns import SOURCE_NAME, Side
from saccade.parts import Part
from saccade.predict.predictor import Predictor
from saccade.recipe import Decoding
from saccade.search.base import Found, Search, Searcher, Task
from saccade.tokenizers._vocabulary import END
from saccade.tokenizers.bpe import Bpe

SHAPES: dict[str, dict[str, Any]] = {
    "transformer": {
        "encoder": {"kind": "transformer", "layers": 3, "feed_forward": 1024, "norm": "post"},
        "decoder": {"kind": "transformer", "layers": 3, "feed_forward": 1024, "norm": "post"},
        "tie": "all",
    },
    "rnn": {
        "encoder": {"kind": "rnn", "cell": "lstm", "hidden": 256},
        "decoder": {
            "kind": "rnn",
            "cell": "lstm",
            "hidden": 512,
            "wiring": "luong",
            "attention": "bilinear",
        },
        "tie": "all",
    },
}
_FOR_LENGTH = 16  # pieces a sentence has, so that a batch of tokens holds about `--batch` sentences


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawTextHelpFormatter
    )
    parser.add_argument("model", nargs="?", help="a model folder")
    parser.add_argument("--shape", choices=SHAPES, default="transformer")
    parser.add_argument("--lines", type=Path, required=True, help="a file of sentences")
    parser.add_argument("--n", type=int, default=1000, help="sentences in batches")
    parser.add_argument("--n1", type=int, default=40, help="sentences one by one")
    parser.add_argument("--beams", type=int, nargs="+", default=[5, 1])
    parser.add_argument("--batches", type=int, nargs="+", default=[64, 1])
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--threads", type=int, default=torch.get_num_threads())
    parser.add_argument("--by", choices=SEARCHERS, nargs="+", default=["native"])
    given = parser.parse_args()
    torch.set_num_threads(given.threads)
    lines = given.lines.read_text("utf-8").splitlines()
    translator = folder.load(Path(given.model)) if given.model else untrained(given.shape, lines)
    for beam in given.beams:
        for batch in given.batches:
            few = lines[: given.n1] if batch == 1 else lines[: given.n]
            works = {by: work(translator, few, beam, batch, by) for by in given.by}
            for by, seconds in by_turns(works, given.rounds).items():
                setting = {"by": by, "beam": beam, "batch": batch, "threads": given.threads}
                print(json.dumps(setting | figures(seconds, len(few), batch)), flush=True)


def untrained(shape: str, lines: Iterable[str]) -> Predictor:
    """Make a translator of known size whose outputs are as long as their sources."""
    vocabulary = Bpe(size=8000, min_count=1).fit(lines, ["nfc"])
    model = Part(Model, "encoder_decoder", SHAPES[shape]).build(
        {SOURCE_NAME: Side(8000)}, Side(8000)
    )
    assert isinstance(model, EncoderDecoder)
    with torch.no_grad():
        bias = model.get_parameter("head.bias")
        bias[END] = -100.0
        bias[len(vocabulary) :] = -100.0
    decoding = Decoding(max_ratio=1.0, max_extra=0)
    codec = TextCodec(vocabulary)
    return Predictor(model, Codecs({SOURCE_NAME: codec}, codec), decoding)


def work(
    translator: Predictor, lines: list[str], beam: int, batch: int, by: str
) -> Callable[[], list[float]]:
    """Return what decodes all lines and gives the seconds of every call."""
    decoding = replace(translator.decoding, batch_tokens=batch * _FOR_LENGTH)
    model, searcher = translator.model, SEARCHERS[by](translator.model)
    chosen = Predictor(model, translator.codecs, decoding, searcher=searcher)

    def timed(texts: list[str]) -> float:
        started = time.perf_counter()
        chosen.translate(texts, beam=beam)
        return time.perf_counter() - started

    if batch == 1:
        return lambda: [timed([line]) for line in lines]
    return lambda: [timed(lines)]


class ClearSearcher:
    """Searches a model as it is."""

    def __init__(self, model: Model) -> None:
        self.model = writer(model)

    def batch_places(self, lines: int) -> int:
        """Return how many places a batch should have at most."""
        return batch_places(lines)

    def search(
        self, sources: Sources, search: Search, task: Task, *, trace: bool = False
    ) -> list[Found]:
        """Read the sources and search for their outputs."""
        return search(self.model.step, self.model.start(sources), task, trace=trace)


SEARCHERS: dict[str, Callable[[Model], Searcher]] = {
    "native": fastest_searcher,
    "torch": TorchSearcher,
    "clear": ClearSearcher,
}


def by_turns(works: dict[str, Callable[[], list[float]]], rounds: int) -> dict[str, list[float]]:
    """Do all works in turn, so that a slow minute hits all of them; the first round warms up."""
    seconds: dict[str, list[float]] = {name: [] for name in works}
    for i in range(rounds + 1):
        for name, one in works.items():
            found = one()
            seconds[name] += found if i else []
    return seconds


def figures(seconds: list[float], n: int, batch: int) -> dict[str, float]:
    """Sum up."""
    if batch > 1:
        return {"sentences_per_second": round(n / statistics.median(seconds), 1)}
    parts = statistics.quantiles(seconds, n=20)
    return {
        "sentences_per_second": round(len(seconds) / sum(seconds), 1),
        "p50_ms": round(1000 * statistics.median(seconds), 2),
        "p95_ms": round(1000 * parts[-1], 2),
    }


if __name__ == "__main__":
    main()
