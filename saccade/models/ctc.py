"""Connectionist temporal classification: every frame says a label or nothing, and paths add up."""

from collections.abc import Mapping

import torch
from torch import Tensor, nn

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
from saccade.heads.given import GivenHead
from saccade.kernels.precision import restored
from saccade.layers.dropout import Dropout
from saccade.models._lattice import lattice
from saccade.models._pooling import source_reader
from saccade.models._stacking import stacked
from saccade.models.base import FrameWriter
from saccade.nouns import Side
from saccade.parts import Part
from saccade.search._frames import BLANK, NEVER
from saccade.search._prefix_sums import Marks, PrefixSums, extended, next_label, nothing_written
from saccade.tokenizers._vocabulary import END, START

MARKS = Marks(START, END)
FAR = -30.0  # what a frame says of START and END, which no frame is: finite for the gradient


class Ctc(FrameWriter):
    """Reads the source and says of every frame which label it is, or that it is none.

        h[1..M] = encoder(x)
        y[t] = softmax(O h[t])                       over blank and all labels; PAD is the blank
        p(l | x) = sum over paths of prod_t y[t, path[t]]
        path spells l: repeats are written once, then blanks are left out

    Graves, Fernandez, Gomez & Schmidhuber 2006. It writes label by label like every other model
    (see `_prefix_sums.py`), so all searches, shapers and scores work. What it looks at is the
    posterior of each label over the frames; END looks at the blanks behind the last label.

    `upper` is a second encoder above the first. Then the states of the first are asked too, by a
    layer of their own: intermediate CTC (Lee & Watanabe 2021, arXiv:2102.03216), whose share of the
    loss is `early` of the objective. With encoder `none` it is the embedder that is asked.

    Outputs cannot be longer than the frames. `split` makes several frames of each state, by a
    matrix of its own for each, for text that is shorter than its output (Libovický & Helcl 2018,
    arXiv:1811.04719, section 3).
    """

    covers = False  # a label is a spike, and most frames are blank

    def __init__(
        self,
        sources: Mapping[str, Side],
        target: Side,
        *,
        embedder: Part[Embedder] | None = None,
        encoder: Part[Encoder] = Part(Encoder, "rnn"),
        upper: Part[Encoder] | None = None,
        embedding: int = 128,
        split: int = 1,
        dropout: float = 0.1,
    ) -> None:
        super().__init__()
        if not 1 <= split <= 16:
            raise RecipeError(
                f"ctc.split: {split} is not in 1 to 16; 1 makes one frame of each state."
            )
        self.split, self.size = split, target.size
        self.dropout = Dropout(dropout)
        self.reading = source_reader(sources, embedding, embedder, encoder, self.dropout)
        width = self.reading.memory_dim
        self.upper = None if upper is None else upper.build(width)
        self.early = None if upper is None else nn.Linear(width, target.size)
        width = width if self.upper is None else self.upper.memory_dim
        self.parting = nn.Linear(width, split * width) if split > 1 else None
        self.output = nn.Linear(width, target.size)
        self.head = GivenHead(target.size, target.size, None)

    @property
    def attention_names(self) -> tuple[str, ...]:
        """One map: where each label is."""
        return ("CTC",)

    def grid(self, shapes: dict[str, tuple[int, ...]]) -> tuple[int, ...]:
        """Return the shape of the places of the source."""
        return self.reading.grid(shapes)

    def n_frames(self, shapes: dict[str, tuple[int, ...]]) -> int:
        """Return how many frames sources of these shapes have."""
        n_states = self.reading.n_states(shapes)
        return self.split * (n_states if self.upper is None else self.upper.n_states(n_states))

    def read_frames(self, sources: Sources) -> Frames:
        """Read the source; return what every frame says."""
        lower: Memory = self.reading(sources)
        frames = self._frames(stacked(lower, self.upper))
        if self.early is None:
            return frames
        return frames._replace(early=spoken(self.early(self.dropout(lower.states)), lower.mask))

    def forward(self, batch: Batch, *, look: bool = False) -> Decoded:
        """Write the log-probabilities of every place, `[B, T, V]`, given the prefix before it."""
        memory = stacked(self.reading(batch.sources), self.upper)
        frames = self._frames(memory)
        features = conditional(batch.prefix, frames.log_probs)
        weights = None
        if look:
            weights = memory.over_source(self._joined(label_weights(batch, frames)[:, :, None]))
        return Decoded(features, weights)

    def start(self, sources: Sources) -> State:
        """Read the source; nothing is written yet."""
        memory = stacked(self.reading(sources), self.upper)
        frames = self._frames(memory).log_probs
        source: State = {"frames": frames, "probs": frames.double().exp()}
        if memory.places is not None:
            source["places"] = memory.places
        return {SOURCE: source, **nothing_written(frames, MARKS)._asdict()}

    def advance(self, token: Tensor, state: State, *, look: bool = False) -> Stepped:
        """Read one label `[B]`; weights tell at which frame the next one begins."""
        source = nested(state, SOURCE)
        frames, probs = tensor(source, "frames"), tensor(source, "probs")
        before = PrefixSums(*(tensor(state, name) for name in PrefixSums._fields))
        sums = extended(before, token, frames, MARKS)
        every = PrefixSums(*(one[:, None] for one in sums))  # one prefix a row
        log_probs, onset = next_label(every, probs, MARKS)
        weights = None
        if look:
            weights = self._joined(onset[:, :, None].to(frames.dtype))
            if "places" in source:
                weights = share_out(weights, tensor(source, "places"))
            weights = weights[:, 0]  # [B, 1, S]
        features = log_probs[:, 0].to(frames.dtype)
        return Stepped(features, weights, {SOURCE: source, **sums._asdict()})

    def _frames(self, memory: Memory) -> Frames:
        states, mask = memory.states, memory.mask
        if self.parting is not None:
            parts = torch.relu(self.parting(self.dropout(states)))  # [B, M, k D]
            states = parts.reshape(len(states), -1, states.shape[2])  # [B, k M, D]
            mask = mask.repeat_interleave(self.split, dim=1)
        return spoken(self.output(self.dropout(states)), mask)

    def _joined(self, weights: Tensor) -> Tensor:
        """Add up the weights of the frames of each state: `[..., k M]` to `[..., M]`."""
        return weights.reshape(*weights.shape[:-1], -1, self.split).sum(dim=-1)


