import pytest
import yaml

from saccade import recipe as recipes
from saccade.errors import RecipeError
from tests.server.pens import STROKES, TEXT, WRITER


def held(objective: str, **model: object) -> str:
    ink = {"kind": "ink", "path": "ink.jsonl"}
    data = {"train": ink, "valid": ink, "source": TEXT, "target": STROKES}
    training = {"objective": objective, "max_steps": 1}
    rest = {"name": "pen", "decoding": {"metrics": []}}
    return yaml.safe_dump(
        {**rest, "data": data, "model": {**WRITER, **model}, "training": training}
    )


@pytest.mark.parametrize("objective", ["squared_error", "absolute_error"])
def test_a_distance_is_refused_for_a_head_that_draws(objective: str) -> None:
    told = rf"training.objective: {objective} asks how far one value is, but head mixture_density"
    with pytest.raises(RecipeError, match=rf"{told} knows .* Use likelihood\."):
        recipes.parse(held(objective))


def test_a_head_that_is_not_named_is_known_too() -> None:
    model = {name: part for name, part in WRITER.items() if name != "head"}
    text = yaml.safe_load(held("squared_error"))
    text["model"] = model
    with pytest.raises(RecipeError, match="squared_error asks how far one value is"):
        recipes.parse(yaml.safe_dump(text))


def test_likelihood_and_plain_values_are_let_through() -> None:
    recipes.parse(held("likelihood"))
    recipes.parse(held("squared_error", head={"kind": "values"}))
