"""What reading the source backwards brings a model without attention."""

from dataclasses import dataclass

import torch
from torch import Tensor

from saccade.explanations._charts import chart
from saccade.explanations._practice import alone, practise
from saccade.explanations._toys import FIRST, batch_of, letters
from saccade.explanations.base import Explained, Explanation
from saccade.flow import Batch
from saccade.models.base import Model
from saccade.nouns import SOURCE_NAME, Side
from saccade.objectives.cross_entropy import cross_entropy
from saccade.parts import Part
from saccade.recipe import Training
from saccade.views.drawing import stacked

_LETTERS = 8
_ROWS, _TESTED = 32, 256
_SMOOTH = 10  # updates that a point of a curve is the mean of


@dataclass(frozen=True, slots=True)
class _Learned:
    """The loss in nats a letter along the training, and the share of right rows at each place."""

    losses: list[float]
    right: list[float]


class Reversal(Explanation):
    """What does reading the source backwards bring a model without attention?

    LSTMs copy `places` random letters through their last states, after Sutskever, Vinyals & Le 2014
    (arXiv:1409.3215), section 3.3. Read forwards, each letter is written as many steps after it was
    read as there are letters. Read backwards, the mean distance is the same, but the first letters
    are close: 1, 3, 5, ... steps. So there is a short way for the gradient to begin with. Right
    letters are counted after the right letters before.
    """

    def __init__(
        self,
        *,
        seed: int = 1,
        places: int = 10,
        width: int = 64,
        layers: int = 1,
        updates: int = 300,
    ) -> None:
        self.seed, self.places, self.updates = seed, places, updates
        self.width, self.layers = width, layers

    def run(self) -> Explained:
        """Train on sources as they are, and reversed."""
        found = {
            "forwards": self._trained(backwards=False),
            "backwards": self._trained(backwards=True),
        }
        loss = {name: sum(one.losses[-_SMOOTH:]) / _SMOOTH for name, one in found.items()}
        first = {name: one.right[0] for name, one in found.items()}
        mean = {name: sum(one.right) / len(one.right) for name, one in found.items()}
        said = (
            f"After {self.updates} updates the loss is {loss['forwards']:.2f} nats a letter if the"
            f" source is read forwards, and {loss['backwards']:.2f} if it is read backwards."
            f" The first letter is right in {first['forwards']:.1%} and {first['backwards']:.1%} of"
            f" new rows, and {mean['forwards']:.1%} and {mean['backwards']:.1%} of all letters."
        )
        figures = {f"loss, {name}": value for name, value in loss.items()}
        figures |= {f"first letter, {name}": value for name, value in first.items()}
        figures |= {f"all letters, {name}": value for name, value in mean.items()}
        charts = {
            "Loss, nats a letter": chart(
                {name: _smooth(one.losses) for name, one in found.items()}, x_label="update"
            ),
            "Right letters": chart(
                {
                    name: [(float(t), share) for t, share in enumerate(one.right, start=1)]
                    for name, one in found.items()
                },
                x_label="place",
            ),
        }
        return Explained(said, stacked("The source read backwards", charts, said=said), figures)

    def _trained(self, *, backwards: bool) -> _Learned:
        with alone(self.seed):
            model = self._model()

            def loss(step: int) -> Tensor:
                found = cross_entropy(model, self._copies(_ROWS, step, backwards=backwards))
                return found.total / found.count

            course = practise(model, loss, self.updates, Training(learning_rate=0.005))
            tested = self._copies(_TESTED, self.updates, backwards=backwards)
            with torch.no_grad():
                right = model.head.best(model(tested).features) == tested.target.values  # [B, T]
            shares: list[float] = right[:, : self.places].double().mean(dim=0).tolist()
            return _Learned(course.losses, shares)

    def _copies(self, rows: int, step: int, *, backwards: bool) -> Batch:
        """Draw letters to be copied; those that are read may be reversed."""
        drawn = letters(rows, self.places, _LETTERS, seed=self.seed, step=step)
        read = drawn.flip(1) if backwards else drawn
        return batch_of(read.tolist(), drawn.tolist())

    def _model(self) -> Model:
        layer = {
            "kind": "rnn",
            "cell": "lstm",
            "hidden": self.width,
            "layers": self.layers,
            "dropout": 0.0,
        }
        begun = {"wiring": "luong", "input_feeding": False, "attention": "none", "begin": "carried"}
        options = {
            "embedding": self.width,
            "encoder": {**layer, "bidirectional": False, "carry": True},
            "decoder": {**layer, **begun},
            "dropout": 0.0,
        }
        side = Side(FIRST + _LETTERS)
        return Part(Model, "encoder_decoder", options).build({SOURCE_NAME: side}, side)


def _smooth(values: list[float]) -> list[tuple[float, float]]:
    """Return the mean of every few values, at the last of them."""
    parts = [values[start : start + _SMOOTH] for start in range(0, len(values), _SMOOTH)]
    return [(float(_SMOOTH * n), sum(part) / len(part)) for n, part in enumerate(parts, start=1)]
