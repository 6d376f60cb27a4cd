"""One picture in every place: a terminal, a notebook, a page, a file for a paper."""

import importlib
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any, Protocol

from saccade.errors import RecipeError
from saccade.views import paper, svg
from saccade.views.page import Section, page, paragraph
from saccade.views.words import clean, shorten

FORMS = (".svg", ".html", ".png", ".pdf")


class Terminal(Protocol):
    """Draws for a terminal of so many columns."""

    def __call__(self, *, width: int, colour: bool) -> str:
        """Return lines, each with its end."""


@dataclass(frozen=True, repr=False)
class Drawing:
    r"""A view of something, drawn when a form of it is asked for.

    name: what it shows.  said: a line that stands above it on a page.

    >>> one = Drawing("dot", lambda: "<svg/>", lambda width, *, colour: ".\n")
    >>> print(one, end="")
    .
    """

    name: str
    draw: Callable[[], str]
    write: Terminal
    fragment: Callable[[], str] | None = None
    said: str = ""

    @cached_property
    def svg(self) -> str:
        """The picture as a whole SVG document."""
        return self.draw()

    @cached_property
    def html(self) -> str:
        """The picture as a fragment of HTML that scrolls sideways if it must."""
        return self.fragment() if self.fragment else svg.scroller(self.svg)

    def terminal(self, width: int = 100, *, colour: bool = False) -> str:
        """Return the picture in characters, at most `width` columns wide."""
        return self.write(width=width, colour=colour)

    def encoded(self, form: str) -> bytes:
        """Return the bytes of a file that ends in `form`: .svg, .html, .png or .pdf."""
        form = form.lower()
        if form == ".svg":
            return self.svg.encode()
        if form in (".png", ".pdf"):
            return paper.printed(self.svg, form.removeprefix("."))
        said = [paragraph(self.said)] if self.said else []
        return page(self.name, [Section(self.name, [*said, self.html])]).encode()

    def save(self, path: str | Path) -> Path:
        """Write the picture to a file whose ending says in which form."""
        place = checked_path(Path(path), "save")
        place.write_bytes(self.encoded(place.suffix))
        return place

    def __str__(self) -> str:
        return self.terminal()

    def __repr__(self) -> str:
        return f"<Drawing {self.name}{f': {self.said}' if self.said else ''}>"

    def _repr_html_(self) -> str:
        """Show the picture in a notebook."""
        return self.html


@dataclass(frozen=True)
class AttentionMap:
    """Where a model looked while it wrote: all that a view of it needs.

    weights: `[T, S]`.  source: names of the S places; none if they form a grid.  target: names of
    the T places.  grid: the shape of the places, one number or rows and columns.  raw: the source
    itself.  smoothly: over a picture, without edges between the cells of the grid.
    """

    weights: Any
    source: tuple[str, ...]
    target: tuple[str, ...]
    grid: tuple[int, ...]
    raw: Any = None
    title: str = "Attention"
    said: str = ""
    smoothly: bool = True


def draw_attention(view: str, one: AttentionMap) -> Drawing:
    """Draw attention over a source by the view of its modality: a module with a `draw`."""
    drawn: Drawing = importlib.import_module(f"saccade.views.{view}").draw(one)
    return drawn


def draw_maps(view: str, maps: Mapping[str, AttentionMap]) -> Drawing:
    """Draw several maps of one prediction by the view of its source: a `draw_several`."""
    drawn: Drawing = importlib.import_module(f"saccade.views.{view}").draw_several(maps)
    return drawn


def stacked(name: str, drawings: Mapping[str, Drawing], *, said: str = "") -> Drawing:
    """Put drawings one below the other, each under its name."""

    def write(*, width: int, colour: bool) -> str:
        shown = {title: one.terminal(width, colour=colour) for title, one in drawings.items()}
        titles = {title: shorten(clean(title), width) for title in shown}
        return "\n".join(f"{titles[title]}\n{text}" for title, text in shown.items())

    def draw() -> str:
        return svg.stack({title: one.svg for title, one in drawings.items()}, name=name)

    return Drawing(name, draw, write, said=said)


def draw_output(
    view: str, source: Any, output: Any, truth: Any = None, seen: AttentionMap | None = None
) -> Drawing:
    """Draw an output beside its source and, if it is known, what was to come.

    `seen` is where the model looked meanwhile; not every view shows it.
    """
    module = importlib.import_module(f"saccade.views.{view}")
    drawn: Drawing = module.draw(source, output, truth, seen)
    return drawn


def colourless(write: Callable[[int], str]) -> Terminal:
    """Draw alike with colour and without."""

    def written(*, width: int, colour: bool) -> str:
        del colour
        return write(width)

    return written


def checked_path(path: Path, option: str = "--output") -> Path:
    """Refuse a file whose ending names no form of a picture."""
    if path.suffix.lower() not in FORMS:
        raise RecipeError(
            f"{option} {path}: ends in '{path.suffix}'; expected {', '.join(FORMS[:-1])} or "
            f"{FORMS[-1]}. Rename it."
        )
    return path
