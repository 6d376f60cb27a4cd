"""saccade's own side of D and S, as users run it: raw text to raw text; others get pieces.

Only its engine torch imports torch, so the memory of the others is their own.
"""

import sys
from collections.abc import Callable
from functools import partial

from benchmarks import meter
from benchmarks.workloads import Effort, Kit
from saccade.engines._open import load
from saccade.folders.versions import versions

_MODELS = {"D": "model", "S": "rnn"}


def named_as(engine: str, quantise: str) -> str:
    """Return what the tables call one of saccade's engines."""
    return "-".join(
        ["saccade", *(w for w in (engine, quantise) if w not in ("native", "torch", ""))]
    )


def convert(kit: Kit, _: Effort, engine: str = "native", quantise: str = "") -> None:
    """Open the models once, P: what an engine converts at first, it keeps."""
    for model in _MODELS.values():
        if engine != "ctranslate2" or model == "model":  # which has no recurrent models
            load(kit.folder / model, engine=engine, quantise=quantise)


def decode(kit: Kit, effort: Effort, engine: str = "native", quantise: str = "") -> None:
    """Decode D with one of saccade's engines, which form batches of their own out of all lines.

    How many threads there are is said to them by OMP_NUM_THREADS.
    """
    _decode("D", kit, effort, engine, quantise)


def untrained(kit: Kit, effort: Effort, engine: str = "native", quantise: str = "") -> None:
    """Decode S, every output as long as it must be."""
    _decode("S", kit, effort, engine, quantise)


def _decode(work: str, kit: Kit, effort: Effort, engine: str, quantise: str) -> None:
    translator = load(kit.folder / _MODELS[work], engine=engine, quantise=quantise)

    def prepare_case(beam: int, _: int) -> Callable[[list[str]], list[list[str]]]:
        return lambda lines: [list(one.tokens) for one in translator.translate(lines, beam=beam)]

    named = (named_as(engine, quantise), versions()["saccade"], work)
    sentences = kit.lines("test.source.txt")
    meter.decode(named, kit, effort, sentences, prepare_case, "text to text, its own batches")


if __name__ == "__main__":
    name, kind = sys.argv[4:]
    own = {"P": convert, "D": decode, "S": untrained}
    meter.serve({work: partial(f, engine=name, quantise=kind) for work, f in own.items()})
