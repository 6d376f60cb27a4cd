"""A run folder, which is a model folder too: what is in it, and what it says of itself.

    recipe.yaml          the recipe with every default filled in
    saccade.json         format, versions, seed, hashes of data and vocabularies
    source.json, target.json     the codecs: vocabularies in the format of the `tokenizers` library,
                         scales of numbers; of several sources source-NAME.json each
    source.safetensors   weights of a network that encodes the source, if there is one: features
    profile.json         what was usual in the training data, for the guards; may be absent
    lexicon.tsv          all that may be written, a text and its count a line; absent: everything
    examples.json        a few held-out examples, to try the model on; may be absent
    rivals.json          answers that need no model, to compare it with; may be absent
    model.safetensors    the weights to use, once training is over
    engines/             the model converted for other engines, once one was used; see engines/
    checkpoints/         while training: see train/checkpoint.py
    metrics.jsonl  train.log  README.md  report.html

saccade.json holds seals of the files that nobody writes by hand: model.safetensors, the codecs and
their networks. A file that is not the one that was sealed is refused. The rest may be mended, or
left out; of the recipe, what says how to decode.

A folder is ours from its first file on: saccade.json, which says "begun" until the rest is there.
"""

import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from functools import partial
from pathlib import Path
from typing import Any

from torch import Tensor

from saccade import recipe as recipes
from saccade.data.codecs import TARGET, Codecs
from saccade.data.prepare import reads
from saccade.errors import CheckpointError, RecipeError
from saccade.folders import legacy
from saccade.folders.facts import BEGUN, FORMAT, LEXICON, read_facts
from saccade.folders.fusion import carry
from saccade.folders.versions import versions
from saccade.guards.profile import Profile
from saccade.nouns import SOURCE_NAME
from saccade.recipe import Recipe
from saccade.train import weights
from saccade.train.files import write_file, write_text
from saccade.train.seals import SEALS, check_seal, seal_of

WEIGHTS = "model.safetensors"
_ADVICE = (
    "Copy the model folder again; if the file was changed on purpose, delete its line in"
    " saccade.json."
)


@dataclass(frozen=True, slots=True)
class Charter:
    """What a folder says of any run: its recipe, and the facts of its making."""

    recipe: Recipe
    facts: dict[str, Any]


@dataclass(frozen=True, slots=True)
class Identity:
    """What a folder says of itself."""

    recipe: Recipe
    codecs: Codecs
    facts: dict[str, Any]


def write_identity(
    folder: Path,
    recipe: Recipe,
    codecs: Codecs,
    hashes: dict[str, str],
    profile: Profile | None = None,
    words: Mapping[str, int] | None = None,
    language_model: Path | None = None,
) -> None:
    """Write all that decides a run; saccade.json comes last and makes the folder whole."""
    if language_model is not None:
        carry(folder, language_model)
    for name, codec in codecs.sides.items():
        write_file(folder / codec_file(name), codec.save)
    write_networks(folder, codecs)
    if profile is not None:
        write_profile(folder, profile)
    if words is not None:
        write_lexicon(folder, words)
    fingerprints = {name: codec.fingerprint for name, codec in codecs.sides.items()}
    _write_facts(folder, recipe, hashes, fingerprints)


def write_networks(folder: Path, codecs: Codecs) -> None:
    """Write the weights of networks that encode a side, unless they are there."""
    for name, codec in codecs.sides.items():
        path = (folder / codec_file(name)).with_suffix(".safetensors")
        found = {} if path.exists() else codec.network_weights()
        if found:
            write_file(path, partial(weights.save, weights=found))


def codec_file(name: str) -> str:
    """Return the file that holds the codec of a side."""
    return f"{name}.json" if name in (SOURCE_NAME, TARGET) else f"source-{name}.json"


