"""The prefix beam of CTC against flashlight-text's, on the same frames, in one run.

    python -m benchmarks.ctc [--lines 32] [--places 200] [--symbols 100] [--width 10] [--order 0]

Frames are drawn: mostly sure of a blank or of a label, as those of a trained model. Both get all
symbols and one thread, and add up paths. With --order N both ask the same n-gram model: flashlight
its KenLM, which reads the ARPA file that we write. Printed are milliseconds
a line of the search alone (ours also with the exact scores of what was found), the ratio, how often
the best outputs and all of them are equal, and the probability of all that each found. They can
differ at equal beams: flashlight-text keeps a prefix that ends in a blank apart from the same one
that ends in a label, so its beam follows fewer prefixes.
"""

import argparse
import math
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray

from saccade.flow import SOURCE
from saccade.folders.arpa import arpa_lines
from saccade.kernels import ctc_prefix as kernels
from saccade.kernels.backoff import FusedTable, gains_along
from saccade.models.base import LaidPairs, LaidSide
from saccade.models.ngram import NGram
from saccade.nouns import Side
from saccade.objectives.ctc import path_likelihood
from saccade.search.base import Task
from saccade.search.ctc_prefix import CtcPrefix
from saccade.shaping.fusion import Fusion

Labels = tuple[int, ...]


def chained(rows: int, length: int, symbols: int, seed: int) -> NDArray[np.int64]:
    """Draw lines of labels `[B, S]` in which a few symbols are likely to follow each."""
    chance = np.random.Generator(np.random.PCG64(seed))
    steps = chance.choice(8, (rows, length), p=[0.4, 0.2, 0.1, 0.1, 0.05, 0.05, 0.05, 0.05])
    lines = np.zeros((rows, length), np.int64)
    for t in range(1, length):
        lines[:, t] = (lines[:, t - 1] * 7 + steps[:, t] * 13 + 1) % (symbols - 4)
    return lines + 4


def counted(symbols: int, order: int) -> Fusion:
    """Count 4,000 such lines, and give the model a say of 0.5."""
    lines = chained(4000, 50, symbols, seed=2)
    laid = LaidSide(lines.flatten(), np.full(len(lines), lines.shape[1]))
    model = NGram({}, Side(symbols), order=order)
    model.count(LaidPairs({}, laid), 0)
    return Fusion(model, 0.5)


def drawn(lines: int, places: int, symbols: int, *, noise: float = 1.0) -> torch.Tensor:
    """Draw log-probabilities `[B, S, V]`: blank 0, no START 2 and END 3."""
    generator = torch.Generator().manual_seed(1)
    logits = torch.randn(lines, places, symbols, generator=generator) * noise
    spikes = torch.rand(lines, places, generator=generator) < 0.25
    chain = torch.from_numpy(chained(lines, places, symbols, seed=1))
    labels = chain.gather(1, spikes.cumsum(1).clamp(max=places - 1))
    height = torch.rand(lines, places, 1, generator=generator) * 8 + 8
    logits[:, :, 0] += torch.where(spikes, 4.0, 14.0)
    logits.scatter_add_(2, labels[:, :, None], torch.where(spikes[:, :, None], height, 0.0))
    logits[:, :, 2:4] = -60.0
    return logits.log_softmax(dim=2)


def timed(run: Callable[[], Any], repeats: int) -> tuple[Any, float]:
    """Return what `run` gives and the best of its times in seconds."""
    times, found = [], None
    for _ in range(repeats):
        began = time.perf_counter()
        found = run()
        times.append(time.perf_counter() - began)
    return found, min(times)


def theirs(
    frames: torch.Tensor, width: int, tokens: int, threshold: float, fusion: Fusion | None
) -> Callable[[], list[list[Labels]]]:
    """Return flashlight-text's search."""
    from flashlight.lib.text import decoder  # noqa: PLC0415 - an oracle that need not be installed

    options = decoder.LexiconFreeDecoderOptions(
        beam_size=width,
        beam_size_token=min(tokens, frames.shape[2]),
        beam_threshold=threshold,
        lm_weight=fusion.weight * math.log(10) if fusion else 0.0,
        sil_score=0.0,
        log_add=True,
        criterion_type=decoder.CriterionType.CTC,
    )
    model = kenlm(fusion, frames.shape[2]) if fusion else decoder.ZeroLM()
    search = decoder.LexiconFreeDecoder(options, model, -1, 0, [])
    rows = [row.contiguous().numpy() for row in frames]

    def run() -> list[list[Labels]]:
        found = []
        for row in rows:
            results = search.decode(row.ctypes.data, *row.shape)
            spelt = (spell(result.tokens) for result in results)
            found.append(list(dict.fromkeys(spelt))[:width])
        return found

    return run


