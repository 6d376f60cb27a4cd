"""The recipe: everything that decides a run, as dataclasses read from one YAML file.

Sections `data`, `model`, `training`, `decoding`; defaults live here and in the constructors of the
parts, once each. Unknown keys and wrong types are refused, all of them in one message.
"""

import dataclasses
from collections.abc import Iterable, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any, Literal, get_type_hints

import yaml

from saccade.errors import RecipeError
from saccade.intake.files import read_text
from saccade.intake.yaml_text import LONGEST, parse_yaml
from saccade.kernels.precision import Precision
from saccade.metrics._fitting import unfit_metrics
from saccade.metrics.base import Metric
from saccade.modalities.base import Modality
from saccade.models._legacy import upgraded
from saccade.models._wiring import misfits, transcribes
from saccade.models.base import Model
from saccade.nouns import SOURCE_NAME
from saccade.objectives._frames import frameless, undirected
from saccade.objectives.base import Objective
from saccade.parts import Option, Part, check_options, find, plain
from saccade.readers.base import Reader
from saccade.schedules.base import Schedule
from saccade.search._plan import LEARNED, RATIO
from saccade.search.base import Search


@dataclasses.dataclass(frozen=True, kw_only=True)
class Data:
    """What to learn from."""

    train: list[Part[Reader]]
    valid: Part[Reader]
    test: dict[str, Part[Reader]] = dataclasses.field(default_factory=dict)
    obtain: str = ""
    """How to get the files, for those who do not have them. Decides nothing."""
    weights: list[float] = dataclasses.field(default_factory=list)
    """How often an epoch goes through each corpus of `train`; 1 each if left out."""
    source: Part[Modality] = Part(Modality, "text")
    sources: dict[str, Part[Modality]] = dataclasses.field(default_factory=dict)
    """Several sources by name, in the place of `source`."""
    target: Part[Modality] = Part(Modality, "text")
    joint: bool = False
    """One tokenizer, that of `source`, learned from and used on both sides."""
    copies: int = 0
    """Symbols kept for words that are not in the vocabulary, to be copied through."""

    @property
    def read(self) -> dict[str, Part[Modality]]:
        """The modality of every source, by name."""
        return self.sources or {SOURCE_NAME: self.source}


@dataclasses.dataclass(frozen=True, kw_only=True)
class Training:
    """How to learn."""

    objective: Part[Objective] = Part(Objective, "cross_entropy")
    schedule: Part[Schedule] = Part(Schedule, "inverse_sqrt")
    optimiser: Literal["adamw", "sgd"] = "adamw"
    learning_rate: float = 1e-3
    weight_decay: float = 0.0
    betas: list[float] = dataclasses.field(default_factory=lambda: [0.9, 0.98])
    clip: float = 1.0
    """Largest norm of the gradient; 0 leaves it alone."""
    batch_tokens: int = 4096
    """Padded symbols of the longer side in one batch."""
    mixed: bool = False
    """Leave long and short examples mixed in a batch, for models to which padding costs little."""
    accumulate: int = 1
    max_steps: int = 0
    max_epochs: int = 0
    max_minutes: float = 0.0
    """Stop at whichever of the three comes first; 0 means no limit. Set one, or patience."""
    validate_every: int = 0
    """Validate and save after so many steps; 0 means at the end of every epoch."""
    select: str = "loss"
    """Which validation figure chooses the best checkpoint: loss, or the name of a metric."""
    metrics: list[Part[Metric]] = dataclasses.field(default_factory=list)
    """Metrics to decode the validation set for."""
    patience: int = 0
    """Stop after so many validations without a better one; 0 means never."""
    min_steps: int = 0
    """Patience counts validations after this step and after warm-up; 0 means after step 400."""
    keep_best: int = 1
    keep_last: int = 1
    average: int = 0
    """At the end, average the weights of the last so many checkpoints; 0 takes the best one."""
    ema: float = 0.0
    """Decay of a moving average of the weights, used to validate and decode; 0 is off."""
    report_every: int = 50
    threads: int = 0
    """Processor threads; 0 leaves torch's own choice."""
    precision: Precision = "float32"
    """Of the products; auto takes bfloat16 where the processor has instructions for it."""
    shard: bool = False  # over processes: weights, gradients and moments
    tensorboard: bool = False


