"""Starting a new model from what another has learned: its codecs, and those weights that fit."""

from collections.abc import Mapping
from pathlib import Path

from torch import Tensor

from saccade.data.codecs import Codecs
from saccade.data.prepare import adopt_codecs, reads
from saccade.folders.identity import Identity, read_identity
from saccade.folders.model import read_weights
from saccade.modalities.base import Codec
from saccade.models.base import Model
from saccade.recipe import Recipe
from saccade.train import weights


def known_codecs(known: Identity | None, recipe: Recipe) -> tuple[Codecs | None, Codec | None]:
    """Say what a folder to start from gives to `prepare`: all codecs, or the target's."""
    if known is None:
        return None, None
    if reads(recipe) and not reads(known.recipe):
        return None, known.codecs.target
    return adopt_codecs(recipe, known.codecs), None


def start_weights(model: Model, recipe: Recipe, start_from: Path) -> str:
    """Copy a folder's weights into a new model; return what to say about it.

    All of them; but a model of another kind gives what fits: a language model its decoder, one of
    CTC the layers that read the source. A model that reads pictures through a network, and starts
    from one that read the features of a network, takes that network too. It is the one that made
    the features, whatever its recipe says.
    """
    tensors, where = read_weights(start_from)
    known = read_identity(start_from)
    if recipe.model.kind == known.recipe.model.kind:
        networks = _networks(model, known.codecs, tensors)
        weights.put(model, {**tensors, **networks}, where)
        made = f" {len(networks)} are those of the network that made its features."
        return f"Started from {where}.{made if networks else ''}"
    inner = {f"{model.within}{name}": tensor for name, tensor in tensors.items()}
    taken = weights.put_fitting(model, {**tensors, **inner}, where)
    new = sorted(weights.of(model).keys() - set(taken))
    return (
        f"Started from the {known.recipe.model.kind.replace('_', ' ')} {where}: took {len(taken)}"
        f" weights ({', '.join(taken)}); new are {len(new)} ({', '.join(new)})."
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