def write_weights(folder: Path, tensors: Mapping[str, Tensor]) -> None:
    """Write the weights to use, and their seal if the folder is whole already.

    The seal comes first: a kill between the two leaves one of a file that is not there.
    """

    def fill(aside: Path) -> None:
        weights.save(aside, tensors)
        facts: dict[str, Any] = {BEGUN: True}
        if (folder / "saccade.json").exists():
            facts = read_facts(folder)
        if not facts.get(BEGUN):
            facts[SEALS] = {**facts.get(SEALS, {}), WEIGHTS: seal_of(aside)}
            write_text(folder / "saccade.json", json.dumps(facts, indent=1))

    write_file(folder / WEIGHTS, fill)


def check_sealed(path: Path, facts: Mapping[str, Any]) -> None:
    """Refuse a file of a folder that is not the one that was sealed."""
    seals = facts.get(SEALS, {})
    check_seal(path, seals if isinstance(seals, dict) else {}, _ADVICE)


def _seals(folder: Path, sides: Iterable[str]) -> dict[str, str]:
    """Seal the files that nobody writes by hand, of those that are there."""
    codecs = [folder / codec_file(name) for name in sides]
    paths = [folder / WEIGHTS, *codecs, *(path.with_suffix(".safetensors") for path in codecs)]
    return {path.name: seal_of(path) for path in paths if path.exists()}


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
        SEALS: _seals(folder, fingerprints),
    }
    write_text(folder / "saccade.json", json.dumps(facts, indent=1))


def write_profile(folder: Path, profile: Profile) -> None:
    """Write what was usual in training."""
    write_text(folder / "profile.json", profile.to_json())


def write_lexicon(folder: Path, words: Mapping[str, int]) -> None:
    """Write all that may be written, a text and its count a line."""
    write_text(folder / LEXICON, "".join(f"{text}\t{n}\n" for text, n in words.items()))


def read_plan(folder: Path) -> Charter:
    """Read a folder's recipe and facts; refuse what is not ours, or newer."""
    facts = read_facts(folder)
    if facts.get(BEGUN):
        raise CheckpointError(
            f"{folder}: holds no weights yet: it was stopped before its first checkpoint. Train it"
            " again: `saccade train RECIPE`."
        )
    return Charter(read_recipe(folder), facts)


def read_identity(folder: Path) -> Identity:
    """Read a folder's recipe and codecs; refuse what is not ours, newer, or mixed up."""
    charter = read_plan(folder)
    recipe, facts = charter.recipe, charter.facts
    for name in (*recipe.data.read, TARGET):
        path = folder / codec_file(name)
        check_sealed(path, facts)
        check_sealed(path.with_suffix(".safetensors"), facts)
    known = facts.get("vocabularies", {})
    return Identity(
        recipe, read_codecs(folder, recipe, known if isinstance(known, dict) else {}), facts
    )


def read_recipe(folder: Path) -> Recipe:
    """Read the recipe that a folder was made with."""
    try:
        return recipes.load(folder / "recipe.yaml")
    except RecipeError as error:
        raise CheckpointError(f"{folder}: its recipe cannot be followed.\n{error}") from None


def read_codecs(
    folder: Path, recipe: Recipe, fingerprints: Mapping[str, str] | None = None
) -> Codecs:
    """Read the codecs of all sides; where fingerprints are known, refuse others."""
    known = fingerprints or {}
    if (folder / legacy.SCALES).exists():
        return legacy.read_scales(folder / legacy.SCALES, known.get("scales"))
    parts = {name: part.build() for name, part in recipe.data.read.items()}
    sources = {name: one.load(folder / codec_file(name)) for name, one in parts.items()}
    first = next(iter(sources.values()))
    target = recipe.data.target.build().load(folder / codec_file(TARGET), first)
    for name, codec in {**sources, TARGET: target}.items():
        if fingerprints is not None and known.get(name) != codec.fingerprint:
            raise CheckpointError(
                f"{folder / codec_file(name)}: this tokenizer does not belong to the model: it is"
                " not the one that was saved with it. Put the original file back."
            )
    if not reads(recipe):
        return Codecs({SOURCE_NAME: target}, target)
    if recipe.data.joint:
        target = next(iter(parts.values())).adopt(first, first)
    return Codecs(sources, target)
