"""A run folder, which is a model folder too: what is in it, and how it is read.

    recipe.yaml          the recipe with every default filled in
    saccade.json         format, versions, seed, hashes of data and vocabularies
    source.json, target.json     the vocabularies, in the format of the `tokenizers` library
    scales.json          instead of them, of a forecaster: mean and spread of its columns
    profile.json         what was usual in the training data, for the guards; may be absent
    lexicon.tsv          all that may be written, a text and its count a line; absent: everything
    examples.json        a few held-out examples, to try the model on; may be absent
    model.safetensors    the weights to use, once training is over
    engines/             the model converted for other engines, once one was used; see engines/
    checkpoints/         while training: see train/checkpoint.py
    metrics.jsonl  train.log  README.md  report.html

A folder is ours from its first file on: saccade.json, which says "begun" until the rest is there.
"""

import json
import shutil
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import torch
from torch import Tensor

from saccade import recipe as recipes
from saccade.data.prepare import Vocabularies, numeric, reads
from saccade.errors import CheckpointError, RecipeError
from saccade.folders.facts import BEGUN, FORMAT, LEXICON, read_facts, read_lexicon, read_profile
from saccade.folders.versions import versions
from saccade.guards.profile import Profile
from saccade.modalities._numbers import Scales
from saccade.models.base import Model
from saccade.predict.forecaster import Predictor
from saccade.predict.translator import Translator
from saccade.recipe import Recipe
from saccade.tokenizers._vocabulary import Vocabulary
from saccade.train import weights
from saccade.train.checkpoint import Checkpoints
from saccade.train.files import sweep_leftovers, told, write_file, write_text
from saccade.train.initialisation import Undrawn


@dataclass(frozen=True, slots=True)
class Plan:
    """What a folder says of any run: its recipe, and the facts of its making."""

    recipe: Recipe
    facts: dict[str, Any]


@dataclass(frozen=True, slots=True)
class Identity:
    """What a folder says of itself."""

    recipe: Recipe
    vocabularies: Vocabularies
    facts: dict[str, Any]


def claim(folder: Path, *, resume: bool = False, overwrite: bool = False) -> None:
    """Make sure that the folder is ours to write to; nothing is written or deleted yet."""
    if folder.exists() and not folder.is_dir():
        raise CheckpointError(
            f"{folder}: is a file; expected a folder to write the run to. Choose another."
        )
    ours = (folder / "saccade.json").exists()
    begun = ours and read_facts(folder).get(BEGUN, False)
    if resume and (begun or not ours):
        raise CheckpointError(
            f"{folder}: nothing to resume: no run came to its first checkpoint there. Leave out"
            " --resume."
        )
    if resume or begun or not folder.exists() or not any(folder.iterdir()):
        return
    if not overwrite:
        raise CheckpointError(
            f"{folder}: already holds files. Go on with --resume, or start anew with --overwrite."
        )
    if not ours:
        raise CheckpointError(
            f"{folder}: not a run of saccade, so --overwrite will not delete it. Choose another."
        )


def begin(folder: Path) -> None:
    """Make the folder ours, and delete what an earlier run of ours left there.

    A kill from here to `write_identity` leaves it `begun`: not a run, and free to begin again.
    """
    ours = (folder / "saccade.json").exists()
    with told(folder):
        folder.mkdir(parents=True, exist_ok=True)
    write_text(folder / "saccade.json", json.dumps({"format": FORMAT, BEGUN: True}))
    sweep_leftovers(folder)
    with told(folder):
        for entry in folder.iterdir() if ours else ():
            if entry.is_dir() and not entry.is_symlink():
                shutil.rmtree(entry)
            elif entry.name != "saccade.json":
                entry.unlink()


def write_identity(
    folder: Path,
    recipe: Recipe,
    vocabularies: Vocabularies,
    hashes: dict[str, str],
    profile: Profile | None = None,
    words: Mapping[str, int] | None = None,
) -> None:
    """Write all that decides a run; saccade.json comes last and makes the folder whole."""
    sides = {"source": vocabularies.source, "target": vocabularies.target}
    for name, vocabulary in sides.items():
        write_file(folder / f"{name}.json", vocabulary.save)
    if profile is not None:
        write_profile(folder, profile)
    if words is not None:
        write_lexicon(folder, words)
    _write_facts(folder, recipe, hashes, {name: side.fingerprint for name, side in sides.items()})