@dataclasses.dataclass(frozen=True, kw_only=True)
class Decoding:
    """How to write."""

    search: Part[Search] = Part(Search, "beam")
    max_ratio: float = RATIO
    max_extra: int = 10
    """An output has at most max_ratio x (source pieces) + max_extra pieces. If it is left out and
    sources are no text, training finds what is enough."""
    replace_unknown: bool = False
    """Write the source word that was looked at most where the model writes an unknown one."""
    lexicon: list[Part[Reader]] = dataclasses.field(default_factory=list)
    """Write only what these readers have as targets; empty lets everything be written."""
    lexicon_weight: float = 0.0
    """How much it counts, against the model, how often the lexicon has a text."""
    lexicon_separator: str = ""
    """Outputs are texts of the lexicon with this symbol between them; "" lets one be written."""
    language_model: str = ""
    """A folder of model language_model or ngram with the target's symbols: shallow fusion."""
    language_model_weight: float = 0.3
    insertion: float = 0.0
    """Added for every symbol, against outputs that are too short; below zero against long ones."""
    repair: str = ""
    """Confusions that `evaluate --confusions` wrote: the language model mends what was read."""
    no_repeat: int = 0
    """Write no n-gram of so many pieces twice, against loops; 0 lets everything be written."""
    batch_tokens: int = 4096
    season: int = 0
    """Of a forecaster: after how many steps its series repeats, to compare with the last season."""
    metrics: list[Part[Metric]] = dataclasses.field(
        default_factory=lambda: [Part(Metric, "bleu"), Part(Metric, "chrf")]
    )


@dataclasses.dataclass(frozen=True, kw_only=True)
class Recipe:
    """Everything that decides a run."""

    name: str = "model"
    seed: int = 1
    data: Data
    model: Part[Model] = Part(Model, "encoder_decoder")
    training: Training = dataclasses.field(default_factory=Training)
    decoding: Decoding = dataclasses.field(default_factory=Decoding)
    notes: tuple[str, ...] = dataclasses.field(default=(), compare=False, init=False)
    """What was rewritten because an older saccade wrote it in another way."""

    def plain(self) -> dict[str, Any]:
        """Return the whole recipe with every default filled in, as YAML would hold it."""
        return _plain_section(self)

    def same(self, other: "Recipe") -> bool:
        """Tell whether two recipes give the same run."""
        one, two = (replace(r, data=replace(r.data, obtain="")).plain() for r in (self, other))
        return one == two

    def to_yaml(self) -> str:
        """Write the whole recipe as YAML."""
        return yaml.safe_dump(self.plain(), sort_keys=False, allow_unicode=True, width=100)


def load(path: Path, overrides: Iterable[str] = ()) -> Recipe:
    """Read a recipe from a YAML file, with `a.b=c` overrides; relative paths stay as written."""
    try:
        text = read_text(path, LONGEST)
    except FileNotFoundError:
        raise RecipeError(
            f"{path}: no such recipe. `saccade init TASK` writes a starter."
        ) from None
    except (OSError, ValueError) as error:
        raise RecipeError(f"{path}: cannot be read as UTF-8 text: {error}.") from None
    return parse(text, str(path), overrides)


def parse(text: str, where: str = "recipe", overrides: Iterable[str] = ()) -> Recipe:
    """Read a recipe from YAML text."""
    raw = _safe_yaml(text, where)
    if not isinstance(raw, dict):
        found = repr(raw)[:80]
        raise RecipeError(f"{where}: expected sections data, model, training; found {found}.")
    for override in overrides:
        _override(raw, override)
    return from_plain(raw, where)


def from_plain(raw: Mapping[str, Any], where: str = "recipe") -> Recipe:
    """Read a recipe from dictionaries and lists, as YAML gives them."""
    problems: list[str] = []
    raw, notes = upgraded(raw)
    recipe = _section(Recipe, dict(raw), "", problems)
    if not problems:
        recipe = _suited(recipe, raw)
        problems = _contradictions(recipe)
    if problems:
        raise RecipeError([f"{where}: {problem}" for problem in problems])
    assert isinstance(recipe, Recipe)
    object.__setattr__(recipe, "notes", tuple(f"{where}: {note}" for note in notes))
    return recipe


