"""Write docs/api.md, the reference of the Python interface, from signatures and docstrings.

    python docs/draw_api.py

A test fails when the page is out of date.
"""

import inspect
import re
import sys
from collections.abc import Iterator
from functools import cached_property
from pathlib import Path
from typing import Any

DOCS = Path(__file__).parent
sys.path.insert(0, str(DOCS.parent))

import saccade  # noqa: E402 - of this checkout

PAGE = DOCS / "api.md"
BEGIN, END = "<!-- api: begin -->", "<!-- api: end -->"
VERBS = [
    name
    for name in ("load", "fit", "train", "inspect", "explain", "edits")
    if name in saccade.__all__
]
CLASSES = [
    *("Predictor", "Trained", "Prediction", "Predictions", "Evaluation", "Scored", "History"),
    *("Drawing", "Explained", "EditTable", "Listener", "Opened", "Recipe"),
]
ALIASES = {
    name: found.__name__
    for name in saccade.__all__
    if (found := getattr(saccade, name)) is not None
    and name not in (*VERBS, "__version__")
    and found.__name__ != name
}
HIDDEN = {  # of classes: what the package itself needs
    *("batch", "count", "index", "encode", "given", "look", "searched_by", "sizes"),
    *("size", "whole", "grid", "looker", "translate", "forecast", "append"),
    *("clear", "copy", "extend", "insert", "pop", "remove", "reverse", "sort", "home", "tree"),
    *("hypothesis", "others", "arrays", "copied", "replacing", "blank", "source_values"),
    *("device", "fromkeys"),
}
WHOLE = {"Predictor": ("predict", "evaluate", "save", "stream")}  # told with their arguments
ITEM = re.compile(r"^    (\w+): ", re.MULTILINE)


def drawn() -> str:
    """Return the reference between its marks."""
    parts = [BEGIN, "## Functions", *(_function(name) for name in VERBS), "## Classes"]
    parts += [_class(name) for name in CLASSES]
    parts += ["## Keywords of predict and translate", _options(), "## Errors", _errors()]
    parts += ["## Other names", _aliases(), END]
    return "\n\n".join(parts)


def renewed(page: str) -> str:
    """Put the reference between its marks."""
    before, rest = page.split(BEGIN)
    return before + drawn() + rest.split(END)[1]


def _function(name: str) -> str:
    function = getattr(saccade, name)
    return f"### saccade.{name}\n\n`saccade.{name}{_call(function)}`\n\n{_text(function)}"


def _class(name: str) -> str:
    found = getattr(saccade, name)
    rows = [f"| `{member}` | {_first(doc)} |" for member, doc in _members(found)]
    table = ["\n".join(["| | |", "|---|---|", *rows])] if rows else []
    told = [f"#### {verb}\n\n{_text(getattr(found, verb))}" for verb in WHOLE.get(name, ())]
    return "\n\n".join([f"### saccade.{name}", _text(found, arguments=False), *table, *told])


def _members(found: type[Any]) -> Iterator[tuple[str, str]]:
    """Yield the public members of a class that have a docstring, with their signatures."""
    for name in dir(found):
        member = inspect.getattr_static(found, name)
        if name.startswith("_") or name in HIDDEN or not getattr(member, "__doc__", None):
            continue
        if isinstance(member, property | cached_property):
            yield name, str(member.__doc__)
        elif inspect.isfunction(member):
            yield f"{name}{_call(member)}", str(member.__doc__)


def _call(function: Any) -> str:
    """Return a signature without annotations: names and defaults."""
    found = inspect.signature(function)
    kept = [p.replace(annotation=p.empty) for n, p in found.parameters.items() if n != "self"]
    written = str(found.replace(parameters=kept, return_annotation=found.empty))
    return re.sub(r"=Decode\([^)]*\)", "=Decode()", written).replace("=Ellipsis", "=...")


def _first(doc: str) -> str:
    return " ".join(doc.partition("\n\n")[0].split()).replace("|", "\\|")


def _text(found: Any, *, arguments: bool = True) -> str:
    """Return a docstring as Markdown: examples as blocks, arguments as a list."""
    doc = inspect.getdoc(found) or ""
    body, _, given = doc.partition("\nArgs:\n")
    lines = []
    for block in body.strip().split("\n\n"):
        code = block.lstrip().startswith(">>>")
        plain = re.sub(r" *# doctest: .*", "", block)
        lines.append(f"```python\n{inspect.cleandoc(plain)}\n```" if code else plain)
    given = given.partition("\nReturns:\n")[0]
    if given and arguments:
        names = ITEM.split(given)[1:]
        pairs = zip(names[::2], names[1::2], strict=True)
        lines.append("\n".join(f"- `{name}`: {' '.join(text.split())}" for name, text in pairs))
    return "\n\n".join(lines)


def _options() -> str:
    from saccade.predict.decode import Decode  # noqa: PLC0415 - of this checkout

    return _text(Decode)


def _errors() -> str:
    names = [name for name in saccade.__all__ if name.endswith("Error") or name == "Interrupted"]
    rows = [f"| `saccade.{name}` | {_first(getattr(saccade, name).__doc__)} |" for name in names]
    return "\n".join(["| | |", "|---|---|", *rows])


def _aliases() -> str:
    """List the names that mean another one."""
    rows = [f"| `saccade.{name}` | `saccade.{real}` |" for name, real in ALIASES.items()]
    return "\n".join(["| | is |", "|---|---|", *rows])


if __name__ == "__main__":
    PAGE.write_text(renewed(PAGE.read_text(encoding="utf-8")), encoding="utf-8")
