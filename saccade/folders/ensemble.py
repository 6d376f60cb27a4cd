"""Several trained models put into one folder, to write together."""

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from torch import Tensor

from saccade import recipe as recipes
from saccade.errors import RecipeError
from saccade.folders import model as folders
from saccade.folders.claims import claim
from saccade.folders.facts import read_lexicon
from saccade.folders.fusion import carried
from saccade.folders.home import FREE, Belongings, write_again
from saccade.folders.identity import Identity, read_identity
from saccade.models.base import Model
from saccade.models.ensemble import Ensemble
from saccade.objectives.base import Objective
from saccade.parts import Part
from saccade.recipe import Recipe


def ensemble(sources: Sequence[Path], target: Path) -> Recipe:
    """Write a model folder whose model is the ensemble of several others.

    It holds all their weights. All else, such as how to search and the held-out examples, is that
    of the first. Nothing is trained.

    Args:
        sources: the folders of models, two or more.
        target: the folder to write; must be new.

    Returns:
        The recipe of the new folder.
    """
    claim(target, advice=FREE)
    if len(sources) < 2:
        raise RecipeError(
            f"ensemble: found {len(sources)} model; expected two or more. Name more folders."
        )
    identities = [read_identity(source) for source in sources]
    for source, one in zip(sources[1:], identities[1:], strict=True):
        _check(sources[0], identities[0], source, one)
    recipe = recipe_of([one.recipe for one in identities])
    folders.build_model(recipe, identities[0].codecs, draw=False)  # refuses what cannot be a member
    tensors: dict[str, Tensor] = {}
    for n, source in enumerate(sources):
        found, _ = folders.read_weights(source)
        tensors |= {f"members.{n}.{name}": one for name, one in found.items()}
    with_it = Belongings(read_lexicon(sources[0]), carried(sources[0]))
    write_again(sources[0], target, replace(identities[0], recipe=recipe), tensors, with_it)
    return recipe


def recipe_of(several: Sequence[Recipe]) -> Recipe:
    """Return the first recipe with the ensemble of all models in the place of its own."""
    first = several[0]
    model = Part(Model, "ensemble", {"members": [one.model for one in several]})
    training = replace(first.training, objective=Part(Objective, Ensemble.objective))
    raw = replace(first, model=model, training=training, name=f"{first.name}-ensemble").plain()
    return recipes.from_plain(raw, "ensemble")


def _check(place: Path, first: Identity, other_place: Path, other: Identity) -> None:
    """Refuse a model that reads or writes otherwise than the first."""
    ours, theirs = first.codecs.sides, other.codecs.sides
    if list(ours) != list(theirs):
        raise RecipeError(
            f"ensemble: {other_place} reads {', '.join(other.codecs.sources)}, but {place} reads"
            f" {', '.join(first.codecs.sources)}; expected the same sources. Leave it out."
        )
    for name, codec in ours.items():
        if codec.fingerprint != theirs[name].fingerprint:
            raise RecipeError(
                f"ensemble: {name} of {other_place} has {theirs[name].describe()}, and that of"
                f" {place} {codec.describe()}, which are not the same; expected one vocabulary for"
                " all. Train the models on the same data with the same tokenizers."
            )
