"""Models ready to write, and when they must be made ready again."""

from math import sqrt
from typing import Protocol

from torch import Tensor, log_softmax
from torch.nn.functional import embedding

from saccade.decoders.base import Decoder
from saccade.decoders.rnn import RnnDecoder
from saccade.decoders.transformer import TransformerDecoder
from saccade.embedders.symbols import SymbolEmbedder
from saccade.flow import Memory, Sources, State, Step, Stepped, only
from saccade.heads.symbols import SymbolHead
from saccade.inference.base import HELD, Start, layers_of
from saccade.inference.linear import Packed, pack, packed
from saccade.inference.rnn import RnnSteps
from saccade.inference.transformer import TransformerSteps
from saccade.kernels import library
from saccade.models.base import Model, Writer, writer
from saccade.models.encoder_decoder import EncoderDecoder
from saccade.native.panels import rounding
from saccade.native.rnn_decoder import NativeRnn
from saccade.native.transformer_decoder import NativeTransformer


class Form(Protocol):
    """What a search can write with; each state of it may be followed once.

    `held` is how many pieces of sources, times the lines that read each, a batch should have at
    most: what they read is held.
    """

    @property
    def held(self) -> int:
        """Return that number."""

    def begin(self, sources: Sources) -> Start:
        """Read the sources."""


class Lines(Protocol):
    """The lines of one batch, as a decoder writes them."""

    start: State

    def step(self, x: Tensor, state: State) -> Stepped:
        """Read one vector a line, `[N, D]`."""


class DecoderForm(Protocol):
    """A decoder's form."""

    def begin(self, memory: Memory) -> Lines:
        """Prepare the memory."""


class Clear:
    """A model as it is."""

    held = HELD

    def __init__(self, model: Writer) -> None:
        self.model = model

    def begin(self, sources: Sources) -> Start:
        """Read the sources."""
        return Start(self.model.step, self.model.start(sources))


class PackedEncoderDecoder:
    """An `EncoderDecoder` whose decoder has a form; embedding and output are laid out as well."""

    held = HELD

    def __init__(self, model: EncoderDecoder, decoder: DecoderForm) -> None:
        self.decoder, self.embedder = decoder, model.reading.embedder
        self.encoder = packed(model.reading.encoder)
        target, head = layers_of(model)
        self.vectors = target.weight.detach() * sqrt(target.dim)  # [V, D]
        self.narrow = None if head.narrow is None else pack(head.narrow)
        self.output = Packed(head.weight, head.bias)

    def begin(self, sources: Sources) -> Start:
        """Read the source."""
        lines = self.decoder.begin(self.encoder.read(self.embedder(only(sources))))

        def step(token: Tensor, state: State) -> Step:
            features, _, state = lines.step(embedding(token, self.vectors), state)
            features = features if self.narrow is None else self.narrow(features)
            scores = self.output(features)  # [N, V]
            return Step(log_softmax(scores, dim=1, out=scores), state)

        return Start(step, lines.start)


class Ready:
    """A model's form, made when it is first asked for and again whenever the weights have moved.

    Moves are seen by torch's count of writes to each parameter, which `parameter.data` goes round.
    If it `rounds`, the form multiplies by matrices in bytes; what has no form stays as it is.
    """

    def __init__(self, model: Model, *, rounds: bool = False) -> None:
        self._model, self._rounds = model, rounds
        self._parameters = list(model.parameters())
        self._made: tuple[list[tuple[int, int]], Form] | None = None

    @property
    def form(self) -> Form:
        """The form of the weights as they are now."""
        stamp = [(p._version, p.data_ptr()) for p in self._parameters]
        made = self._made
        if made is None or made[0] != stamp:
            with rounding(on=self._rounds):
                made = self._made = stamp, form_of(self._model)
        return made[1]


def form_of(model: Model) -> Form:
    """Make a model ready to write: its fast form if it has one, or itself with packed layers."""
    if type(model) is EncoderDecoder and _has_symbols(model):
        for native in (NativeTransformer, NativeRnn):
            kernels = library.found().kernels if native.serves(model) else None
            if kernels is not None:
                return native(model, kernels)
        decoder = decoder_form_of(model.decoder)
        if decoder is not None:
            return PackedEncoderDecoder(model, decoder)
    return Clear(packed(writer(model)))


def _has_symbols(model: EncoderDecoder) -> bool:
    """Tell whether a model reads one source, and writes symbols by a softmax."""
    head, target = type(model.head), type(model.target_embedding)
    return head is SymbolHead and target is SymbolEmbedder and len(model.reading.encoders) == 1


def decoder_form_of(decoder: Decoder) -> DecoderForm | None:
    """Return the fast form of a decoder, None if it has none."""
    if type(decoder) is TransformerDecoder and TransformerSteps.serves(decoder):
        return TransformerSteps(decoder)
    if type(decoder) is RnnDecoder and RnnSteps.serves(decoder):
        return RnnSteps(decoder)
    return None
