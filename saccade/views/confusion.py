"""Which labels are taken for which: a row for each label wanted, a column for each written.

The last label stands for all others. A table with more labels than there is room for keeps those
that are most frequent and adds the rest to the last.
"""

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

from saccade.errors import ShapeError
from saccade.views import axes, svg
from saccade.views.words import clean, label, pad

Counts = npt.NDArray[np.int64]

_MOST = 40  # labels of a picture


def to_svg(labels: Sequence[str], counts: Counts, *, title: str = "") -> str:
    """Draw the table as an SVG document: a number in every cell, darker for more of its row."""
    names, table = fitted(labels, counts, _MOST)
    frame = axes.framed(names, names, title=title, least=22.0)
    body = frame.words(title)
    totals = table.sum(axis=1)
    for i, row in enumerate(table.tolist()):
        for j, count in enumerate(row):
            body.append(_cell(frame, (i, j), count, int(totals[i])))
    note = "rows: what was wanted; columns: what was written"
    body.append(svg.text(20, frame.bottom + 26, note, kind="small"))
    least = svg.pixels(note) + 20
    width, height = frame.width(title, least), frame.bottom + 44
    return svg.document(width, height, "".join(body), name=title or "labels taken for labels")


def to_terminal(labels: Sequence[str], counts: Counts, *, width: int = 100) -> str:
    """Write the table: rows are what was wanted, columns what was written.

    >>> counts = np.array([[3, 1, 0], [0, 2, 0], [0, 0, 0]])
    >>> print(to_terminal(["no", "yes", "(other)"], counts), end="")
           y
         n e
         o s
     no  3 1
    yes  · 2
    """
    axes.check_width("confusion.to_terminal", width)
    cell = max(2, len(str(int(counts.sum()))) + 1)
    margin = axes.margin_of([label(name) for name in labels], width)
    names, table = fitted(labels, counts, max((width - margin - 1) // cell, 1))
    heads = [label(name) for name in names]
    margin = axes.margin_of(heads, width)
    lines = axes.downwards(heads, margin + cell - 1, cell)
    for head, row in zip(heads, table.tolist(), strict=True):
        cells = "".join(pad(str(n) if n else "·", cell, right=True) for n in row)
        lines.append(f"{pad(head, margin, right=True)} {cells}".rstrip())
    return "\n".join(lines) + "\n"


def most_confused(labels: Sequence[str], counts: Counts, *, most: int = 20) -> str:
    """List what was most often taken for something else, with its share of what was wanted.

    >>> counts = np.array([[8, 2, 0], [0, 3, 0], [0, 1, 0]])
    >>> print(most_confused(["ſ", "f", "(none)"], counts), end="")
    wanted  written  times
         ſ        f      2   20 % of 10
    (none)        f      1
    """
    if counts.shape != (len(labels), len(labels)):
        raise ShapeError(
            f"confusion: {len(labels)} labels but counts of shape {counts.shape}; expected a row"
            " and a column for each label."
        )
    wrong = counts - np.diag(np.diag(counts))
    order = np.argsort(-wrong, axis=None, kind="stable")[:most]
    lines = ["wanted  written  times"]
    for i, j in (divmod(int(place), len(labels)) for place in order):
        if not wrong[i, j]:
            break
        total = int(counts[i].sum())
        share = f"  {100 * wrong[i, j] / total:3.0f} % of {total:,}" if i < len(labels) - 1 else ""
        one, other = (pad(clean(labels[n]), width, right=True) for n, width in ((i, 6), (j, 8)))
        lines.append(f"{one} {other} {int(wrong[i, j]):6}{share}")
    rest = int(wrong.sum() - np.sort(wrong, axis=None)[::-1][:most].sum())
    return "\n".join([*lines, *([f"and {rest:,} others"] if rest else [])]) + "\n"


def worst(labels: Sequence[str], counts: Counts, most: int = 16) -> tuple[list[str], Counts]:
    """Keep the labels that are most often confused, and the last; leave the others out.

    >>> counts = np.array([[9, 0, 0, 0], [0, 5, 2, 0], [0] * 4, [0] * 4])
    >>> worst(["a", "b", "c", "(none)"], counts)[0]
    ['b', 'c', '(none)']
    """
    wrong = counts - np.diag(np.diag(counts))
    often = (wrong.sum(axis=0) + wrong.sum(axis=1))[:-1]
    order = [int(i) for i in np.argsort(-often, kind="stable")[:most] if often[i]]
    kept = [*sorted(order), len(labels) - 1]
    return [labels[i] for i in kept], counts[np.ix_(kept, kept)]


def fitted(labels: Sequence[str], counts: Counts, most: int) -> tuple[list[str], Counts]:
    """Keep the most frequent labels and add the rest to the last, which goes if it is empty."""
    size = len(labels)
    if counts.shape != (size, size):
        raise ShapeError(
            f"confusion: {size} labels but counts of shape {counts.shape}; expected a row and a"
            " column for each label."
        )
    often = counts.sum(axis=0) + counts.sum(axis=1)
    whole = size - 1 + bool(often[-1:].any()) <= most
    order = np.argsort(-often[:-1], kind="stable")[: size if whole else most - 1]
    kept = np.sort(order)
    place = np.full(size, len(kept))
    place[kept] = np.arange(len(kept))
    table = np.zeros((len(kept) + 1, len(kept) + 1), dtype=np.int64)
    np.add.at(table, (place[:, None], place[None, :]), counts)
    names = [*(clean(labels[i]) for i in kept), labels[-1] if size else ""]
    if not table[-1].any() and not table[:, -1].any():
        return names[:-1], table[:-1, :-1]
    return names, table


def _cell(frame: axes.Frame, place: tuple[int, int], count: int, total: int) -> str:
    i, j = place
    side = frame.cell
    x, y = frame.left + j * side, frame.above + i * side
    share = count / total if total else 0.0
    said = f"wanted {frame.rows[i]}, written {frame.heads[j]}: {count:,} ({100 * share:.0f} %)"
    square = (
        f'<rect class="hue" fill-opacity="{svg.number(0.05 + 0.75 * share)}" data-count="{count}"'
        f' x="{svg.number(x + 1)}" y="{svg.number(y + 1)}" width="{svg.number(side - 2)}"'
        f' height="{svg.number(side - 2)}" rx="3">{svg.tip(said)}</rect>'
    )
    if not count:
        return square
    figure = str(count) if count < 10_000 else f"{count // 1000}k"
    written = svg.text(x + side / 2, y + side / 2 + 4, figure, anchor="middle", kind="small")
    return square + written
