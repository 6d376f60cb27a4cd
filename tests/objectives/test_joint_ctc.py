import pytest
from torch.testing import assert_close

from saccade.errors import RecipeError
from saccade.objectives.cross_entropy import loss_of
from saccade.objectives.ctc import likelihood
from saccade.objectives.joint_ctc import JointLikelihood
from tests.models.test_joint_ctc import BATCH, build
from tests.objectives.small import model as attentive
from tests.objectives.small import moment


def test_it_is_both_losses_in_shares() -> None:
    model = build(0.3)
    loss = JointLikelihood(str, weight=0.2, smoothing=0.1)(model, BATCH, moment())
    mask = BATCH.target.mask
    features = model.inner(BATCH).features[mask]
    entropy = loss_of(model.inner, features, BATCH.target.values[mask], 0.1)
    ctc = likelihood(model.read_frames(BATCH.sources), BATCH)
    assert_close(loss.total, 0.2 * ctc.total + 0.8 * entropy.total)
    assert loss.parts["nll"] == pytest.approx(entropy.parts["nll"])
    assert loss.parts["ctc"] == pytest.approx(ctc.total.item())
    assert set(loss.counts) == {"skipped", "spoke"}
    plain = JointLikelihood(str, weight=0.2, smoothing=0.0)
    valid = plain.validate(model, BATCH)
    assert_close(valid.total, plain(model, BATCH, moment()).total)
    assert list(plain.remarks(5, {"spoke": 0})) == ["blanks"]


def test_a_model_without_both_is_refused() -> None:
    told = r"training.objective: joint_ctc: EncoderDecoder has not both CTC and attention; expected"
    with pytest.raises(RecipeError, match=told):
        JointLikelihood(str)(attentive(), BATCH, moment())
    with pytest.raises(
        RecipeError, match=r"joint_ctc.weight: 1.5 is not in \[0, 1\]; it is a share"
    ):
        JointLikelihood(str, weight=1.5)
