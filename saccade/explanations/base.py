"""What an explanation is: a question, a small experiment, a picture and what is seen in it.

An experiment calls the public parts of the package, as a user would, and takes less than a minute.
What it says is made of the numbers that it measured.
"""

from abc import ABC, abstractmethod
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from saccade.parts import Part, find, kinds
from saccade.run import threads
from saccade.views import page
from saccade.views.drawing import Drawing


@dataclass(frozen=True)
class Explained:
    """What an experiment found; shows its picture in a notebook.

    said: what is seen, in two sentences, with the numbers.  drawing: the picture.  figures: the
    numbers themselves, by name.
    """

    said: str
    drawing: Drawing
    figures: Mapping[str, float]

    def _repr_html_(self) -> str:
        return page.paragraph(self.said) + self.drawing.html


class Explanation(ABC):
    """A question and the experiment that answers it.

    The first line of a part's docstring is the question. Its constructor has options alone, right
    of `*`: the seed, and how much is computed.
    """

    @abstractmethod
    def run(self) -> Explained:
        """Run the experiment."""


def question(topic: str) -> str:
    """Return what a topic asks: the first line of its docstring."""
    return (find(Explanation, file_of(topic)).__doc__ or "").strip().partition("\n")[0]


def questions() -> dict[str, str]:
    """Return every topic with its question."""
    return {kind.replace("_", "-"): question(kind) for kind in kinds(Explanation)}


def file_of(topic: str) -> str:
    """Return the file of a topic, which people write with hyphens.

    >>> file_of("ctc-paths")
    'ctc_paths'
    """
    return topic.replace("-", "_")


def explain(topic: str, **options: Any) -> Explained:
    """Answer a question of the lectures by a small experiment.

    >>> saccade.explain("scaling", widest=64).said                           # doctest: +SKIP

    Args:
        topic: a file of `explanations/`, as permutation or ctc-paths.
        options: those of the topic, as seed; `saccade parts explanations` lists them.
    """
    kind = file_of(topic)
    find(Explanation, kind)  # refuses what is none, in plain words
    return answered(Part(Explanation, kind, options))


def answered(part: Part[Explanation]) -> Explained:
    """Run the experiment of a topic, with one thread: the same figures on every machine."""
    with threads(1):
        return part.build().run()
