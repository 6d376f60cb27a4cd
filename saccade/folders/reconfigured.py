"""The same weights with another way to write: a model folder whose recipe decodes otherwise."""

from collections.abc import Iterable
from dataclasses import replace
from functools import partial
from pathlib import Path

from saccade import recipe as recipes
from saccade.errors import RecipeError
from saccade.folders import claims
from saccade.folders import model as folders
from saccade.folders.facts import LANGUAGE_MODEL, read_lexicon
from saccade.folders.fusion import CONFUSIONS, carried, carry_with, read_confusions
from saccade.folders.home import FREE, Belongings, write_again
from saccade.folders.identity import read_identity
from saccade.recipe import Recipe
from saccade.shaping.lexicon import Counts, gather

_SECTION = "decoding."


def reconfigure(
    source: Path, target: Path, overrides: Iterable[str], root: Path = Path()
) -> Recipe:
    """Write a model folder with the weights of another and changed options of decoding.

    A language model or a lexicon that is named anew is read, and goes into the new folder; what is
    not named stays as it is. Nothing is trained.

    Args:
        source: a model folder.
        target: the folder to write; must be new.
        overrides: as `decoding.search.width=10`.
        root: where relative paths start.

    Returns:
        The new recipe.
    """
    changes = list(overrides)
    _check(changes)
    claims.claim(target, advice=FREE)
    identity = read_identity(source)
    recipe = recipes.parse(identity.recipe.to_yaml(), str(source), changes)
    decoding, before = recipe.decoding, identity.recipe.decoding
    fused = carried(source)
    if decoding.language_model != before.language_model:
        fused = root / decoding.language_model if decoding.language_model else None
    if decoding.repair and fused is None:
        raise RecipeError(
            f"decoding.repair: {decoding.repair} says what is misread, and a language model what is"
            " usual; expected both. Name one too: --set decoding.language_model=FOLDER."
        )
    if fused is not None:
        folders.load_language_model(fused, identity.codecs.target)  # refuses one that does not fit
    table = None
    if decoding.repair:
        anew, known = decoding.repair != before.repair, source / LANGUAGE_MODEL / CONFUSIONS
        table = read_confusions(root / decoding.repair if anew else known)
    words: Counts | None = read_lexicon(source)
    if decoding.lexicon != before.lexicon:
        listed = [part.build(root) for part in decoding.lexicon]
        words = gather(listed) if listed else None
    tensors, _ = folders.read_weights(source)
    with_it = Belongings(words, fused)
    if fused is not None and table is not None:
        with_it = Belongings(words, None, more=partial(carry_with, source=fused, counts=table))
    write_again(source, target, replace(identity, recipe=recipe), tensors, with_it)
    return recipe


def _check(changes: list[str]) -> None:
    """Refuse what would not be true of the weights."""
    if not changes:
        raise RecipeError(
            "reconfigure: nothing is to be changed; expected options of decoding. Name them, as"
            " --set decoding.search.width=10."
        )
    odd = [change for change in changes if not change.startswith(_SECTION)]
    if odd:
        raise RecipeError(
            f"--set {odd[0]}: the weights were trained as the recipe says, and only how they write"
            " can be changed; expected options of decoding. Train a new model for others."
        )
