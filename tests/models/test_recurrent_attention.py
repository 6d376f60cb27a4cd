"""The recurrent attention model and what it learns by."""

import math
from typing import Any

import pytest
import torch
from torch import Tensor

from saccade.cells.base import Cell
from saccade.errors import RecipeError
from saccade.flow import Batch, Padded, reorder
from saccade.glimpses.base import Glimpse
from saccade.kernels.precision import products
from saccade.models.recurrent_attention import RecurrentAttention
from saccade.models.tagger import Tagger
from saccade.nouns import Side
from saccade.objectives.base import Moment
from saccade.objectives.cross_entropy import CrossEntropy
from saccade.objectives.gaze import GazeObjective, _centred
from saccade.parts import Part
from saccade.tokenizers._vocabulary import END
from tests.samples import backward

ONE = Part(Glimpse, "retina", {"size": 1})


def model(seed: int = 3, **options: Any) -> RecurrentAttention:
    torch.manual_seed(seed)
    given = {"glimpse": ONE, "cell": Part(Cell, "elman"), "embedding": 6, "hidden": 8, **options}
    return RecurrentAttention({"source": Side(1)}, Side(7), **given).double()


def world(n_rows: int = 1, side: int = 3) -> Padded:
    """One picture, many times."""
    pixels = torch.arange(side * side, dtype=torch.uint8).view(1, side, side, 1) * 28
    mask = torch.ones(n_rows, side, side, dtype=torch.bool)
    return Padded(pixels.expand(n_rows, -1, -1, -1), mask)


def batch(source: Padded, label: int = 5) -> Batch:
    target = torch.tensor([[label, END]]).expand(len(source.mask), -1)
    return Batch(
        {"source": source}, Padded(target, torch.ones_like(target, dtype=torch.bool)), target
    )


def probabilities_after(eye: RecurrentAttention, place: list[float]) -> Tensor:
    """Look at the middle, then at a place; return how likely every label is, `[V]`."""
    pictures = eye._pictures(world())
    zeros = torch.zeros(1, 2, dtype=torch.float64)
    _, state = eye._glance(pictures, zeros, eye.cell.start(zeros))
    there = torch.tensor([place], dtype=torch.float64)
    output, _ = eye._glance(pictures, there, state)
    features = eye.lay({"features": torch.relu(eye.mix(output))}, 1).features
    return eye.head.log_probs(features)[0, 0].detach().exp()


