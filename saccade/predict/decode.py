"""How to decode: every option once, for the command line, the server, Python and the engines.

`Decode` is a value. Two that are equal ask for the same, so a server can compute their texts in one
batch. This file imports no torch.
"""

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, fields
from typing import Any, TypedDict

from saccade.errors import RecipeError, suggest
from saccade.parts import Part, check_value

CHUNK = 2000  # lines of a stream that are sorted by length together
_WIDTH = 5  # of a beam, where the recipe does not say
_BEAMS = ("beam", "ctc_prefix", "stack")  # searches with a width and n_best


class FrozenOptions(Mapping[str, Any]):
    """Options by name that cannot change and have a hash, whatever their values are.

    >>> FrozenOptions({"seed": 3}) == {"seed": 3}
    True
    """

    __slots__ = ("_options",)

    def __init__(self, options: Mapping[str, Any]) -> None:
        self._options = dict(options)

    def __getitem__(self, name: str) -> Any:
        return self._options[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self._options)

    def __len__(self) -> int:
        return len(self._options)

    def __hash__(self) -> int:
        return hash(frozenset(self._options))  # of the names: a value may be a list

    def __repr__(self) -> str:
        return repr(self._options)


@dataclass(frozen=True)
class SearchChoice:
    """A part of `search` by its name, with the options that were given to it."""

    kind: str
    options: Mapping[str, Any] = FrozenOptions({})

    def __post_init__(self) -> None:
        object.__setattr__(self, "options", FrozenOptions(self.options))


@dataclass(frozen=True)
class Decode:
    """How to write outputs. What is not given is the recipe's own.

    Args:
        beam: hypotheses kept at each step; 1 is greedy.
        nbest: how many outputs to keep for each line.
        length_penalty: exponent of the length that scores are divided by.
        search: any part of `search`, instead of beam search.
        sample: options of `search.sample`, to draw outputs by chance instead; `bias` and `seed`
            of models that draw values.
        prefix: text every output must begin with, or one for each line.
        trace: keep the beam's tree.
        steps: how many places of values to write, for models of numbers; as many as in training
            if not given.
    """

    beam: int | None = None
    nbest: int = 1
    length_penalty: float | None = None
    search: SearchChoice | Part[Any] | None = None
    sample: Mapping[str, Any] | None = None
    prefix: str | Iterable[str] = ""
    trace: bool = False
    steps: int | None = None

    def __post_init__(self) -> None:
        """Check the types, and bring every value into a form that has a hash."""
        problems: list[str] = []
        simple = {"beam": int, "nbest": int, "length_penalty": float, "trace": bool, "steps": int}
        checked: dict[str, Any] = {
            name: check_value(kind, value, f"translate: {name}", problems)
            for name, kind in simple.items()
            if (value := getattr(self, name)) is not None or name in ("nbest", "trace")
        }
        checked["search"] = _search(self.search, problems)
        checked["sample"] = _sample(self.sample, problems)
        if not isinstance(self.prefix, str):
            checked["prefix"] = tuple(self.prefix)
        if problems:
            raise RecipeError(problems)
        for name, value in checked.items():
            object.__setattr__(self, name, value)

    def resolve(self, own: SearchChoice | Part[Any]) -> SearchChoice:
        """Return the search to run: the one that was asked for, or the recipe's `own`."""
        if self.sample is not None:
            return SearchChoice("sample", {"n": self.nbest, **self.sample})
        if self.search is not None:
            return SearchChoice(self.search.kind, self.search.options)
        if self.beam is None and self.nbest == 1 and self.length_penalty is None:
            return SearchChoice(own.kind, own.options)
        kind = own.kind if own.kind in _BEAMS and self.length_penalty is None else "beam"
        options = dict(own.options) if own.kind == kind else {}
        width = options.get("width", _WIDTH) if self.beam is None else self.beam
        options |= {"width": max(width, self.nbest) if width > 0 else width, "n_best": self.nbest}
        if self.length_penalty is not None:
            options["length_penalty"] = self.length_penalty
        return SearchChoice(kind, options)

    def check_values(self, where: str, *, draws: bool = False) -> None:
        """Refuse what belongs to search, for a model that writes values and searches nothing.

        Another part of `search` is no wish of a user and is let through. `sample` is for models
        whose head `draws`.
        """
        asked = {
            "beam": self.beam is not None,
            "nbest": self.nbest > 1,
            "length_penalty": self.length_penalty is not None,
            "sample": self.sample is not None and not draws,
            "prefix": bool(self.prefix),
            "trace": self.trace,
        }
        given = [name for name, is_given in asked.items() if is_given]
        if given:
            raise RecipeError(
                f"{where}: {', '.join(given)}: for models that choose among symbols, but this one"
                " writes values; nothing is searched. Leave it out."
            )


def _search(given: object, problems: list[str]) -> SearchChoice | None:
    if isinstance(given, SearchChoice | Part):
        return SearchChoice(given.kind, given.options)
    if given is not None:
        problems.append(
            f"translate: search: expected a part, found {given!r}. Give one, such as"
            ' Part(Search, "greedy").'
        )
    return None


def _sample(given: object, problems: list[str]) -> FrozenOptions | None:
    if isinstance(given, Mapping):
        return FrozenOptions(given)
    if given is not None:
        problems.append(
            f"translate: sample: expected options of search.sample, found {given!r}. Give a"
            ' dictionary, such as {"temperature": 0.8}.'
        )
    return None


class SampleOptions(TypedDict, total=False):
    """The options of `search.sample`, for editors and type checkers; `bias` is for values."""

    temperature: float
    top_k: int
    top_p: float
    n: int
    seed: int
    bias: float


class DecodeOptions(TypedDict, total=False):
    """The options of `Decode` as keywords, for editors and type checkers."""

    beam: int | None
    nbest: int
    length_penalty: float | None
    search: SearchChoice | Part[Any] | None
    sample: SampleOptions | None
    prefix: str | Iterable[str]
    trace: bool
    steps: int | None


class PredictOptions(DecodeOptions, total=False):
    """All keywords of `predict` and `translate`.

    watch, chunk: see `Predictor.stream`; `watch` is for the engines torch, native and onnx.
    """

    watch: Callable[[Sequence[int], Any], None] | None
    chunk: int


USUAL = Decode()
GREEDY = Decode(search=SearchChoice("greedy"))


def quick(kind: str) -> Decode:
    """Return how to write outputs fast by a part of `search` with its defaults."""
    return Decode(search=SearchChoice(kind))


def read_options(given: Mapping[str, Any], call: Collection[str]) -> tuple[Decode, dict[str, Any]]:
    """Read the keywords of `translate`: a Decode, and those that belong to the `call` alone.

    >>> read_options({"beam": 3, "chunk": 10}, ["chunk"])[1]
    {'chunk': 10}
    """
    names = [field.name for field in fields(Decode)]
    known = [*names, *call]
    problems = [
        f"translate: no option '{name}'.{suggest(name, known)} Options: {', '.join(known)}."
        for name in given
        if name not in known
    ]
    if problems:
        raise RecipeError(problems)
    decode = Decode(**{name: value for name, value in given.items() if name in names})
    return decode, {name: value for name, value in given.items() if name not in names}


def check_chunk(chunk: int) -> None:
    """Refuse to read less than a line before the first result."""
    if chunk < 1:
        raise RecipeError(f"translate: chunk is {chunk}; expected 1 or more lines; raise it.")
