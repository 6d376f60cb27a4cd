"""saccade from Python: train on pairs or a recipe, load a folder, translate."""

import dataclasses
import json
import tempfile
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Unpack, overload

import yaml

from saccade import recipe as recipes
from saccade import run
from saccade.data.tables import DiskTable, PairTable, named_texts, text_pairs
from saccade.errors import DataError, RecipeError, shown, suggest
from saccade.fit.files import ColumnNames
from saccade.fit.fitting import fit as fit_outline
from saccade.fit.fitting import seconds_in
from saccade.fit.outline import outline
from saccade.folders import model as folders
from saccade.folders.home import home_of
from saccade.look.report import read_curves, standing
from saccade.native.searcher import fastest_searcher
from saccade.predict.decode import PredictOptions
from saccade.predict.evaluation import Evaluation
from saccade.predict.home import Metrics
from saccade.predict.inputs import read_path
from saccade.predict.prediction import Prediction, Predictions, Scored
from saccade.predict.predictor import One, Predictor
from saccade.recipe import Decoding, Recipe, Training
from saccade.train.files import write_text
from saccade.train.progress import Progress
from saccade.views import curves, page
from saccade.views.report import by_quantity

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


@dataclass(frozen=True, repr=False)
class Trained:
    """A trained model: translate with it, look at its history, find it in its folder."""

    predictor: Predictor
    folder: Path
    history: History
    reason: str

    @overload
    def predict(self, given: list[Any], **options: Unpack[PredictOptions]) -> Predictions: ...
    @overload
    def predict(self, given: One, **options: Unpack[PredictOptions]) -> Prediction: ...
    def predict(
        self, given: One | list[Any], **options: Unpack[PredictOptions]
    ) -> Prediction | Predictions:
        """Predict the output for one input or for a list, as a loaded model does."""
        return self.predictor.predict(given, **options)

    translate = predict
    forecast = predict

    def score(self, sources: Sequence[str], targets: Sequence[str]) -> list[Scored]:
        """Say how likely each target is for its source."""
        return self.predictor.score(sources, targets)

    def evaluate(
        self,
        data: PairTable | None = None,
        split: str = "",
        metrics: Metrics = (),
        *,
        beam: int | None = None,
    ) -> Evaluation:
        """Write the outputs of examples and measure them, as a loaded model does.

        Without data, a model that was trained on pairs is measured on those it was validated on.
        """
        return self.predictor.evaluate(data, split, metrics, beam=beam)

    def whole(self) -> Predictor:
        """Return the model alone, as `saccade.load` does."""
        return self.predictor

    def save(self, folder: str | Path) -> Path:
        """Write a model folder without checkpoints; it must be new or empty."""
        return self.predictor.save(folder)

    def __repr__(self) -> str:
        told = {**self.predictor.describe(), "training": f"{self.reason}; {self.history!r}"}
        return f"<Trained {', '.join(f'{name}: {text}' for name, text in told.items())}>"

    def _repr_html_(self) -> str:
        return self.predictor._repr_html_() + self.history._repr_html_()


