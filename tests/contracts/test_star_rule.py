"""The star rule holds for every part: host left of it, options with defaults right of it."""

import importlib
import inspect
import pkgutil
from types import NoneType
from typing import Any, Literal, get_args, get_origin

import pytest

import saccade
from saccade.parts import Part, check_part, find, kinds, schema

FAMILIES = {
    "attention": "Attention",
    "cells": "Cell",
    "corpora": "Corpus",
    "decoders": "Decoder",
    "embedders": "Embedder",
    "encoders": "Encoder",
    "glimpses": "Glimpse",
    "heads": "Head",
    "inspections": "Inspection",
    "metrics": "Metric",
    "modalities": "Modality",
    "models": "Model",
    "objectives": "Objective",
    "positions": "Positions",
    "readers": "Reader",
    "schedules": "Schedule",
    "search": "Search",
    "tokenizers": "Tokenizer",
}


def family(room: str) -> type[Any]:
    found: type[Any] = getattr(importlib.import_module(f"saccade.{room}.base"), FAMILIES[room])
    return found


PARTS = [(room, kind) for room in FAMILIES for kind in kinds(family(room))]


NOT_IN_RECIPES = [
    "engines",
    "explanations",
    "export",
    "learners",
]  # chosen by the command line, or a model


def test_every_family_is_listed() -> None:
    rooms = [m.name for m in pkgutil.iter_modules(saccade.__path__) if m.ispkg]
    with_base = [
        room
        for room in rooms
        if any(m.name == "base" for m in pkgutil.iter_modules([f"{saccade.__path__[0]}/{room}"]))
    ]
    assert sorted(with_base) == sorted([*FAMILIES, *NOT_IN_RECIPES])


@pytest.mark.parametrize(("room", "kind"), PARTS)
def test_options_have_defaults_of_their_type(room: str, kind: str) -> None:
    part = find(family(room), kind)
    for name, option in schema(part).items():
        assert option.default is not inspect.Parameter.empty, f"{name} has no default"
        assert _is_allowed(option.type), f"{name}: a recipe cannot hold {option.type}"
    problems: list[str] = []
    whole = check_part(family(room), Part(family(room), kind).plain(), kind, problems)
    assert problems == []  # defaults are values a recipe may write
    assert whole is not None
    assert whole.plain() == Part(family(room), kind).plain()


@pytest.mark.parametrize(("room", "kind"), PARTS)
def test_what_the_host_gives_has_no_default(room: str, kind: str) -> None:
    for parameter in inspect.signature(find(family(room), kind)).parameters.values():
        assert parameter.kind in (parameter.POSITIONAL_OR_KEYWORD, parameter.KEYWORD_ONLY)
        if parameter.kind is parameter.POSITIONAL_OR_KEYWORD:
            assert parameter.default is parameter.empty, parameter.name


@pytest.mark.parametrize(("room", "kind"), PARTS)
def test_every_part_says_what_it_is(room: str, kind: str) -> None:
    text = inspect.getdoc(find(family(room), kind)) or ""
    assert text.partition("\n")[0].endswith(".")


def _is_allowed(kind: Any) -> bool:
    origin, inner = get_origin(kind), get_args(kind)
    if NoneType in inner:  # the host chooses a part if the recipe does not
        return len(inner) == 2 and get_origin(inner[0]) is Part
    if inner == (int, str):  # a column, by its number or its name
        return True
    if origin is dict:  # parts, texts or numbers by name
        return inner[0] is str and (inner[1] in (str, float) or get_origin(inner[1]) is Part)
    if origin is list:
        return _is_allowed(inner[0])
    return kind in (int, float, bool, str) or origin in (Literal, Part)


def test_what_is_not_allowed_is_seen() -> None:
    assert not any(_is_allowed(kind) for kind in (dict[str, int], int | None, NoneType, Any))
