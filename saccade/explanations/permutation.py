"""What attention knows of order."""

from collections.abc import Mapping
from functools import partial

import torch
from torch import Tensor

from saccade.attention.base import Attention
from saccade.explanations.base import Explained, Explanation
from saccade.flow import Attended
from saccade.parts import Part, kinds
from saccade.views import bars
from saccade.views.drawing import Drawing, colourless, stacked

_ROUNDING = 1e-9  # what float64 may differ by, and sums in another order

Shares = Mapping[str, float]


class Permutation(Explanation):
    """What changes if queries change places, and what if keys and values do?

    Every attention of the package, untrained, reads `places` vectors of N(0, 1) with `queries`
    others, twice: as they are and permuted by P. Of the second reading the permutation of the
    queries is undone. Shown is by how much the outputs then differ:

        |attend(P Q, M) - P attend(Q, M)| / |attend(Q, M)|
        |attend(Q, P M) - attend(Q, M)| / |attend(Q, M)|

    An attention that asks for the content of a place alone has 0 and 0 (Lee et al. 2019,
    arXiv:1810.00825, property 1). One that remembers the query before has not the first; one that
    asks where a place stands has not the second.
    """

    def __init__(
        self, *, seed: int = 1, width: int = 16, places: int = 12, queries: int = 6
    ) -> None:
        self.seed = seed
        self.width = width
        self.places = places
        self.queries = queries

    def run(self) -> Explained:
        """Let every attention that reads something read four times."""
        found = {kind: self._changes(Part(Attention, kind)) for kind in kinds(Attention)}
        changes = {kind: pair for kind, pair in found.items() if pair is not None}
        asked = {kind: queries for kind, (queries, _) in changes.items()}
        read = {kind: memory for kind, (_, memory) in changes.items()}
        said = (
            f"Queries that change places take their outputs with them in {_equal(asked)} attentions"
            f" and change them by up to {max(asked.values()):.0%} in the others{_named(asked)}."
            f" Keys and values that change places together change nothing in {_equal(read)} and up"
            f" to {max(read.values()):.0%} of the output in the others{_named(read)}."
        )
        drawing = stacked(
            "Permuted",
            {
                "Queries permuted: change of their outputs, %": _bars(asked),
                "Keys and values permuted together: change of the output, %": _bars(read),
            },
            said=said,
        )
        figures = {f"queries {kind}": share for kind, share in asked.items()}
        figures |= {f"memory {kind}": share for kind, share in read.items()}
        return Explained(said, drawing, figures)

    def _changes(self, part: Part[Attention]) -> tuple[float, float] | None:
        """Return both differences of one attention; None if it reads nothing."""
        with torch.random.fork_rng(devices=[]):
            torch.manual_seed(self.seed)
            attention = part.build(self.width, self.width).double().eval()
        if not attention.context_dim:
            return None
        noise = torch.Generator().manual_seed(self.seed)
        query = torch.randn(1, self.queries, self.width, generator=noise, dtype=torch.float64)
        places = torch.randn(1, self.places, self.width, generator=noise, dtype=torch.float64)
        order = torch.randperm(self.queries, generator=noise)
        other = torch.randperm(self.places, generator=noise)
        plain = _read(attention, query, places)
        asked = _read(attention, query[:, order], places)
        read = _read(attention, query, places[:, other])
        return _share(asked - plain[:, order], plain), _share(read - plain, plain)


@torch.no_grad()
def _read(attention: Attention, query: Tensor, places: Tensor) -> Tensor:
    """Read with all queries at once, `[1, T, C]`."""
    prepared = attention.prepare(places)
    mask = torch.ones(1, 1, places.shape[1], dtype=torch.bool)
    found: Attended = attention(query, prepared, mask, attention.start(prepared))
    return found.context


def _share(change: Tensor, plain: Tensor) -> float:
    """Return the length of a change as a share, 0 if it is rounding."""
    share = float(change.norm() / plain.norm())
    return share if share > _ROUNDING else 0.0


def _equal(shares: Shares) -> str:
    return f"{sum(not share for share in shares.values())} of {len(shares)}"


def _named(shares: Shares) -> str:
    names = [kind for kind, share in shares.items() if share]
    return f" ({', '.join(names)})" if names else ""


def _bars(shares: Shares) -> Drawing:
    values = {kind: 100 * share for kind, share in shares.items()}
    return Drawing(
        "Change",
        partial(bars.to_svg, values),
        colourless(lambda width: bars.to_terminal(values, width=width)),
    )
