"""R's recurrent model in plain torch: torch's LSTM reads, a loop of matrix products writes."""

import torch
from torch import Tensor, nn
from torch.nn.functional import cross_entropy, dropout
from torch.nn.utils.rnn import pack_padded_sequence, pad_packed_sequence

from benchmarks.workloads import PAD, Shape


class Rnn(nn.Module):
    """Bidirectional LSTM, LSTM with Luong's "general" attention and input feeding."""

    def __init__(self, shape: Shape) -> None:
        super().__init__()
        d, c = shape.width, shape.cells
        self.rate = shape.dropout
        self.embedding = nn.Embedding(shape.vocabulary, d)
        nn.init.normal_(self.embedding.weight, std=d**-0.5)
        self.encoder = nn.LSTM(d, c // 2, bidirectional=True, batch_first=True)
        self.read = nn.Linear(d, 4 * c)
        self.feed = nn.Linear(2 * c, 4 * c, bias=False)  # of [what was written; h] at once
        self.keys, self.mix = nn.Linear(c, c, bias=False), nn.Linear(2 * c, c)
        self.narrow, self.output = nn.Linear(c, d), nn.Linear(d, shape.vocabulary)
        self.output.weight = self.embedding.weight

    def forward(self, source: Tensor, prefix: Tensor, keep: Tensor, gold: Tensor) -> Tensor:
        """Return the mean loss; `keep` are the flat places of the target that are no padding."""
        mask = source != PAD
        packed = pack_padded_sequence(
            self._embed(source), mask.sum(1), batch_first=True, enforce_sorted=False
        )
        read, (h, c) = self.encoder(packed)
        memory, _ = pad_packed_sequence(read, batch_first=True)  # [B, S, C]
        closed = torch.zeros(mask.shape).masked_fill_(~mask, -1e9)[:, None]  # [B, 1, S]
        keys = self.keys(memory).transpose(1, 2)  # [B, C, S]
        h, c = h.transpose(0, 1).flatten(1), c.transpose(0, 1).flatten(1)  # [B, C]
        written, features = torch.zeros_like(h), []
        for x in self.read(self._embed(prefix)).unbind(1):
            i, f, g, o = (x + self.feed(torch.cat([written, h], dim=1))).chunk(4, dim=1)
            c = torch.sigmoid(f) * c + torch.sigmoid(i) * torch.tanh(g)
            h = torch.sigmoid(o) * torch.tanh(c)
            weights = torch.softmax(torch.baddbmm(closed, h[:, None], keys), dim=2)  # [B, 1, S]
            context = torch.bmm(weights, memory)[:, 0]  # [B, C]
            written = torch.tanh(self.mix(torch.cat([context, h], dim=1)))
            features.append(written)
        kept = self._dropped(torch.stack(features, dim=1).flatten(0, 1)[keep])
        return cross_entropy(self.output(self.narrow(kept)), gold)

    def _embed(self, ids: Tensor) -> Tensor:
        return self._dropped(self.embedding(ids))

    def _dropped(self, x: Tensor) -> Tensor:
        return dropout(x, self.rate, self.training)
