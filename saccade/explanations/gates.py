"""What each gate of a trained cell is for: the loss and the text without it."""

from itertools import islice
from math import log

import torch

from saccade.cells.base import Cell
from saccade.corpora.base import Split
from saccade.corpora.english_french import EnglishFrench
from saccade.data.batching import collate
from saccade.data.codecs import Codecs
from saccade.decoders.base import Decoder
from saccade.explanations._practice import alone, practise
from saccade.explanations.base import Explained, Explanation
from saccade.flow import Batch
from saccade.look.clamping import clamped
from saccade.modalities.text import TextCodec
from saccade.models.base import Model
from saccade.nouns import SOURCE_NAME
from saccade.objectives.cross_entropy import cross_entropy
from saccade.parts import Part
from saccade.predict.predictor import Predictor
from saccade.recipe import Decoding, Training
from saccade.search.base import Search
from saccade.tokenizers.character import Character
from saccade.views import bars
from saccade.views.drawing import Drawing, colourless, stacked

_ROWS, _TESTED = 32, 200  # sentences of an update, and of the measurement
_SHOWN = 15  # letters of what is written
_CLAMPS: dict[str, dict[str, dict[str, float]]] = {
    "LSTM": {
        "as trained": {},
        "f=0": {"forget": 0},
        "i=0": {"input": 0},
        "f=0 i=0": {"forget": 0, "input": 0},
        "f=1 i=1": {"forget": 1, "input": 1},
    },
    "GRU": {
        "as trained": {},
        "z=0": {"update": 0},
        "z=1": {"update": 1},
        "r=0": {"reset": 0},
        "r=1": {"reset": 1},
    },
}


class ClampedGates(Explanation):
    """What is each gate of an LSTM and of a GRU for?

    A language model of characters learns English sentences. Then gates are held at 0 or 1, the
    weights being as they are, and its loss on other sentences is measured, in bits a character.
    Behind the colon stands what it writes then, the likeliest character at each step. Of an LSTM f
    keeps the memory and i writes to it; of a GRU z keeps the state and r shows it to what is
    proposed.
    """

    def __init__(self, *, seed: int = 1, width: int = 96, updates: int = 300) -> None:
        self.seed, self.width, self.updates = seed, width, updates

    def run(self) -> Explained:
        """Train both cells and clamp their gates."""
        charts, figures = dict[str, Drawing](), dict[str, float]()
        for name, clamps in _CLAMPS.items():
            with alone(self.seed):
                predictor, held_out = self._trained(name.lower())
                found = {
                    clamp: _measured(predictor, held_out, gates) for clamp, gates in clamps.items()
                }
            charts[name] = _bars(
                {f"{clamp}: {text}": bits for clamp, (bits, text) in found.items()}
            )
            figures |= {f"{name} {clamp}": bits for clamp, (bits, _) in found.items()}
        of = figures.__getitem__
        said = (
            f"The LSTM needs {of('LSTM as trained'):.2f} bits a character,"
            f" {of('LSTM f=0'):.2f} if it forgets at every step, {of('LSTM i=0'):.2f} if nothing is"
            f" written, {of('LSTM f=0 i=0'):.2f} with an empty memory and"
            f" {of('LSTM f=1 i=1'):.2f} if it only adds up. The GRU needs"
            f" {of('GRU as trained'):.2f}, {of('GRU z=0'):.2f} if it keeps"
            f" nothing as it is, {of('GRU z=1'):.2f} if its state never changes and"
            f" {of('GRU r=0'):.2f} if what is proposed does not see the past."
        )
        return Explained(said, stacked("Clamped gates", charts, said=said), figures)

    def _trained(self, cell: str) -> tuple[Predictor, Batch]:
        """Train a language model; return it with sentences to measure it on."""
        lines = _sentences("train", min((self.updates + 1) * _ROWS, 4000), self.seed)
        codec = TextCodec(Character().fit(lines, ["nfc"]))
        codecs = Codecs({SOURCE_NAME: codec}, codec)
        options = {
            "cell": Part(Cell, cell),
            "hidden": self.width,
            "attention": "none",
            "wiring": "luong",
            "input_feeding": False,
            "dropout": 0.0,
        }
        decoder = Part(Decoder, "rnn", options)
        wanted = {"decoder": decoder, "embedding": 32, "dropout": 0.0, "tie": False}
        model = Part(Model, "language_model", wanted).build(*codecs.shape)

        def loss(step: int) -> torch.Tensor:
            start = step * _ROWS % (len(lines) - _ROWS)
            found = cross_entropy(model, _batch(codecs, lines[start : start + _ROWS]))
            return found.total / found.count

        practise(model, loss, self.updates, Training(learning_rate=0.01))
        decoding = Decoding(search=Part(Search, "greedy"), max_ratio=1.0, max_extra=_SHOWN)
        held_out = _batch(codecs, _sentences("valid", _TESTED, self.seed))
        return Predictor(model, codecs, decoding), held_out


def _sentences(split: Split, n: int, seed: int) -> list[str]:
    return [source for source, _ in islice(EnglishFrench(seed=seed, size=n).pairs(split), n)]


def _batch(codecs: Codecs, lines: list[str]) -> Batch:
    """Make a batch of sentences to write from nothing."""
    empty = codecs.source.encode([""] * len(lines))
    return collate(codecs, {SOURCE_NAME: empty}, codecs.target.encode(lines))


def _measured(predictor: Predictor, held_out: Batch, gates: dict[str, float]) -> tuple[float, str]:
    """Return the loss in bits a character with gates clamped, and what is written."""
    model = clamped(predictor.model, gates)
    with torch.no_grad():
        loss = cross_entropy(model, held_out)
    writing = Predictor(model, predictor.codecs, predictor.decoding)
    return loss.total.item() / loss.count / log(2), writing.predict("").text


def _bars(bits: dict[str, float]) -> Drawing:
    return Drawing(
        "Bits a character",
        lambda: bars.to_svg(bits),
        colourless(lambda width: bars.to_terminal(bits, width=width)),
    )
