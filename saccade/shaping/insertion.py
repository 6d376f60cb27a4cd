"""A price for every symbol: against models that stop too early, or write too much."""

from torch import Tensor

from saccade.tokenizers._vocabulary import END


class Insertion:
    """Pays every symbol but END the same: a shaper of search.

        log p(v | y[1..t-1], x) + insertion [v is no END]

    Args:
        insertion: what a symbol is paid, in nats; below zero outputs get shorter.
    """

    def __init__(self, insertion: float) -> None:
        self.insertion = insertion

    def __call__(self, prefixes: Tensor, log_probs: Tensor) -> Tensor:
        """Edit log-probabilities `[N, V]` of what follows `prefixes [N, t]`."""
        edited = log_probs + self.insertion
        edited[:, END] = log_probs[:, END]
        return edited