def write_forecaster(folder: Path, recipe: Recipe, scales: Scales, hashes: dict[str, str]) -> None:
    """Write all that decides the run of a forecaster, saccade.json last."""
    write_file(folder / "scales.json", scales.save)
    _write_facts(folder, recipe, hashes, {"scales": scales.fingerprint})


def _write_facts(
    folder: Path, recipe: Recipe, hashes: dict[str, str], fingerprints: dict[str, str]
) -> None:
    write_text(folder / "recipe.yaml", recipe.to_yaml())
    facts = {
        "format": FORMAT,
        "name": recipe.name,
        "seed": recipe.seed,
        "created": datetime.now(UTC).isoformat(timespec="seconds"),
        "versions": versions(),
        "data": hashes,
        "vocabularies": fingerprints,
    }
    write_text(folder / "saccade.json", json.dumps(facts, indent=1))


def write_profile(folder: Path, profile: Profile) -> None:
    """Write what was usual in training."""
    write_text(folder / "profile.json", profile.to_json())


def write_lexicon(folder: Path, words: Mapping[str, int]) -> None:
    """Write all that may be written, a text and its count a line."""
    write_text(folder / LEXICON, "".join(f"{text}\t{n}\n" for text, n in words.items()))


def read_plan(folder: Path) -> Plan:
    """Read a folder's recipe and facts; refuse what is not ours, or newer."""
    facts = read_facts(folder)
    if facts.get(BEGUN):
        raise CheckpointError(
            f"{folder}: holds no weights yet: it was stopped before its first checkpoint. Train it"
            " again: `saccade train RECIPE`."
        )
    return Plan(read_recipe(folder), facts)


def read_identity(folder: Path) -> Identity:
    """Read a folder's recipe and vocabularies; refuse what is not ours, newer, or mixed up."""
    plan = read_plan(folder)
    recipe, facts = plan.recipe, plan.facts
    return Identity(recipe, read_vocabularies(folder, recipe, facts.get("vocabularies", {})), facts)


def read_recipe(folder: Path) -> Recipe:
    """Read the recipe that a folder was made with."""
    try:
        return recipes.load(folder / "recipe.yaml")
    except RecipeError as error:
        raise CheckpointError(f"{folder}: its recipe cannot be followed.\n{error}") from None


def read_vocabularies(
    folder: Path, recipe: Recipe, fingerprints: Mapping[str, str] | None = None
) -> Vocabularies:
    """Read both vocabularies; where fingerprints are known, refuse others."""
    if numeric(recipe):
        raise CheckpointError(
            f"{folder}: a {recipe.model.kind}, which reads and writes numbers; expected a model of"
            " text. Use `saccade forecast`, `evaluate`, `inspect` or `report`."
        )
    readings = {"source": recipe.data.source.reading, "target": recipe.data.target.reading}
    source = Vocabulary.load(folder / "source.json")
    target = Vocabulary.load(folder / "target.json", source)
    sides = {
        name: side.read_as(readings[name])
        for name, side in (("source", source), ("target", target))
    }
    for name, vocabulary in sides.items():
        if fingerprints is not None and fingerprints.get(name) != vocabulary.fingerprint:
            raise CheckpointError(
                f"{folder / name}.json: this tokenizer does not belong to the model: it is not the"
                " one that was saved with it. Put the original file back."
            )
    if recipe.data.joint or not reads(recipe):
        sides["target"] = sides["source"].read_as(readings["target"])
    return Vocabularies(sides["source"], sides["target"])


def read_scales(folder: Path) -> Scales:
    """Read the scales of a forecaster; refuse a folder of text, or scales of another model."""
    plan = read_plan(folder)
    if not numeric(plan.recipe):
        raise CheckpointError(
            f"{folder}: a {plan.recipe.model.kind}, which reads and writes text; expected a"
            " forecaster. Use `saccade translate`."
        )
    scales = Scales.load(folder / "scales.json")
    if plan.facts.get("vocabularies", {}).get("scales") != scales.fingerprint:
        raise CheckpointError(
            f"{folder / 'scales.json'}: these scales do not belong to the model: they are not the"
            " ones that were saved with it. Put the original file back."
        )
    return scales