def kenlm(fusion: Fusion, symbols: int) -> Any:
    """Return the same model as their KenLM reads it."""
    from flashlight.lib.text.decoder import kenlm as reader  # noqa: PLC0415 - need not be installed
    from flashlight.lib.text.dictionary import Dictionary  # noqa: PLC0415

    names = ["<pad>", "<unk>", "<s>", "</s>", *(f"s{i}" for i in range(4, symbols))]
    table = fusion.model.backoff_table()
    assert table is not None
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "model.arpa"
        path.write_text("".join(arpa_lines(table, names)), encoding="utf-8")
        return reader.KenLM(str(path), Dictionary(names))


def ended(prefixes: list[Labels], scores: list[float], fused: FusedTable | None) -> list[Labels]:
    """Order prefixes, best first, by their scores and what a table says of END behind them."""
    if fused is None:
        return prefixes
    gains = [
        gains_along(fused, torch.tensor([one]), torch.tensor([len(one)]), 3) for one in prefixes
    ]
    whole = [s + float(g[0, -1]) for s, g in zip(scores, gains, strict=True) if g is not None]
    return [prefixes[i] for i in np.argsort(-np.array(whole), kind="stable")]


def spell(path: list[int]) -> Labels:
    """Write repeats once and blanks not at all."""
    pairs = zip([0, *path], path, strict=False)
    return tuple(now for before, now in pairs if now > 0 and now != before)


def mass(frames: torch.Tensor, found: list[list[Labels]]) -> float:
    """Return the mean over lines of the log of the summed probability of what was found."""
    every = []
    for row, several in zip(frames.double(), found, strict=True):
        lengths = torch.tensor([len(labels) for labels in several])
        labels = torch.zeros(len(several), max(int(lengths.max()), 1), dtype=torch.long)
        for i, one in enumerate(several):
            labels[i, : len(one)] = torch.tensor(one, dtype=torch.long)
        frames_of_row = row.expand(len(several), -1, -1)
        every.append(path_likelihood(frames_of_row, labels, lengths).logsumexp(0).item())
    return float(np.mean(every))


def main() -> None:
    """Measure both and print."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    for name, usual in (("lines", 32), ("places", 200), ("symbols", 100), ("width", 10)):
        parser.add_argument(f"--{name}", type=int, default=usual)
    parser.add_argument("--repeats", type=int, default=5)
    parser.add_argument("--order", type=int, default=0, help="of the n-gram model; 0: none")
    given = parser.parse_args()
    torch.set_num_threads(1)
    frames, n = drawn(given.lines, given.places, given.symbols), given.width
    limits = torch.full((given.lines,), given.places)
    fusion = counted(given.symbols, given.order) if given.order else None
    fused, shapers = (fusion.table(), [fusion]) if fusion else (None, [])
    task = Task(2, 3, limits, (0, 2), shapers=shapers, fused=fused)
    search = CtcPrefix(width=given.width)
    state = {SOURCE: {"frames": frames}}

    def ours() -> Any:
        return kernels.prefix_beam(frames, limits.numpy(), given.width, fused)

    def whole() -> Any:
        return search(lambda *_: None, state, task)  # type: ignore[arg-type]

    rows, seconds = timed(ours, given.repeats)
    if rows is None:
        raise SystemExit("There are no kernels here; nothing to compare.")
    _, with_scores = timed(whole, given.repeats)
    mine = [ended(prefixes, scores, fused)[:n] for prefixes, scores in rows]
    each = 1000 / given.lines
    print(f"ours          {seconds * each:8.3f} ms a line; {with_scores * each:.3f} with scores")
    for tokens, threshold in ((given.symbols, 1e9), (30, 25.0)):
        run = theirs(frames, n, tokens, threshold, fusion)
        other, other_seconds = timed(run, given.repeats)
        ratio, with_all = other_seconds / seconds, other_seconds / with_scores
        first = np.mean([a[0] == b[0] for a, b in zip(mine, other, strict=True)])
        few = [(set(a[: len(b)]), set(b)) for a, b in zip(mine, other, strict=True)]
        print(f"flashlight-text, {tokens} tokens a frame, threshold {threshold:g}")
        print(f"              {other_seconds * each:8.3f} ms a line")
        print(f"ratio         {ratio:8.2f}   with scores {with_all:.2f}")
        print(f"best equal    {first:8.1%}")
        print(f"n best equal  {np.mean([a == b for a, b in few]):8.1%}   of those that it found")
        print(f"log mass      {mass(frames, mine):8.4f} ours, {mass(frames, other):.4f} theirs")


if __name__ == "__main__":
    main()
