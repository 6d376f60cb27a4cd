"""What every explanation must do, run small."""

import re

import pytest

from saccade.errors import RecipeError
from saccade.explanations.base import (
    Explained,
    Explanation,
    explain,
    file_of,
    question,
    questions,
)
from saccade.parts import find, kinds, schema
from tests.explanations.small import SMALL

TOPICS = kinds(Explanation)


def small(topic: str, seed: int = 1) -> Explained:
    return explain(topic, **SMALL[topic], seed=seed)


@pytest.mark.parametrize("topic", TOPICS)
def test_it_asks_draws_and_says_what_it_measured(topic: str) -> None:
    assert question(topic).endswith("?")
    found = small(topic)
    assert len(re.findall(r"[.:](?= |$)", found.said)) == 2
    assert found.drawing.svg.startswith("<svg")
    assert found.drawing.terminal(80)
    assert found.figures
    assert small(topic).figures == found.figures  # the same seed, the same answer
    assert found.said in found._repr_html_()


@pytest.mark.parametrize("topic", TOPICS)
def test_what_it_says_comes_from_what_it_measured(topic: str) -> None:
    assert "seed" in schema(find(Explanation, topic))
    said = {small(topic, seed).said for seed in (1, 2, 3)}
    assert len(said) > 1 or not re.search(r"\d\.\d", said.pop())


def test_topics_are_listed() -> None:
    assert [file_of(topic) for topic in questions()] == TOPICS
    assert not [topic for topic in questions() if "_" in topic]


def test_a_topic_is_written_with_hyphens_or_as_its_file() -> None:
    assert file_of("unrolled-gru") == file_of("unrolled_gru") == "unrolled_gru"


def test_an_unknown_topic_is_refused() -> None:
    with pytest.raises(RecipeError, match=r"no part 'scalign'.*Did you mean 'scaling'"):
        explain("scalign")
    with pytest.raises(RecipeError, match="drws"):
        explain("scaling", drws=3)
