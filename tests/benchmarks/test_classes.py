"""Classes are counted as training saw them."""

from pathlib import Path

from benchmarks.classes import classes_of, table
from saccade import recipe as recipes
from saccade import run
from saccade.tokenizers._vocabulary import SYMBOLS

PAIRS = [["a", "x y"], *[["b", "x"]] * 10]


def test_words_of_a_small_model(tmp_path: Path) -> None:
    reader = {"kind": "pairs", "pairs": PAIRS}
    rnn = {"kind": "rnn", "hidden": 4, "attention": "none"}
    plain = {
        "name": "small",
        "data": {"train": [reader], "valid": reader, "target": {"tokenizer": "word"}},
        "model": {
            "kind": "encoder_decoder",
            "embedding": 4,
            "encoder": {"kind": "rnn", "hidden": 4},
            "decoder": rnn,
        },
        "training": {"max_steps": 1},
    }
    run.train(recipes.from_plain(plain, "test"), tmp_path / "small")
    found = classes_of(tmp_path / "small")
    assert found.size == len(SYMBOLS) + 2
    assert found.in_softmax == found.size * (4 + 1)
    assert (found.median, found.rare) == (6.0, 0.5)  # 11 and 1
    row = table([tmp_path / "small"]).splitlines()[-1]
    assert row.startswith(f"| small | {found.size} | ")
    assert row.endswith(" | 6 | 50 % |")
