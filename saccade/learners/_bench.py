"""The bench that a training works at: data, model and objective, and how its product is judged."""

from abc import ABC, abstractmethod
from pathlib import Path

from saccade.data.batching import Batches
from saccade.data.prepare import batches_of, check_matched, prepare, profile_of, resegment_of
from saccade.folders import model as folders
from saccade.folders.facts import read_lexicon, read_profile
from saccade.guards.profile import Profile
from saccade.look.report import write_card, write_report
from saccade.modalities._resegment import Resegment
from saccade.models.base import Model
from saccade.objectives.base import Objective
from saccade.predict.decode import GREEDY
from saccade.predict.evaluation import loss_of, name_of
from saccade.predict.translator import Translator
from saccade.recipe import Recipe
from saccade.shaping import lexicon
from saccade.train.progress import Progress


class Bench(ABC):
    """All that depends on whether a model is one of text or of numbers.

    hashes: of the data.  started: what to say of the weights it starts from, if anything.
    """

    model: Model
    batches: Batches
    valid: Batches
    objective: Objective
    resegment: Resegment | None = None
    hashes: dict[str, str]
    started: str = ""

    @property
    @abstractmethod
    def translator(self) -> Translator:
        """The model with its vocabularies, if it is one of text."""

    @property
    @abstractmethod
    def sizes(self) -> dict[str, str]:
        """What goes in and comes out, by what it is called."""

    @abstractmethod
    def measure(self) -> dict[str, float]:
        """Return the validation loss, and every metric that training asks for."""

    @abstractmethod
    def identify(self, folder: Path) -> None:
        """Write all that decides a run into its folder."""

    @abstractmethod
    def resumed(self, folder: Path) -> None:
        """Write again what a resumed run may have lost."""

    @abstractmethod
    def present(self, folder: Path, progress: Progress) -> None:
        """Write the card and the report of a finished run."""


class TextBench(Bench):
    """Vocabularies, ids and a translator.

    Args:
        recipe: what to do.
        root: where its relative paths start.
        device: where to compute.
        resume: the folder whose run goes on, if one does.
        start_from: else the folder whose vocabularies and weights to start from, if any.
    """

    def __init__(
        self, recipe: Recipe, root: Path, device: str, resume: Path | None, start_from: Path | None
    ) -> None:
        settings, base = recipe.training, resume or start_from
        known = folders.read_identity(base) if base else None
        prepared = prepare(recipe, root, *folders.known_sides(known, recipe))
        model = folders.build_model(recipe, prepared.vocabularies)
        check_matched(prepared, model.pieces_each)
        if start_from and not resume:
            self.started = folders.start_weights(model, recipe, start_from)
        self.recipe, self.root, self.hashes = recipe, root, prepared.hashes
        usual = read_profile(resume) if resume else None
        self.profile: Profile = usual or profile_of(recipe, prepared, root)
        self.batches = batches_of(recipe, prepared.train, settings.batch_tokens)
        self.valid = batches_of(recipe, [prepared.valid], settings.batch_tokens)
        self.examples = list(recipe.data.valid.build(root).read()) if settings.metrics else []
        self.sides, self.model = prepared.vocabularies, model.to(device)
        source, target = self.sides.source, self.sides.target
        listed = [part.build(root) for part in recipe.decoding.lexicon]
        self.words = (read_lexicon(resume) if resume else None) or (
            lexicon.gather(listed) if listed else None
        )
        self._translator = Translator(
            self.model, source, target, recipe.decoding, self.profile, self.words
        )
        self.objective = settings.objective.build(target.decode)
        self.resegment = resegment_of(recipe, self.sides)

    @property
    def translator(self) -> Translator:
        """The model with its vocabularies."""
        return self._translator

    @property
    def sizes(self) -> dict[str, str]:
        """How large the vocabularies are."""
        source, target = len(self.sides.source), len(self.sides.target)
        return {"vocabulary": f"{source:,} source, {target:,} target"}

    def measure(self) -> dict[str, float]:
        """Return the loss per symbol and every metric of the validation set, decoded greedily."""
        figures = {"loss": loss_of(self.model, self.valid)}
        outputs = self._outputs()
        references = [example.target for example in self.examples]
        for part in self.recipe.training.metrics:
            figures[name_of(part, figures)] = part.build().corpus(outputs, references).value
        return figures

    def _outputs(self) -> list[str]:
        """Decode the validation set, greedily, if a metric asks for it."""
        self.model.eval()
        sources = [example.source for example in self.examples]
        return [t.text for t in self._translator.stream(sources, GREEDY)]

    def identify(self, folder: Path) -> None:
        """Write recipe, vocabularies, hashes, profile and lexicon."""
        folders.write_identity(
            folder, self.recipe, self.sides, self.hashes, self.profile, self.words
        )

    def resumed(self, folder: Path) -> None:
        """Write the profile, which folders of older versions do not have."""
        folders.write_profile(folder, self.profile)

    def present(self, folder: Path, progress: Progress) -> None:
        """Write README.md and report.html."""
        write_card(folder, self.recipe, self._translator, progress)
        write_report(folder, self.recipe, self._translator, progress, root=self.root)
