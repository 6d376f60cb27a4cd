"""The end-to-end memory network: ask a story, sentence by sentence, in several hops."""

from collections.abc import Mapping
from typing import Literal

import torch
from torch import Tensor, nn

from saccade.embedders.sentences import Encoding, bags
from saccade.errors import RecipeError
from saccade.flow import Batch, Decoded, Padded, Sources, masked_softmax
from saccade.heads.given import GivenHead
from saccade.models._answer import (
    Answer,
    Answerer,
    over_places,
    sentences,
    story_and_question,
)
from saccade.nouns import Side

_QUESTION = 0.1  # every number of a question that nobody asked, as in section 5
_SPREAD = 0.1  # of the weights to begin with


class MemoryNetwork(Answerer):
    """Remembers sentences and asks them `hops` times; what was read changes what is asked next.

        m[i] = sum_j l[j] * A[x[i,j]] + TA[i]      c[i] = sum_j l[j] * C[x[i,j]] + TC[i]
        u[1] = sum_j l[j] * B[q[j]]
        p[k] = softmax_i(u[k] . m[k,i])            o[k] = sum_i p[k,i] c[k,i]
        u[k+1] = u[k] + o[k]                       p(y) = softmax(W u[hops + 1])[y]

    Sukhbaatar et al. 2015 (arXiv:1503.08895), sections 2 and 4.1. `tie: adjacent`: A[k+1] = C[k],
    B = A[1], W = C[hops], and so for T. `layerwise`: A and C are the same in all hops, B and W are
    their own, and u[k+1] = H u[k] + o[k]. `encoding` says what l is (embedders/sentences).

    TA, TC tell how long ago a sentence was: row 0 is the last; sentences older than `memory` share
    its last row. In training, an empty memory stands behind a sentence with chance `empty`: it
    moves that and older sentences by one row ("random noise"). With `blanks` the softmax is over
    `memory` slots, as in the authors' programme: those without a sentence score 0 and hold zeros,
    so that a hop can read next to nothing; then the weights of sentences sum to less than one.

    Story, question and answer have one vocabulary, as matrices are shared among them. The first
    source is the story and the second the question; without one, u[1] is constant (section 5).
    `dropout` is for u[hops + 1]; the paper has none. The linear start is objectives/linear_start.
    """

    one_vocabulary = True

    def __init__(  # noqa: PLR0913 - all but two are options
        self,
        sources: Mapping[str, Side],
        target: Side,
        *,
        embedding: int = 50,
        hops: int = 3,
        tie: Literal["adjacent", "layerwise"] = "adjacent",
        encoding: Encoding = "position",
        memory: int = 50,
        temporal: bool = True,
        empty: float = 0.1,
        blanks: bool = False,
        dropout: float = 0.0,
    ) -> None:
        super().__init__()
        _check(hops, memory, empty)
        self.story, self.question = story_and_question("memory_network", tuple(sources))
        self.dim, self.hops, self.tie, self.empty = embedding, hops, tie, empty
        self.slots = memory if blanks else 0
        self.encoding: Encoding = encoding
        n = hops + 1 if tie == "adjacent" else 2
        size = sources[self.story].size
        self.E = _drawn(size, n, embedding)  # A[1], C[1], ..., C[hops], side by side
        self.T = _drawn(memory, n, embedding) if temporal else None
        apart = tie == "layerwise"
        self.H = nn.Linear(embedding, embedding, bias=False) if apart else None
        self.B = _drawn(size, 1, embedding) if apart and self.question else None
        self.W = _drawn(target.size, 1, embedding) if apart else None
        self.dropout = nn.Dropout(dropout)
        self.head = GivenHead(target.size, target.size, None)

    @property
    def attention_names(self) -> tuple[str, ...]:
        """One map a hop."""
        return tuple(f"hop {k + 1}" for k in range(self.hops))

    def answer(self, sources: Sources, *, look: bool = False) -> Answer:
        """Read the sources and answer."""
        return self._ask(sources, look=look, linear=False)

    def linear(self, batch: Batch) -> Decoded:
        """Answer without a softmax over sentences: `p = u . m`, for a linear start."""
        found = self._ask(batch.sources, look=False, linear=True)
        return self.lay(found.state(), batch.prefix.shape[1])

    def _ask(self, sources: Sources, *, look: bool, linear: bool) -> Answer:
        story = sentences(sources[self.story])
        given, rows = story.mask, self.remember(story).unbind(dim=1)  # [B, N], M x [R, D]
        owner = given.nonzero()[:, 0]  # [R], whose sentence each is
        u = self._question(sources, len(given))  # [B, D]
        maps = []
        for k in range(self.hops):
            at = k if self.H is None else 0
            scores = (rows[at] * u.index_select(0, owner)).sum(dim=1)  # [R]
            scores = scores.new_zeros(given.shape).masked_scatter(given, scores)  # [B, N]
            p = scores if linear else self._weights(scores, given)
            read = p[given][:, None] * rows[at + 1]  # [R, D]
            u = u if self.H is None else self.H(u).to(read.dtype)
            u = u.index_add(0, owner, read)  # [B, D]
            maps.append(p)
        W = self.E[:, -1] if self.W is None else self.W[:, 0]  # [V, D]
        logits = self.dropout(u) @ W.T  # [B, V]
        weights = over_places(torch.stack(maps, dim=1), sources) if look else None
        return Answer(logits, weights)

    def _weights(self, scores: Tensor, given: Tensor) -> Tensor:
        """Return the softmax of scores `[B, N]` over the sentences, and the blanks if asked."""
        if not self.slots:
            return masked_softmax(scores, given)
        n_blank = (self.slots - given.sum(dim=1, keepdim=True)).clamp(min=0)  # [B, 1]
        every = torch.cat([scores, n_blank.clamp(min=1).log().to(scores)], dim=1)  # [B, N + 1]
        return masked_softmax(every, torch.cat([given, n_blank > 0], dim=1))[:, :-1]

    def remember(self, story: Padded) -> Tensor:
        """Return the vectors of all real sentences in every matrix, `[R, M, D]`.

        Padding is left out: in a batch of long and short stories it is most of the places.
        """
        given = story.mask  # [B, N]
        rows = bags(story.values[given], self.E.flatten(1), self.dim, self.encoding)  # [R, M * D]
        if self.T is not None:
            rows = rows + self.T.flatten(1).index_select(0, self._ages(given)[given])
        return rows.view(len(rows), -1, self.dim)

    def _ages(self, given: Tensor) -> Tensor:
        """Count how many memories came behind each sentence, empty ones too: `[B, N]`."""
        assert self.T is not None
        steps = given.long()
        if self.training and self.empty:
            steps = steps + (torch.rand(given.shape) < self.empty).to(given.device) * steps
        behind = steps.flip(1).cumsum(dim=1).flip(1) - 1  # [B, N]
        return behind.clamp(min=0, max=len(self.T) - 1)

    def _question(self, sources: Sources, n_rows: int) -> Tensor:
        """Return `u[1]`, `[B, D]`."""
        if self.question is None:
            return self.E.new_full((n_rows, self.dim), _QUESTION)
        asked = sentences(sources[self.question])
        B = self.E[:, 0] if self.B is None else self.B[:, 0]  # [V, D]
        ids = asked.values.masked_fill(~asked.mask[:, :, None], 0)
        return bags(ids.flatten(1), B.contiguous(), self.dim, self.encoding)


def _drawn(size: int, n: int, dim: int) -> nn.Parameter:
    return nn.Parameter(torch.randn(size, n, dim) * _SPREAD)


def _check(hops: int, memory: int, empty: float) -> None:
    problems = []
    if hops < 1:
        problems.append(f"memory_network.hops: {hops} is below 1; nothing would be read.")
    if memory < 1:
        problems.append(f"memory_network.memory: {memory} is below 1; nothing would be kept.")
    if not 0 <= empty < 1:
        problems.append(f"memory_network.empty: {empty} is not in [0, 1); 0.1 is usual.")
    if problems:
        raise RecipeError(problems)
