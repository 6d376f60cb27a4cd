"""What a model is: something an objective can train and, if it writes, search can step."""

from abc import ABC, abstractmethod
from typing import ClassVar, NamedTuple

from torch import Tensor, nn
from torch.nn.functional import linear

from saccade.flow import Batch, Decoded, Padded, State, Step
from saccade.kernels.precision import restored


class Projection(NamedTuple):
    """The last map before a softmax: features `[..., D]`, weight `[V, D]`, bias `[V]`."""

    features: Tensor
    weight: Tensor
    bias: Tensor

    def log_probs(self) -> Tensor:
        """Compute `log_softmax(W f + b)`: `[..., V]`."""
        return restored(linear(*self)).log_softmax(dim=-1)


class Model(nn.Module, ABC):
    """A trainable whole. Holds parameters and nothing else; what moves is in a State.

    A part's constructor takes the sizes of the two vocabularies from the host. A `numeric` model
    reads and writes vectors: its sizes are numbers of columns, what it steps over are values
    `[B, C]`, and what it says of the next is not how likely each symbol is but which value it
    expects, `[..., C]`.
    """

    one_vocabulary: bool = False  # True if source and target must have the same symbols
    pieces_each: int = 0  # source pieces for each target symbol; 0 if lengths are free
    numeric: ClassVar[bool] = False  # True if it reads and writes numbers instead of symbols
    reads: ClassVar[bool] = True  # False if there is no source, and a given text is a beginning

    @abstractmethod
    def forward(self, batch: Batch, *, look: bool = False) -> Decoded:
        """Read the source and the given prefix of every pair; `look` asks for attention weights."""

    @abstractmethod
    def log_probs(self, features: Tensor) -> Tensor:
        """Turn features `[..., D]` into log-probabilities of the next symbol `[..., V]`."""

    def projection(self, features: Tensor) -> Projection | None:
        """Return what `log_probs` projects, where `log_softmax(W f + b)` is all that it does.

        An objective may then compute projection and loss in one; None asks it for `log_probs`.
        """
        return None

    @abstractmethod
    def start(self, source: Padded) -> State:
        """Read the source; return the state before the first symbol."""

    @abstractmethod
    def step(self, token: Tensor, state: State) -> Step:
        """Read one symbol `[B]`; return log-probabilities of the next `[B, V]` and the state."""

    @property
    @abstractmethod
    def attention_names(self) -> tuple[str, ...]:
        """What the A maps of `Decoded.weights` are called; empty for a model without attention."""
