"""The fixed workloads: how large they are, what they cost in arithmetic, where engines read them.

    M   the limits of the machine: matrix products and memory
    T   train a Transformer of 3 + 3 layers of width 256 on batches of about 4,096 symbols
    R   train a bidirectional LSTM with an LSTM decoder, attention and input feeding
    D   decode a test set, beam 5 and beam 1, in batches of 64 and one sentence at a time
    S   the same with R's recurrent model, untrained, `WRITTEN` symbols a sentence
    L   from the command to the first translation

Nothing here needs more than the standard library: peers read it in environments of their own.
"""

import json
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

WORKS = {
    "M": "The machine",
    "T": "Train a Transformer",
    "R": "Train an RNN with attention",
    "D": "Decode",
    "S": "Decode with R's model",
    "L": "From the command to the first translation",
}
PAD, UNK, START, END = 0, 1, 2, 3  # the ids of saccade's four symbols
SYMBOLS = ("<pad>", "<unk>", "<s>", "</s>")
BEAMS = (5, 1)
WRITTEN = 14  # symbols before the end of every output of S: an untrained model ends none by itself
TRAINING = 3  # a training step costs three forward passes: one forward, two backward


@dataclass(frozen=True)
class Shape:
    """What is trained: the Transformer of T and D, the recurrent model of R.

    `cells` is the width of R's decoder; each direction of its encoder has half of it. It is `fed`
    what it has written, unless an engine trains it without.
    """

    width: int = 256
    heads: int = 4
    hidden: int = 1024
    layers: int = 3
    cells: int = 512
    fed: bool = True
    vocabulary: int = 8000
    dropout: float = 0.1
    smoothing: float = 0.1


@dataclass(frozen=True)
class Effort:
    """How long to measure: steps of training, sentences of decoding, sizes of the limits' tests.

    T and R: `warm` steps, then `windows` times `window` steps. D: `sentences` in batches, `alone`
    one by one. Decoding and starting are repeated `repeats` times a round.
    """

    threads: int = 2
    warm: int = 20
    window: int = 20
    windows: int = 3
    tokens: int = 4096
    rows: int = 64
    sentences: int = 1000
    alone: int = 200
    repeats: int = 3
    matrix: int = 2048
    megabytes: int = 256


QUICK = Effort(warm=2, window=3, windows=2, sentences=64, alone=8, repeats=1, matrix=1024)


def transformer_flops(shape: Shape, source: float, target: float) -> float:
    """Count the forward pass of T's model over so many real symbols of either side.

        source symbol:  2 [L (4 D D + 2 D F) + L 2 D D]          layers, then keys and values
        target symbol:  2 [L (6 D D + 2 D F) + V D]              layers, then the projection

    Matrix products only; padding and the products of attention itself (about 2 % of T) are left
    out, so a share of the machine's peak counts useful work alone.
    """
    d, f, layers = shape.width, shape.hidden, shape.layers
    of_source = layers * (4 * d * d + 2 * d * f) + layers * 2 * d * d
    of_target = layers * (6 * d * d + 2 * d * f) + shape.vocabulary * d
    return 2 * (source * of_source + target * of_target)


def rnn_flops(shape: Shape, source: float, target: float) -> float:
    """Count the forward pass of R's model over so many real symbols of either side.

    source symbol:  2 [2 . 4 h (D + h) + C C],   h = C / 2   both directions, keys of attention
    target symbol:  2 [4 C (D + 2 C) + 2 C C + C D + V D]    cell with input feeding, read-out

    Without feeding the cell reads C numbers less.
    """
    d, c = shape.width, shape.cells
    of_source = 4 * c * (d + c // 2) + c * c
    of_target = 4 * c * (d + c + c * shape.fed) + 2 * c * c + c * d + shape.vocabulary * d
    return 2 * (source * of_source + target * of_target)


def flops(work: str, shape: Shape, source: float, target: float) -> float:
    """Count the forward pass of a workload's model."""
    count = rnn_flops if work in "RS" else transformer_flops
    return count(shape, source, target)


def step_bytes(work: str, shape: Shape) -> float:
    """Count the bytes of weights that one decoding step reads, in float32: each is used once."""
    return 4 * flops(work, shape, 0, 1) / 2


class Kit:
    """A folder with everything the engines share, so that all of them do the same work.

    vocabulary.txt              a piece a line; its number is its id
    {train,test}.{source,target}.ids     ids, without START and END
    test.source.txt  test.target.txt     raw text
    batches.T.json  batches.R.json       the pairs of every batch, in order
    weights.npz                 D's trained weights under neutral names; see `kit.neutral`
    model/                      the same as saccade's model folder
    """

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        facts = json.loads((folder / "kit.json").read_text(encoding="utf-8"))
        self.shape = Shape(**facts["shape"])
        self.data = Path(facts["data"])

    def lines(self, name: str) -> list[str]:
        """Read a file of text."""
        return (self.folder / name).read_text(encoding="utf-8").removesuffix("\n").split("\n")

    def ids(self, name: str) -> list[list[int]]:
        """Read a corpus such as train.source as ids."""
        return [[int(i) for i in line.split()] for line in self.lines(f"{name}.ids")]

    def pieces(self, name: str) -> list[list[str]]:
        """Read a corpus such as train.source as pieces."""
        return [self.spell(ids) for ids in self.ids(name)]

    def spell(self, ids: list[int]) -> list[str]:
        """Return the pieces of some ids."""
        return [self.vocabulary[i] for i in ids]

    def batches(self, work: str) -> list[list[int]]:
        """Return the numbers of the pairs in each batch of T or R."""
        text = (self.folder / f"batches.{work}.json").read_text(encoding="utf-8")
        return [[int(i) for i in batch] for batch in json.loads(text)]

    @cached_property
    def vocabulary(self) -> list[str]:
        """All pieces in the order of their ids."""
        return self.lines("vocabulary.txt")

    def corpus(self, side: str) -> Path:
        """Return the training corpus of a side as a file of pieces, for engines that read files."""
        path = self.folder / f"train.{side}.pieces"
        if not path.exists():
            rows = (" ".join(pieces) + "\n" for pieces in self.pieces(f"train.{side}"))
            path.write_text("".join(rows), encoding="utf-8")
        return path
