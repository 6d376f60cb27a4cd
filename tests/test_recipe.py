"""Recipes: what is read, what is refused, all at once and by text."""

from pathlib import Path
from typing import Any

import pytest
import yaml

from saccade import recipe as recipes
from saccade.errors import RecipeError
from tests.train import small

ROOT = Path(__file__).parent.parent
SHIPPED = sorted([*ROOT.glob("recipes/*/*.yaml"), *ROOT.glob("saccade/starters/*.yaml")])
DATA = {"train": {"kind": "tsv", "path": "a"}, "valid": {"kind": "tsv", "path": "b"}}


def problems(**changes: Any) -> list[str]:
    with pytest.raises(RecipeError) as caught:
        recipes.from_plain({"data": DATA, "training": {"max_steps": 1}, **changes}, "r.yaml")
    return caught.value.problems


def test_unknown_keys_come_with_a_suggestion() -> None:
    assert problems(training={"max_step": 1}) == [
        "r.yaml: training.max_step: training has no option 'max_step'. Did you mean 'max_steps'?"
        " Options: " + ", ".join(sorted(recipes._options(recipes.Training))) + "."
    ]
    model = {"kind": "encoder_decoder", "encoder": {"kind": "rnn", "hiden": 3}}
    assert problems(model=model) == [
        "r.yaml: model.encoder.hiden: rnn has no option 'hiden'. Did you mean 'hidden'? Options:"
        " above, bidirectional, carry, cell, dropout, hidden, layers, residual, residual_from."
    ]


def test_unknown_parts_come_with_a_suggestion() -> None:
    (problem,) = problems(training={"max_steps": 1, "schedule": "cosin"})
    assert problem == (
        "r.yaml: training.schedule.kind: schedules has no part 'cosin'. Did you mean 'cosine'?"
        " Parts: constant, cosine, inverse_sqrt, plateau."
    )


@pytest.mark.parametrize(
    ("option", "value", "said"),
    [
        ("max_steps", "3", "expected a whole number, found '3'. Remove the quotes."),
        ("max_steps", True, "expected a whole number, found True."),
        ("max_steps", 3.0, "expected a whole number, found 3.0."),
        ("clip", "1e-3", "expected a number, found '1e-3'. YAML reads this as text; write 0.001."),
        ("clip", "much", "expected a number, found 'much'."),
        ("tensorboard", 1, "expected true or false, found 1."),
        ("select", 3, "expected text, found 3."),
        ("betas", 0.9, "expected a list of a number, found 0.9."),
        ("objective", 3, "expected the name of a part, or kind: and options; found 3."),
    ],
)
def test_wrong_types(option: str, value: Any, said: str) -> None:
    assert problems(training={option: value}) == [f"r.yaml: training.{option}: {said}"]


def test_yaml_that_looks_like_a_number_and_is_text() -> None:
    text = f"data: {DATA}\ntraining: {{max_steps: 1, learning_rate: 1e-3}}"
    with pytest.raises(RecipeError, match=r"found '1e-3'. YAML reads this as text; write 0.001."):
        recipes.parse(text)


def test_wrong_choice() -> None:
    data = {**DATA, "source": {"normalise": ["nfkk"]}}
    assert problems(data=data) == [
        "r.yaml: data.source.normalise[0]: expected one of nfc, nfd, nfkc, nfkd, lowercase, strip,"
        " squeeze, digits, no_punctuation, quotes, found 'nfkk'. Did you mean 'nfkd'?"
    ]


def test_all_problems_at_once() -> None:
    found = problems(nmae="x", data={"train": {"kind": "tvs"}}, training={"clip": "x"})
    assert [problem.split(": ")[1] for problem in found] == [
        *("nmae", "data.train[0].kind", "data.valid", "training.clip")
    ]
    assert "data.valid: missing; every recipe needs it." in found[2]


def test_a_section_that_is_none() -> None:
    assert problems(training=3) == ["r.yaml: training: expected options of training; found 3."]


def test_what_is_not_a_recipe(tmp_path: Path) -> None:
    for text, said in [
        ("- a", "r: expected sections data, model, training; found ['a']."),
        ("a: [", "r: line 1: not valid YAML: "),
        ("a: !!python/object:os.system {}", "r: line 1: not valid YAML: could not determine"),
    ]:
        with pytest.raises(RecipeError) as caught:
            recipes.parse(text, "r")
        assert str(caught.value).startswith(said)
    with pytest.raises(RecipeError) as caught:
        recipes.load(tmp_path / "no.yaml")
    assert str(caught.value) == (
        f"{tmp_path / 'no.yaml'}: no such recipe. `saccade init TASK` writes a starter."
    )
    (tmp_path / "bad.yaml").write_bytes(b"\xff")
    with pytest.raises(RecipeError, match=r"bad.yaml: cannot be read as UTF-8 text"):
        recipes.load(tmp_path / "bad.yaml")


