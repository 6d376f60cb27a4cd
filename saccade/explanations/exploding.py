"""What clipping does against gradients that explode."""

from math import log

from saccade.cells.base import Cell
from saccade.explanations._charts import chart
from saccade.explanations._latch import LatchTask, learn
from saccade.explanations.base import Explained, Explanation
from saccade.parts import Part
from saccade.recipe import Training
from saccade.views.curves import Point
from saccade.views.drawing import stacked

_LEAST = 1e-6  # of a norm, for its logarithm
_SMOOTH = 10  # updates that a point of a curve is the mean of


class Exploding(Explanation):
    """What does clipping do against gradients that explode?

    An Elman network reads two bits and `distance` places of noise and must say the bits at the end.
    It learns by plain gradient descent of rate 1, with the gradient g as it is, and with

        g <- g min(1, clip / |g|)

    Pascanu, Mikolov & Bengio 2013 (arXiv:1211.5063), section 3.2. A loss of 1 bit is a guess.
    """

    def __init__(
        self, *, seed: int = 1, distance: int = 20, updates: int = 600, clip: float = 0.25
    ) -> None:
        self.seed, self.clip = seed, clip
        self.task = LatchTask(distance, updates, width=32)

    def run(self) -> Explained:
        """Train with clipping and without."""
        losses, norms = dict[str, list[Point]](), dict[str, list[Point]]()
        figures = dict[str, float]()
        for name, clip in ((f"clipped at {self.clip:g}", self.clip), ("not clipped", 0.0)):
            settings = Training(optimiser="sgd", learning_rate=1.0, clip=clip)
            course, right = learn(self.task, Part(Cell, "elman"), settings, self.seed)
            bits = [nats / log(2) for nats in course.losses]
            losses[name] = _smooth(bits)
            norms[name] = _smooth([log(max(norm, _LEAST), 10) for norm in course.norms])
            short = name.split(" at ")[0]
            figures |= {
                f"{short}: largest norm": max(course.norms),
                f"{short}: largest loss": max(bits),
                f"{short}: last loss": losses[name][-1][1],
                f"{short}: bits right": right,
            }
        said = (
            f"Without clipping the largest gradient is {figures['not clipped: largest norm']:.3g}"
            f" long, the loss rises to {figures['not clipped: largest loss']:.2f} bits and"
            f" {figures['not clipped: bits right']:.0%} of the bits are right at the end."
            f" Clipped at {self.clip:g} the loss stays below"
            f" {figures['clipped: largest loss'] + 0.005:.2f} bits and"
            f" {figures['clipped: bits right']:.0%} are right."
        )
        charts = {
            "Loss, bits for each bit": chart(losses, x_label="update"),
            "log10 of the gradient's norm": chart(norms, x_label="update"),
        }
        title = f"An Elman network that must remember for {self.task.distance} steps"
        return Explained(said, stacked(title, charts, said=said), figures)


def _smooth(values: list[float]) -> list[Point]:
    """Return the mean of every few values, at the last of them."""
    starts = range(0, len(values), _SMOOTH)
    parts = {start + _SMOOTH: values[start : start + _SMOOTH] for start in starts}
    return [(float(end), sum(part) / len(part)) for end, part in parts.items()]
