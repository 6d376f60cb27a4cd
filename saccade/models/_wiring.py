"""Whether a model can read the sources and write the target that a recipe names."""

from collections.abc import Mapping
from typing import Any

from torch import nn

from saccade.embedders.base import Embedder
from saccade.errors import suggest
from saccade.heads.base import Head
from saccade.modalities.base import Modality
from saccade.models.base import Model
from saccade.parts import Part, find, kinds

Sides = Mapping[str, Part[Modality]]  # by the name of the source
_TAKEN = frozenset(dir(nn.ModuleDict()))  # names that torch does not let a module have
_WRITTEN = {True: "symbols", False: "values"}


def transcribes(model: Part[Model], sources: Sides, target: Part[Modality]) -> bool:
    """Tell whether text is written for pictures, sounds or other sources that are no text."""
    written = find(Model, model.kind).reads and target.build().discrete
    return written and not all(part.build().discrete for part in sources.values())


def misfits(model: Part[Model], sources: Sides, target: Part[Modality]) -> list[str]:
    """Say what of a model does not go with its data, a sentence or two each; nothing if all does.

    Args:
        model: as the recipe names it.
        sources: what is read.
        target: what is written.
    """
    wrong = _wrong_names(sources) + _wrong_data(sources, target)
    if wrong:
        return wrong
    use = _advice(sources, target)
    wrong = _wrong_sources(model, sources, use) + _wrong_target(model, target, use)
    return wrong or _wrong_head(model, target) + _wrong_embedders(model, sources)


def _wrong_names(sources: Sides) -> list[str]:
    """Say which names of sources cannot be names of files and modules."""
    return [
        f"data.sources: '{name}' cannot be the name of a source; expected a word of letters, digits"
        " and _, such as story. Choose another."
        for name in sources
        if not name.isidentifier() or name in _TAKEN
    ]


def _wrong_data(sources: Sides, target: Part[Modality]) -> list[str]:
    """Say what no model can write, or not after such a source."""
    written, (name, first) = find(Modality, target.kind), next(iter(sources.items()))
    if not written.writable:
        return [
            f"data.target: {target.kind} can be read but not written; expected text or numbers."
            " Change data.target.kind."
        ]
    if written.continues and find(Modality, first.kind).raw != written.raw:
        return [
            f"data.target: {target.kind} go on from their source, but data.{name} is of kind"
            f" {first.kind}; expected {target.kind}. Change data.{name}."
        ]
    return []


def _advice(sources: Sides, target: Part[Modality]) -> str:
    """Name the models that fit the data."""
    fitting = [
        kind
        for kind in kinds(Model)
        if find(Model, kind).reads and _reads(kind, sources) and _writes(kind, target)
    ]
    return f"Use {_either(fitting)}." if fitting else "Change the data."


def _reads(kind: str, sources: Sides) -> bool:
    chosen, raws = find(Model, kind), {find(Modality, part.kind).raw for part in sources.values()}
    enough = chosen.several or len(sources) == 1
    return enough and (not chosen.source_raws or raws <= set(chosen.source_raws))


def _writes(kind: str, target: Part[Modality]) -> bool:
    chosen, written = find(Model, kind), find(Modality, target.kind)
    fits = chosen.discrete in (None, written.discrete)
    return fits and (not chosen.target_raws or written.raw in chosen.target_raws)


def _wrong_sources(model: Part[Model], sources: Sides, use: str) -> list[str]:
    """Say that there are too many sources, or that one is of a kind that the model cannot read."""
    chosen = find(Model, model.kind)
    if len(sources) > 1 and not chosen.several:
        reads = "one source" if chosen.reads else "no source"
        return [
            f"model: {model.kind} reads {reads}, but data.sources names {len(sources)}:"
            f" {', '.join(sources)}. {use}"
        ]
    wanted = chosen.source_raws if chosen.reads else ("text",)
    for name, part in sources.items() if wanted else ():
        if find(Modality, part.kind).raw not in wanted:
            reads = _either(list(wanted)) if chosen.reads else "no source"
            return [
                f"model: {model.kind} reads {reads}, but data.{name} is of kind {part.kind}. {use}"
            ]
    return []


def _wrong_target(model: Part[Model], target: Part[Modality], use: str) -> list[str]:
    """Say that the model writes symbols where the target has values, or the other way round."""
    if _writes(model.kind, target):
        return []
    wanted = find(Model, model.kind).target_raws
    if wanted:
        return [
            f"model: {model.kind} writes {_either(list(wanted))}, but data.target is of kind"
            f" {target.kind}. {use}"
        ]
    writes, has = (
        _WRITTEN[bool(one.discrete)]
        for one in (find(Model, model.kind), find(Modality, target.kind))
    )
    return [
        f"model: {model.kind} writes {writes}, but data.target is of kind {target.kind}, which has"
        f" {has}. {use}"
    ]


def _wrong_head(model: Part[Model], target: Part[Modality]) -> list[str]:
    """Say that a head needs features of another model, or does not write what the target has."""
    head, discrete = model.options.get("head"), find(Modality, target.kind).discrete

    def fits(kind: str) -> bool:
        found = find(Head, kind)
        return found.general and found.discrete == discrete

    if not isinstance(head, Part) or fits(head.kind):
        return []
    return [
        f"model.head: {head.kind} cannot be the head of {model.kind} with a target of kind"
        f" {target.kind}. Use {_either([kind for kind in kinds(Head) if fits(kind)])}, or leave"
        " head out."
    ]


def _wrong_embedders(model: Part[Model], sources: Sides) -> list[str]:
    """Say which embedder cannot read its source, and which names are no sources."""
    problems = []
    named: dict[str, Mapping[str, Any]] = {
        option: model.options.get(option) or {} for option in ("embedders", "encoders")
    }
    for option, parts in named.items():
        problems += [
            f"model.{option}: there is no source '{name}'.{suggest(name, list(sources))} Sources:"
            f" {', '.join(sources)}."
            for name in parts
            if name not in sources
        ]
    for name, side in sources.items():
        own = name in named["embedders"]
        part = named["embedders"][name] if own else model.options.get("embedder")
        raw = find(Modality, side.kind).raw
        if isinstance(part, Part) and find(Embedder, part.kind).raw not in ("", raw):
            fitting = [kind for kind in kinds(Embedder) if find(Embedder, kind).raw in ("", raw)]
            where = f"embedders.{name}" if own else "embedder"
            problems.append(
                f"model.{where}: {part.kind} cannot read source '{name}' of kind {side.kind}. Use"
                f" {_either(fitting)}, or leave it out."
            )
    return problems


def _either(names: list[str]) -> str:
    """Join names.

    >>> _either(["a", "b", "c"])
    'a, b or c'
    """
    return " or ".join([", ".join(names[:-1]), names[-1]] if len(names) > 1 else names)