@pytest.mark.parametrize(
    ("training", "said"),
    [
        (
            {"max_steps": 0},
            "training: nothing ends this run; set max_steps, max_epochs, max_minutes or patience.",
        ),
        (
            {"max_steps": 1, "select": "bleu"},
            "training.select: 'bleu' is not measured; one of loss, or add it to training.metrics.",
        ),
        ({"max_steps": 1, "accumulate": 0}, "training.accumulate: 0 is below 1."),
        ({"max_steps": 1, "keep_best": -1}, "training.keep_best: -1 is below 0."),
        ({"max_steps": -1}, "training.max_steps: -1 is below 0."),
        ({"max_steps": 1, "learning_rate": 0}, "training.learning_rate: 0.0 is not positive."),
        ({"max_steps": 1, "ema": 1}, "training.ema: 1.0 is not in [0, 1)."),
        ({"max_steps": 1, "betas": [0.9]}, "training.betas: expected two numbers, found [0.9]."),
    ],
)
def test_contradictions(training: dict[str, Any], said: str) -> None:
    assert problems(training=training) == [f"r.yaml: {said}"]


def test_contradictions_of_data() -> None:
    assert problems(data={**DATA, "train": []}) == ["r.yaml: data.train: no corpus to learn from."]
    assert problems(data={**DATA, "weights": [1.0, 2.0]}) == [
        "r.yaml: data.weights: 2 weights for 1 corpora; give one each."
    ]
    assert problems(data={**DATA, "weights": [0.0]}) == [
        "r.yaml: data.weights: [0.0] holds a weight that is not positive."
    ]
    turned = {"reverse": True}
    refused = (
        "r.yaml: data.source: reverse and separator cannot go with data.copies,"
        " decoding.replace_unknown or a dropout of the tokenizer, which read the source in order."
        " Leave out one or the other."
    )
    bpe = {"kind": "bpe", "dropout": 0.1}
    assert problems(data={**DATA, "source": turned, "copies": 2}) == [refused]
    assert problems(data={**DATA, "source": {**turned, "tokenizer": bpe}}) == [refused]
    assert problems(data={**DATA, "source": turned}, decoding={"replace_unknown": True}) == [
        refused
    ]
    for option in ({"reverse": True}, {"separator": "|"}):
        assert problems(data={**DATA, "target": option}) == [
            "r.yaml: data.target: reverse and separator are for the source; a target is written in"
            " order."
        ]
    assert problems(data={**DATA, "copies": -1}) == [
        "r.yaml: data.copies: -1 is below 0; 0 keeps no symbols for copies."
    ]
    assert problems(decoding={"no_repeat": -2}) == [
        "r.yaml: decoding.no_repeat: -2 is below 0; 0 lets everything be repeated."
    ]


def test_overrides() -> None:
    text = yaml.safe_dump({"data": DATA, "model": "encoder_decoder", "training": {"max_steps": 1}})
    recipe = recipes.parse(
        text,
        "r",
        ["training.max_steps=5", "model.decoder.attention.kind=dot", "name=x", "model.dropout=0"],
    )
    assert recipe.training.max_steps == 5
    assert recipe.plain()["model"]["decoder"]["attention"]["kind"] == "dot"
    assert recipe.plain()["model"]["dropout"] == 0.0
    assert recipe.name == "x"


@pytest.mark.parametrize(
    ("override", "said"),
    [
        ("clip", "--set clip: expected a.b=value, as in training.max_epochs=5."),
        ("training.max_steps.a=1", "--set training.max_steps.a=1: 'max_steps' holds 1, which has"),
        ("training.clip=[", "--set training.clip: line 1: not valid YAML"),
        ("training.cilp=1", "r: training.cilp: training has no option 'cilp'. Did you mean 'clip'"),
    ],
)
def test_overrides_that_cannot_be(override: str, said: str) -> None:
    text = yaml.safe_dump({"data": DATA, "model": "encoder_decoder", "training": {"max_steps": 1}})
    with pytest.raises(RecipeError) as caught:
        recipes.parse(text, "r", [override])
    assert str(caught.value).startswith(said)


def test_options_without_a_kind_are_those_of_the_default() -> None:
    model = {"dropout": 0.5, "decoder": {"hidden": 8}}
    recipe = recipes.from_plain({"data": DATA, "model": model, "training": {"max_steps": 1}})
    found = recipe.plain()["model"]
    assert (found["kind"], found["decoder"]["kind"]) == ("encoder_decoder", "rnn")
    assert (found["dropout"], found["decoder"]["hidden"]) == (0.5, 8)


def test_shorthands() -> None:
    one = {"kind": "tsv", "path": "c"}
    training = {"max_steps": 1, "metrics": "bleu"}
    recipe = recipes.from_plain({"data": {**DATA, "test": one}, "training": training})
    assert [part.kind for part in recipe.data.train] == ["tsv"]
    assert list(recipe.data.test) == ["test"]
    assert [part.kind for part in recipe.training.metrics] == ["bleu"]
    two = recipes.from_plain({"data": {**DATA, "test": {"a": one, "b": one}}, "training": training})
    assert list(two.data.test) == ["a", "b"]


@pytest.mark.parametrize("path", SHIPPED, ids=lambda path: path.stem)
def test_every_recipe_that_ships_is_right_and_survives_a_round_trip(path: Path) -> None:
    recipe = recipes.load(path)
    assert recipes.parse(recipe.to_yaml()).plain() == recipe.plain()
    assert recipe.notes == (), "it is written as this version writes it"


def test_round_trip_of_the_small_one() -> None:
    recipe = small.recipe(ema=0.5, metrics=["bleu", {"kind": "bleu", "lowercase": True}])
    again = recipes.parse(recipe.to_yaml())
    assert again.plain() == recipe.plain()
    assert again.to_yaml() == recipe.to_yaml()
