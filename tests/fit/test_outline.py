"""What is known of files before anything is timed."""

from itertools import product
from pathlib import Path

import pytest

from saccade.errors import DataError, RecipeError
from saccade.fit.candidates import Candidate
from saccade.fit.outline import Outline, outline, readable
from tests.fit.small import WORDS


def test_what_was_found_is_told(made: Outline, pairs: Path) -> None:
    told = " ".join(made.told())
    assert f"72 pairs from {pairs}" in told
    assert "Task: pronunciation" in told
    assert sum(made.counts.values()) == len(WORDS)
    assert all(made.counts.values())


def test_too_few_pairs(tmp_path: Path) -> None:
    path = tmp_path / "few.tsv"
    path.write_text("a\tb\nc\td\n", encoding="utf-8")
    with pytest.raises(DataError, match=r"few.tsv: 2 different sources; expected 20 or more"):
        outline([path])


def test_pairs_for_a_language_model(pairs: Path) -> None:
    with pytest.raises(RecipeError, match=r"--task completion: reads texts without sources, but"):
        outline([pairs], task="completion")


def test_a_text_alone_is_completed(tmp_path: Path) -> None:
    path = tmp_path / "text.txt"
    path.write_text("It was a dark and stormy night. " * 400, encoding="utf-8")
    made = outline([path])
    assert made.job.name == "completion"
    data = made.candidates[0].recipe["data"]
    assert data["train"][0]["last"] == data["valid"]["first"]
    assert data["valid"]["last"] == data["test"]["first"]


def test_several_files_need_held_out_ones(pairs: Path) -> None:
    with pytest.raises(RecipeError, match=r"2 files to train on need --valid and --test; only one"):
        outline([pairs, pairs])


def test_names_get_labels_letter_by_letter(tmp_path: Path) -> None:
    path = tmp_path / "names.csv"
    rows = (f"{word},{'open' if word[-1] in 'aeiou' else 'closed'}\n" for word in WORDS)
    path.write_text("".join(rows), encoding="utf-8")
    made = outline([path])
    assert (made.job.name, made.job.source) == ("labels", "characters")
    assert made.candidates[0].recipe["data"]["source"]["tokenizer"] == "character"


def test_smaller_outlines_have_smaller_recipes(tmp_path: Path) -> None:
    path = tmp_path / "long.tsv"
    triples = product(WORDS, WORDS[:20], WORDS[:5])
    rows = (f"the {a} {b} sees {c}\tle {c} voit {b} {a}\n" for a, b, c in triples)
    path.write_text("".join(rows), encoding="utf-8")
    made = outline([path])
    less = made.smaller(2)
    batches = [one.candidates[0].recipe["training"]["batch_tokens"] for one in (made, less)]
    assert batches[0] > batches[1]
    assert made.smaller(0) == made
    assert f"batches of {batches[1]} places" in less.told_smaller()


def test_a_recipe_says_what_was_found(made: Outline) -> None:
    text = readable(made, Candidate("recurrent", made.candidates[0].recipe, "it is steady"), "mine")
    assert text.startswith("# Chosen by the rules of `saccade fit`")
    assert "# Model recurrent: it is steady." in text
    assert "name: mine" in text