def _safe_yaml(text: str, where: str) -> Any:
    try:
        return parse_yaml(text)
    except ValueError as error:
        raise RecipeError(f"{where}: {error}.") from None


def _override(raw: dict[str, Any], override: str) -> None:
    path, equals, text = override.partition("=")
    if not equals or not path:
        raise RecipeError(f"--set {override}: expected a.b=value, as in training.max_epochs=5.")
    *parents, name = path.split(".")
    place = raw
    for parent in parents:
        inner = place.get(parent)
        if isinstance(inner, str):  # `attention: dot` and then attention.hidden=3
            inner = {"kind": inner}
        place[parent] = inner = {} if inner is None else inner
        if not isinstance(inner, dict):
            raise RecipeError(
                f"--set {override}: '{parent}' holds {inner!r}, which has no '{name}'."
            )
        place = inner
    place[name] = _safe_yaml(text, f"--set {path}")


def _options(section: type[Any]) -> dict[str, Option]:
    hints = get_type_hints(section)
    own = dataclasses.fields(section)
    return {f.name: Option(hints[f.name], f.default) for f in own if f.init}


def _section(section: type[Any], raw: Any, path: str, problems: list[str]) -> Any:
    """Read one section; sections nest by their annotations."""
    if not isinstance(raw, dict):
        problems.append(f"{path}: expected options of {section.__name__.lower()}; found {raw!r}.")
        return None
    options = _options(section)
    inner: dict[str, Any] = {
        k: o.type
        for k, o in options.items()
        if dataclasses.is_dataclass(o.type) and o.type is not Part
    }
    raw = {
        name: _shorthand(options[name].type, value) if name in options else value
        for name, value in raw.items()
    }
    leaves = {k: v for k, v in raw.items() if k not in inner}
    values = check_options(options, leaves, path, section.__name__.lower(), problems)
    for name, kind in inner.items():
        if name in raw:
            values[name] = _section(kind, raw[name], f"{path}.{name}".lstrip("."), problems)
    for field in dataclasses.fields(section):
        required = field.default is field.default_factory is dataclasses.MISSING
        if required and field.name not in raw:
            where = f"{path}.{field.name}".lstrip(".")
            problems.append(f"{where}: missing; every recipe needs it.")
    return section(**values) if not problems else None


def _shorthand(kind: Any, value: Any) -> Any:
    """Let one reader stand for a list of one, and for a single test set called `test`.

    A source that names no kind is text, as `source` is.
    """
    if kind == list[Part[Reader]] and isinstance(value, dict | str):
        return [value]
    if (
        kind == dict[str, Part[Reader]]
        and isinstance(value, dict)
        and isinstance(value.get("kind"), str)
    ):
        return {"test": value}
    if kind == dict[str, Part[Modality]] and isinstance(value, dict):
        return {
            name: {"kind": "text", **side} if isinstance(side, dict) else side
            for name, side in value.items()
        }
    if str(kind).startswith("list[saccade.parts.Part") and isinstance(value, str):
        return [value]
    return value


def _suited(recipe: Recipe, raw: Mapping[str, Any]) -> Recipe:
    """Take objective, search and limits that suit model and data where the recipe names none."""
    model, training, decoding = find(Model, recipe.model.kind), recipe.training, recipe.decoding
    learns = transcribes(recipe.model, recipe.data.read, recipe.data.target)
    if "objective" not in raw.get("training", ()):
        training = dataclasses.replace(training, objective=Part(Objective, model.objective))
    if "search" not in raw.get("decoding", ()):
        decoding = dataclasses.replace(decoding, search=Part(Search, model.search))
    if learns and "max_ratio" not in raw.get("decoding", ()):
        decoding = dataclasses.replace(decoding, max_ratio=LEARNED)
    return dataclasses.replace(recipe, training=training, decoding=decoding)


