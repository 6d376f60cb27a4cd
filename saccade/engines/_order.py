"""What an engine is asked to search for: beam or greedy search with its options, or a refusal."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from saccade.errors import RecipeError
from saccade.parts import Option, check_options
from saccade.predict.decode import Decode, SearchChoice
from saccade.search._plan import beam_problems
from saccade.tokenizers._vocabulary import PAD, START, UNK

BEAM = {  # the options of `search.beam`, which imports torch
    "width": Option(int, 5),
    "length_penalty": Option(float, 1.0),
    "length_offset": Option(float, 0.0),
    "coverage_penalty": Option(float, 0.0),
    "n_best": Option(int, 1),
    "n_completed": Option(int, 0),
    "patient": Option(bool, True),  # noqa: FBT003
}
_ONLY_TORCH = ("length_offset", "coverage_penalty")  # 0 wherever we come to search
_SEARCHES: dict[str, dict[str, Option]] = {"beam": BEAM, "greedy": {}}


@dataclass(frozen=True, slots=True)
class Order:
    """What to search for: the options of beam search, and the ids that are never written.

    width 1 is greedy search.  n_completed, patient: as in `search.beam`.
    """

    width: int
    length_penalty: float
    n_best: int
    n_completed: int
    patient: bool
    banned: tuple[int, ...]


def order_problems(
    engine: str, decoding: Mapping[str, Any], decode: Decode, own: SearchChoice
) -> list[str]:
    """Say what an engine cannot do of what is asked; `own` is the search of the recipe."""
    sample = decode.sample is not None
    asked = {"sample": sample, "prefix": decode.prefix != "", "trace": decode.trace}
    problems = [
        f"{name}: the engine {engine} cannot do it; torch can. Use --engine torch."
        for name, wanted in asked.items()
        if wanted
    ]
    if decoding.get("no_repeat"):
        problems.append(
            f"decoding.no_repeat: the engine {engine} cannot do it; torch can. Use --engine torch."
        )
    chosen = decode.resolve(own)
    problems += [
        f"decoding.search.{name}: the engine {engine} has none. Use torch, or set it to 0."
        for name in _ONLY_TORCH
        if chosen.options.get(name)
    ]
    if not sample and chosen.kind not in _SEARCHES:
        problems.append(
            f"decoding.search: the engine {engine} has no search '{chosen.kind}'; it knows beam"
            " and greedy. Give --beam, or use --engine torch."
        )
    return problems


def order_of(decoding: Mapping[str, Any], chosen: SearchChoice) -> Order:
    """Fill in what was not given, as `search.beam` does; greedy search is a beam of one."""
    known = _SEARCHES[chosen.kind]
    problems: list[str] = []
    given = check_options(known, chosen.options, chosen.kind, chosen.kind, problems)
    if problems:
        raise RecipeError(problems)
    greedy = {"width": 1, "length_penalty": 0.0} if chosen.kind == "greedy" else {}
    options = {name: option.default for name, option in BEAM.items()} | given | greedy
    problems = beam_problems(**{k: v for k, v in options.items() if k != "patient"})
    if problems:
        raise RecipeError(problems)
    unknown = () if decoding["replace_unknown"] else (UNK,)
    options = {name: value for name, value in options.items() if name not in _ONLY_TORCH}
    return Order(**options, banned=(PAD, START, *unknown))
