"""Models as a search steps through them: the clear ones, and those laid out for it."""

import sys
from math import sqrt

from torch import Tensor, log_softmax
from torch.nn.functional import embedding

from saccade.decoders.base import Decoder
from saccade.flow import Sources, State, Step, only
from saccade.inference.linear import LayOut, pack, packed
from saccade.inference.rnn import RnnSteps
from saccade.inference.steps import (
    DecoderSteps,
    ModelSteps,
    Start,
    SymbolModel,
    batch_places,
    symbol_model,
)
from saccade.inference.transformer import TransformerSteps
from saccade.models.base import Model, Writer, writer


class ClearSteps:
    """A model as it is."""

    def __init__(self, model: Writer) -> None:
        self.model = model

    def batch_places(self, lines: int) -> int:
        """Return how many places a batch should have: any, if no step looks back at them."""
        return batch_places(lines) if self.model.rereads else sys.maxsize

    def begin(self, sources: Sources) -> Start:
        """Read the sources."""
        return Start(self.model.step, self.model.start(sources))


class PackedSteps:
    """An `EncoderDecoder` whose decoder is laid out, with its embedding and output."""

    def __init__(self, whole: SymbolModel, decoder: DecoderSteps, lay_out: LayOut) -> None:
        model, target, head = whole
        self.decoder, self.embedder = decoder, model.reading.embedder
        self.encoder = packed(model.reading.encoder, lay_out)
        self.vectors = target.weight.detach() * sqrt(target.dim)  # [V, D]
        self.narrow = None if head.narrow is None else pack(lay_out, head.narrow)
        self.output = lay_out(head.weight, head.bias)

    def batch_places(self, lines: int) -> int:
        """Return how many places a batch should have at most, as the decoder says."""
        return self.decoder.batch_places(lines)

    def begin(self, sources: Sources) -> Start:
        """Read the source."""
        lines = self.decoder.begin(self.encoder.read(self.embedder(only(sources))))

        def step(token: Tensor, state: State) -> Step:
            features, _, state = lines.step(embedding(token, self.vectors), state)
            features = features if self.narrow is None else self.narrow(features)
            scores = self.output(features)  # [N, V]
            return Step(log_softmax(scores, dim=1, out=scores), state)

        return Start(step, lines.start)


def steps_of(model: Model, lay_out: LayOut) -> ModelSteps:
    """Lay a model out for a search, as far as its parts are known; its matrices by `lay_out`."""
    whole = symbol_model(model)
    decoder = None if whole is None else _decoder_steps(whole.model.decoder, lay_out)
    if whole is None or decoder is None:
        return ClearSteps(packed(writer(model), lay_out))
    return PackedSteps(whole, decoder, lay_out)


def _decoder_steps(decoder: Decoder, lay_out: LayOut) -> DecoderSteps | None:
    return TransformerSteps.of(decoder, lay_out) or RnnSteps.of(decoder, lay_out)
