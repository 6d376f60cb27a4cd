"""Models as a search steps through them: the clear ones, and those laid out for it."""

import sys
from collections.abc import Sequence
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
from saccade.models.ensemble import Ensemble, gathered, mean_of, parted


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


class EnsembleSteps:
    """An `Ensemble` whose members are laid out each by itself."""

    def __init__(self, members: Sequence[ModelSteps]) -> None:
        self.members = members

    def batch_places(self, lines: int) -> int:
        """Return how many places a batch should have at most: what every member can take."""
        return min(one.batch_places(lines) for one in self.members)

    def begin(self, sources: Sources) -> Start:
        """Let every member read the sources."""
        starts = [one.begin(sources) for one in self.members]

        def step(token: Tensor, state: State) -> Step:
            own = zip(starts, parted(state), strict=True)
            steps = [start.step(token, one) for start, one in own]
            said = mean_of([one.log_probs for one in steps])
            return Step(said, gathered(one.state for one in steps))

        return Start(step, gathered(one.state for one in starts))


def steps_of(model: Model, lay_out: LayOut) -> ModelSteps:
    """Lay a model out for a search, as far as its parts are known; its matrices by `lay_out`."""
    if isinstance(model, Ensemble):
        return EnsembleSteps([steps_of(one, lay_out) for one in model.writers])
    whole = symbol_model(model)
    decoder = None if whole is None else _decoder_steps(whole.model.decoder, lay_out)
    if whole is None or decoder is None:
        return ClearSteps(packed(writer(model), lay_out))
    return PackedSteps(whole, decoder, lay_out)


def _decoder_steps(decoder: Decoder, lay_out: LayOut) -> DecoderSteps | None:
    return TransformerSteps.of(decoder, lay_out) or RnnSteps.of(decoder, lay_out)
