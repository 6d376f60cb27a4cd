"""The bench that a training works at: data, model and objective, and how its product is judged."""

from collections.abc import Sequence
from pathlib import Path

from saccade.data.codecs import TARGET
from saccade.data.coverage import unknown_pieces
from saccade.data.files import check_files, readers_to_train, skipped_files
from saccade.data.limits import settled
from saccade.data.prepare import (
    batches_of,
    check_matched,
    prepare,
    profile_of,
    training_batches,
)
from saccade.folders import model as folders
from saccade.folders import starting
from saccade.folders.facts import read_lexicon, read_profile
from saccade.folders.fusion import carried
from saccade.folders.identity import read_identity, write_identity, write_networks, write_profile
from saccade.look.report import More, write_card, write_report
from saccade.metrics.base import name_of
from saccade.native.searcher import fastest_searcher
from saccade.nouns import Example
from saccade.objectives.base import Objective
from saccade.predict.decode import quick
from saccade.predict.evaluation import loss_of, outputs_for
from saccade.predict.predictor import Predictor
from saccade.predict.verdict import Verdict
from saccade.recipe import Recipe
from saccade.shaping import lexicon
from saccade.train.price import priced
from saccade.train.progress import Progress


class Bench:
    """All that a training needs besides the loop.

    hashes: of the data.  started: what to say of the weights it starts from, if anything.
    warnings: what to say of the data before training.

    Args:
        recipe: what to do.
        root: where its relative paths start.
        device: where to compute.
        resume: the folder whose run goes on, if one does.
        start_from: else the folder whose codecs and weights to start from, if any.
    """

    def __init__(
        self, recipe: Recipe, root: Path, device: str, resume: Path | None, start_from: Path | None
    ) -> None:
        check_files(recipe, readers_to_train(recipe), root)
        settings, base = recipe.training, resume or start_from
        known = read_identity(base) if base else None
        codecs, target = starting.known_codecs(known, recipe)
        prepared = prepare(recipe, root, codecs, target)
        recipe = settled(recipe, prepared, known.recipe if resume and known else None)
        model = folders.build_model(recipe, prepared.codecs)
        check_matched(prepared, model.pieces_each)
        self.started, self.warnings = "", skipped_files(readers_to_train(recipe), root)
        if start_from and not resume:
            self.started = starting.start_weights(model, recipe, start_from)
            taken = prepared.codecs.sides if codecs else [TARGET]
            unknown = unknown_pieces(prepared, taken)
            self.warnings += [one.told(start_from) for one in unknown]
        self.recipe, self.root, self.hashes = recipe, root, prepared.hashes
        usual = read_profile(resume) if resume else None
        self.profile = usual or profile_of(prepared)
        self.prepared, self.codecs, self.model = prepared, prepared.codecs, model.to(device)
        self.batches = training_batches(recipe, prepared)
        self.valid = batches_of(recipe, [prepared.valid], self.codecs, settings.batch_tokens)
        self.examples = self.read_examples() if settings.metrics else []
        listed = [part.build(root) for part in recipe.decoding.lexicon]
        self.words = (read_lexicon(resume) if resume else None) or (
            lexicon.gather(listed) if listed else None
        )
        named = recipe.decoding.language_model
        self.language_model = (carried(resume) if resume else None) or (
            root / named if named else None
        )
        fused = self.language_model
        self.predictor = Predictor(
            self.model,
            self.codecs,
            recipe.decoding,
            self.profile,
            self.words,
            fastest_searcher(self.model),
            folders.load_language_model(fused, self.codecs.target, device) if fused else None,
        )
        self.objective = self.new_objective()

    def new_objective(self) -> Objective:
        """Build the objective of the recipe, which has learned nothing yet."""
        objective = self.recipe.training.objective.build(self._as_text)
        if objective.all_references:
            found = self.batches.all_references()
            objective.study([self._as_text(ids.tolist()) for ids in row] for row in found)
        return objective

    def read_examples(self) -> list[Example]:
        """Read the validation set."""
        return list(self.recipe.data.valid.build(self.root).read())

    def _as_text(self, values: Sequence[int]) -> str:
        target = self.codecs.target
        return target.write(target.decode(values))

    def measure(self) -> dict[str, float]:
        """Return the validation loss, and every metric of training, of outputs found fast."""
        figures = {"loss": loss_of(self.objective, self.model, self.valid)}
        self.model.eval()
        found = outputs_for(self.predictor, self.examples, quick(self.model.quick))
        outputs = [prediction.output for prediction in found]
        references = [list(example.references) for example in self.examples]
        for part in self.recipe.training.metrics:
            figures[name_of(part, figures)] = part.build().corpus(outputs, references).value
        return figures

    def price(self) -> list[float]:
        """Count the operations of a few training pairs; see train/price.py."""
        return priced(self.model, self.objective, self.batches)

    def identify(self, folder: Path) -> None:
        """Write recipe, codecs, hashes, profile and lexicon."""
        write_identity(
            folder,
            self.recipe,
            self.codecs,
            self.hashes,
            self.profile,
            self.words,
            self.language_model,
        )

    def resumed(self, folder: Path) -> None:
        """Write what folders of older versions do not have: profile, weights of networks."""
        write_networks(folder, self.codecs)
        if self.profile is not None:
            write_profile(folder, self.profile)

    def present(
        self,
        folder: Path,
        progress: Progress,
        verdict: Verdict | None,
        named: Path | None = None,
    ) -> None:
        """Write README.md and report.html; `named` is the folder's name to be, if it gets one."""
        recipe, predictor, more = self.recipe, self.predictor, More(named=named)
        write_card(folder, recipe, predictor, progress, verdict, named)
        write_report(
            folder, recipe, predictor, progress, root=self.root, verdict=verdict, more=more
        )