def train(
    recipe: Recipe | Mapping[str, Any] | str | Path | None = None,
    *,
    pairs: PairTable | None = None,
    valid: PairTable | None = None,
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
        pairs: (source, target) pairs to learn from, instead of the recipe's data: a list, a
            DataFrame of pandas or a Dataset of `datasets`, whose columns source and target, or
            else the first two, are taken.
        valid: pairs to validate on; a tenth of `pairs` if not given, all of them if they are few.
        folder: where to write the run; a temporary folder if not given.
        device: where to compute.
        overwrite: delete what an earlier run left in the folder.
        overrides: anything of the recipe: a name of `training` or `decoding` (max_epochs=3), a
            section (model={"embedding": 64}), or seed and name.
    """
    raw = _raw(recipe)
    held = None if valid is None else text_pairs(valid, "valid")
    if pairs is not None:
        raw["data"] = {**raw.get("data", {}), **_data(text_pairs(pairs, "pairs"), held)}
    elif held is not None:
        raw["data"] = {**raw.get("data", {}), "valid": _reader(held)}
    for name, value in overrides.items():
        _put(raw, name, value)
    limits = ("max_steps", "max_epochs", "max_minutes", "patience")
    training = raw.setdefault("training", {})
    if recipe is None and not any(name in training for name in limits):
        training["max_epochs"] = _EPOCHS
    built = recipes.from_plain(raw, "saccade.train")
    place = Path(folder) if folder else Path(tempfile.mkdtemp(prefix="saccade-"))
    result = run.train(built, place, device=device, overwrite=overwrite)
    result.predictor.home = home_of(result.folder)
    history = History(result.progress, read_curves(result.folder))
    return Trained(result.predictor, result.folder, history, result.reason)


def fit(  # noqa: PLR0913 - all but one are options
    data: str | Path | Sequence[str | Path] | PairTable,
    *,
    valid: str | Path | Sequence[str | Path] | PairTable | None = None,
    test: str | Path | Sequence[str | Path] | PairTable | None = None,
    columns: Mapping[str, str] | None = None,
    folder: str | Path | None = None,
    within: str = "20m",
    task: str = "",
    seed: int = 1,
    overwrite: bool = False,
) -> Trained:
    """Make a good model of files or pairs, as `saccade fit` does: find out, choose, train, measure.

    >>> m = saccade.fit("pairs.tsv", within="10m")                  # doctest: +SKIP
    >>> m.evaluate(), m.predict("a word").text                      # doctest: +SKIP

    Args:
        data: a file of pairs, two plain files whose lines match, or pairs as `saccade.train` takes
            them; these are written to FOLDER-data/pairs.jsonl. A Dataset or DatasetDict of
            `datasets` is saved to FOLDER-data, with its labels and splits.
        valid: the same, to choose the model by; a share of the data if not given.
        test: the same, to measure it on; a share of the data if not given.
        columns: what the columns of source, target and features are called, or their numbers, as
            {"source": "word", "target": "ipa"}; found if not given.
        folder: where to write the model; a temporary folder if not given.
        within: for everything: 90s, 20m, 2h.
        task: what the pairs are, as pronunciation; found if not given.
        seed: of all that is random.
        overwrite: delete what an earlier run left in the folder.
    """
    place = Path(folder) if folder else Path(tempfile.mkdtemp(prefix="saccade-")) / "model"
    seconds, names = _seconds(within), _columns(columns)
    held, files = {"valid": valid, "test": test}, _files(data, place, names, "data")
    made = outline(
        files,
        columns=ColumnNames(**names),
        task=task,
        seed=seed,
        **{name: _files(one, place, names, name) for name, one in held.items() if one is not None},
    )
    done = fit_outline(made, place, within=seconds, overwrite=overwrite)
    predictor = folders.load(done.folder, searcher=fastest_searcher)
    predictor.home = home_of(done.folder)
    history = History(standing(done.folder), read_curves(done.folder))
    return Trained(predictor, done.folder, history, f"fitted in {done.seconds:.0f} s")


def _files(data: Any, place: Path, columns: Mapping[str, str], where: str) -> list[Path]:
    """Return the files of the data; pairs in memory are written beside the model."""
    if isinstance(data, str | Path):
        return [Path(data)]
    if isinstance(data, Sequence) and data and all(isinstance(one, str | Path) for one in data):
        return [Path(one) for one in data]
    if isinstance(data, DiskTable):
        folder = place.with_name(f"{place.name}-{where}")
        data.save_to_disk(str(folder))
        return [folder]
    rows = named_texts(data, where, columns)
    if not rows:
        raise DataError(f"{where}: no rows; expected pairs of source and target. Add some.")
    name = "pairs" if where == "data" else where
    path = place.with_name(f"{place.name}-data") / f"{name}.jsonl"
    path.parent.mkdir(parents=True, exist_ok=True)
    write_text(path, "".join(json.dumps(row, ensure_ascii=False) + "\n" for row in rows))
    return [path]


def _columns(given: Any) -> dict[str, str]:
    """Check the names of columns that somebody gave."""
    known = _names(ColumnNames)
    if given is None:
        return {}
    if not isinstance(given, Mapping) or not all(str(one) for one in given.values()):
        raise RecipeError(
            f"saccade.fit: columns: found {shown(given)}; expected a dictionary such as"
            ' {"source": "word", "target": "ipa"}.'
        )
    odd = [str(name) for name in given if name not in known]
    if odd:
        raise RecipeError(
            f"saccade.fit: columns: no side '{odd[0]}'.{suggest(odd[0], known)} Sides:"
            f" {', '.join(known)}."
        )
    return {side: str(name) for side, name in given.items()}


def _seconds(within: Any) -> float:
    if not isinstance(within, str):
        raise RecipeError(
            f"saccade.fit: within: found {shown(within)}; expected a time as text, such as '90s',"
            " '20m' or '2h'."
        )
    return seconds_in(within)


def _raw(recipe: Recipe | Mapping[str, Any] | str | Path | None) -> dict[str, Any]:
    if recipe is None:
        return {}
    if isinstance(recipe, Recipe):
        return recipe.plain()
    if isinstance(recipe, Mapping):
        return {name: dict(v) if isinstance(v, Mapping) else v for name, v in recipe.items()}
    path = read_path(recipe, "saccade.train")
    found: dict[str, Any] = yaml.safe_load(recipes.load(path).to_yaml())
    return found


def _data(pairs: list[list[str]], valid: list[list[str]] | None) -> dict[str, Any]:
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


def _reader(pairs: list[list[str]]) -> dict[str, Any]:
    return {"kind": "pairs", "pairs": pairs}


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
