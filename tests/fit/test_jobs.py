"""What kind of task pairs are."""

import pytest

from saccade.errors import DataError, RecipeError
from saccade.fit.jobs import find_job, job_named
from saccade.fit.survey import survey
from saccade.nouns import pair

WORDS = ["kedi", "köpek", "masa", "ev", "araba", "deniz", "kitap", "okul", "kalem", "yol"]
PAIRS = {
    "pronunciation": [(word, " ".join(word)) for word in WORDS],
    "characters": [(word, word[::-1]) for word in WORDS],
    "inflection": [(f"{word}\tN;PL", f"{word}ler") for word in WORDS],
    "labels": [(f"a text about {word}", ("good", "bad")[i % 2]) for i, word in enumerate(WORDS)],
    "tags": [(f"{word} saw {other}", "N V N") for word in WORDS for other in WORDS[:5]]
    + [(f"{word} {word}", "N N") for word in WORDS],
    "translation": [(f"I see the {word} there", f"je vois {word} là-bas") for word in WORDS],
}


@pytest.mark.parametrize("task", PAIRS)
def test_each_kind_is_told(task: str) -> None:
    job, why = find_job(survey(pair(*one) for one in PAIRS[task]))
    assert job.name == task, why


def test_dates_are_read_letter_by_letter() -> None:
    dates = [(f"{day} March 2001", f"2001-03-{day:02}") for day in range(1, 29)]
    assert find_job(survey(pair(*one) for one in dates))[0].name == "characters"


def test_one_target_for_all() -> None:
    with pytest.raises(DataError, match=r"all targets are the same; expected different ones"):
        find_job(survey(pair(word, "yes") for word in WORDS))


def test_names_that_users_know() -> None:
    assert job_named("transliteration").name == "characters"
    assert job_named("classification").name == "labels"
    with pytest.raises(
        RecipeError, match=r"--task pronounciation: no such task. Did you mean 'pro"
    ):
        job_named("pronounciation")
