"""T's Transformer in plain torch: pre-norm, tied embeddings, fused attention, no dropout in it."""

import math
from pathlib import Path

import numpy as np
import torch
from torch import Tensor, nn
from torch.nn.functional import cross_entropy, dropout, linear, scaled_dot_product_attention

from benchmarks.workloads import END, PAD, START, Kit, Shape

_PLACES = 512


class Layer(nn.Module):
    """Self-attention, with `cross` attention over the memory, and a feed-forward layer."""

    def __init__(self, shape: Shape, *, cross: bool) -> None:
        super().__init__()
        d = shape.width
        self.heads, self.rate = shape.heads, shape.dropout
        self.qkv, self.output, self.norm = nn.Linear(d, 3 * d), nn.Linear(d, d), nn.LayerNorm(d)
        self.inner, self.outer = nn.Linear(d, shape.hidden), nn.Linear(shape.hidden, d)
        self.last_norm = nn.LayerNorm(d)
        if cross:
            self.query, self.kv = nn.Linear(d, d), nn.Linear(d, 2 * d)
            self.cross_output, self.cross_norm = nn.Linear(d, d), nn.LayerNorm(d)

    def split(self, x: Tensor, parts: int) -> Tensor:
        """Cut `[B, T, P D]` into P parts of H heads: `[P, B, H, T, d]`."""
        return x.view(*x.shape[:2], parts, self.heads, -1).permute(2, 0, 3, 1, 4)

    def forward(
        self, x: Tensor, mask: Tensor | None, memory: Tensor | None, memory_mask: Tensor | None
    ) -> Tensor:
        """Read `x [B, T, D]`; without a mask of its own it is causal."""
        q, k, v = self.split(self.qkv(self.norm(x)), 3)
        read = scaled_dot_product_attention(q, k, v, attn_mask=mask, is_causal=mask is None)
        x = x + self._dropped(self.output(joined(read)))
        if memory is not None:
            (q,), (k, v) = self.split(self.query(self.cross_norm(x)), 1), self.memory(memory)
            read = scaled_dot_product_attention(q, k, v, attn_mask=memory_mask)
            x = x + self._dropped(self.cross_output(joined(read)))
        return x + self._dropped(self.outer(torch.relu(self.inner(self.last_norm(x)))))

    def memory(self, memory: Tensor) -> Tensor:
        """Return keys and values of the memory: `[2, B, H, S, d]`."""
        return self.split(self.kv(memory), 2)

    def _dropped(self, x: Tensor) -> Tensor:
        return dropout(x, self.rate, self.training)


def joined(heads: Tensor) -> Tensor:
    """Put heads `[B, H, T, d]` side by side: `[B, T, D]`."""
    return heads.transpose(1, 2).flatten(2)


class Transformer(nn.Module):
    """T's model."""

    def __init__(self, shape: Shape) -> None:
        super().__init__()
        d = shape.width
        self.shape = shape
        self.embedding = nn.Embedding(shape.vocabulary, d)
        nn.init.normal_(self.embedding.weight, std=d**-0.5)
        self.bias = nn.Parameter(torch.zeros(shape.vocabulary))
        self.positions: Tensor
        self.register_buffer("positions", sinusoids(_PLACES, d))
        self.encoder = nn.ModuleList(Layer(shape, cross=False) for _ in range(shape.layers))
        self.decoder = nn.ModuleList(Layer(shape, cross=True) for _ in range(shape.layers))
        self.encoder_norm, self.decoder_norm = nn.LayerNorm(d), nn.LayerNorm(d)

    def embed(self, ids: Tensor) -> Tensor:
        """Look up `[B, T]` and add positions."""
        x = self.embedding(ids) * math.sqrt(self.shape.width) + self.positions[: ids.shape[1]]
        return dropout(x, self.shape.dropout, self.training)

    def encode(self, source: Tensor) -> tuple[Tensor, Tensor]:
        """Return the memory and which places count."""
        mask = (source != PAD)[:, None, None]
        x = self.embed(source)
        for layer in self.encoder:
            x = layer(x, mask, None, None)
        return self.encoder_norm(x), mask

    def forward(self, source: Tensor, prefix: Tensor, keep: Tensor, gold: Tensor) -> Tensor:
        """Return the mean loss; `keep` are the flat places of the target that are no padding."""
        memory, mask = self.encode(source)
        x = self.embed(prefix)
        for layer in self.decoder:
            x = layer(x, None, memory, mask)
        features = self.decoder_norm(x).flatten(0, 1)[keep]
        logits = linear(features, self.embedding.weight, self.bias)
        return cross_entropy(logits, gold, label_smoothing=self.shape.smoothing)


def sinusoids(n: int, d: int) -> Tensor:
    """Return sines and cosines by turns: `[n, d]`."""
    angle = torch.arange(n)[:, None] * 10000 ** (-torch.arange(0, d, 2) / d)
    return torch.stack([angle.sin(), angle.cos()], dim=2).flatten(1)


def padded(rows: list[list[int]]) -> Tensor:
    """Put ids into one tensor."""
    longest = max(map(len, rows))
    return torch.tensor([row + [PAD] * (longest - len(row)) for row in rows])


def collate(
    sources: list[list[int]], targets: list[list[int]]
) -> tuple[Tensor, Tensor, Tensor, Tensor]:
    """Make source, prefix, places to keep and gold symbols."""
    source = padded([[*row, END] for row in sources])
    prefix, target = (
        padded([[START, *row] for row in targets]),
        padded([[*row, END] for row in targets]),
    )
    keep = (target.flatten() != PAD).nonzero().squeeze(1)
    return source, prefix, keep, target.flatten()[keep]


def load(kit: Kit) -> Transformer:
    """Open D's weights."""
    model = Transformer(kit.shape)
    model.load_state_dict(_renamed(kit.folder / "weights.npz", kit.shape))
    return model.eval()


def _renamed(path: Path, shape: Shape) -> dict[str, Tensor]:
    with np.load(path) as file:
        given = {name: torch.from_numpy(file[name]) for name in file.files}
    found = {"embedding.weight": given["embedding"], "bias": given["bias"]}
    found["positions"] = given["positions"]
    for kind in ("weight", "bias"):
        for side in ("encoder", "decoder"):
            found[f"{side}_norm.{kind}"] = given[f"{side}.norm.{kind}"]
        for at in [f"{side}.{i}" for side in ("encoder", "decoder") for i in range(shape.layers)]:
            found |= {f"{at}.{new}.{kind}": given[f"{at}.{old}.{kind}"] for new, old in _SAME}
            own = [given[f"{at}.self.{name}.{kind}"] for name in ("query", "key", "value")]
            found[f"{at}.qkv.{kind}"] = torch.cat(own)
            if at.startswith("decoder"):
                found |= {f"{at}.{new}.{kind}": given[f"{at}.{old}.{kind}"] for new, old in _CROSS}
                pair = [given[f"{at}.cross.{name}.{kind}"] for name in ("key", "value")]
                found[f"{at}.kv.{kind}"] = torch.cat(pair)
    return found


_SAME = [
    ("output", "self.output"),
    ("norm", "self.norm"),
    ("inner", "feed_forward.inner"),
    ("outer", "feed_forward.outer"),
    ("last_norm", "feed_forward.norm"),
]
_CROSS = [
    ("query", "cross.query"),
    ("cross_output", "cross.output"),
    ("cross_norm", "cross.norm"),
]