def spoken(logits: Tensor, mask: Tensor) -> Frames:
    """Turn logits `[B, S, V]` into what frames say; padding says blank with certainty."""
    never = torch.tensor([START, END], device=logits.device)
    said = restored(logits).index_fill(2, never, -torch.inf).log_softmax(dim=2)
    said = said.index_fill(2, never, FAR)
    blank = torch.arange(logits.shape[2], device=logits.device) == BLANK  # [V]
    silence = torch.zeros_like(said[0, 0]).masked_fill(~blank, NEVER)
    return Frames(torch.where(mask[:, :, None], said, silence), mask)


def label_weights(batch: Batch, frames: Frames) -> Tensor:
    """Return where each label of the target is, `[B, T, S]`; END is the silence behind the last.

    If there is none, END is the last frame.

        w[i, t] = p(frame t is of label i | labels) / sum over t

    Zeros where a target cannot be spelt.
    """
    target = batch.target
    lengths = (target.lengths - 1).clamp(min=0)  # END is not spelt
    n_places = target.values.shape[1]
    found = lattice(frames.log_probs.double(), target.values, lengths).posteriors()  # [B, S, E]
    place = torch.arange(n_places, device=lengths.device).expand_as(target.values)
    state = torch.where(place < lengths[:, None], 2 * place + 1, 2 * lengths[:, None])  # [B, T]
    weights = found.transpose(1, 2).gather(
        1, state[:, :, None].expand(-1, -1, found.shape[1])
    )  # [B, T, S]
    last = torch.nn.functional.pad(frames.mask, (0, 1))
    last = (last[:, :-1] & ~last[:, 1:]) & (found.sum(dim=(1, 2)) > 0)[:, None]  # [B, S]
    ends = (place == lengths[:, None])[:, :, None] & last[:, None]  # END, if no silence follows
    weights = weights * frames.mask[:, None] + 1e-12 * ends
    weights = weights / weights.sum(dim=2, keepdim=True).clamp(min=1e-30)
    return weights.to(frames.log_probs.dtype)


def conditional(prefix: Tensor, frames: Tensor) -> Tensor:
    """Return the log-probabilities of what follows every beginning of `prefix [B, T]`.

    `[B, T, V]`, of frames `[B, S, V]`.
    """
    sums, every = nothing_written(frames, MARKS), list[PrefixSums]()
    for token in prefix.unbind(dim=1):
        sums = extended(sums, token, frames, MARKS)
        every.append(sums)
    whole = PrefixSums(*(torch.stack(one, dim=1) for one in zip(*every, strict=True)))
    return next_label(whole, frames.double().exp(), MARKS).log_probs.to(frames.dtype)
