"""Run the plain torch models on the workloads: `python -m benchmarks.reference WORK KIT EFFORT`."""

from collections.abc import Callable

import torch
from torch import nn

from benchmarks import meter
from benchmarks.reference.rnn import Rnn
from benchmarks.reference.search import Decoder
from benchmarks.reference.transformer import Transformer, collate, load
from benchmarks.workloads import PAD, Effort, Kit

_NAME = "torch"


def transformer(kit: Kit, effort: Effort) -> None:
    """Train T."""
    _train("T", Transformer(kit.shape), kit, effort)


def rnn(kit: Kit, effort: Effort) -> None:
    """Train R."""
    _train("R", Rnn(kit.shape), kit, effort)


def _train(work: str, model: nn.Module, kit: Kit, effort: Effort) -> None:
    torch.set_num_threads(effort.threads)
    torch.manual_seed(1)
    sources, targets = kit.ids("train.source"), kit.ids("train.target")
    optimiser = torch.optim.Adam(model.parameters(), lr=1e-3, betas=(0.9, 0.98), fused=True)
    steps = meter.Steps(_NAME, torch.__version__, work, kit, effort)
    batches = kit.batches(work)
    number = 0
    while not steps.done:
        indices = batches[number % len(batches)]
        number += 1
        source, prefix, keep, gold = collate(
            [sources[i] for i in indices], [targets[i] for i in indices]
        )
        model(source, prefix, keep, gold).backward()
        optimiser.step()
        optimiser.zero_grad()
        steps.count(int((source != PAD).sum()), len(gold))
        steps.tick()
    steps.tell("plain loop, same batches as saccade")


def decode(kit: Kit, effort: Effort) -> None:
    """Decode D."""
    torch.set_num_threads(effort.threads)
    decoder = Decoder(load(kit))

    def prepare(beam: int, rows: int) -> Callable[[list[list[int]]], list[list[str]]]:
        def translate(sources: list[list[int]]) -> list[list[str]]:
            order = sorted(range(len(sources)), key=lambda i: -len(sources[i]))
            found: dict[int, list[str]] = {}
            for begin in range(0, len(order), rows):
                chosen = order[begin : begin + rows]
                outputs = decoder.translate([sources[i] for i in chosen], beam)
                found |= {i: kit.spell(ids) for i, ids in zip(chosen, outputs, strict=True)}
            return [found[i] for i in range(len(sources))]

        return translate

    named = (_NAME, torch.__version__, "D")
    meter.decode(named, kit, effort, kit.ids("test.source"), prepare, "own search, cached")


def start(kit: Kit, effort: Effort) -> None:
    """Translate one sentence, L."""
    torch.set_num_threads(effort.threads)
    (output,) = Decoder(load(kit)).translate(kit.ids("test.source")[:1], 5)
    print(" ".join(kit.spell(output)))


if __name__ == "__main__":
    meter.serve({"T": transformer, "R": rnn, "D": decode, "L": start})