@pytest.mark.parametrize("of", ["right", "probability"])
@pytest.mark.parametrize("copies", [1, 3])
def test_the_gradient_of_places_is_that_of_the_expected_reward(of: str, copies: int) -> None:
    """A world of 3 x 3 places: every place has a probability and a reward, so all can be summed.

    Places within a cell are told to be the cell itself, so that the reward depends on it alone.
    """
    eye, chances = next(found for found in map(_worlds, range(99)) if _differ(found[1]))
    labels = chances.argmax(dim=2)
    right = int(labels[0, 2])
    rewards = (labels == right).double() if of == "right" else chances[..., right]

    n_rows = 60_000
    moment = Moment(0, torch.Generator().manual_seed(1))
    objective = GazeObjective(str, of=of, copies=copies)  # type: ignore[arg-type]
    backward(objective(eye, batch(world(n_rows // copies), right), moment).total)
    assert eye.move.bias.grad is not None
    found = eye.move.bias.grad / n_rows

    bias = eye.move.bias.detach().clone().requires_grad_()
    zeros = torch.zeros(1, 2, dtype=torch.float64)
    output, _ = eye._glance(eye._pictures(world()), zeros, eye.cell.start(zeros))
    turned = torch.relu(eye.turn(output)).detach()[0]
    mean = torch.tanh(turned @ eye.move.weight.detach().T + bias)
    down, across = (_of_cells(mean[i], 0.6) for i in (0, 1))
    backward(down @ rewards @ across)
    assert bias.grad is not None
    assert found.tolist() == pytest.approx((-bias.grad).tolist(), abs=0.01)
    assert bias.grad.abs().max() > 0.03


def _differ(chances: Tensor) -> bool:
    return len({*chances.argmax(dim=2).flatten().tolist()}) > 1


def _worlds(seed: int) -> tuple[RecurrentAttention, Tensor]:
    """Return a model and how likely it finds every label after each place, `[3, 3, V]`."""
    eye = model(seed, glimpses=2, deviation=0.6)
    with torch.no_grad():
        eye.place.weight.zero_()  # what is seen counts, not where
        eye.seen.weight.mul_(10)
        eye.head.output.bias.zero_()
        eye.head.output.weight.mul_(20)  # sure of what it says
    middles = [-1.0, 0.0, 1.0]
    rows = [torch.stack([probabilities_after(eye, [y, x]) for x in middles]) for y in middles]
    return eye, torch.stack(rows)


def _of_cells(mean: Tensor, deviation: float) -> Tensor:
    """Return how likely each of three cells is: what lies beyond the edge is moved to it."""
    edges = torch.tensor([-0.5, 0.5], dtype=torch.float64)
    below = 0.5 * (1 + torch.erf((edges - mean) / (deviation * math.sqrt(2))))
    return torch.stack([below[0], below[1] - below[0], 1 - below[1]])


def test_the_label_does_not_teach_the_eye_where_to_look() -> None:
    eye = model(glimpses=3)
    features = eye(batch(world(2))).features
    backward(features.sum())
    assert eye.move.weight.grad is None
    assert eye.cell.get_parameter("U").grad is not None


def test_without_chance_the_same_picture_is_seen_the_same_way() -> None:
    for way in ("learned", "random", "still"):
        eye = model(glimpses=4, gaze=way)
        first, again = (eye.look_around(world(2, 5), None).places for _ in range(2))
        assert torch.equal(first, again)
        assert torch.equal(first[0], first[1])
        assert bool(first.any()) == (way != "still")


def test_chance_comes_from_the_generator_alone() -> None:
    eye = model(glimpses=3)
    looks = [eye.look_around(world(2), torch.Generator().manual_seed(s)).places for s in (1, 1, 2)]
    assert torch.equal(looks[0], looks[1])
    assert not torch.equal(looks[0], looks[2])


def test_every_glimpse_is_a_map_over_the_pixels() -> None:
    eye = model(glimpses=3)
    weights = eye(batch(world(2)), look=True).weights
    assert weights is not None
    assert weights.shape == (2, 2, 3, 9)
    assert weights[0, 0, 0].tolist() == [0, 0, 0, 0, 1, 0, 0, 0, 0]  # the first is in the middle
    assert eye.grid({"source": (3, 3, 1)}) == (3, 3)


def test_it_learns_where_the_difference_is() -> None:
    """Two pictures that differ in one corner: one glimpse beside the middle has to go there."""
    torch.manual_seed(1)
    eye = model(glimpses=2, deviation=0.4, hidden=16, embedding=16)
    pixels = torch.zeros(64, 3, 3, 1, dtype=torch.uint8)
    pixels[::2, 0, 2] = 255
    source = Padded(pixels, torch.ones(64, 3, 3, dtype=torch.bool))
    target = torch.tensor([[5, END], [6, END]]).repeat(32, 1)
    whole = Batch({"source": source}, Padded(target, torch.ones_like(target).bool()), target)
    optimiser = torch.optim.Adam(eye.parameters(), lr=0.01)
    generator = torch.Generator().manual_seed(1)
    objective = GazeObjective(str)
    for step in range(300):
        optimiser.zero_grad()
        backward(objective(eye, whole, Moment(step, generator)).total / 64)
        optimiser.step()
    gaze = eye.look_around(source, None)
    assert gaze.places[0, 1, 0] < -0.5 < 0.5 < gaze.places[0, 1, 1]


def soft_batch() -> Batch:
    """Pictures that differ in one pixel, near a corner."""
    pixels = torch.zeros(16, 9, 9, 1, dtype=torch.uint8)
    pixels[::2, 1, 7] = 255
    source = Padded(pixels, torch.ones(16, 9, 9, dtype=torch.bool))
    target = torch.tensor([[5, END], [6, END]]).repeat(8, 1)
    return Batch({"source": source}, Padded(target, torch.ones_like(target).bool()), target)


def soft_eye() -> RecurrentAttention:
    soft = Part(Glimpse, "filter_bank", {"size": 3})
    return model(glimpses=3, hidden=16, embedding=16, glimpse=soft)


def test_a_soft_eye_has_the_gradient_of_its_places() -> None:
    eye, given, moment = soft_eye(), soft_batch(), Moment(0, torch.Generator())
    backward(CrossEntropy(str)(eye, given, moment).total)
    assert eye.move.bias.grad is not None
    for n in range(5):
        losses = []
        for step in (-1e-5, 1e-5):
            with torch.no_grad():
                eye.move.bias[n] += step
                losses.append(CrossEntropy(str)(eye, given, moment).total.item())
                eye.move.bias[n] -= step
        slope = (losses[1] - losses[0]) / 2e-5
        assert slope == pytest.approx(eye.move.bias.grad[n].item(), rel=1e-4, abs=1e-8)
        assert slope != 0


def test_a_soft_eye_learns_without_reward() -> None:
    eye, given, chance = soft_eye(), soft_batch(), torch.Generator().manual_seed(1)
    optimiser = torch.optim.Adam(eye.parameters(), lr=0.003)
    for step in range(250):
        optimiser.zero_grad()
        backward(CrossEntropy(str)(eye, given, Moment(step, chance)).total / 16)
        optimiser.step()
    labels = eye.head.log_probs(eye(given).features)[:, 0].argmax(dim=1)
    assert torch.equal(labels, given.target.values[:, 0])
    places = [eye.look_around(given.source, one).places for one in (None, chance)]
    assert torch.equal(*places)  # nothing is drawn


def test_the_middle_of_a_soft_glimpse_stays_in_the_picture() -> None:
    eye = soft_eye()
    with torch.no_grad():
        eye.move.bias.copy_(torch.tensor([9.0, -9.0, 2.0, 2.0, 2.0]))
    places = eye.look_around(soft_batch().source, None).places[:, 1:]
    assert places[..., :2].abs().max() <= 1
    assert places[..., 2:].min() > 1


def test_it_may_begin_anywhere_in_training_only() -> None:
    eye = model(glimpses=2, first="anywhere")
    drawn = eye.look_around(world(4000), torch.Generator().manual_seed(1)).places[:, 0]
    assert drawn.abs().max() <= 1
    assert drawn.mean(dim=0).tolist() == pytest.approx([0, 0], abs=0.05)
    assert drawn.var(dim=0).tolist() == pytest.approx([1 / 3, 1 / 3], abs=0.03)  # all as likely
    assert not eye.look_around(world(), None).places[:, 0].any()
    assert not model(glimpses=2).look_around(world(), torch.Generator()).places[:, 0].any()


def test_several_looks_are_averaged_and_always_the_same() -> None:
    eye = model(glimpses=3, looks=4, first="anywhere").eval()
    given = batch(world(2))
    found = eye(given, look=True)
    pictures = eye._pictures(world(2))
    looks = [eye._look_around(pictures, None)]
    looks += [eye._look_around(pictures, noise) for noise in eye.chance[1:]]
    expected = torch.stack([one.features for one in looks]).mean(dim=0)
    assert torch.allclose(found.features[:, 0, :-1], expected, atol=1e-12)
    assert len({tuple(one.places.flatten().tolist()) for one in looks}) == 4
    assert torch.equal(found.features, eye(given).features)
    alone = model(glimpses=3).eval()
    again = alone(given, look=True)
    assert found.weights is not None
    assert again.weights is not None
    assert torch.equal(found.weights, again.weights)  # of the first look
    assert not torch.equal(found.features, again.features)


def test_a_picture_alone_is_seen_as_in_a_batch() -> None:
    eye = model(glimpses=3, glimpse=Part(Glimpse, "retina", {"size": 2, "scales": 2}))
    values = torch.randint(0, 256, (2, 5, 6, 1), generator=torch.Generator().manual_seed(1))
    mask = torch.ones(2, 5, 6, dtype=torch.bool)
    mask[0, 4:], mask[0, :, 3:] = False, False
    both = batch(Padded(values.to(torch.uint8), mask))
    alone = batch(Padded(values[:1, :4, :3].to(torch.uint8), mask[:1, :4, :3]))
    together, by_itself = (eye(one, look=True) for one in (both, alone))
    assert torch.allclose(together.features[:1], by_itself.features, atol=1e-12)
    assert together.weights is not None
    assert by_itself.weights is not None
    assert torch.allclose(together.weights[:1, :, :, :12], by_itself.weights, atol=1e-12)


def test_steps_write_what_the_whole_writes() -> None:
    eye, given = model(glimpses=3), batch(world(2))
    whole, state = eye(given, look=True), eye.start(given.sources)
    for place in range(2):
        features, weights, state = eye.advance(given.prefix[:, place], state, look=True)
        assert torch.equal(features, whole.features[:, place])
        assert weights is not None
        assert whole.weights is not None
        assert torch.equal(weights, whole.weights[:, place])
    assert reorder(state, torch.tensor([1, 0, 0]))


def test_products_may_be_in_bfloat16() -> None:
    eye = model(glimpses=3).float()
    with products("bfloat16", torch.device("cpu")):
        loss = GazeObjective(str)(eye, batch(world(4)), Moment(0, torch.Generator().manual_seed(1)))
    assert loss.total.dtype is torch.float32
    assert loss.count == 8
    backward(loss.total)
    assert all(p.grad is None or p.grad.isfinite().all() for p in eye.parameters())


def test_another_model_is_refused() -> None:
    tagger = Tagger({"source": Side(9)}, Side(7))
    moment = Moment(0, torch.Generator())
    with pytest.raises(RecipeError, match="gaze trains an eye that chooses where to look"):
        GazeObjective(str)(tagger, batch(world()), moment)


def test_several_looks_at_a_picture_are_compared_with_each_other() -> None:
    """The mean surprise of the other copies is taken off: of equal looks nothing is left."""
    surprise = torch.tensor([[3.0], [1.0], [5.0], [1.0]])  # two pictures, two looks each
    assert _centred(surprise, 2).tolist() == [[-2.0], [0.0], [2.0], [0.0]]
    assert torch.equal(_centred(surprise, 1), surprise)


def test_absurd_options_are_refused() -> None:
    with pytest.raises(RecipeError, match="glimpses: found 0; expected 1 to 64"):
        model(glimpses=0)
    with pytest.raises(RecipeError, match=r"gaze\.copies: found 0; expected 1 to 64"):
        GazeObjective(str, copies=0)
    with pytest.raises(RecipeError, match="looks: found 65; expected 1 to 64"):
        model(looks=65)
    with pytest.raises(RecipeError, match="deviation: found 0; expected a number above 0"):
        model(deviation=0.0)
