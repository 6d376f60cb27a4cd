"""The loop: how losses are added up, what it refuses, and what it leaves alone."""

from pathlib import Path

import pytest
import torch

from saccade.data.prepare import batches_of, prepare
from saccade.errors import TrainingError
from saccade.flow import Loss
from saccade.folders.model import build_model
from saccade.objectives.cross_entropy import CrossEntropy, cross_entropy
from saccade.train import weights
from saccade.train.checkpoint import Checkpoints
from saccade.train.loop import Loop, seed_of
from tests.train import small


def make(**training: object) -> Loop:
    recipe = small.recipe(**training)
    prepared = prepare(recipe, Path())
    batches = batches_of(recipe, prepared.train, prepared.codecs, recipe.training.batch_tokens)
    model = build_model(recipe, prepared.codecs)
    objective = recipe.training.objective.build(prepared.codecs.target.decode)
    return Loop(model, objective, batches, recipe.training, recipe.seed)


def test_two_half_batches_are_one_whole_batch() -> None:
    loop = make()
    model = loop.model.eval()
    whole = list(range(12))

    def gradients(parts: list[list[int]]) -> list[torch.Tensor]:
        model.zero_grad()
        count = 0
        for part in parts:
            loss = cross_entropy(model, loop.batches.batch(part), 0.1)
            loss.total.backward()  # type: ignore[no-untyped-call]
            count += loss.count
        return [p.grad / count for p in model.parameters() if p.grad is not None]

    for one, two in zip(gradients([whole]), gradients([whole[:3], whole[3:]]), strict=True):
        torch.testing.assert_close(one, two, atol=1e-6, rtol=1e-4)


@pytest.mark.parametrize("clip", [0.0, 0.25, 1e9])
def test_a_gradient_is_divided_once_and_as_long_as_it_may_be(clip: float) -> None:
    loop = make(clip=clip)
    for i, parameter in enumerate(loop.model.parameters()):
        parameter.grad = torch.full_like(parameter, float(i % 3))
    before = [p.grad.clone() for p in loop.model.parameters() if p.grad is not None]
    norm = loop._divide(5)
    whole = torch.cat([one.flatten() for one in before]).double() / 5
    assert norm == pytest.approx(float(whole.norm()))
    scale = 5 * (norm / clip if clip == 0.25 else 1.0)
    loop.optimiser.step()
    share = 1 - loop.settings.betas[0]  # of a gradient that comes first in its moving average
    for one, parameter in zip(before, loop.model.parameters(), strict=True):
        found = loop.optimiser.state[parameter]["exp_avg"]
        torch.testing.assert_close(found, share * one / scale)


def test_accumulation_reads_that_many_batches() -> None:
    loop = make(accumulate=2)
    loop.update()
    assert (loop.progress.step, loop.progress.batch) == (1, 2)


def test_a_loss_that_is_not_a_number_names_the_lines(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(CrossEntropy, "__call__", _not_a_number)
    with pytest.raises(TrainingError) as caught:
        small.run(tmp_path, validate_every=1, batch_tokens=40)
    text = str(caught.value)
    assert text.startswith("step 0: the loss is nan on the batch of ")
    assert " examples pairs:" in text
    assert text.endswith(
        "expected a number. The last checkpoint is kept; look at these lines, or begin a new run"
        " with --from it and a lower training.learning_rate."
    )
    assert Checkpoints(tmp_path).index().last == "step-00000000"


def _not_a_number(*_: object) -> Loss:
    return Loss(torch.tensor(float("nan"), requires_grad=True), 1, {"nll": 1.0})


def test_a_gradient_that_is_not_a_number_stops_before_the_weights_move() -> None:
    loop = make()
    before = {name: w.clone() for name, w in weights.of(loop.model).items()}
    next(loop.model.parameters()).register_hook(lambda g: g * torch.inf)  # type: ignore[no-untyped-call]
    with pytest.raises(TrainingError) as caught:
        loop.update()
    assert "step 0: the gradient is " in str(caught.value)
    assert "a lower training.learning_rate or training.clip." in str(caught.value)
    small.equal(before, weights.of(loop.model))


def test_the_moving_average_steps_in_and_out_again() -> None:
    loop = make(ema=0.9)
    for _ in range(3):
        loop.update()
    raw = {name: w.clone() for name, w in weights.of(loop.model).items()}
    assert loop.average
    with loop.averaged():
        small.equal(weights.of(loop.model), loop.average.weights)
        assert any(not torch.equal(raw[n], w) for n, w in weights.of(loop.model).items())
    small.equal(weights.of(loop.model), raw)


def test_the_moving_average_follows_its_equation() -> None:
    loop = make(ema=0.5)
    assert loop.average
    name, weight = next(iter(loop.model.named_parameters()))
    expected = weight.detach().clone()
    for step in (1, 2, 3):
        loop.update()
        decay = min(0.5, (1 + step) / (10 + step))
        expected = decay * expected + (1 - decay) * weight.detach()
    torch.testing.assert_close(loop.average.weights[name], expected)


def test_without_an_average_nothing_steps_in() -> None:
    loop = make()
    with loop.averaged():
        assert loop.average is None


def test_seeds_of_neighbours_are_unrelated() -> None:
    seeds = {seed_of(seed, step) for seed in range(20) for step in range(50)}
    assert len(seeds) == 1000
    assert all(0 <= seed < 1 << 62 for seed in seeds)


@pytest.mark.parametrize("accumulate", [1, 2, 3])
def test_an_epochs_edge_is_due_once_an_epoch(accumulate: int) -> None:
    loop = make(accumulate=accumulate)
    for _ in range(12):
        before = loop.progress.epoch
        loop.update()
        assert loop.due() == (loop.progress.epoch > before)
