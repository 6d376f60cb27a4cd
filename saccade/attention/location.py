"""Location attention: where to look, said by the query alone."""

from torch import Tensor, nn
from torch.nn.functional import linear

from saccade.attention._worked import WorkedStep, vector
from saccade.attention.base import ScoredAttention
from saccade.errors import RecipeError, ShapeError


class Location(ScoredAttention):
    """Score places by their number; what stands there is not asked.

        e[t, s] = (W q[t])[s],      W of `most` rows

    Luong, Pham & Manning 2015 (arXiv:1508.04025), section 3.1, "location". A place has the same
    row of W in short and long sentences, and only the rows of the places at hand are used.
    """

    def __init__(self, query_dim: int, key_dim: int, *, most: int = 256) -> None:
        super().__init__(query_dim, key_dim)
        if most < 1:
            raise RecipeError(
                f"location.most: {most} is below 1; it is the most places of a source."
            )
        self.W = nn.Linear(query_dim, most, bias=False)
        nn.init.xavier_uniform_(self.W.weight)

    def keys(self, states: Tensor) -> Tensor:
        """Keep the number of places."""
        return states[:, :, :0]  # [B, S, 0]

    def score(self, query: Tensor, keys: Tensor) -> Tensor:
        """One row of W for each place."""
        n_places, most = keys.shape[1], self.W.out_features
        if n_places > most:
            raise ShapeError(
                f"attention location: the source has {n_places} places but there are weights for"
                f" {most}; the source must not be longer. Raise most and train again, or limit the"
                " length of the source."
            )
        return linear(query, self.W.weight[:n_places])  # [B, T, S]

    def score_steps(self, query: Tensor, keys: Tensor) -> tuple[WorkedStep, ...]:
        """The rows of W for the places at hand."""
        score = self.score(query[None, None], keys[None])[0, 0]  # [S]
        return vector("q", query), WorkedStep("e = W q", score)
