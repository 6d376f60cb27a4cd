"""No n-gram twice in one output: search cannot fall into a loop."""

from torch import Tensor

_NEVER = float("-inf")


class NoRepeat:
    """Edits log-probabilities so that no n-gram is written a second time: a shaper of search.

        log p(v | y[1..t-1]) = -inf    if y[t-n+1..t-1] v stands somewhere in y[1..t-1]

    Paulus, Xiong & Socher 2018 (arXiv:1705.04304), section 2.5, with n = 3. END may always be
    written. With n = 1 no piece is written twice.

    Args:
        n: how many pieces an n-gram has.
    """

    def __init__(self, n: int) -> None:
        self.n = n

    def __call__(self, prefixes: Tensor, log_probs: Tensor) -> Tensor:
        """Edit log-probabilities `[N, V]` of what follows `prefixes [N, t]`."""
        written, shorter = prefixes.shape[1], self.n - 1
        if written < self.n:
            return log_probs
        windows = prefixes.unfold(1, self.n, 1)  # [N, W, n], all n-grams so far
        last = prefixes[:, None, written - shorter :]  # [N, 1, n - 1]
        again = (windows[..., :shorter] == last).all(dim=2)  # [N, W]
        rows, places = again.nonzero(as_tuple=True)
        edited = log_probs.clone()
        edited[rows, windows[rows, places, shorter]] = _NEVER
        return edited