def _contradictions(recipe: Recipe) -> list[str]:
    data, training, problems = recipe.data, recipe.training, list[str]()
    if not data.train:
        problems.append("data.train: no corpus to learn from.")
    if data.weights and len(data.weights) != len(data.train):
        problems.append(
            f"data.weights: {len(data.weights)} weights for {len(data.train)} corpora; give one"
            " each."
        )
    if any(weight <= 0 for weight in data.weights):
        problems.append(f"data.weights: {data.weights} holds a weight that is not positive.")
    problems += _readings(recipe)
    if data.copies < 0:
        problems.append(f"data.copies: {data.copies} is below 0; 0 keeps no symbols for copies.")
    if recipe.decoding.no_repeat < 0:
        found = recipe.decoding.no_repeat
        problems.append(f"decoding.no_repeat: {found} is below 0; 0 lets everything be repeated.")
    limits = (training.max_steps, training.max_epochs, training.max_minutes, training.patience)
    if not any(limits) and find(Model, recipe.model.kind).learner == "gradient":
        problems.append(
            "training: nothing ends this run; set max_steps, max_epochs, max_minutes or patience."
        )
    names = ["loss", *(part.kind for part in training.metrics)]
    if training.select not in names:
        problems.append(
            f"training.select: '{training.select}' is not measured; one of {', '.join(names)},"
            " or add it to training.metrics."
        )
    problems += misfits(recipe.model, data.read, data.target)
    kinds_named = (recipe.model.kind, training.objective.kind, recipe.decoding.search.kind)
    return problems + _mixed(recipe) + frameless(*kinds_named) + _out_of_range(training)


def _readings(recipe: Recipe) -> list[str]:
    """Say where another order of reading cannot be."""
    data, problems = recipe.data, []
    if not data.target.build().ordered:
        problems.append(
            "data.target: reverse and separator are for the source; a target is written in order."
        )
    in_order = data.copies or recipe.decoding.replace_unknown
    for name, part in data.read.items():
        modality = part.build()
        if not modality.ordered and (in_order or modality.varies):
            problems.append(
                f"data.{name}: reverse and separator cannot go with data.copies,"
                " decoding.replace_unknown or a dropout of the tokenizer, which read the source in"
                " order. Leave out one or the other."
            )
    if "target" in data.sources:
        problems.append("data.sources: 'target' is the name of what is written. Choose another.")
    return problems


def _mixed(recipe: Recipe) -> list[str]:
    """Say what is for symbols where the target has values, or the other way round."""
    training, decoding = recipe.training, recipe.decoding
    target, problems = find(Modality, recipe.data.target.kind), list[str]()
    writes = "symbols" if target.discrete else "values"
    if not target.writable:
        return []
    if find(Objective, training.objective.kind).discrete != target.discrete:
        problems.append(
            f"training.objective: {training.objective.kind} does not fit a target of kind"
            f" {recipe.data.target.kind}, which has {writes}; use {target.objective}."
        )
    for name, parts in (("training", training.metrics), ("decoding", decoding.metrics)):
        problems += unfit_metrics(f"{name}.metrics", parts, recipe.data.target)
    if decoding.season < 0:
        problems.append(f"decoding.season: {decoding.season} is below 0; 0 is no season.")
    return problems + undirected(training.objective.kind, recipe.model, recipe.data.target)


def _out_of_range(training: Training) -> list[str]:
    problems = []
    least = dict.fromkeys(("accumulate", "batch_tokens", "keep_last", "report_every"), 1)
    least |= dict.fromkeys(("max_steps", "max_epochs", "max_minutes", "validate_every"), 0)
    least |= dict.fromkeys(("patience", "min_steps", "keep_best", "average", "clip", "threads"), 0)
    for name, limit in least.items():
        if getattr(training, name) < limit:
            problems.append(f"training.{name}: {getattr(training, name)} is below {limit}.")
    if training.learning_rate <= 0:
        problems.append(f"training.learning_rate: {training.learning_rate} is not positive.")
    if not 0 <= training.ema < 1:
        problems.append(f"training.ema: {training.ema} is not in [0, 1).")
    if len(training.betas) != 2:
        problems.append(f"training.betas: expected two numbers, found {training.betas}.")
    return problems


def _plain_section(section: Any) -> dict[str, Any]:
    values = {f.name: getattr(section, f.name) for f in dataclasses.fields(section) if f.init}
    return {
        name: _plain_section(value)
        if dataclasses.is_dataclass(value) and not isinstance(value, Part)
        else plain(value)
        for name, value in values.items()
    }
