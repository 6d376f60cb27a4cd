"""A report as one HTML file: style inside, nothing fetched, readable on a phone.

Nothing runs there, but for a script of this package that a page may allow by its hash.
"""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from saccade.errors import ShapeError
from saccade.views.words import escape

_STYLE = """
:root{color-scheme:light dark}
*{box-sizing:border-box}
body{margin:0;background:#f5f7f9;color:#1c2128;
  font:16px/1.55 system-ui,-apple-system,'Segoe UI','Noto Sans','DejaVu Sans',sans-serif}
main{max-width:62rem;margin:0 auto;padding:2rem 1.25rem 4rem}
h1{font-size:1.75rem;line-height:1.2;margin:.5rem 0 1.5rem;overflow-wrap:anywhere}
h2{font-size:1.15rem;margin:0 0 .9rem}
h3{font-size:1rem;margin:1.4rem 0 .5rem}
p{margin:0 0 .8rem;overflow-wrap:anywhere}
section{background:#fff;border:1px solid #dfe4ea;border-radius:12px;
  padding:1.25rem;margin:0 0 1.25rem}
.scroll{overflow-x:auto}
table{border-collapse:collapse;width:100%;font-variant-numeric:tabular-nums}
th,td{text-align:left;padding:.4rem .9rem .4rem 0;
  border-bottom:1px solid #e6eaef;vertical-align:top}
th{font-weight:600;font-size:.85rem;color:#57606a;white-space:nowrap}
.pairs td:first-child{width:1%;white-space:nowrap}
section>svg{max-width:100%;height:auto}
tr:last-child td{border-bottom:0}
.facts{display:grid;grid-template-columns:repeat(auto-fill,minmax(9.5rem,1fr));gap:1rem;margin:0}
.facts dt{font-size:.85rem;color:#57606a}
.facts dd{margin:0;font-weight:600;overflow-wrap:anywhere}
pre{margin:0 0 .8rem;padding:.8rem 1rem;border-radius:8px;background:#f0f3f6;overflow-x:auto;
  font:14px/1.5 ui-monospace,SFMono-Regular,Menlo,Consolas,'DejaVu Sans Mono',monospace}
details{margin:0 0 .6rem}
summary{cursor:pointer;padding:.3rem 0}
nav{display:flex;flex-wrap:wrap;gap:.3rem 1.1rem;margin:0 0 1.5rem}
a{color:#0b5cad}
.note{color:#57606a;font-size:.9rem}
@media (prefers-color-scheme:dark){
body{background:#0d1014;color:#e4e8ee}
section{background:#14181e;border-color:#2a313a}
th,td{border-color:#262d36}
th,.facts dt,.note{color:#9aa5b1}
pre{background:#1b2028}
a{color:#7cbcff}
}
@media (max-width:30rem){main{padding:1rem .6rem 3rem}section{padding:1rem .8rem}}
@media print{body{background:#fff}section{break-inside:avoid;border:0;padding:0}}
"""

_PICTURE = re.compile(r"data:image/(?:png|jpeg|gif|webp);base64,[A-Za-z0-9+/]+=*")
_POLICY = "default-src 'none'; style-src 'unsafe-inline'; img-src data:"


@dataclass(frozen=True, slots=True)
class Section:
    """A titled part of a page; the fragments are HTML, the title is plain text."""

    title: str
    fragments: Sequence[str]


@dataclass(frozen=True, slots=True)
class Act:
    """A script that a page runs, its hash as a policy names it, and style for what it acts on."""

    script: str
    hash: str
    style: str = ""


def page(title: str, sections: Sequence[Section], act: Act | None = None) -> str:
    """Return a whole HTML5 document; its policy forbids requests, and scripts other than `act`.

    With an act, sounds in data URIs can be played.
    """
    policy = f"{_POLICY}; media-src data:; script-src '{act.hash}'" if act else _POLICY
    script = f"<script>{act.script}</script>" if act else ""
    style = _STYLE + (act.style if act else "")
    links = "".join(
        f'<a href="#part-{i}">{escape(section.title)}</a>' for i, section in enumerate(sections, 1)
    )
    body = "\n".join(
        f'<section id="part-{i}"><h2>{escape(section.title)}</h2>'
        f"{''.join(section.fragments)}</section>"
        for i, section in enumerate(sections, 1)
    )
    return (
        '<!DOCTYPE html>\n<html lang="en"><head><meta charset="utf-8">'
        f'<meta http-equiv="Content-Security-Policy" content="{policy}">'
        '<meta name="viewport" content="width=device-width, initial-scale=1">'
        f"<title>{escape(title)}</title><style>{style}</style></head>\n"
        f"<body><main><h1>{escape(title)}</h1>"
        f"{f'<nav>{links}</nav>' if len(sections) > 1 else ''}\n{body}\n</main>{script}"
        "</body></html>\n"
    )


def table(headers: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    """Return a table that scrolls sideways when the screen is narrow."""
    for i, row in enumerate(rows):
        if len(row) != len(headers):
            raise ShapeError(
                f"page.table: row {i} has {len(row)} cells; {len(headers)} headers need "
                f"{len(headers)}; give every row one cell for each header."
            )
    head = "".join(f"<th>{escape(header)}</th>" for header in headers)
    lines = "".join(
        "<tr>" + "".join(f'<td dir="auto">{_shown(cell)}</td>' for cell in row) + "</tr>"
        for row in rows
    )
    return (
        f'<div class="scroll"><table><thead><tr>{head}</tr></thead>'
        f"<tbody>{lines}</tbody></table></div>"
    )


def pairs(mapping: Mapping[str, str]) -> str:
    """Return names and longer values as rows, the names at the left."""
    lines = "".join(
        f'<tr><td>{escape(name)}</td><td dir="auto">{_shown(value)}</td></tr>'
        for name, value in mapping.items()
    )
    return f'<table class="pairs"><tbody>{lines}</tbody></table>'


def is_picture(text: str) -> bool:
    """Tell whether a text is a picture as a data URI."""
    return _PICTURE.fullmatch(text) is not None


def _shown(cell: str) -> str:
    """Return a cell of a table: text, or the picture that it holds as a data URI."""
    if is_picture(cell):
        return f'<img src="{cell}" alt="picture" style="max-width:160px;max-height:120px">'
    return escape(cell)


def facts(mapping: Mapping[str, str]) -> str:
    """Return names and values as a grid of small cards."""
    items = "".join(
        f"<div><dt>{escape(name)}</dt><dd>{escape(value)}</dd></div>"
        for name, value in mapping.items()
    )
    return f'<dl class="facts">{items}</dl>'


def paragraph(text: str, *, note: bool = False) -> str:
    """Return a paragraph of plain text; a `note` is smaller and paler."""
    look = ' class="note"' if note else ""
    return f'<p dir="auto"{look}>{escape(text)}</p>'


def code(text: str) -> str:
    """Return text with its line breaks kept, in a fixed-width box."""
    return f"<pre>{escape(text, breaks=True)}</pre>"


def fold(summary: str, fragment: str) -> str:
    """Hide an HTML fragment behind a line of plain text that opens it."""
    return f"<details><summary>{escape(summary)}</summary>{fragment}</details>"