def build_model(recipe: Recipe, vocabularies: Vocabularies, *, draw: bool = True) -> Model:
    """Build the recipe's model, with weights drawn from the recipe's seed, or yet to be read."""
    build = _drawn if draw else _undrawn
    model = build(recipe, len(vocabularies.source), len(vocabularies.target))
    if model.one_vocabulary and not vocabularies.source.same_pieces(vocabularies.target):
        raise RecipeError(
            f"model {recipe.model.kind}: source and target must have the same symbols, but each has"
            " a vocabulary of its own. Set data.joint: true."
        )
    return model


def build_forecaster(recipe: Recipe, scales: Scales, *, draw: bool = True) -> Model:
    """Build the recipe's forecaster, as `build_model` does a model of text."""
    build = _drawn if draw else _undrawn
    return build(recipe, len(scales.source), len(scales.target))


def _drawn(recipe: Recipe, n_source: int, n_target: int) -> Model:
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(recipe.seed)
        return recipe.model.build(n_source, n_target)


def _undrawn(recipe: Recipe, n_source: int, n_target: int) -> Model:
    """Build a model without drawing; one that holds more than weights, which are all read, draws.

    Drawing takes several times as long as reading, and much longer where cores are busy.
    """
    with torch.random.fork_rng(devices=[]), Undrawn():
        model = recipe.model.build(n_source, n_target)
    more = any(True for _ in model.buffers())
    return _drawn(recipe, n_source, n_target) if more else model


def known_sides(
    known: Identity | None, recipe: Recipe
) -> tuple[Vocabularies | None, Vocabulary | None]:
    """Say what a folder to start from gives to `prepare`: both vocabularies, or the target's."""
    if known is None:
        return None, None
    if reads(recipe) and not reads(known.recipe):
        return None, known.vocabularies.target
    return known.vocabularies, None


def start_weights(model: Model, recipe: Recipe, start_from: Path) -> str:
    """Copy a folder's weights into a new model; return what to say about it.

    All of them; but a model that has a source takes from a language model what fits.
    """
    tensors, where = read_weights(start_from)
    if not reads(recipe) or reads(read_identity(start_from).recipe):
        weights.put(model, tensors, where)
        return f"Started from {where}."
    taken = weights.put_fitting(model, tensors, where)
    new = sorted(weights.of(model).keys() - set(taken))
    return (
        f"Started from the language model {where}: took {len(taken)} weights"
        f" ({', '.join(taken)}); new are {len(new)} ({', '.join(new)})."
    )


def read_weights(folder: Path) -> tuple[dict[str, Tensor], str]:
    """Read the weights to use: the finished ones, or else those of the best checkpoint."""
    finished = folder / "model.safetensors"
    if finished.exists():
        return weights.load(finished), str(finished)
    checkpoints = Checkpoints(folder)
    index = checkpoints.index()
    if not index.names:
        raise CheckpointError(
            f"{folder}: its weights are missing: there is neither model.safetensors nor a"
            " checkpoint. Copy the model folder again."
        )
    path = checkpoints.folder / (index.best or [index.last])[0] / "model.safetensors"
    return weights.load(path), str(path)


def load(folder: str | Path, *, device: str = "cpu", quantise: str = "") -> Translator:
    """Open a model folder, or a run folder that is still training.

    Args:
        folder: what `saccade train` or `saccade average` wrote.
        device: where to put the weights.
        quantise: how to round those that search multiplies by, if at all.
    """
    folder = Path(folder)
    identity = read_identity(folder)
    model = build_model(identity.recipe, identity.vocabularies, draw=False)
    tensors, where = read_weights(folder)
    weights.put(model, tensors, where)
    sides = identity.vocabularies
    return Translator(
        model.to(device),
        sides.source,
        sides.target,
        identity.recipe.decoding,
        read_profile(folder),
        read_lexicon(folder),
        quantise=quantise,
    )


def load_forecaster(folder: str | Path, *, device: str = "cpu") -> Predictor:
    """Open the folder of a forecaster, as `load` opens that of a model of text."""
    folder = Path(folder)
    scales, recipe = read_scales(folder), read_plan(folder).recipe
    model = build_forecaster(recipe, scales, draw=False)
    tensors, where = read_weights(folder)
    weights.put(model, tensors, where)
    return Predictor(model.to(device), scales, recipe.decoding)
