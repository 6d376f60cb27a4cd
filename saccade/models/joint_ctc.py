"""CTC and attention on one encoder: one keeps to the order of the source, one knows the target."""

from collections.abc import Mapping
from typing import ClassVar, Literal, NamedTuple

import torch
from torch import Tensor, nn

from saccade.decoders.base import Decoder
from saccade.embedders.base import Embedder
from saccade.encoders.base import Encoder
from saccade.errors import RecipeError
from saccade.flow import (
    SOURCE,
    Batch,
    Decoded,
    Frames,
    Memory,
    Sources,
    State,
    Stepped,
    nested,
    share_out,
    tensor,
)
from saccade.heads.base import Head
from saccade.heads.given import GivenHead
from saccade.models.base import FrameWriter, Model
from saccade.models.ctc import MARKS, conditional, label_weights, spoken
from saccade.models.encoder_decoder import EncoderDecoder
from saccade.nouns import Side
from saccade.parts import Part
from saccade.search._prefix_sums import PrefixSums, extended, next_label, nothing_written


class BothRead(NamedTuple):
    """What both branches make of a batch: features of the decoder `[B, T, D]`, and the frames."""

    decoded: Decoded
    frames: Frames
    memory: Memory


class JointCtc(FrameWriter):
    """An encoder-decoder whose encoder also says of every state which label it is.

        score(v | y[<t]) = (1 - w) log p_att(v | y[<t]) + w log p_ctc(v | y[<t])

    Watanabe et al. 2017 (IEEE JSTSP 11, 8), equation 34: what CTC says of a label is the ratio of
    prefix probabilities, so the scores of an output add up to (1 - w) log p_att + w log p_ctc of
    the whole. They are not normalised. `weight` is w in writing; the objective `joint_ctc` has a
    weight of its own. Maps are those of the decoder, and CTC's behind them.
    """

    several: ClassVar[bool] = False
    normalised = False
    objective: ClassVar[str] = "joint_ctc"
    search: ClassVar[str] = "beam"
    within: ClassVar[str] = "inner."

    def __init__(  # noqa: PLR0913 - all but two are options
        self,
        sources: Mapping[str, Side],
        target: Side,
        *,
        embedder: Part[Embedder] | None = None,
        encoder: Part[Encoder] = Part(Encoder, "rnn"),
        decoder: Part[Decoder] = Part(Decoder, "rnn"),
        embedding: int = 256,
        dropout: float = 0.1,
        tie: Literal["none", "output"] = "output",
        weight: float = 0.3,
    ) -> None:
        super().__init__()
        if not 0 <= weight <= 1:
            raise RecipeError(
                f"joint_ctc.weight: {weight} is not in [0, 1]; 0 is attention alone, 1 CTC alone."
            )
        self.weight = weight
        self.inner = EncoderDecoder(
            sources,
            target,
            embedder=embedder,
            encoder=encoder,
            decoder=decoder,
            head=Part(Head, "symbols"),
            embedding=embedding,
            dropout=dropout,
            tie=tie,
        )
        self.output = nn.Linear(self.inner.reading.memory_dim, target.size)
        self.head = GivenHead(target.size, target.size, None)

    @property
    def attention_names(self) -> tuple[str, ...]:
        """The decoder's, and one for the frames."""
        return (*self.inner.attention_names, "CTC")

    def grid(self, shapes: dict[str, tuple[int, ...]]) -> tuple[int, ...]:
        """Return the shape of the places of the source."""
        return self.inner.grid(shapes)

    def n_frames(self, shapes: dict[str, tuple[int, ...]]) -> int:
        """Return how many states sources of these shapes become: each is a frame."""
        return self.inner.reading.n_states(shapes)

    def read_frames(self, sources: Sources) -> Frames:
        """Read the source; return what every frame says."""
        return self._frames(self.inner.reading(sources))

    def read_both(self, batch: Batch, *, look: bool = False) -> BothRead:
        """Read the source once for both branches, and the given prefix."""
        inner = self.inner
        prefix = inner.dropout(inner.target_embedding.embed(batch.prefix))  # [B, T, D]
        memory: Memory = inner.reading(batch.sources)
        return BothRead(inner.decoder(prefix, memory, look=look), self._frames(memory), memory)

    def forward(self, batch: Batch, *, look: bool = False) -> Decoded:
        """Return the scores of both together, `[B, T, V]`."""
        (features, weights), frames, memory = self.read_both(batch, look=look)
        scores = self._mixed(features, conditional(batch.prefix, frames.log_probs))
        if weights is None:
            return Decoded(scores, None)
        whole = torch.cat([weights, label_weights(batch, frames)[:, :, None]], dim=2)
        return Decoded(scores, memory.over_source(whole))

    def start(self, sources: Sources) -> State:
        """Read the source; return the first state of both branches."""
        memory: Memory = self.inner.reading(sources)
        state, frames = self.inner.decoder.start(memory), self._frames(memory).log_probs
        source: State = {
            "read": nested(state, SOURCE),
            "frames": frames,
            "probs": frames.double().exp(),
        }
        if memory.places is not None:
            source["places"] = memory.places
        sums: State = dict(nothing_written(frames, MARKS)._asdict())
        return {**state, SOURCE: source, "sums": sums}

    def advance(self, token: Tensor, state: State, *, look: bool = False) -> Stepped:
        """Read one symbol `[B]`."""
        inner, source = self.inner, nested(state, SOURCE)
        own = {name: entry for name, entry in state.items() if name != "sums"}
        vector = inner.dropout(inner.target_embedding.embed(token))
        within: State = {**own, SOURCE: nested(source, "read")}
        features, weights, after = inner.decoder.step(vector, within, look=look)
        frames, before = tensor(source, "frames"), nested(state, "sums")
        sums = PrefixSums(*(tensor(before, name) for name in PrefixSums._fields))
        sums = extended(sums, token, frames, MARKS)
        one = PrefixSums(*(entry[:, None] for entry in sums))
        log_probs, onset = next_label(one, tensor(source, "probs"), MARKS)
        if weights is not None:
            weights = torch.cat([weights, onset.to(weights.dtype)], dim=1)  # [B, A + 1, M]
            if "places" in source:
                weights = share_out(weights[:, None], tensor(source, "places"))[:, 0]
        scores = self._mixed(features, log_probs[:, 0].to(frames.dtype))
        following: State = dict(sums._asdict())
        return Stepped(scores, weights, {**after, SOURCE: source, "sums": following})

    def _frames(self, memory: Memory) -> Frames:
        return spoken(self.output(self.inner.dropout(memory.states)), memory.mask)

    def _mixed(self, features: Tensor, ctc: Tensor) -> Tensor:
        attended = self.inner.head.log_probs(features)
        return (1 - self.weight) * attended + self.weight * ctc


def joint(model: Model, owner: str) -> JointCtc:
    """Return the model if it has both branches; refuse it if not."""
    if isinstance(model, JointCtc):
        return model
    raise RecipeError(
        f"{owner}: {type(model).__name__} has not both CTC and attention; expected the model"
        " joint_ctc. Use it, or another objective."
    )
