"""A vector for every sentence: the sum of the vectors of its words."""

from typing import ClassVar, Literal

import torch
from torch import Tensor, nn
from torch.nn.functional import embedding_bag

from saccade.embedders.base import Embedder
from saccade.flow import Padded
from saccade.tokenizers._vocabulary import END

Encoding = Literal["position", "place", "bag"]
_PLACES = 12  # of the longest sentence, for `place`


class SentenceEmbedder(Embedder):
    """A vector per sentence, whose words know where they stand.

        m = sum_j l[j] * E[x[j]]        l[j][k] = (1 - j/J) - (k/D) (1 - 2j/J),  j, k from 1

    Sukhbaatar et al. 2015 (arXiv:1503.08895), section 4.1, "position encoding". J is the number of
    known words; unknown words are left out. With `encoding: place`

        l[j][k] = 1 + 4 (j - (J + 1)/2) (k - (D + 1)/2) / (J D),    J = 12

    as in the authors' programme: about twice as much, and the same for the third word of every
    sentence; words behind the twelfth count as the twelfth. With `encoding: bag` every l is 1.
    """

    raw: ClassVar[str] = "story"

    def __init__(self, size: int, dim: int, *, encoding: Encoding = "position") -> None:
        super().__init__(size, dim)
        self.weight = nn.Parameter(torch.randn(size, dim) / dim**0.5)
        self.encoding: Encoding = encoding

    def forward(self, source: Padded) -> Padded:
        """Add up the words of sentences, `[B, N, L]` to `[B, N, D]`."""
        found = bags(source.values, self.weight, self.dim, self.encoding)
        return Padded(found * source.mask[..., None], source.mask)


def bags(ids: Tensor, matrix: Tensor, dim: int, encoding: Encoding = "position") -> Tensor:
    """Add up the vectors of the words of sentences, as `SentenceEmbedder` does.

        l[j][k] = a[j] + (k/D) b[j],    a[j] = 1 - j/J,  b[j] = 2j/J - 1          position
        b[j] = 4 (j - (J + 1)/2)/J,     a[j] = 1 - b[j] (D + 1)/(2D)             place

    so two weighted sums are enough, and no vector of a single word is ever laid out.

    Args:
        ids: `[..., L]`; symbols that are no words, and unknown words, count for nothing.
        matrix: `[V, M * D]`, M matrices side by side, for M sums at once.
        dim: D.
        encoding: whether words know where they stand.

    Returns:
        The sums, `[..., M * D]`.
    """
    rows = ids.flatten(0, -2)  # [R, L]
    words = (rows > END).to(matrix.dtype)  # [R, L]
    if encoding == "bag":
        total = embedding_bag(rows, matrix, mode="sum", per_sample_weights=words)  # [R, M * D]
    else:
        j = words.cumsum(dim=1)  # [R, L]
        if encoding == "place":
            b = 4 * (j.clamp(max=_PLACES) - (_PLACES + 1) / 2) / _PLACES
            a = 1 - b * (dim + 1) / (2 * dim)
        else:
            share = j / words.sum(dim=1, keepdim=True).clamp(min=1)
            a, b = 1 - share, 2 * share - 1
        first, second = words * a, words * b
        k = torch.arange(1, dim + 1, device=ids.device, dtype=matrix.dtype) / dim  # [D]
        slope = embedding_bag(rows, matrix, mode="sum", per_sample_weights=second)
        total = embedding_bag(rows, matrix, mode="sum", per_sample_weights=first)
        total = total + slope * k.repeat(matrix.shape[1] // dim)  # [R, M * D]
    return total.view(*ids.shape[:-1], -1)
