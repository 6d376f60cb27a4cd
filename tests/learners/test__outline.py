"""What a run costs is told without its data, and agrees with what the papers say of theirs."""

import re
from pathlib import Path

import pytest
import torch

from saccade import recipe as recipes
from saccade.learners._outline import outline
from saccade.models.base import Model
from saccade.nouns import Side

RECIPES = Path(__file__).parents[2] / "recipes" / "translation"


def transformer(size: str, *options: str) -> Model:
    """Build a published size on the device that has no memory."""
    recipe = recipes.load(RECIPES / f"transformer-{size}.yaml", options)
    with torch.device("meta"):
        return recipe.model.build({"source": Side(37000)}, Side(37000))


@pytest.mark.parametrize(("size", "published"), [("base", 65e6), ("big", 213e6)])
def test_transformers_have_as_many_parameters_as_published(size: str, published: float) -> None:
    """Vaswani et al. 2017, table 3; the exact size of its vocabulary, about 37,000, is not told."""
    model = transformer(size)
    assert all(one.is_meta for one in model.parameters())
    assert model.n_parameters == pytest.approx(published, rel=0.03)
    told = outline(recipes.load(RECIPES / f"transformer-{size}.yaml")).rows
    assert told["parameters"] == f"{model.n_parameters:,}"


def test_a_layer_more_costs_what_the_table_says() -> None:
    """Rows (C) of table 3: 36, 50, 65 and 80 M parameters with 2, 4, 6 and 8 layers."""
    each = "model.{}.layers=8"
    deep = transformer("base", each.format("encoder"), each.format("decoder"))
    more = (deep.n_parameters - transformer("base").n_parameters) / 2
    assert more == pytest.approx((80e6 - 36e6) / 6, rel=0.01)


def test_the_whole_cost_follows_from_the_recipe() -> None:
    given = ("training.max_steps=1000", "training.batch_tokens=100", "training.accumulate=2")
    recipe = recipes.load(RECIPES / "transformer-base.yaml", given)
    told = outline(recipe)
    assert told.problem == ""
    n = 63_119_496
    assert told.rows["memory"].startswith("1.0 GB for weights, gradients and moments; up to 15 MB")
    met = re.match(r"up to 200 symbols a side, (\S+) FLOPs", told.rows["an update"])
    assert met
    assert float(met[1]) == pytest.approx(6.0 * n * 200, rel=0.01)
    whole = re.match(r"1,000 updates, (\S+) FLOPs: .* here at best", told.rows["whole run"])
    assert whole
    assert float(whole[1]) == pytest.approx(6.0 * n * 200_000, rel=0.01)
    assert re.match(r"[\d,]+ GFLOP/s in the largest product", told.rows["speed here"])


def test_a_run_that_epochs_end_has_no_known_number_of_updates() -> None:
    given = ("training.max_steps=0", "training.max_epochs=3")
    rows = outline(recipes.load(RECIPES / "transformer-base.yaml", given)).rows
    assert "whole run" not in rows
    assert "an update" in rows


def test_an_average_of_the_weights_is_held_too() -> None:
    plain, more = (
        outline(recipes.load(RECIPES / "transformer-big.yaml", given)).rows["memory"]
        for given in ((), ("training.ema=0.999",))
    )
    assert plain.startswith("3.4 GB for")
    assert more.startswith("4.3 GB for")


@pytest.mark.parametrize(
    ("name", "problem"),
    [
        ("ladder/luong-dot", "the vocabulary of source is as large as the data makes it"),
        ("forecasting/seasons", "the vocabulary of source is as large as the data makes it"),
        ("language/shakespeare-ngram", "model ngram learns by counting the data"),
    ],
)
def test_what_only_the_data_knows_is_not_guessed(name: str, problem: str) -> None:
    told = outline(recipes.load(RECIPES.parent / f"{name}.yaml"))
    assert (dict(told.rows), told.problem) == ({}, problem)
