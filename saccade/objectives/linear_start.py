"""Linear start: a memory network learns without its softmaxes first."""

from saccade.errors import RecipeError
from saccade.flow import Batch, Loss
from saccade.models.base import Model
from saccade.models.memory_network import MemoryNetwork
from saccade.objectives.base import Decode, Moment, Objective
from saccade.objectives.cross_entropy import checked, cross_entropy, loss_of


class LinearStart(Objective):
    """Cross-entropy, for the first `steps` updates without the softmax over memories.

        p[k] = u[k] . m[k]            before update `steps`
        p[k] = softmax(u[k] . m[k])   from then on

    Sukhbaatar et al. 2015 (arXiv:1503.08895), section 4.2, "linear start training", which ends it
    when the validation loss no longer falls; here a recipe says when, so that a run that is resumed
    goes on bit for bit. The softmax of the answer stays. Validation always has all softmaxes.
    """

    def __init__(self, decode: Decode, *, steps: int = 1000, smoothing: float = 0.0) -> None:
        super().__init__(decode)
        if steps < 0:
            raise RecipeError(f"linear_start.steps: {steps} is below 0; 0 has no linear start.")
        self.steps, self.smoothing = steps, checked(smoothing, "linear_start")

    def __call__(self, model: Model, batch: Batch, moment: Moment) -> Loss:
        """Return the smoothed sum; `parts["nll"]` is the plain one."""
        if not isinstance(model, MemoryNetwork):
            raise RecipeError(
                f"training.objective: linear_start leaves out softmaxes of memory_network, but the"
                f" model is {type(model).__name__}. Use cross_entropy."
            )
        if moment.step >= self.steps:
            return cross_entropy(model, batch, self.smoothing)
        mask, features = batch.target.mask, model.linear(batch).features
        return loss_of(model, features[mask], batch.target.values[mask], self.smoothing)
