"""Training and decoding throughput of one recipe, as one JSON line.

    python benchmarks/throughput.py                                  # the demo's recipe
    python benchmarks/throughput.py recipes/translation/multi30k-en-de-transformer.yaml --rounds 5

Weights are untrained: outputs run to their length limit, so decoding figures are a lower bound.
Figures wander with the machine: compare those of one run.
"""

import argparse
import json
import resource
import statistics
import time
from collections.abc import Callable
from importlib.resources import files
from pathlib import Path

import torch

from saccade import folder, run
from saccade.parts import Part
from saccade.prepare import batches_of, prepare
from saccade.recipe import Recipe
from saccade.search.base import Search
from saccade.train.loop import Loop
from saccade.translator import Translator


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawTextHelpFormatter
    )
    parser.add_argument(
        "recipe", nargs="?", default=str(files("saccade") / "starters" / "demo.yaml")
    )
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--steps", type=int, default=10, help="updates a round")
    parser.add_argument("--sentences", type=int, default=64, help="sentences decoded a round")
    parser.add_argument("--threads", type=int, default=torch.get_num_threads())
    arguments = parser.parse_args()
    torch.set_num_threads(arguments.threads)
    recipe = run.read_recipe(Path(arguments.recipe))
    figures = measure(recipe, arguments.rounds, arguments.steps, arguments.sentences)
    settings = {"recipe": recipe.name, "threads": arguments.threads, "torch": torch.__version__}
    print(json.dumps(settings | figures))


def measure(recipe: Recipe, rounds: int, steps: int, sentences: int) -> dict[str, object]:
    """Take rounds of every workload in turn, so that a slow minute hits all of them."""
    prepared = prepare(recipe, Path())
    model = folder.build_model(recipe, prepared.vocabularies)
    batches = batches_of(recipe, prepared.train, recipe.training.batch_tokens)
    loop = Loop(model, recipe.training.objective.build(), batches, recipe.training, recipe.seed)
    sides = prepared.vocabularies
    translator = Translator(model, sides.source, sides.target, recipe.decoding)
    examples = recipe.data.valid.build(Path()).read()
    lines = [example.source for example, _ in zip(examples, range(sentences), strict=False)]

    def train() -> int:
        return sum(loop.update().tokens for _ in range(steps))

    def decode(width: int) -> Callable[[], int]:
        search = Part(Search, "beam", {"width": width})

        def work() -> int:
            model.eval()
            return len(list(translator.stream(lines, search=search)))

        return work

    workloads = {
        "train_tokens_per_second": train,
        "greedy_sentences_per_second": decode(1),
        "beam5_sentences_per_second": decode(5),
    }
    train()  # warm up
    speeds: dict[str, list[float]] = {name: [] for name in workloads}
    for _ in range(rounds):
        for name, work in workloads.items():
            started = time.perf_counter()
            amount = work()
            speeds[name].append(amount / (time.perf_counter() - started))
    figures: dict[str, object] = {
        name: {"median": statistics.median(s), "low": min(s), "high": max(s)}
        for name, s in speeds.items()
    }
    figures["peak_resident_mib"] = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss // 1024
    return figures


if __name__ == "__main__":
    main()
