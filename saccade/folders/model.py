"""A run folder, which is a model folder too: what is in it, and how it is read.

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

A folder is ours from its first file on: saccade.json, which says "begun" until the rest is there.
"""

import json
import shutil
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from functools import partial
from pathlib import Path
from typing import Any

import torch
from torch import Tensor

from saccade import recipe as recipes
from saccade.data.codecs import TARGET, Codecs
from saccade.data.prepare import adopt_codecs, reads
from saccade.errors import CheckpointError, RecipeError
from saccade.folders import legacy
from saccade.folders.facts import BEGUN, FORMAT, LEXICON, read_facts, read_lexicon, read_profile
from saccade.folders.fusion import carried, carry
from saccade.folders.versions import versions
from saccade.guards.profile import Profile
from saccade.inference.searcher import TorchSearcher
from saccade.modalities.base import Codec
from saccade.models.base import Model
from saccade.nouns import SOURCE_NAME
from saccade.predict.predictor import Predictor
from saccade.predict.shapers import LanguageModelFor
from saccade.recipe import Recipe
from saccade.search.base import Searcher
from saccade.tokenizers._vocabulary import UNK
from saccade.train import weights
from saccade.train.checkpoint import Checkpoints
from saccade.train.files import sweep_leftovers, told, write_file, write_text
from saccade.train.initialisation import Undrawn


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


def claim(
    folder: Path,
    *,
    resume: bool = False,
    overwrite: bool = False,
    advice: str = "Go on with --resume, or start anew with --overwrite.",
) -> None:
    """Make sure that the folder is ours to write to; nothing is written or deleted yet.

    `advice` says what to do if it holds files, in the options that the caller has.
    """
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
        raise CheckpointError(f"{folder}: already holds files. {advice}")
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
    return Identity(recipe, read_codecs(folder, recipe, facts.get("vocabularies", {})), facts)


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


def build_model(recipe: Recipe, codecs: Codecs, *, draw: bool = True) -> Model:
    """Build the recipe's model, with weights drawn from the recipe's seed, or yet to be read."""
    model = _drawn(recipe, codecs) if draw else _undrawn(recipe, codecs)
    if model.one_vocabulary and not _one_vocabulary(codecs):
        raise RecipeError(
            f"model {recipe.model.kind}: source and target must have the same symbols, but each has"
            " a vocabulary of its own. Set data.joint: true."
        )
    return model


def _one_vocabulary(codecs: Codecs) -> bool:
    found = [codec.vocabulary for codec in codecs.sides.values()]
    target = found[-1]
    return target is not None and all(one is not None and one.same_pieces(target) for one in found)


def _drawn(recipe: Recipe, codecs: Codecs) -> Model:
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(recipe.seed)
        return recipe.model.build(*codecs.shape)


def _undrawn(recipe: Recipe, codecs: Codecs) -> Model:
    """Build a model without drawing; one that holds more than weights, which are all read, draws.

    Drawing takes several times as long as reading, and much longer where cores are busy.
    """
    with torch.random.fork_rng(devices=[]), Undrawn():
        model = recipe.model.build(*codecs.shape)
    more = any(True for _ in model.buffers())
    return _drawn(recipe, codecs) if more else model


def known_codecs(known: Identity | None, recipe: Recipe) -> tuple[Codecs | None, Codec | None]:
    """Say what a folder to start from gives to `prepare`: all codecs, or the target's."""
    if known is None:
        return None, None
    if reads(recipe) and not reads(known.recipe):
        return None, known.codecs.target
    return adopt_codecs(recipe, known.codecs), None


def start_weights(model: Model, recipe: Recipe, start_from: Path) -> str:
    """Copy a folder's weights into a new model; return what to say about it.

    All of them; but of another kind of model what fits: one with a source starts from a language
    model, one with attention from the encoder of CTC. A model that reads pictures through a
    network, and starts from one that read the features of a network, takes that network too. It is
    the one that made the features, whatever its recipe says.
    """
    tensors, where = read_weights(start_from)
    known = read_identity(start_from)
    theirs = known.recipe.model.kind
    if not reads(recipe) or (reads(known.recipe) and recipe.model.kind == theirs):
        networks = _networks(model, known.codecs, tensors)
        weights.put(model, {**tensors, **networks}, where)
        made = f" {len(networks)} are those of the network that made its features."
        return f"Started from {where}.{made if networks else ''}"
    taken = weights.put_fitting(model, tensors, where)
    new = sorted(weights.of(model).keys() - set(taken))
    return (
        f"Started from the {theirs} {where}: took {len(taken)} weights"
        f" ({', '.join(taken)}); new are {len(new)} ({', '.join(new)})."
    )


