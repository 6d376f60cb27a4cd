from typing import Any

import pytest
import torch
from torch.testing import assert_close

from saccade.errors import RecipeError, ShapeError
from saccade.flow import SOURCE, reorder, reorder_within, tensors
from saccade.models.base import Model, writer
from saccade.models.encoder_decoder import EncoderDecoder
from saccade.models.ensemble import Ensemble, gathered, mean_of, parted
from saccade.parts import Part
from tests.samples import CTC, MODELS, batch_of, scramble, sides, untrained, vocabulary

BATCH = batch_of(([4, 5, 4], [6, 4]), ([7], [7, 5, 6]))
SIZE = len(vocabulary())


def build(*kinds: str, **options: Any) -> Ensemble:
    members = [MODELS[kind] for kind in kinds]
    built = Part(Model, "ensemble", {"members": members, **options}).build(*sides(SIZE))
    assert isinstance(built, Ensemble)
    return scramble(built)


def said(model: Model) -> torch.Tensor:
    return model.head.log_probs(model(BATCH).features)


def test_what_comes_next_is_the_mean_of_what_the_members_find_likely() -> None:
    model = build("luong", "pre", "convolution")
    expected = torch.stack([said(one).double().exp() for one in model.writers]).mean(dim=0)
    assert_close(said(model).double().exp(), expected, atol=1e-6, rtol=1e-6)
    state, states = model.start(BATCH.sources), [m.start(BATCH.sources) for m in model.writers]
    for t in range(3):
        token = BATCH.prefix[:, t]
        found, state = model.step(token, state)
        steps = [one.step(token, s) for one, s in zip(model.writers, states, strict=True)]
        states = [step.state for step in steps]
        mean = torch.stack([step.log_probs.double().exp() for step in steps]).mean(dim=0)
        assert_close(found.double().exp(), mean, atol=1e-6, rtol=1e-6)


def test_the_mean_is_of_probabilities_and_not_of_logarithms() -> None:
    sure, unsure = torch.tensor([1.0, 0.0]).log(), torch.tensor([0.5, 0.5]).log()
    assert_close(mean_of([sure, unsure]).exp(), torch.tensor([0.75, 0.25]))
    assert mean_of([sure, sure]).tolist() == [0.0, -torch.inf]


def test_copies_of_a_model_are_the_model() -> None:
    one = untrained("luong")
    model = build("luong", "luong", "luong")
    for member in model.writers:
        member.load_state_dict(one.state_dict())
    assert_close(said(model), said(one), atol=1e-6, rtol=1e-6)
    assert torch.equal(said(model).argmax(dim=2), said(one).argmax(dim=2))


def test_maps_are_those_of_the_members_by_number() -> None:
    model = build("bahdanau", "sutskever", "pre")
    assert model.attention_names == (
        "model 1",
        *(f"model 3 {name}" for name in model.writers[2].attention_names),
    )
    whole = model(BATCH, look=True).weights
    parts = [one(BATCH, look=True).weights for one in model.writers]
    assert torch.equal(whole, torch.cat(parts, dim=2))
    stepped = model.advance(BATCH.prefix[:, 0], model.start(BATCH.sources), look=True)
    assert_close(stepped.weights, whole[:, 0])


def test_maps_show_all_that_is_read_if_every_member_has_some() -> None:
    assert build("bahdanau", "pre").covers
    assert not build("bahdanau", "sutskever").covers
    assert build("sutskever", "sutskever").attention_names == ()
    assert build("sutskever", "sutskever")(BATCH, look=True).weights.shape == (2, 4, 0, 4)


def test_states_are_put_together_and_taken_apart() -> None:
    model = build("luong", "post", "instant")
    states = [one.start(BATCH.sources) for one in model.writers]
    assert [set(one) for one in parted(gathered(states))] == [set(one) for one in states]
    whole, turn = gathered(states), torch.tensor([1, 0])
    for one, moved in zip(states, parted(reorder(whole, turn)), strict=True):
        order = sorted(one)
        expected, found = reorder({n: one[n] for n in order}, turn), {n: moved[n] for n in order}
        assert all(map(torch.equal, tensors(found), tensors(expected)))
    kept = parted(reorder_within(whole, turn))  # what is read of a sentence stays where it is
    for before, after in zip(states, kept, strict=True):
        assert after.get(SOURCE) == before.get(SOURCE)


def test_who_cannot_be_a_member() -> None:
    with pytest.raises(RecipeError, match=r"model.members: found 1; expected two models or more"):
        build("luong")
    for kind, reason in (
        ("language_model", "reads no source; expected one that does"),
        ("ctc", "is searched by ctc_prefix; expected one that beam search can follow"),
    ):
        odd = CTC if kind == "ctc" else Part(Model, kind)
        with pytest.raises(RecipeError, match=f"model.members: {kind} {reason}, such as encoder_d"):
            Part(Model, "ensemble", {"members": [MODELS["luong"], odd]}).build(*sides(SIZE))


class Gridded(EncoderDecoder):
    """Looks at a source as if it were a picture."""

    def grid(self, shapes: dict[str, tuple[int, ...]]) -> tuple[int, ...]:
        return 2, shapes["source"][0] // 2


def test_maps_of_different_places_cannot_stand_side_by_side() -> None:
    model = build("luong", "luong")
    assert model.grid({"source": (4,)}) == (4,)
    model.members[1] = Gridded(*sides(SIZE))
    with pytest.raises(ShapeError, match=r"its models look at different places: 2 x 2, 4; exp"):
        model.grid({"source": (4,)})


def test_an_ensemble_may_be_a_member_of_another() -> None:
    inner = Part(Model, "ensemble", {"members": [MODELS["luong"], MODELS["luong"]]})
    model = scramble(
        Part(Model, "ensemble", {"members": [inner, MODELS["pre"]]}).build(*sides(SIZE))
    )
    first, second = writer(model).start(BATCH.sources), said(model)
    step, _ = writer(model).step(BATCH.prefix[:, 0], first)
    assert_close(step, second[:, 0], atol=1e-5, rtol=1e-5)
