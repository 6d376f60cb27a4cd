from pathlib import Path
from typing import Any

from saccade import recipe as recipes
from saccade.learners._bench import Bench
from saccade.recipe import Recipe
from saccade.run import train
from tests.train import small

OLD = [["a cat eats", "un chat mange"], ["a dog eats", "un chien mange"]]
NEW = [*OLD, ["a cow eats", "un chat boit"], ["a cow, a pig", "un chien"], ["a pig cow", "un"]]


def recipe_of(pairs: list[list[str]], tokenizer: Any = "word", **data: Any) -> Recipe:
    reader = {"kind": "pairs", "pairs": pairs}
    if isinstance(tokenizer, str):
        tokenizer = {"kind": tokenizer, **({"min_count": 1} if tokenizer == "word" else {})}
    side = {"tokenizer": tokenizer}
    full = {"train": reader, "valid": reader, "source": side, "target": side, **data}
    rnn = {"kind": "rnn", "hidden": 8}
    model = {"kind": "encoder_decoder", "embedding": 8, "encoder": rnn, "decoder": rnn}
    return recipes.from_plain({"data": full, "model": model, "training": {"max_steps": 1}})


def base(folder: Path, *options: Any, **data: Any) -> Path:
    train(recipe_of(OLD, *options, **data), folder, console=small.quiet())
    return folder


def warnings(recipe: Recipe, start_from: Path) -> list[str]:
    return Bench(recipe, Path(), "cpu", None, start_from).warnings


def test_unknown_words_are_counted_on_each_side(tmp_path: Path) -> None:
    folder = base(tmp_path / "base")
    source, target = warnings(recipe_of(NEW), folder)
    assert source == (
        "Warning: source: 6 of 17 words (35.29%) of the training data are not in the vocabulary of"
        f" {folder} and all look the same to the model. Most frequent: 'cow' (3), 'pig' (2), ','"
        " (1). To learn them, train without --from."
    )
    assert target == (
        "Warning: target: 1 of 12 words (8.33%) of the training data are not in the vocabulary of"
        f" {folder} and cannot be written. Most frequent: 'boit' (1). To learn them, train without"
        " --from."
    )


def test_nothing_is_said_where_all_is_known(tmp_path: Path) -> None:
    folder = base(tmp_path / "base")
    assert warnings(recipe_of(OLD), folder) == []
    assert warnings(recipe_of([["a dog eats", "un chat mange"]]), folder) == []


def test_sub_words_lack_characters_alone(tmp_path: Path) -> None:
    folder = base(tmp_path / "base", {"kind": "bpe", "size": 60})
    (source,) = warnings(recipe_of([["a cœt eats dœg", "un"]], {"kind": "bpe", "size": 60}), folder)
    assert "Warning: source: 2 of " in source
    assert " pieces (" in source
    assert "Most frequent: 'œ' (2)." in source


def test_turns_are_not_looked_up_with_what_parts_them(tmp_path: Path) -> None:
    turns = {"source": {"tokenizer": {"kind": "word", "min_count": 1}, "separator": "<t>"}}
    folder = base(tmp_path / "base", **turns)
    (source,) = warnings(recipe_of([["a cow <t> a pig", "un chat"]], **turns), folder)
    assert "Most frequent: 'cow' (1), 'pig' (1)." in source


def test_of_a_language_model_the_target_alone_is_taken_over(tmp_path: Path) -> None:
    plain = recipe_of(OLD).plain()
    plain["model"] = {
        "kind": "language_model",
        "embedding": 8,
        "decoder": {"kind": "rnn", "hidden": 8, "attention": "none"},
    }
    train(recipes.from_plain(plain), tmp_path / "language", console=small.quiet())
    (target,) = warnings(recipe_of(NEW), tmp_path / "language")
    assert target.startswith("Warning: target: 1 of 12 words")
