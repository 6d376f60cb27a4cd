"""The dynamic memory network: read a story several times, each time with what is known by then."""

from collections.abc import Mapping
from typing import Literal

import torch
from torch import Tensor, nn

from saccade.cells.base import Cell
from saccade.encoders.base import Encoder
from saccade.encoders.rnn import RnnEncoder
from saccade.errors import RecipeError
from saccade.flow import Memory, Padded, Sources, masked_softmax
from saccade.heads.given import GivenHead
from saccade.layers.dropout import Dropout
from saccade.models._answer import Answer, Answerer, over_places, story_and_question
from saccade.models.encoder_decoder import embedder_of
from saccade.nouns import Side
from saccade.parts import Part


class DynamicMemory(Answerer):
    """Goes through the facts of a story in `episodes`, with a gate that opens where it matters.

        f = encoder(sentences of the story)        q = GRU over the words of the question
        z[i] = [f[i] * q; f[i] * m; |f[i] - q|; |f[i] - m|]
        g = softmax_i(v . tanh(W1 z[i] + b1) + b2)
        h[i] = g[i] h~[i] + (1 - g[i]) h[i-1]      h~ as a GRU proposes it; c = h[N]
        m = relu(W [m; c; q] + b)                  m = q before the first episode
        p(y) = softmax(Wa [q; m] + ba)[y]

    Kumar et al. 2016 (arXiv:1506.07285), as improved by Xiong et al. 2016 (arXiv:1603.01417),
    sections 3.1 to 3.4, "DMN+". `reading: sum` reads c = sum_i g[i] f[i] instead; `update: gru` is
    the first paper's, m = GRU(c, m). The encoder is the "fusion layer"; its directions stand side
    by side here, not added. Weights W are the episode's own.

    The first source is the story and the second the question; without one, q is learned.
    """

    def __init__(
        self,
        sources: Mapping[str, Side],
        target: Side,
        *,
        encoder: Part[Encoder] | None = None,
        embedding: int = 80,
        episodes: int = 3,
        reading: Literal["gru", "sum"] = "gru",
        update: Literal["relu", "gru"] = "relu",
        dropout: float = 0.1,
    ) -> None:
        super().__init__()
        if episodes < 1:
            raise RecipeError(f"dynamic_memory.episodes: {episodes} is below 1; expected some.")
        self.story, self.question = story_and_question("dynamic_memory", tuple(sources))
        self.read_story = embedder_of(sources[self.story], embedding)
        self.encoder = (encoder or _fusion(embedding)).build(embedding)
        D = self.encoder.memory_dim
        self.q = nn.Parameter(torch.randn(D) / D**0.5) if self.question is None else None
        if self.question is not None:
            self.read_question = embedder_of(sources[self.question], embedding)
            self.asking = RnnEncoder(embedding, hidden=D, bidirectional=False)
        self.gate = nn.Sequential(nn.Linear(4 * D, D), nn.Tanh(), nn.Linear(D, 1))
        self.reading = AttentionGru(D) if reading == "gru" else None
        by_gru = update == "gru"
        self.update = nn.ModuleList(
            nn.GRUCell(D, D) if by_gru else nn.Linear(3 * D, D) for _ in range(episodes)
        )
        self.by_gru, self.episodes = by_gru, episodes
        self.output = nn.Linear(2 * D, target.size)
        self.dropout = Dropout(dropout)
        self.head = GivenHead(target.size, target.size, None)

    @property
    def attention_names(self) -> tuple[str, ...]:
        """One map an episode."""
        return tuple(f"episode {k + 1}" for k in range(self.episodes))

    def answer(self, sources: Sources, *, look: bool = False) -> Answer:
        """Read the sources and answer."""
        facts = self._facts(sources[self.story])
        f, mask = self.dropout(facts.states), facts.mask  # [B, N, D], [B, N]
        q = self._question(sources, len(f))  # [B, D]
        m, maps = q, []
        for update in self.update:
            g = masked_softmax(self.gate(interactions(f, q, m))[:, :, 0], mask)  # [B, N]
            c = weighted_sum(f, g) if self.reading is None else self.reading(f, g)  # [B, D]
            m = update(c, m) if self.by_gru else update(torch.cat([m, c, q], dim=1)).relu()
            maps.append(g)
        logits = self.output(self.dropout(torch.cat([q, m], dim=1)))  # [B, V]
        if not look:
            return Answer(logits, None)
        weights = facts.over_source(torch.stack(maps, dim=1)[:, None])[:, 0]  # [B, A, S]
        return Answer(logits, over_places(weights, sources))

    def _facts(self, story: Padded) -> Memory:
        vectors: Padded = self.read_story(story)
        memory: Memory = self.encoder.read(Padded(self.dropout(vectors.values), vectors.mask))
        return memory

    def _question(self, sources: Sources, n_rows: int) -> Tensor:
        if self.question is None:
            assert self.q is not None
            return self.q.expand(n_rows, -1)
        vectors: Padded = self.read_question(sources[self.question])
        found: Memory = self.asking(Padded(vectors.values, vectors.mask))
        dropped: Tensor = self.dropout(found.summary)
        return dropped


class AttentionGru(nn.Module):
    """A GRU whose update gate is how much a place matters.

        r[i] = sigmoid(Wr f[i] + Ur h[i-1] + br)
        h~[i] = tanh(W f[i] + r[i] * (U h[i-1]) + b)
        h[i] = g[i] h~[i] + (1 - g[i]) h[i-1]

    Xiong et al. 2016 (arXiv:1603.01417), equations 11 and 12. What depends on facts alone is
    computed for all at once. A place with gate 0, such as padding, changes nothing.
    """

    def __init__(self, dim: int) -> None:
        super().__init__()
        self.W = nn.Linear(dim, 2 * dim)
        self.U = nn.Linear(dim, 2 * dim, bias=False)

    def forward(self, facts: Tensor, gates: Tensor) -> Tensor:
        """Read `[B, N, D]` with gates `[B, N]`; return the last state, `[B, D]`."""
        given = self.W(facts).unbind(dim=1)  # N x [B, 2 D]
        h = facts.new_zeros(facts.shape[0], facts.shape[2])
        for x, g in zip(given, gates[:, :, None].unbind(dim=1), strict=True):
            (xr, xh), (ur, uh) = x.chunk(2, dim=1), self.U(h).chunk(2, dim=1)
            proposed = torch.tanh(torch.addcmul(xh, torch.sigmoid(xr + ur), uh)).to(h.dtype)
            h = torch.lerp(h, proposed, g.to(h.dtype))
        return h


def interactions(f: Tensor, q: Tensor, m: Tensor) -> Tensor:
    """Compare facts `[B, N, D]` with question and memory `[B, D]`: `[B, N, 4 D]`."""
    q, m = q[:, None], m[:, None]
    return torch.cat([f * q, f * m, (f - q).abs(), (f - m).abs()], dim=2)


def weighted_sum(facts: Tensor, gates: Tensor) -> Tensor:
    """Read facts `[B, N, D]` all at once, by gates `[B, N]`: `[B, D]`."""
    return torch.einsum("bn,bnd->bd", gates, facts)


def _fusion(embedding: int) -> Part[Encoder]:
    """Read facts in both directions, in the width of the vectors."""
    return Part(Encoder, "rnn", {"cell": Part(Cell, "gru"), "hidden": max(embedding // 2, 1)})
