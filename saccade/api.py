"""saccade from Python: train on pairs or a recipe, load a folder, translate."""

import dataclasses
import tempfile
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, overload

import yaml

from saccade import recipe as recipes
from saccade import run
from saccade.errors import RecipeError, suggest
from saccade.look.report import read_curves
from saccade.predict.prediction import Prediction, Scored
from saccade.predict.predictor import One, Predictor
from saccade.recipe import Decoding, Recipe, Training
from saccade.train.progress import Progress
from saccade.views import curves, page
from saccade.views.report import by_quantity

Pair = Sequence[str]
_FEW = 20  # pairs below which none are held out
_MOST_HELD = 500
_EPOCHS = 20


@dataclass(frozen=True)
class History:
    """How a training went; draws its curves in a notebook."""

    progress: Progress
    series: Mapping[str, list[tuple[float, float]]]

    def __repr__(self) -> str:
        best = self.progress.best
        figures = best.figures if best else {}
        shown = ", ".join(f"{name} {value:.3f}" for name, value in figures.items())
        return f"History(steps={self.progress.step}, epochs={self.progress.epoch}, best: {shown})"

    def _repr_html_(self) -> str:
        """Show the curves of loss, learning rate and metrics."""
        return page.paragraph(repr(self)) + curves.grid(by_quantity(self.series))


@dataclass(frozen=True)
class Trained:
    """A trained model: translate with it, look at its history, find it in its folder."""

    predictor: Predictor
    folder: Path
    history: History
    reason: str

    @overload
    def predict(self, given: list[Any], **options: Any) -> list[Prediction]: ...
    @overload
    def predict(self, given: One, **options: Any) -> Prediction: ...
    def predict(self, given: One | list[Any], **options: Any) -> Prediction | list[Prediction]:
        """Predict the output for one input or for a list: `Predictor.predict`."""
        return self.predictor.predict(given, **options)

    translate = predict
    forecast = predict

    def score(self, sources: Sequence[str], targets: Sequence[str]) -> list[Scored]:
        """Say how likely each target is for its source."""
        return self.predictor.score(sources, targets)

    def _repr_html_(self) -> str:
        return page.paragraph(f"Trained model in {self.folder}") + self.history._repr_html_()


def train(
    recipe: Recipe | Mapping[str, Any] | str | Path | None = None,
    *,
    pairs: Sequence[Pair] | None = None,
    valid: Sequence[Pair] | None = None,
    folder: str | Path | None = None,
    device: str = "cpu",
    overwrite: bool = False,
    **overrides: Any,
) -> Trained:
    """Train a model, from a recipe or straight from a list of pairs.

    >>> m = saccade.train(pairs=[("un", "one"), ("deux", "two")], max_epochs=3)  # doctest: +SKIP
    >>> m.translate("deux").text                                                 # doctest: +SKIP
    'two'

    Args:
        recipe: a Recipe, its sections as dictionaries, or the path of a YAML file.
        pairs: (source, target) pairs to learn from, instead of the recipe's data.
        valid: pairs to validate on; a tenth of `pairs` if not given, all of them if they are few.
        folder: where to write the run; a temporary folder if not given.
        device: where to compute.
        overwrite: delete what an earlier run left in the folder.
        overrides: anything of the recipe: a name of `training` or `decoding` (max_epochs=3), a
            section (model={"embedding": 64}), or seed and name.
    """
    raw = _raw(recipe)
    if pairs is not None:
        raw["data"] = {**raw.get("data", {}), **_data(pairs, valid)}
    elif valid is not None:
        raw["data"] = {**raw.get("data", {}), "valid": _reader(valid)}
    for name, value in overrides.items():
        _put(raw, name, value)
    limits = ("max_steps", "max_epochs", "max_minutes", "patience")
    training = raw.setdefault("training", {})
    if recipe is None and not any(name in training for name in limits):
        training["max_epochs"] = _EPOCHS
    built = recipes.from_plain(raw, "saccade.train")
    place = Path(folder) if folder else Path(tempfile.mkdtemp(prefix="saccade-"))
    result = run.train(built, place, device=device, overwrite=overwrite)
    history = History(result.progress, read_curves(result.folder))
    return Trained(result.predictor, result.folder, history, result.reason)


def _raw(recipe: Recipe | Mapping[str, Any] | str | Path | None) -> dict[str, Any]:
    if recipe is None:
        return {}
    if isinstance(recipe, Recipe):
        return recipe.plain()
    if isinstance(recipe, Mapping):
        return {name: dict(v) if isinstance(v, Mapping) else v for name, v in recipe.items()}
    found: dict[str, Any] = yaml.safe_load(recipes.load(Path(recipe)).to_yaml())
    return found


def _data(pairs: Sequence[Pair], valid: Sequence[Pair] | None) -> dict[str, Any]:
    """Hold out every tenth pair to validate on, unless there are few or others are given."""
    if valid is not None:
        return {"train": [_reader(pairs)], "valid": _reader(valid)}
    if len(pairs) < _FEW:
        return {"train": [_reader(pairs)], "valid": _reader(pairs)}
    held = set(range(0, len(pairs), max(10, len(pairs) // _MOST_HELD)))
    return {
        "train": [_reader([pair for i, pair in enumerate(pairs) if i not in held])],
        "valid": _reader([pairs[i] for i in sorted(held)]),
    }


def _reader(pairs: Sequence[Pair]) -> dict[str, Any]:
    return {"kind": "pairs", "pairs": [list(pair) for pair in pairs]}


def _put(raw: dict[str, Any], name: str, value: Any) -> None:
    """Put one override where its name belongs."""
    sections = {"training": _names(Training), "decoding": _names(Decoding)}
    top = _names(Recipe)
    if name in top:
        inner = raw.get(name)
        merged = isinstance(value, Mapping) and isinstance(inner, Mapping)
        raw[name] = {**inner, **value} if merged and inner else value
        return
    for section, names in sections.items():
        if name in names:
            raw[section] = {**raw.get(section, {}), name: value}
            return
    known = [*top, *sections["training"], *sections["decoding"]]
    raise RecipeError(
        f"saccade.train: no option '{name}'.{suggest(name, known)} Options are the names of"
        " training and decoding, and the sections of a recipe."
    )


def _names(section: type[Any]) -> list[str]:
    return [field.name for field in dataclasses.fields(section)]
