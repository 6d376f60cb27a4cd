"""A recipe for stories that somebody has: reader, separator and sizes that suit them."""

import json
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import islice
from pathlib import Path

from saccade.errors import DataError
from saccade.modalities.story import sentences_of
from saccade.nouns import Example
from saccade.readers._lines import numbered
from saccade.readers.babi import STORY, Babi
from saccade.readers.base import Reader
from saccade.readers.stories import Stories

_LOOKED_AT = 20_000  # questions
_LEAST = 20  # questions that are worth learning from
_HELD_OUT = 0.1  # of the stories, to validate and to test on each
_EPOCHS, _FEWEST, _MOST, _ROWS = 60, 600, 20_000, 64  # passes, updates, questions of an update

_RECIPE = """\
# Answers to questions about the stories of {path}: {count:,} questions, {answers:,} answers.
# A tenth of the stories is held out to validate on, and a tenth to test on.
# Command: saccade train {recipe}        Look at the data first: saccade doctor {recipe}
name: {name}
data:
  train: {{kind: split, part: train, valid: {held}, test: {held}, corpus: {corpus}}}
  valid: {{kind: split, part: valid, valid: {held}, test: {held}, corpus: {corpus}}}
  test: {{kind: split, part: test, valid: {held}, test: {held}, corpus: {corpus}}}
  sources:
    story: {{kind: story, separator: {separator}, sentences: {sentences}}}   # the last so many are read
    question: {{kind: text}}
  target: {{kind: text, tokenizer: line}}
  joint: {joint}
model:
{model}
training:
  objective: {objective}
  learning_rate: {rate}
  schedule: {{kind: cosine, steps: {steps}}}
  batch_tokens: {batch}
  mixed: true
  max_steps: {steps}
  validate_every: {every}
  clip: 5.0
  metrics: [{{kind: exact_match, lowercase: true}}]
  select: exact_match
decoding:
  search: {{kind: beam, width: 5, length_penalty: 0.0}}   # --nbest 5 ranks answers
  metrics: [{{kind: exact_match, lowercase: true}}]
"""  # noqa: E501
_MEMORY = "  kind: memory_network\n  embedding: 50\n  hops: 3\n  memory: {sentences}"
_DYNAMIC = "  kind: dynamic_memory\n  embedding: 80\n  episodes: 3"


@dataclass(frozen=True, slots=True)
class StoryFile:
    """Stories in a file, as far as a recipe must know them.

    kind: the reader.  longest: sentences of the longest story.  worded: whether every answer is
    one word, which can be one of the story's.
    """

    path: Path
    kind: str
    separator: str
    count: int
    answers: int
    longest: int
    worded: bool


def look_at_stories(path: Path) -> StoryFile:
    """Read a file of stories; sentences with a full stop inside are parted by a line feed."""
    if path.is_dir():
        raise DataError(
            f"{path}: this is a folder; expected a file of stories: JSONL, TSV, or the form of"
            " bAbI. Name one file; recipes/stories reads folders of bAbI."
        )
    kind = _kind(path)
    try:
        separator, found = ".", _read(kind, path, ".")
    except DataError as error:
        if "separator" not in str(error):
            raise
        separator, found = "\n", _read(kind, path, "\n")
    if len(found) < _LEAST:
        raise DataError(
            f"{path}: {len(found)} questions; expected at least {_LEAST} to learn from. Write more."
        )
    answers = {str(example.target) for example in found}
    return StoryFile(
        path,
        kind,
        separator,
        len(found),
        len(answers),
        max(len(sentences_of(example.sources[STORY], separator)) for example in found),
        all(len(answer.split()) == 1 for answer in answers),
    )


def answers_recipe(found: StoryFile, recipe: Path) -> str:
    """Write a recipe: a memory network, or a dynamic one where answers have several words."""
    sentences = min(max(found.longest, 10), 50)
    steps = min(max(_EPOCHS * found.count // _ROWS, _FEWEST), _MOST)
    separator = json.dumps(found.separator)
    part = ", part: test" if found.kind == "babi" else ""
    corpus = f"{{kind: {found.kind}, path: {json.dumps(str(found.path))}, separator: {separator}"
    memory = found.worded
    return _RECIPE.format(
        path=found.path.name,
        count=found.count,
        answers=found.answers,
        recipe=recipe,
        name=recipe.stem,
        held=_HELD_OUT,
        corpus=f"{corpus}{part}}}",
        separator=separator,
        sentences=sentences,
        joint=str(memory).lower(),
        model=_MEMORY.format(sentences=sentences) if memory else _DYNAMIC,
        objective=f"{{kind: linear_start, steps: {steps // 10}}}" if memory else "cross_entropy",
        rate=0.005 if memory else 0.002,
        steps=steps,
        batch=_ROWS * sentences,
        every=max(steps // 10, 1),
    )


def _kind(path: Path) -> str:
    """Tell the form of bAbI, whose lines begin with a number, from columns and objects."""
    if ".jsonl" in path.suffixes:
        return "stories"
    first = next((line for _, line in numbered(path) if line.strip()), "")
    return "babi" if first.partition(" ")[0] == "1" else "stories"


def _read(kind: str, path: Path, separator: str) -> list[Example]:
    reader: Reader = Stories(Path(), path=str(path), separator=separator)
    if kind == "babi":
        reader = Babi(Path(), path=str(path), part="test", separator=separator)
    some: Iterator[Example] = islice(reader.read(), _LOOKED_AT)
    return list(some)
