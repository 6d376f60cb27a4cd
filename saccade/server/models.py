"""The models of a server: opened from their folders, with names, languages and examples."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cache, cached_property
from pathlib import Path
from typing import Any

from babel import Locale, localedata

from saccade.engines._open import load_pair
from saccade.engines.base import Opened
from saccade.errors import RecipeError
from saccade.folders.examples import read_examples
from saccade.folders.identity import read_identity
from saccade.nouns import Example
from saccade.parts import Part, find
from saccade.predict.passage import ReadingUnit, unit_of
from saccade.predict.predictor import Predictor
from saccade.recipe import Recipe
from saccade.search.base import Search

SOURCE, TARGET = "src", "tgt"  # codes of languages that nobody named
_FILES = ("picture", "film", "spectrogram")  # views of sources that are files
_PAIR = re.compile(r"(?:^|-)([a-z]{2})-([a-z]{2})(?:-|$)")  # as in tatoeba-en-fr


@dataclass(frozen=True)
class Served:
    """A model, what it is called, what it translates, and pairs to try it on."""

    name: str
    folder: Path
    recipe: Recipe
    translator: Predictor
    source: str
    target: str
    examples: tuple[Example, ...]
    fast: Opened | None = None  # the same, run by an engine that writes outputs and no more

    @property
    def description(self) -> str:
        """The recipe's name, and what the model is made of."""
        model = self.recipe.plain()["model"]
        made = [f"{model[part]['kind']} {part}" for part in ("encoder", "decoder") if part in model]
        return f"{self.recipe.name}: {', '.join(made) or model['kind']}"

    @cached_property
    def unit(self) -> ReadingUnit:
        """What it reads at once."""
        return unit_of(self.translator)

    @property
    def reads_text(self) -> bool:
        """Whether its only source is text, so that lines and sentences mean something."""
        return len(self.translator.sources) == 1 and self.translator.source.vocabulary is not None

    @property
    def pictures(self) -> tuple[str, ...]:
        """The sources that are pictures, clips or sounds."""
        sources = self.translator.sources.items()
        return tuple(name for name, codec in sources if codec.view in _FILES)

    @property
    def reads_pictures(self) -> bool:
        """Whether a source is a picture, a clip or a sound."""
        return bool(self.pictures)

    @property
    def hears(self) -> bool:
        """Whether its only source is a sound, so that it can listen to a microphone."""
        return [codec.view for codec in self.translator.sources.values()] == ["spectrogram"]

    @property
    def reads_strokes(self) -> bool:
        """Whether a source is what a pen wrote."""
        return any(codec.view == "strokes" for codec in self.translator.sources.values())

    @property
    def draws(self) -> bool:
        """Whether its outputs can be drawn by chance with a bias."""
        return self.translator.model.head.draws

    @property
    def beams(self) -> bool:
        """Whether a beam is a fair stand-in for its own search: not for a draw or the best path."""
        own = find(Search, self.translator.decoding.search.kind)
        text = self.translator.target.vocabulary is not None
        return text and not own.draws and not own.trellis

    @cached_property
    def most_pieces(self) -> int:
        """The longest source that it was trained on, as the recipe says."""
        return next(iter(self.recipe.data.read.values())).build().max_length

    @property
    def n_parameters(self) -> int:
        """How many weights it has."""
        return self.translator.model.n_parameters

    @property
    def trains(self) -> bool:
        """Whether its folder tells how training went."""
        return (self.folder / "metrics.jsonl").exists()


def open_models(
    places: Sequence[str],
    *,
    source: str = "",
    target: str = "",
    device: str = "cpu",
    engine: str | None = None,
    quantise: str = "",
) -> list[Served]:
    """Open model folders, each `FOLDER` or `NAME=FOLDER`.

    Args:
        places: what was written on the command line.
        source: code of the source language; guessed from the recipe if not given.
        target: code of the target language.
        device: where to put the weights.
        engine: what writes translations; native or torch do everything else. See `load`.
        quantise: how that engine rounds the weights.
    """
    models: list[Served] = []
    for name, folder in named(places).items():
        recipe = read_identity(folder).recipe
        codes = languages(recipe)
        loaded = load_pair(folder, device=device, engine=engine, quantise=quantise)
        models.append(
            Served(
                name,
                folder,
                recipe,
                loaded.predictor,
                source or codes[0],
                target or codes[1],
                _examples(folder),
                loaded.writer,
            )
        )
    return models


def named(places: Sequence[str]) -> dict[str, Path]:
    """Return folders by name, each given as `FOLDER` or `NAME=FOLDER`; refuse names that clash."""
    found: dict[str, Path] = {}
    for place in places:
        name, equals, path = place.partition("=")
        folder = Path(path if equals else place)
        name = name if equals else folder.resolve().name
        _check_name(name, place, [*found])
        found[name] = folder
    return found


def languages(recipe: Recipe) -> tuple[str, str]:
    """Guess the codes of the two languages.

    They are the suffixes of the training files (train.en, train.de), or words of the corpus's name
    (english_french), or a part of the recipe's name (tatoeba-en-fr); else SOURCE and TARGET.
    """
    for part in _parts(recipe.data.train[0]):
        paths = part.options.get("source"), part.options.get("target")
        codes = [str(path).removesuffix(".gz").rpartition(".")[2] for path in paths]
        if all(code in _known() for code in codes):
            return codes[0], codes[1]
        named = [_codes().get(word, "") for word in part.kind.split("_")]
        if len(named) == 2 and all(named):
            return named[0], named[1]
    found = _PAIR.search(recipe.name)
    if found and {*found.groups()} <= _known():
        return found[1], found[2]
    return SOURCE, TARGET


def language_name(code: str) -> str:
    """Name a language in English; a code that nobody knows is its own name."""
    known = {SOURCE: "Source", TARGET: "Target"}
    if code in _known():
        return str(Locale(code).get_language_name("en"))
    return known.get(code, code)


@cache
def _known() -> set[str]:
    return {code for code in localedata.locale_identifiers() if len(code) == 2}


@cache
def _codes() -> dict[str, str]:
    names = Locale("en").languages
    return {name.lower(): code for code, name in names.items() if code in _known()}


def _parts(part: Part[Any]) -> Iterator[Part[Any]]:
    """Yield a reader, and the corpus or reader inside it."""
    yield part
    inner = part.options.get("corpus")
    if isinstance(inner, Part):
        yield from _parts(inner)


def _examples(folder: Path) -> tuple[Example, ...]:
    """Return the examples of a folder, no source twice; data that its recipe names is not read."""
    distinct = {tuple(one.sources.values()): one for one in read_examples(folder)}
    return tuple(distinct.values())


def _check_name(name: str, place: str, taken: Sequence[str]) -> None:
    if not name or "/" in name or not name.isprintable() or len(name) > 100:
        raise RecipeError(
            f"serve: {place}: '{name}' cannot be a model's name; expected up to 100 characters"
            " without '/'; write NAME=FOLDER."
        )
    if name in taken:
        raise RecipeError(
            f"serve: {place}: there are two models called '{name}'; expected different names;"
            " write NAME=FOLDER."
        )
