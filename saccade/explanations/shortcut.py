"""How attention shortens the way of a gradient from what is written to what was read."""

from collections.abc import Callable

import torch
from torch import Tensor

from saccade.attention.base import Attention
from saccade.cells.base import Cell
from saccade.decoders.base import Decoder
from saccade.encoders.base import Encoder
from saccade.explanations._practice import alone, practise
from saccade.explanations.base import Explained, Explanation
from saccade.flow import Batch, padded
from saccade.look.gradients import to_source
from saccade.look.pictures import flow_drawing
from saccade.models.encoder_decoder import EncoderDecoder
from saccade.nouns import SOURCE_NAME, Side
from saccade.objectives.cross_entropy import cross_entropy
from saccade.parts import Part
from saccade.recipe import Training
from saccade.tokenizers._vocabulary import END, START

_LETTERS = 8
_ROWS = 32
_LEARNED = "trained"


class Shortcut(Explanation):
    """How far back does a gradient reach in an encoder-decoder, with attention and without?

    Two encoder-decoders of GRUs, alike but for additive attention, copy `places` random letters.
    The gradient of the first letter that is written is taken at every place of the source: its own
    letter is the farthest one. Without attention it must go back through every step of the encoder;
    with attention each place is one step away. Bahdanau, Cho & Bengio 2015 (arXiv:1409.0473);
    measured before and after `updates` updates.
    """

    def __init__(
        self, *, seed: int = 1, places: int = 30, width: int = 64, updates: int = 300
    ) -> None:
        self.seed, self.places, self.width, self.updates = seed, places, width, updates

    def run(self) -> Explained:
        """Measure both models before and after training."""
        flow, losses = dict[str, list[float]](), dict[str, float]()
        for name, attention in (("no attention", "none"), ("attention", "additive")):
            with alone(self.seed):
                model = self._model(attention)
                batch = self._copies(_ROWS, self.updates)
                flow[name] = to_source(model, batch)
                settings = Training(learning_rate=0.005)
                course = practise(model, self._loss(model), self.updates, settings)
                flow[f"{name}, {_LEARNED}"] = to_source(model, batch)
                losses[name] = course.losses[-1]
        near, far = 1, self.places  # behind the letters stands END
        fades = {name: line[far] / line[near] for name, line in flow.items()}
        said = (
            f"Before training the gradient at the first of {self.places} letters is"
            f" {fades['no attention']:.2g} times that at the last without attention, and"
            f" {fades['attention']:.2g} times with it. After {self.updates} updates it is"
            f" {fades[f'no attention, {_LEARNED}']:.2g} and"
            f" {fades[f'attention, {_LEARNED}']:.2g} times, with losses of"
            f" {losses['no attention']:.2f} and {losses['attention']:.2f} nats"
            " a letter."
        )
        figures = {f"first by last, {name}": fade for name, fade in fades.items()}
        figures |= {f"loss, {name}": loss for name, loss in losses.items()}
        return Explained(said, flow_drawing(flow, "Gradient at the source", said=said), figures)

    def _model(self, attention: str) -> EncoderDecoder:
        shared = {"cell": Part(Cell, "gru"), "hidden": self.width, "dropout": 0.0}
        side = Side(END + 1 + _LETTERS)
        return EncoderDecoder(
            {SOURCE_NAME: side},
            side,
            encoder=Part(Encoder, "rnn", {**shared, "bidirectional": False}),
            decoder=Part(Decoder, "rnn", {**shared, "attention": Part(Attention, attention)}),
            embedding=self.width,
            dropout=0.0,
        )

    def _loss(self, model: EncoderDecoder) -> Callable[[int], Tensor]:
        def loss(step: int) -> Tensor:
            found = cross_entropy(model, self._copies(_ROWS, step))
            return found.total / found.count

        return loss

    def _copies(self, rows: int, step: int) -> Batch:
        """Draw letters to be copied."""
        noise = torch.Generator().manual_seed(1_000_003 * self.seed + step)
        letters = torch.randint(END + 1, END + 1 + _LETTERS, (rows, self.places), generator=noise)
        text = padded([[*row, END] for row in letters.tolist()])
        prefix = torch.cat([torch.full((rows, 1), START), text.values[:, :-1]], dim=1)
        return Batch({SOURCE_NAME: text}, text, prefix)
