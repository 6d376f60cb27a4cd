"""What a Transformer sees without positions, and ways to tell it of them."""

from collections.abc import Mapping
from functools import partial

import torch
from torch import Tensor

from saccade.explanations._toys import FIRST, batch_of, guesses, trained
from saccade.explanations.base import Explained, Explanation
from saccade.flow import Batch
from saccade.models.base import Model
from saccade.parts import Part
from saccade.positions.base import Positions
from saccade.positions.sinusoidal import waves
from saccade.views import bars, positions
from saccade.views.drawing import Drawing, colourless, stacked

_EARLY, _LATE, _OTHERS = FIRST, FIRST + 1, 8  # two words, and how many others there are
_TESTED = 1000
_SHOWN = 32  # places of the picture of similarity
_NEAR, _FAR = 1, 8  # places apart

WAYS: Mapping[str, Part[Positions]] = {
    "none": Part(Positions, "none"),
    "sum": Part(Positions, "sinusoidal"),
    "average": Part(Positions, "merged", {"merge": "average"}),
    "concatenation": Part(Positions, "merged", {"merge": "concatenation"}),
}


class PositionsMatter(Explanation):
    """What does a Transformer see without positions, and does it matter how they are merged?

    A sequence of `length` words holds two that are marked; the label says which of them came first.
    An encoder of `layers` layers of width `width` learns it from `steps` batches, for each way to
    merge sinusoidal positions with the words, and labels sequences that it never saw. Without
    positions self-attention sees a bag of words. The picture below is the cosine of the sinusoidal
    positions p[t] and p[s], which depends on s - t alone:

        p[t] . p[s] / (|p[t]| |p[s]|) = mean_i cos((s - t) / 10000^(2i / D))
    """

    def __init__(
        self,
        *,
        seed: int = 1,
        steps: int = 400,
        length: int = 10,
        width: int = 32,
        layers: int = 2,
    ) -> None:
        self.seed = seed
        self.steps = steps
        self.length = length
        self.width = width
        self.layers = layers

    def run(self) -> Explained:
        """Train an encoder for each way to merge; compare positions with each other."""
        shares = {name: self._accuracy(way) for name, way in WAYS.items()}
        alike = similarity(_SHOWN, self.width)
        near, far = float(alike[0, _NEAR]), float(alike[0, _FAR])
        merged = ", ".join(f"{name} {shares[name]:.1%}" for name in WAYS if name != "none")
        said = (
            f"Which of two words came first is told for {shares['none']:.1%} of unseen sequences"
            f" without positions, and with sinusoidal ones merged by {merged}."
            f" Sinusoidal positions of width {self.width} that are neighbours have a cosine of"
            f" {near:.2f}, those {_FAR} places apart {far:.2f}."
        )
        values = {name: 100 * share for name, share in shares.items()}
        drawings = {
            "Which of two words came first: right, %": Drawing(
                "Accuracy",
                partial(bars.to_svg, values),
                colourless(lambda width: bars.to_terminal(values, width=width)),
            ),
            "Cosine of the sinusoidal positions of two places": Drawing(
                "Similarity",
                lambda: positions.to_svg(alike.numpy(), across="place"),
                partial(positions.to_terminal, alike.numpy(), across="place"),
            ),
        }
        figures = {f"right {name}": share for name, share in shares.items()}
        figures |= {f"cosine {n} apart": float(alike[0, n]) for n in (_NEAR, _FAR)}
        return Explained(said, stacked("Positions", drawings, said=said), figures)

    def _accuracy(self, way: Part[Positions]) -> float:
        """Return the share of unseen sequences that an encoder labels right."""
        stack = {"layers": self.layers, "feed_forward": 2 * self.width, "dropout": 0.0}
        encoder = {"kind": "transformer", **stack, "attention": {"heads": 2}, "positions": way}
        options = {
            "encoder": encoder,
            "embedding": self.width,
            "hidden": self.width,
            "dropout": 0.0,
        }
        part = Part(Model, "classifier", options)
        n_ids = FIRST + 2 + _OTHERS
        model = trained(part, n_ids, self._drawn, steps=self.steps, seed=self.seed)
        unseen = self._drawn(torch.Generator().manual_seed(self.seed + 1), _TESTED)
        right = guesses(model, unseen)[:, 0] == unseen.target.values[:, 0]
        return float(right.double().mean())

    def _drawn(self, noise: torch.Generator, n: int = 64) -> Batch:
        """Draw sequences; the label is the marked word that came first."""
        words = torch.randint(_LATE + 1, _LATE + 1 + _OTHERS, (n, self.length), generator=noise)
        order = torch.rand(n, self.length, generator=noise).argsort(dim=1)[:, :2]  # [N, 2]
        words.scatter_(1, order, torch.tensor([[_EARLY, _LATE]]).expand(n, 2))
        first = torch.where(order[:, 0] < order[:, 1], _EARLY, _LATE)
        return batch_of(words.tolist(), first[:, None].tolist())


def similarity(n: int, dim: int) -> Tensor:
    """Return the cosines of the sinusoidal positions of `n` places, `[n, n]`."""
    p = waves(n, dim)
    unit = p / p.norm(dim=1, keepdim=True)
    alike: Tensor = unit @ unit.T
    return alike
