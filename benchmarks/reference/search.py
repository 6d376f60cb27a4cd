"""Greedy and beam search over the plain Transformer, with a cache of keys and values.

Beams share one copy of the memory's keys and values: there they are places of the query. The past
is written into tensors made once; sentences that are done leave the batch.
"""

import math

import torch
from torch import Tensor
from torch.nn.functional import embedding, linear, scaled_dot_product_attention

from benchmarks.reference.transformer import Layer, Transformer, joined, padded
from benchmarks.workloads import END, PAD, START, UNK

_NEVER = -1e9
_SHRINK = 0.8  # greedy drops finished rows when fewer than this share are left: copying costs too


class Cache:
    """What the decoder remembers of a batch: N = B K rows of the past, B rows of the memory."""

    def __init__(self, model: Transformer, source: Tensor, beam: int, limit: int) -> None:
        memory, mask = model.encode(source)
        self.beam, self.place = beam, 0
        self.layers: list[Layer] = list(model.decoder)  # type: ignore[arg-type]
        self.memory = [layer.memory(memory).contiguous() for layer in self.layers]
        self.mask = mask if len(source) > 1 else None
        n, h = beam * len(source), model.shape.heads
        shape = (2, n, h, limit, model.shape.width // h)
        self.past = [torch.empty(shape) for _ in self.layers]

    def write(self, i: int, keys_values: Tensor) -> Tensor:
        """Add a place `[2, N, H, d]` to layer i; return keys and values so far."""
        self.past[i][:, :, :, self.place] = keys_values
        return self.past[i][:, :, :, : self.place + 1]

    def move(self, rows: Tensor) -> None:
        """Go on from other rows `[N]` of the past, of which only the filled part is copied."""
        for i, past in enumerate(self.past):
            filled = past[:, :, :, : self.place].index_select(1, rows)
            self.past[i] = past[:, : len(rows)]
            self.past[i][:, :, :, : self.place] = filled

    def drop(self, kept: list[int]) -> None:
        """Keep the memory of these sentences alone."""
        index = torch.tensor(kept)
        self.memory = [both[:, index] for both in self.memory]
        self.mask = None if self.mask is None else self.mask[index]


class Decoder:
    """Decodes with a Transformer; PAD, START and UNK are never written."""

    def __init__(self, model: Transformer) -> None:
        self.model = model.eval()
        self.bias = model.bias.detach().clone()
        self.bias[[PAD, START, UNK]] = _NEVER

    @torch.inference_mode()
    def translate(self, sources: list[list[int]], beam: int) -> list[list[int]]:
        """Translate a batch; an output has at most 1.5 n + 10 symbols."""
        source = padded([[*row, END] for row in sources])
        limits = [int(1.5 * (len(row) + 1)) + 10 for row in sources]
        cache = Cache(self.model, source, beam, max(limits) + 1)
        return self._greedy(cache, limits) if beam == 1 else self._beam(cache, limits)

    def _step(self, tokens: Tensor, cache: Cache) -> Tensor:
        """Read one symbol `[N]`, return logits `[N, V]`."""
        model, n, k = self.model, len(tokens), cache.beam
        x = embedding(tokens, model.embedding.weight) * math.sqrt(model.shape.width)
        x = x + model.positions[cache.place]  # [N, D]
        for i, layer in enumerate(cache.layers):
            qkv = layer.qkv(layer.norm(x)).view(n, 3, layer.heads, -1).transpose(0, 1)
            keys, values = cache.write(i, qkv[1:])
            read = scaled_dot_product_attention(qkv[0][:, :, None], keys, values)
            x = x + layer.output(read.flatten(1))
            query = layer.query(layer.cross_norm(x)).view(n // k, k, layer.heads, -1)
            keys, values = cache.memory[i]
            read = scaled_dot_product_attention(
                query.transpose(1, 2), keys, values, attn_mask=cache.mask
            )
            x = x + layer.cross_output(joined(read).view(n, -1))
            x = x + layer.outer(torch.relu(layer.inner(layer.last_norm(x))))
        cache.place += 1
        return linear(model.decoder_norm(x), model.embedding.weight, self.bias)

    def _greedy(self, cache: Cache, limits: list[int]) -> list[list[int]]:
        n = len(limits)
        outputs: list[list[int]] = [[] for _ in range(n)]
        rows, going = list(range(n)), set(range(n))
        tokens = torch.full((n,), START)
        for t in range(max(limits) + 1):
            tokens = self._step(tokens, cache).argmax(dim=1)
            for row, token in zip(rows, tokens.tolist(), strict=True):
                if token == END or t == limits[row]:
                    going.discard(row)
                elif row in going:
                    outputs[row].append(token)
            if not going:
                break
            if len(going) < _SHRINK * len(rows):
                kept = [i for i, row in enumerate(rows) if row in going]
                rows, index = [rows[i] for i in kept], torch.tensor(kept)
                tokens = tokens[index]
                cache.move(index)
                cache.drop(kept)
        return outputs

    def _beam(self, cache: Cache, limits: list[int]) -> list[list[int]]:
        n, k = len(limits), cache.beam
        lines = [_Line(limit) for limit in limits]
        scores = torch.full((n, k), _NEVER)
        scores[:, 0] = 0.0
        tokens, going = torch.full((n * k,), START), list(range(n))
        past = torch.empty(n * k, 0, dtype=torch.long)
        while True:
            ways = _ways(self._step(tokens, cache), scores)
            kept = [j for j, i in enumerate(going) if lines[i].go_on(ways, j, k, past)]
            if not kept:
                break
            going = [going[j] for j in kept]
            rows = torch.tensor(
                [j * k + r for j, i in zip(kept, going, strict=True) for r in lines[i].rows]
            )
            tokens = torch.tensor([token for i in going for token in lines[i].tokens])
            scores = torch.tensor([lines[i].scores for i in going])
            past = torch.cat([past[rows], tokens[:, None]], dim=1)
            cache.move(rows)
            if len(kept) < len(ways[0]):
                cache.drop(kept)
        return [line.best for line in lines]


def _ways(
    logits: Tensor, scores: Tensor
) -> tuple[list[list[float]], list[list[int]], list[list[int]]]:
    """Return the 2 K best ways to go on of each sentence: score, row of the beam, symbol."""
    n, k = scores.shape
    values, symbols = logits.topk(k + 1, dim=1)
    values = values - logits.logsumexp(dim=1, keepdim=True) + scores.view(-1, 1)
    best, place = values.view(n, -1).topk(2 * k, dim=1)
    token = symbols.view(n, -1).gather(1, place)
    return best.tolist(), (place // (k + 1)).tolist(), token.tolist()


class _Line:
    """One sentence of a beam: its best finished output, and how its rows go on."""

    def __init__(self, limit: int) -> None:
        self.limit = limit
        self.best: list[int] = []
        self.score, self.n_finished = _NEVER, 0
        self.rows: list[int] = []
        self.tokens: list[int] = []
        self.scores: list[float] = []

    def go_on(
        self,
        ways: tuple[list[list[float]], list[list[int]], list[list[int]]],
        j: int,
        k: int,
        past: Tensor,
    ) -> bool:
        """Set finished ways among the first K aside, keep K others; say whether to go on.

        Scores are divided by the length. A sentence stops as saccade's does: K are finished, or
        nothing open can score better than the best of them up to the limit.
        """
        t = past.shape[1] + 1
        found = list(zip(ways[0][j], ways[1][j], ways[2][j], strict=True))
        for score, row, token in found[:k]:
            if token == END:
                self.n_finished += 1
                if score / t > self.score:
                    self.score, self.best = score / t, past[j * k + row].tolist()
        going = [way for way in found if way[2] != END][:k]
        self.scores, self.rows, self.tokens = map(list, zip(*going, strict=True))
        if t == self.limit + 1:
            self.best = self.best if self.n_finished else past[j * k].tolist()
            return False
        enough = self.n_finished >= k
        return not enough and self.scores[0] / (self.limit + 1) >= self.score
