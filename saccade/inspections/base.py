"""What an inspection is: a view of a model at work on one input, and whom it suits."""

from abc import ABC, abstractmethod
from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, ClassVar, Protocol, runtime_checkable

from saccade.errors import RecipeError, shown, suggest
from saccade.look import heads, inspection
from saccade.look.heads import Chosen
from saccade.look.spoken import find_word, unknown_word
from saccade.parts import find, kinds
from saccade.predict.looker import Maps
from saccade.predict.prediction import Prediction
from saccade.predict.predictor import Predictor
from saccade.views.drawing import Drawing

FIRST = "attention"  # what is drawn if nobody says what to look at


@dataclass(frozen=True)
class Manner:
    """How to look: every view takes of it what it knows.

    head: which attention maps, see `look.heads.choose`; of gates, a layer, a unit as 3, or `3 of
    decoder 1`.  words: join pieces to words.  beam: hypotheses kept at each step.  gold: what
    people say belongs together.  smoothly: over a picture, without edges between the cells.  seed:
    of what is drawn by chance.  apart: tell apart equal names of words.  word: the one to look at
    alone.
    """

    head: str = "mean"
    words: bool = False
    beam: int | None = None
    gold: str = ""
    smoothly: bool = True
    seed: int | None = None
    apart: bool = False
    word: str = ""


@dataclass(frozen=True)
class Seen:
    """What a view is drawn from: a model, what it reads, and how to look.

    given: what it wrote, if that is known already.  greedy: what greedy search wrote, likewise.
    """

    translator: Predictor
    sentence: Any
    manner: Manner
    given: Prediction | None = None
    greedy: Prediction | None = None

    @cached_property
    def translation(self) -> Prediction:
        """The sentence translated, once, for the views that ask what was written."""
        if self.given is not None:
            return self.given
        found = inspection.translated(self.translator, self.sentence, beam=self.manner.beam)
        numbers = tuple(int(n) - 1 for n in self.manner.gold.split() if n.isdecimal())
        return replace(found, supporting=numbers) if numbers else found

    @cached_property
    def beam(self) -> inspection.BeamSteps:
        """The tree of the search, and what greedy search wrote."""
        if self.greedy is not None:
            return inspection.beam_of(self.translation, self.greedy)
        sources, width = self.translation.sources, self.manner.beam
        return inspection.beam(self.translator, sources, width=width)

    @property
    def said(self) -> str:
        """What was read and written, in a line."""
        return f"{self.translation.source_title} → {self.translation.text}"

    def maps(self) -> inspection.Looked:
        """Every attention map, by pieces or by words."""
        return self._looked(inspection.attention_maps(self.translation))

    def map(self) -> inspection.Looked:
        """The attention map that was asked for, by its title, or several."""
        return self._chosen(heads.choose(self.translation, self.manner.head))

    def every_map(self) -> inspection.Looked:
        """Each of the maps that what was asked for is made of."""
        return self._chosen(heads.every_map(self.translation, self.manner.head))

    def rows(self, found: inspection.Looked) -> range:
        """The rows of the word to look at alone; none if there is no such word."""
        if not self.manner.word:
            return range(0)
        numbers = found.numbers or range(len(found.target))
        spot = find_word(self.manner.word, found.target, numbers)
        if spot is None:
            raise unknown_word(self.manner.word, found.target)
        return range(spot.first, spot.first + spot.n)

    def _chosen(self, chosen: Chosen) -> inspection.Looked:
        if chosen.within is None:
            return self._looked(chosen.maps)
        whole, apart = self.manner.words, self.manner.apart
        one, within = self.translation, chosen.within
        return heads.looked_within(one, chosen.maps, within, whole=whole, apart=apart)

    def _looked(self, maps: Mapping[str, Maps]) -> inspection.Looked:
        whole, apart = self.manner.words, self.manner.apart
        return inspection.looked(self.translation, maps, whole=whole, apart=apart)


class Inspection(ABC):
    """A view of a model at work on one input; a model that it does not suit is refused by `draw`.

    page: its place among the pictures of the page, small ones first; 0 if it is not shown there.
    """

    page: ClassVar[int] = 0

    @classmethod
    @abstractmethod
    def suits(cls, predictor: Predictor) -> bool:
        """Tell whether a model has what is shown, so that it is worth offering."""

    @abstractmethod
    def draw(self, seen: Seen) -> Drawing:
        """Draw it."""


def find_view(name: str) -> Inspection:
    """Return a view by its name."""
    names = kinds(Inspection)
    if name not in names:
        raise RecipeError(
            f"inspect: no view '{name}'.{suggest(name, names)} Views: {', '.join(names)}."
        )
    return find(Inspection, name)()


def views_of_page() -> list[str]:
    """List the views that the page can show, the first ones first."""
    found = {name: find(Inspection, name).page for name in kinds(Inspection)}
    return sorted((name for name in found if found[name]), key=lambda name: found[name])


@runtime_checkable
class Holder(Protocol):
    """What has a model: a loaded one, or what `saccade.train` returned."""

    def whole(self) -> Predictor | None:
        """Return the model with all its weights; None if they are not at hand."""


def draw(  # noqa: PLR0913 - all but two are options
    translator: Holder,
    sentence: Any,
    view: str = FIRST,
    *,
    head: str = "mean",
    words: bool = False,
    beam: int | None = None,
    gold: str = "",
    smoothly: bool = True,
    seed: int | None = None,
    word: str = "",
) -> Drawing:
    """Look at what a model does with a sentence; shows itself in a notebook, saves to a file.

    >>> m = saccade.load("runs/demo")                                        # doctest: +SKIP
    >>> saccade.inspect(m, "She sees them.", "beam", beam=4).save("beam.svg")  # doctest: +SKIP

    Args:
        translator: a loaded model.
        sentence: what it reads.
        view: a file of `inspections/`, as attention or beam.
        head: an attention map by name; `encoder`, `decoder` or a layer, as `encoder layer 2`, for
            the mean of its maps, with `max` behind it their maximum and with `all` each of them;
            `mean` or `max` of all over the input; or several, parted by commas. For the gates
            view, a layer, a unit as "3", or "3 of decoder 1".
        words: join pieces to whole words on the axes of attention.
        beam: hypotheses kept at each step; the recipe's own if not given.
        gold: for the alignment view, which words people say belong together, as `0-0 1-2 3p4`; of
            a story, the numbers of the sentences that the answer follows from, as `1 3`; for the
            canvas view, a picture to copy, as rows of bits.
        smoothly: over a picture, without edges between the cells; False draws the grid as it is.
        seed: for the canvas view, draw by chance; without one the latents are 0.
        word: a word of the input or of the output, for the view steps, whose steps are shown, and
            for the view lines, which are drawn from it alone; `it:2` is the second one.
    """
    drawn = find_view(view)
    given: object = translator  # people give paths too
    model = given.whole() if isinstance(given, Holder) else None
    if model is None:
        raise RecipeError(
            f"inspect: found {shown(translator)}; expected a model that `saccade.load` opened from"
            " a model folder, or that `saccade.train` returned. Load it first."
        )
    manner = Manner(head, words, beam, gold, smoothly, seed, word=word)
    return drawn.draw(Seen(model, sentence, manner))
