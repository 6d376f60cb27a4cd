"""The beam as a tree: steps left to right, what was kept, what was pruned, what was completed."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from saccade.errors import ShapeError
from saccade.views import axes, svg
from saccade.views.words import label, shorten

Fate = Literal["kept", "completed", "pruned"]

_ROW = 38.0
_HIGH = 30.0  # pixels of a node
_GAP = 34.0  # pixels between two levels, where the branches run
_EDGE = 20.0


@dataclass(frozen=True, slots=True)
class TreeNode:
    """One symbol of one hypothesis.

    step: from 1.  parent: its place in the level before, -1 for the root.  log_prob: of the
    hypothesis up to and with this symbol.
    """

    step: int
    text: str
    parent: int
    log_prob: float
    fate: Fate


Tree = Sequence[Sequence[TreeNode]]


@dataclass(frozen=True, slots=True)
class _Layout:
    """Where every node stands: `rows[t][i]`, columns by level; completed ones below `shelf`."""

    rows: list[list[int]]
    left: list[float]
    wide: list[float]
    above: float
    shelf: int
    n_rows: int

    def y(self, row: int) -> float:
        return self.above + row * _ROW + (18 if row >= self.shelf else 0)

    @property
    def right(self) -> float:
        return self.left[-1] + self.wide[-1] if self.left else 0.0


def path_of(tree: Tree, texts: Sequence[str]) -> list[int]:
    """Follow the symbols of a hypothesis from the root as far as the tree knows them.

    Return the place in its level of every node met; the likeliest of several that read alike.
    """
    path: list[int] = []
    for level, text in zip(tree, texts, strict=False):
        parent = path[-1] if path else -1
        here = [i for i, n in enumerate(level) if n.parent == parent and n.text == text]
        if not here:
            break
        path.append(max(here, key=lambda i: level[i].log_prob))
    return path


def to_svg(
    tree: Tree, *, winner: Sequence[str] = (), greedy: Sequence[str] = (), title: str = ""
) -> str:
    """Draw every node with its symbol and its log-probability so far.

    The winner runs straight and is shaded; pruned nodes are faint; completed ones stand on a shelf
    below. The path that greedy search took is marked by dots and rings beside it, as far as the
    beam held it.
    """
    _check("beam_tree.to_svg", tree)
    best, plain = path_of(tree, winner), path_of(tree, greedy)
    layout = _laid_out(tree, best, 48.0 if title else 20.0)
    body = [svg.text(_EDGE, 30, title, kind="title")] if title else []
    branches: list[str] = []
    nodes: list[str] = []
    for t, level in enumerate(tree):
        for i, node in enumerate(level):
            won, greedily = best[t : t + 1] == [i], plain[t : t + 1] == [i]
            branches.append(_branch(layout, t, i, node, won=won, greedily=greedily))
            nodes.append(_node(layout, t, i, node, won=won, greedily=greedily))
    bottom = layout.y(layout.n_rows)
    if layout.shelf < layout.n_rows:
        y = svg.number(layout.y(layout.shelf) - 13)
        body.append(
            f'<line class="axis" stroke-dasharray="2 4" x1="{svg.number(_EDGE)}" '
            f'x2="{svg.number(layout.right)}" y1="{y}" y2="{y}"/>'
        )
        body.append(svg.text(_EDGE, layout.y(layout.shelf) + 4, "completed", kind="small"))
    body += [*branches, *nodes, _legend(bottom + 14, _lost(plain, greedy))]
    wide = max(layout.right + _EDGE, 560.0, svg.pixels(title) * 1.2 + 40)
    return svg.document(wide, bottom + 34, "".join(body), name=title or "beam search")


def to_terminal(
    tree: Tree,
    *,
    winner: Sequence[str] = (),
    greedy: Sequence[str] = (),
    colour: bool,
    width: int = 100,
) -> str:
    """Write a line for each node that was kept or completed, children below their parents.

    The winner's path runs down the left edge; a branch that leaves it is indented. `*` marks the
    winner, `g` the greedy path, `■` a completed hypothesis; what was pruned stands behind `×`.
    """
    axes.check_width("beam_tree.to_terminal", width)
    _check("beam_tree.to_terminal", tree)
    best, plain = path_of(tree, winner), path_of(tree, greedy)
    root = _pruned(tree, 0, -1)
    lines = [shorten(f"   0 start{root}", width)] if tree else []
    waiting = _below(tree, 0, -1, "", best)
    while waiting:
        t, i, first, rest = waiting.pop()
        node, won = tree[t][i], best[t : t + 1] == [i]
        marks = ("■" if node.fate == "completed" else "") + ("*" if won else "")
        marks += "g" if plain[t : t + 1] == [i] else ""
        said = f"{_said(node)} {marks}".rstrip() + _pruned(tree, t + 1, i)
        line = shorten(f"{node.step:>4} {first}{said}", width)
        lines.append(f"\x1b[1m{line}\x1b[0m" if colour and won else line)
        if node.fate == "kept":
            waiting += _below(tree, t + 1, i, rest, best)
    marks = "* winner  g greedy  ■ completed  × pruned"
    return "".join(
        f"{line}\n" for line in [*lines, "", shorten(marks + _lost(plain, greedy), width)]
    )


def _below(
    tree: Tree, t: int, parent: int, indent: str, best: list[int]
) -> list[tuple[int, int, str, str]]:
    """Return the children to be written, the last of them first: side branches before the trunk."""
    if t == len(tree):
        return []
    alive = [i for i, n in enumerate(tree[t]) if n.parent == parent and n.fate != "pruned"]
    grown = {node.parent for node in tree[t + 1]} if t + 1 < len(tree) else set()
    won = best[t : t + 1]
    alive.sort(key=lambda i: ([i] == won, _goes_on(tree[t][i], i, grown), tree[t][i].log_prob))
    *sides, trunk = alive or [-1]
    if trunk < 0:
        return []
    return [
        (t, trunk, indent, indent),
        *((t, i, f"{indent}├ ", f"{indent}│ ") for i in sides),
    ]


def _goes_on(node: TreeNode, place: int, grown: set[int]) -> bool:
    return node.fate == "kept" and place in grown


def _pruned(tree: Tree, t: int, parent: int) -> str:
    level = tree[t] if t < len(tree) else ()
    gone = [_said(n) for n in level if n.fate == "pruned" and n.parent == parent]
    return f"  × {'  '.join(gone)}" if gone else ""


def _said(node: TreeNode) -> str:
    return f"{shorten(label(node.text), axes.LONGEST)} {_score(node)}"


def _score(node: TreeNode) -> str:
    return f"{node.log_prob:.2f}".replace("-", "−")


def _lost(path: list[int], texts: Sequence[str]) -> str:
    return (
        f"; greedy search left the beam at step {len(path) + 1}" if len(path) < len(texts) else ""
    )


def _check(where: str, tree: Tree) -> None:
    for t, level in enumerate(tree):
        n = len(tree[t - 1]) if t else 0
        for node in level:
            fits = 0 <= node.parent < n if t else node.parent == -1
            if not fits or node.step != t + 1:
                raise ShapeError(
                    f"{where}: a node of level {t + 1} has step {node.step} and parent "
                    f"{node.parent}; expected step {t + 1} and one of {n} parents (-1 at the root);"
                    " pass the levels in order."
                )


def _laid_out(tree: Tree, best: list[int], above: float) -> _Layout:
    """Order each level by its parents, so that no two branches cross; keep the winner straight."""
    rows: list[list[int]] = []
    for t, level in enumerate(tree):
        before = rows[t - 1] if t else []
        row_of = [before[n.parent] if t else 0 for n in level]
        standing = [i for i, n in enumerate(level) if n.fate != "completed"]
        standing.sort(key=lambda i: (row_of[i], level[i].fate == "pruned", -level[i].log_prob, i))
        order = {i: place for place, i in enumerate(standing)}
        won = best[t] if t < len(best) else -1
        shift = -order[won] if won in order else _shift(order, row_of)
        rows.append([order.get(i, 0) + shift for i in range(len(level))])
    stood = [r for t, level in enumerate(tree) for r, n in _with(rows[t], level, on_shelf=False)]
    low, high = min(stood, default=0), max(stood, default=-1)
    shelf, deepest = high - low + 1, 0
    for t, level in enumerate(tree):
        placed = [r - low for r in rows[t]]
        done = [i for i, n in enumerate(level) if n.fate == "completed"]
        for k, i in enumerate(sorted(done, key=lambda i: -level[i].log_prob)):
            placed[i] = shelf + k
        deepest, rows[t] = max(deepest, len(done)), placed
    left, wide = _columns(tree, shelved=bool(deepest))
    return _Layout(rows, left, wide, above + 12, shelf, shelf + deepest)


def _with(
    rows: list[int], level: Sequence[TreeNode], *, on_shelf: bool
) -> list[tuple[int, TreeNode]]:
    pairs = zip(rows, level, strict=True)
    return [(r, n) for r, n in pairs if (n.fate == "completed") == on_shelf]


def _shift(order: dict[int, int], row_of: list[int]) -> int:
    """Return how far to move a level so that it stands beside its parents."""
    return round(sum(row_of[i] - place for i, place in order.items()) / max(len(order), 1))


def _columns(tree: Tree, *, shelved: bool) -> tuple[list[float], list[float]]:
    wide = [
        max((svg.pixels(shorten(label(n.text), axes.LONGEST)) for n in level), default=0.0)
        for level in tree
    ]
    wide = [max(w, 40.0) + 16 for w in wide]
    x, left = _EDGE + (76.0 if shelved else 16.0), []
    for w in wide:
        left.append(x)
        x += w + _GAP
    return left, wide


def _branch(layout: _Layout, t: int, i: int, node: TreeNode, *, won: bool, greedily: bool) -> str:
    """Draw the curve from the parent's right edge to the node's left edge."""
    if not t:
        return ""
    x1, x2 = layout.left[t - 1] + layout.wide[t - 1], layout.left[t]
    y1, y2 = layout.y(layout.rows[t - 1][node.parent]), layout.y(layout.rows[t][i])
    a, b, middle = svg.number(x1), svg.number(x2), svg.number((x1 + x2) / 2)
    c, d = svg.number(y1), svg.number(y2)
    path = f'd="M{a} {c}C{middle} {c} {middle} {d} {b} {d}"'
    look = 'stroke-width="3"' if won else 'stroke-width="1.2" stroke-opacity="0.45"'
    if node.fate == "pruned":
        look = 'stroke-width="1" stroke-opacity="0.2"'
    drawn = f'<path class="thread" {look} {path}/>'
    if greedily:
        drawn += (
            f'<path class="line s1" stroke-dasharray="1 5" transform="translate(-4 7)" {path}/>'
        )
    return drawn


def _node(layout: _Layout, t: int, i: int, node: TreeNode, *, won: bool, greedily: bool) -> str:
    x, y, wide = layout.left[t], layout.y(layout.rows[t][i]), layout.wide[t]
    box = (
        f'x="{svg.number(x)}" y="{svg.number(y - _HIGH / 2)}" width="{svg.number(wide)}" '
        f'height="{svg.number(_HIGH)}" rx="6"'
    )
    tip = svg.tip(f"step {node.step}: {label(node.text)}, {_score(node)}, {node.fate}")
    drawn = f'<rect class="paper" {box}/>' if node.fate != "pruned" else ""
    shade = 0.3 if won else 0.08 if node.fate == "kept" else 0.02
    drawn += f'<rect class="hue" fill-opacity="{shade}" {box}>{tip}</rect>'
    if node.fate == "completed":
        drawn += f'<rect class="thread" {box}/>'
    if greedily:
        drawn += (
            f'<circle class="line s1" cx="{svg.number(x + wide)}" cy="{svg.number(y + 7)}" r="3"/>'
        )
    text = shorten(label(node.text), axes.LONGEST)
    drawn += svg.text(x + wide / 2, y - 1, text, anchor="middle")
    drawn += svg.text(x + wide / 2, y + 11, _score(node), anchor="middle", kind="small")
    data = f'data-step="{node.step}" data-fate="{node.fate}"'
    faint = ' opacity="0.55"' if node.fate == "pruned" else ""
    return f"<g {data}{faint}>{drawn}</g>"


def _legend(y: float, lost: str) -> str:
    swatch = f'y="{svg.number(y - 9)}" width="18" height="12" rx="3"'
    drawn = [
        f'<rect class="hue" fill-opacity="0.3" x="20" {swatch}/>',
        svg.text(44, y, "winner", kind="small"),
        f'<circle class="line s1" cx="104" cy="{svg.number(y - 4)}" r="4"/>',
        svg.text(114, y, f"greedy{lost}", kind="small"),
    ]
    return "".join(drawn)
