"""Attention over several sources, each by an attention of its own."""

from typing import Literal

import torch
from torch import Tensor, nn

from saccade.attention._worked import Asked, Worked, WorkedStep, vector
from saccade.attention.base import Attention
from saccade.errors import RecipeError, ShapeError
from saccade.flow import Attended, Memory, State, masked_softmax, nested, tensor
from saccade.parts import Part

_BELONGS = "belongs"  # which places are of which source, [B, S, K]


class BySource(Attention):
    """Read every source by itself, then put together what was read.

        c[t, k] = attend_k(q[t])                                over the places of source k alone
        concatenated:  c[t] = [c[t, 1]; ...; c[t, K]]
        hierarchical:  b[t, k] = softmax_k(v . tanh(W q[t] + U_k c[t, k]))
                       c[t]    = sum_k b[t, k] V_k c[t, k]

    concatenated: the two attentions of Calixto, Liu & Campbell 2017 (arXiv:1702.01287), section
    3.2, for text and a picture. hierarchical: Libovický & Helcl 2017 (arXiv:1704.06567), section
    3.2; its map is `b[t, k] a[t, s]`, which sums to one. Any other attention reads the places of
    all sources at once, which they call flat. A source without places has no share. `sources` is K,
    as many as data.sources names. A memory that does not say whose its places are, as that of one
    source, is read whole by each.
    """

    def __init__(
        self,
        query_dim: int,
        key_dim: int,
        *,
        attention: Part[Attention] = Part(Attention, "additive"),
        combine: Literal["hierarchical", "concatenated"] = "hierarchical",
        sources: int = 2,
        hidden: int = 128,
    ) -> None:
        super().__init__(query_dim, key_dim)
        if not 2 <= sources <= 16:
            raise RecipeError(
                f"by_source.sources: {sources} is not in 2 to 16; expected as many as data.sources"
                " names. One source needs no by_source."
            )
        self.inner = nn.ModuleList(attention.build(query_dim, key_dim) for _ in range(sources))
        first = self._attentions[0]
        if first.hard or not first.context_dim:
            raise RecipeError(
                f"by_source.attention: {attention.kind} cannot be put together; expected one that"
                " reads a mean of places, such as additive."
            )
        self.recurrent, self.normalised = first.recurrent, first.normalised
        self.hierarchical, width = combine == "hierarchical", first.context_dim
        if self.hierarchical:
            self.W = nn.Linear(query_dim, hidden)
            self.U = nn.ModuleList(nn.Linear(width, hidden, bias=False) for _ in range(sources))
            self.V = nn.ModuleList(nn.Linear(width, width, bias=False) for _ in range(sources))
            self.v = nn.Linear(hidden, 1, bias=False)

    @property
    def _attentions(self) -> list[Attention]:
        return list(self.inner)  # type: ignore[arg-type]

    @property
    def context_dim(self) -> int:
        """That of one attention, or of all side by side."""
        return self._attentions[0].context_dim * (1 if self.hierarchical else len(self.inner))

    @property
    def names(self) -> tuple[str, ...]:
        """Those of the attention, or those of each source's."""
        own = self._attentions[0].names
        if self.hierarchical:
            return own
        return tuple(f"source {k + 1} {n}".strip() for k in range(len(self.inner)) for n in own)

    def prepare(self, states: Tensor) -> State:
        """Prepare for every attention; all places are of all sources."""
        belongs = states.new_ones(*states.shape[:2], len(self.inner), dtype=torch.bool)
        return self._named([one.prepare(states) for one in self._attentions], states, belongs)

    def prepare_memory(self, memory: Memory) -> State:
        """Prepare for every attention; the memory says whose its places are."""
        parts = [one.prepare_memory(memory) for one in self._attentions]
        belongs, values = memory.belongs, memory.states if memory.values is None else memory.values
        if belongs is None:
            belongs = memory.mask[:, :, None].expand(-1, -1, len(parts))
        if belongs.shape[2] != len(parts):
            raise ShapeError(
                f"attention by_source: it reads {len(parts)} sources but the data has"
                f" {belongs.shape[2]}; they must be equal. Set by_source.sources."
            )
        return self._named(parts, values, belongs)

    def _named(self, parts: list[State], values: Tensor, belongs: Tensor) -> State:
        named: State = {
            f"{k} {n}": entry for k, own in enumerate(parts) for n, entry in own.items()
        }
        return {**named, "values": values, _BELONGS: belongs}

    def start(self, prepared: State) -> State:
        """Start every attention."""
        parts = enumerate(self._attentions)
        return {str(k): one.start(_own(prepared, k)) for k, one in parts}

    def forward(
        self, query: Tensor, prepared: State, mask: Tensor, state: State, *, look: bool = False
    ) -> Attended:
        """Read every source, then combine."""
        belongs = tensor(prepared, _BELONGS)[:, None]  # [B, 1, S, K]
        reads, present, after = list[Attended](), [], State()
        for k, one in enumerate(self._attentions):
            kept = mask & belongs[..., k]  # [B, 1 or T, S]
            read = one(query, _own(prepared, k), kept, nested(state, str(k)), look=look)
            after[str(k)] = read.state
            reads.append(read)
            present.append(kept.any(dim=2))
        maps = [read.weights for read in reads if read.weights is not None]
        if not self.hierarchical:
            context = torch.cat([read.context for read in reads], dim=2)  # [B, T, K C]
            return Attended(context, torch.cat(maps, dim=2) if maps else None, after)
        share = self._shares(query, reads, torch.stack(present, dim=2))  # [B, T, K]
        pairs = zip(share.unbind(dim=2), reads, self.V, strict=True)
        context = sum(b[:, :, None] * V(read.context) for b, read, V in pairs)  # [B, T, C]
        weights = None
        if maps:
            weights = (torch.stack(maps, dim=4) * share[:, :, None, None]).sum(dim=4)
        return Attended(context, weights, after)  # weights [B, T, A, S]

    def work(self, asked: Asked) -> tuple[Worked, ...]:
        """The steps of every source, then how they are put together."""
        belongs = tensor(asked.prepared, _BELONGS)[:, None]  # [1, 1, S, K]
        parts = [
            one.work(
                asked._replace(
                    prepared=_own(asked.prepared, k),
                    mask=asked.mask & belongs[..., k],
                    state=nested(asked.state, str(k)),
                )
            )
            for k, one in enumerate(self._attentions)
        ]
        read = self(asked.query, asked.prepared, asked.mask, asked.state, look=True)
        context, maps = read.context[0, 0], zip(self.names, read.weights[0, 0], strict=True)
        if not self.hierarchical:
            every = [one for works in parts for one in works]
            closing = vector("[c1; ...; cK], of all sources", context)
            return tuple(
                w._replace(name=name).then(closing)
                for w, (name, _) in zip(every, maps, strict=True)
            )
        found = list[Worked]()
        for (name, a), works in zip(maps, zip(*parts, strict=True), strict=True):
            steps = [
                step._replace(equation=f"source {k + 1}: {step.equation}")
                for k, one in enumerate(works)
                for step in one.steps
            ]
            closing = vector("c = Σ b V c, of all sources", context)
            kept = asked.mask.expand(1, 1, len(a))[0, 0]
            found.append(Worked(name, kept, a, (*steps, WorkedStep("b a", a), closing)))
        return tuple(found)

    def _shares(self, query: Tensor, reads: list[Attended], present: Tensor) -> Tensor:
        """Weigh the sources against each other: `[B, T, K]`."""
        asked = self.W(query)  # [B, T, hidden]
        told = [U(read.context) for U, read in zip(self.U, reads, strict=True)]
        scores = [self.v(torch.tanh(asked + one)) for one in told]  # K x [B, T, 1]
        return masked_softmax(torch.cat(scores, dim=2), present)


def _own(prepared: State, k: int) -> State:
    """Return what was prepared for attention `k`."""
    start = f"{k} "
    return {name.removeprefix(start): e for name, e in prepared.items() if name.startswith(start)}
