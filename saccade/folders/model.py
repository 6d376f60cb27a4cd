"""A model from its folder: built as its recipe says, once its weights are known to fit."""

from collections.abc import Callable
from pathlib import Path

import torch
from torch import Tensor

from saccade.data.codecs import Codecs
from saccade.data.prepare import reads
from saccade.errors import CheckpointError, RecipeError
from saccade.folders import legacy
from saccade.folders.facts import FORMAT, read_facts, read_lexicon, read_profile
from saccade.folders.fusion import CONFUSIONS, carried, read_confusions
from saccade.folders.identity import WEIGHTS, Identity, check_sealed, read_identity, read_plan
from saccade.inference.searcher import TorchSearcher
from saccade.modalities.base import Codec
from saccade.models.base import Model
from saccade.predict.predictor import Predictor
from saccade.predict.shapers import LanguageModelFor
from saccade.recipe import Recipe
from saccade.search.base import Searcher
from saccade.tokenizers._vocabulary import UNK
from saccade.train import weights
from saccade.train.checkpoint import Checkpoints
from saccade.train.initialisation import Allowance, Undrawn


def build_model(
    recipe: Recipe, codecs: Codecs, *, draw: bool = True, allowed: Allowance | None = None
) -> Model:
    """Build the recipe's model, with weights drawn from the recipe's seed, or yet to be read.

    `allowed` says how much the file holds that they will be read from.
    """
    model = _drawn(recipe, codecs) if draw else _undrawn(recipe, codecs, allowed)
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


def _undrawn(recipe: Recipe, codecs: Codecs, allowed: Allowance | None = None) -> Model:
    """Build a model without drawing; one that holds more than weights, which are all read, draws.

    Drawing takes several times as long as reading, and much longer where cores are busy.
    """
    with torch.random.fork_rng(devices=[]), Undrawn(allowed):
        model = recipe.model.build(*codecs.shape)
    more = any(True for _ in model.buffers())
    return _drawn(recipe, codecs) if more else model


def open_model(folder: Path, identity: Identity) -> Model:
    """Build the model of a folder and put its weights into it."""
    model = undrawn_model(folder, identity)
    put_weights(model, *read_weights(folder))
    return model


def undrawn_model(folder: Path, identity: Identity) -> Model:
    """Build the model of a folder without its weights.

    Whether they can be the recipe's is known before anything is allocated: from the header of their
    file.
    """
    path = _weights_file(folder)
    kept = path.parent != folder
    header = Checkpoints(folder).header(path.parent.name) if kept else weights.header(path)
    allowed = Allowance(str(path), header)
    return build_model(identity.recipe, identity.codecs, draw=False, allowed=allowed)


def read_weights(folder: Path) -> tuple[dict[str, Tensor], str]:
    """Read the weights to use: the finished ones, or else those of the best checkpoint."""
    path, facts = _weights_file(folder), read_facts(folder)
    if path.parent == folder:
        check_sealed(path, facts)
        found = weights.load(path)
    else:
        found = Checkpoints(folder).model_weights(path.parent.name)
    return upgrade(folder, found), str(path)


def _weights_file(folder: Path) -> Path:
    finished = folder / WEIGHTS
    if finished.exists():
        return finished
    checkpoints = Checkpoints(folder)
    index = checkpoints.index()
    if not index.names:
        raise CheckpointError(
            f"{folder}: its weights are missing: there is neither model.safetensors nor a"
            " checkpoint. Copy the model folder again."
        )
    return checkpoints.folder / (index.best or [index.last])[0] / WEIGHTS


def put_weights(model: Model, tensors: dict[str, Tensor], where: str) -> None:
    """Copy weights from a file into a model, which may have to make room for them."""
    weights.check(model, tensors, where, finite=model.learner == "gradient")
    model.accept(tensors, where)
    weights.put(model, tensors, where)


def upgrade(folder: Path, tensors: dict[str, Tensor]) -> dict[str, Tensor]:
    """Give the tensors of a folder that an older version wrote the names they have now."""
    if int(read_facts(folder)["format"]) >= FORMAT:
        return tensors
    kind = read_plan(folder).recipe.model.kind
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
    model = open_model(folder, identity).to(device)
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
    model = open_model(folder, identity)
    table = folder / CONFUSIONS
    return LanguageModelFor(
        model.to(device), ids, read_confusions(table) if table.is_file() else None
    )
