"""What a model may keep apart where its weights are spread over processes."""

from typing import ClassVar

from torch import nn


class Block(nn.Module):
    """A layer whose weights are all read, in every pass, within the methods that it names.

    Where a model lies in shards, the weights of a block come together for the time of such a call
    alone, and its gradients leave as soon as they are known.
    """

    entries: ClassVar[tuple[str, ...]] = ("forward",)
