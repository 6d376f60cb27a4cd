"""What a model is given, checked and named before anything is computed. Imports no torch."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from saccade.errors import DataError, RecipeError, shown
from saccade.modalities._notation import Notation
from saccade.nouns import Raw
from saccade.tokenizers._vocabulary import Vocabulary

_NO_VALUES = (bytes, int, float, complex)  # what is never a series or a picture


def read_input(one: Any, sources: Mapping[str, Notation], where: str) -> dict[str, Raw]:
    """Return one input by the names of its sources; what is text is read.

    Args:
        one: a raw value, or a mapping from the names of the sources to raw values.
        sources: how each source is read.
        where: what an error message calls the input.
    """
    given = one if isinstance(one, Mapping) else {next(iter(sources)): one}
    if set(given) != set(sources):
        raise DataError(
            f"{where}: has {', '.join(map(str, given)) or 'nothing'}; expected"
            f" {', '.join(sources)}, the model's sources. Give a mapping with these names."
        )
    return {name: _read(given[name], notation, where) for name, notation in sources.items()}


def read_inputs(inputs: Iterable[Any], sources: Mapping[str, Notation]) -> Iterator[dict[str, Raw]]:
    """Read inputs as they come; errors count them from 1."""
    for n, one in enumerate(inputs, start=1):
        yield read_input(one, sources, f"input {n}")


def read_path(given: Any, where: str) -> Path:
    """Return the path that somebody gave; refuse what is none.

    >>> read_path("runs/demo", "load").name
    'demo'
    """
    if isinstance(given, str | Path) and str(given):
        return Path(given)
    raise DataError(
        f"{where}: found {shown(given)}; expected the path of a file or folder, as text or"
        " pathlib.Path. Give one."
    )


def scoring_vocabulary(
    target: Notation, sources: Sequence[Any], targets: Sequence[Raw]
) -> Vocabulary:
    """Return the pieces that targets are scored by; refuse values, and lists that do not match."""
    if target.vocabulary is None:
        raise RecipeError(
            "score: this model writes values, which have no probability; expected a model that"
            " writes text. Measure it with `saccade evaluate`."
        )
    given: tuple[tuple[str, Any], ...] = (("sources", sources), ("targets", targets))
    for name, several in given:
        if several is None or isinstance(several, str):
            raise DataError(
                f"score: found {shown(several)} for {name}; expected a list of texts. For one pair"
                " give two lists of one."
            )
    if len(sources) != len(targets):
        raise DataError(
            f"score: {len(sources)} sources but {len(targets)} targets; expected one target for"
            " each source; give two lists of one length."
        )
    for n, one in enumerate(targets, start=1):
        if not isinstance(one, str):
            raise DataError(
                f"score: target {n} is {shown(one)}; expected text (a str). Convert it first."
            )
    return target.vocabulary


def _read(raw: Any, notation: Notation, where: str) -> Raw:
    if isinstance(raw, str):
        return notation.read(raw, where)
    if notation.vocabulary is not None:
        raise DataError(
            f"{where}: found {shown(raw)}; expected text (a str), or a list of texts, which is"
            " several inputs. Convert it first, as with str(...) or list(...)."
        )
    if raw is None or isinstance(raw, _NO_VALUES):
        raise DataError(
            f"{where}: found {shown(raw)}; expected an array or its text, or a list of them, which"
            " is several inputs. Convert it first, as with numpy.array(...)."
        )
    return notation.take(raw, where)
