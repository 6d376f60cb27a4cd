import pytest
import torch
from torch.testing import assert_close

from saccade.errors import RecipeError
from saccade.flow import SOURCE, nested, tensor
from saccade.models.base import Model
from saccade.models.ctc import conditional
from saccade.models.joint_ctc import JointCtc
from saccade.objectives.joint_ctc import JointLikelihood
from saccade.parts import Part
from saccade.predict.predictor import Predictor
from saccade.recipe import Decoding
from saccade.search.base import Search
from tests.objectives.small import moment
from tests.samples import JOINT, backward, batch_of, codecs, scramble, sides, vocabulary

BATCH = batch_of(([4, 5, 6, 7], [4, 4]), ([5, 6], [6]))


def build(weight: float) -> JointCtc:
    part = Part(Model, "joint_ctc", {**JOINT.options, "weight": weight})
    model = scramble(part.build(*sides(8))).double()
    assert isinstance(model, JointCtc)
    return model


def test_scores_are_those_of_both_in_shares() -> None:
    model = build(0.25)
    scores = model(BATCH).features
    attended = model.inner.head.log_probs(model.inner(BATCH).features)
    frames = model.read_frames(BATCH.sources).log_probs
    assert_close(scores, 0.75 * attended + 0.25 * conditional(BATCH.prefix, frames))


@pytest.mark.parametrize("weight", [0.0, 1.0])
def test_all_of_one_is_that_one(weight: float) -> None:
    model = build(weight)
    alone = model.inner.head.log_probs(model.inner(BATCH).features)
    frames = model.read_frames(BATCH.sources).log_probs
    assert_close(model(BATCH).features, conditional(BATCH.prefix, frames) if weight else alone)


def test_maps_are_those_of_both() -> None:
    model = build(0.3)
    assert model.attention_names == (*model.inner.attention_names, "CTC")
    weights = model(BATCH, look=True).weights
    assert weights is not None
    attended = model.inner(BATCH, look=True).weights
    assert_close(weights[:, :, :-1], attended)
    assert_close(weights[0, :, -1].sum(dim=1), torch.ones(3).double())
    state = model.start(BATCH.sources)
    stepped = model.advance(BATCH.prefix[:, 0], state, look=True)
    assert stepped.weights is not None
    assert stepped.weights.shape == (2, 2, 5)
    assert tensor(nested(state, SOURCE), "frames").shape == (2, 5, 8)
    assert model.n_frames({"source": (5,)}) == 5


@pytest.mark.parametrize("search", ["beam", "ctc_prefix", "greedy"])
def test_learns_pairs(search: str) -> None:
    sources = ["aabbccdd", "ccbbaadd", "ddaabb", "bbddcc"]
    targets = [text[::2] for text in sources]
    pairs = [(encode(a), encode(b)) for a, b in zip(sources, targets, strict=True)]
    with torch.random.fork_rng():
        torch.manual_seed(1)
        model = JOINT.build(*sides(len(vocabulary())))
    optimiser, objective = torch.optim.Adam(model.parameters(), lr=2e-2), JointLikelihood(str)
    for step in range(60):
        loss = objective(model, batch_of(*pairs), moment(step))
        optimiser.zero_grad()
        backward(loss.total / loss.count)
        optimiser.step()
    found = Predictor(model, codecs(), Decoding(search=Part(Search, search)))
    made = [one.tokens for one in found.translate([spell(source) for source, _ in pairs])]
    assert made == [vocabulary().pieces(target) for _, target in pairs]


def encode(text: str) -> list[int]:
    return [4 + "abcd".index(letter) for letter in text]


def spell(ids: list[int]) -> str:
    return vocabulary().decode(ids)


def test_a_weight_is_a_share() -> None:
    with pytest.raises(
        RecipeError, match=r"joint_ctc.weight: 2 is not in \[0, 1\]; 0 is attention"
    ):
        JointCtc(*sides(6), weight=2)