def _networks(model: Model, known: Codecs, tensors: Mapping[str, Tensor]) -> dict[str, Tensor]:
    """Return the weights of networks that a model has in it and that were a codec's before."""
    found = dict[str, Tensor]()
    for name, codec in known.sources.items():
        inside = f"embedders.{name}.trunk."
        places = {own.partition(inside)[0] for own in weights.of(model) if inside in own}
        if places and not any(inside in given for given in tensors):
            kept = codec.network_weights()
            found |= {f"{p}{inside}{own}": tensor for p in places for own, tensor in kept.items()}
    return found


def read_weights(folder: Path) -> tuple[dict[str, Tensor], str]:
    """Read the weights to use: the finished ones, or else those of the best checkpoint."""
    finished = folder / "model.safetensors"
    if finished.exists():
        return upgrade(folder, weights.load(finished)), str(finished)
    checkpoints = Checkpoints(folder)
    index = checkpoints.index()
    if not index.names:
        raise CheckpointError(
            f"{folder}: its weights are missing: there is neither model.safetensors nor a"
            " checkpoint. Copy the model folder again."
        )
    path = checkpoints.folder / (index.best or [index.last])[0] / "model.safetensors"
    return upgrade(folder, weights.load(path)), str(path)


def put_weights(model: Model, tensors: dict[str, Tensor], where: str) -> None:
    """Copy weights into a model, which may have to make room for them."""
    model.accept(tensors, where)
    weights.put(model, tensors, where)


def upgrade(folder: Path, tensors: dict[str, Tensor]) -> dict[str, Tensor]:
    """Give the tensors of a folder that an older version wrote the names they have now."""
    charter = read_plan(folder)
    if int(charter.facts["format"]) >= FORMAT:
        return tensors
    kind = charter.recipe.model.kind
    alone = kind == "encoder_decoder" and (folder / legacy.SCALES).exists()
    return legacy.renamed(tensors, "forecaster" if alone else kind)


def load(
    folder: str | Path,
    *,
    device: str = "cpu",
    searcher: Callable[[Model], Searcher] = TorchSearcher,
) -> Predictor:
    """Open a model folder, or a run folder that is still training.

    Args:
        folder: what `saccade train` or `saccade average` wrote.
        device: where to put the weights.
        searcher: makes of the model who searches it.
    """
    folder = Path(folder)
    identity = read_identity(folder)
    model = build_model(identity.recipe, identity.codecs, draw=False)
    put_weights(model, *read_weights(folder))
    model = model.to(device)
    other = carried(folder)
    return Predictor(
        model,
        identity.codecs,
        identity.recipe.decoding,
        read_profile(folder),
        read_lexicon(folder),
        searcher(model),
        load_language_model(other, identity.codecs.target, device) if other else None,
    )


def load_language_model(folder: Path, target: Codec, device: str = "cpu") -> LanguageModelFor:
    """Read the model that is to have a say in what is written; refuse one that knows too little."""
    identity = read_identity(folder)
    theirs, ours = identity.codecs.target.vocabulary, target.vocabulary
    if reads(identity.recipe) or theirs is None or ours is None:
        raise RecipeError(
            f"decoding.language_model: {folder} is no language model; expected a folder of model"
            " language_model or ngram, and a target of text. Train one."
        )
    ids = ours.ids_in(theirs)
    unknown = sum(i == UNK for i in ids) - 1
    if unknown > len(ids) / 2:
        raise RecipeError(
            f"decoding.language_model: {folder} does not know {unknown} of the {len(ids)} symbols"
            " that are written; expected most of them. Train it on like text with the same"
            " tokenizer."
        )
    model = build_model(identity.recipe, identity.codecs, draw=False)
    put_weights(model, *read_weights(folder))
    return LanguageModelFor(model.to(device), ids)
