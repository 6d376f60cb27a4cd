"""Imports go one way: a room may import what stands in the layers above it, and nothing else."""

import ast
from collections.abc import Iterator
from functools import cache
from pathlib import Path

import pytest

PACKAGE = Path(__file__).parent.parent / "saccade"

LAYERS = [  # a room may import rooms of the layers above its own, and no others
    ("errors", "nouns", "flow", "kernels", "schedules", "intake"),
    ("parts", "tokenizers", "layers", "search", "guards"),
    ("cells", "positions"),
    ("embedders", "attention", "heads", "glimpses"),
    ("modalities", "encoders", "decoders"),
    ("corpora", "metrics", "views", "models"),
    ("readers", "objectives", "inference"),
    ("shaping", "recipe", "native"),
    ("data",),
    ("train", "predict"),
    ("folders", "look", "starters"),
    ("export", "learners", "inspections"),
    ("engines", "run"),
    ("experiments", "explanations", "fit", "server"),
    ("api", "cli"),
]
LAYER = {room: n for n, layer in enumerate(LAYERS) for room in layer}
DOORS = ("", "__main__")  # the package's own front imports late, whatever is asked of it
NO_TORCH = (
    *("metrics", "views", "corpora", "tokenizers", "errors", "parts", "readers"),
    *("guards", "modalities", "nouns", "intake"),
)
ALLOWED = {  # beyond errors and parts, what these rooms may import of ours
    "search": {"flow", "kernels", "nouns"},
    "metrics": {"modalities"},
    "views": {"modalities"},
    "guards": {"intake"},
    "corpora": {"modalities"},
}
MEMORY = {"kernels", "native"}
OPTIONAL = {  # extras, and what is slow to import: imported where they are asked for
    *("torch.utils.tensorboard", "matplotlib.figure", "matplotlib.patches", "matplotlib.path"),
    "matplotlib.image",
    *("numpy", "saccade.guards.hallucination", "saccade.views.heatmap", "saccade.views.story"),
    *("pyarrow", "pyarrow.parquet"),
    *("PIL", "av", "soundfile"),
    *("fsspec.core", "ray", "ray.data"),
    *("saccade.train.shards", "saccade.train.shard_files"),
}

FILES = sorted(PACKAGE.rglob("*.py"))


@cache
def tree_of(path: Path) -> ast.Module:
    return ast.parse(path.read_text("utf-8"))


def room(module: str) -> str:
    """Return which room a module of ours belongs to; the package's own front is ''."""
    return module.removeprefix("saccade").lstrip(".").partition(".")[0]


def module_of(path: Path) -> str:
    parts = path.relative_to(PACKAGE.parent).with_suffix("").parts
    return ".".join(part for part in parts if part != "__init__")


def imported(node: ast.AST) -> list[str]:
    """Return the modules that an import statement names."""
    if isinstance(node, ast.Import):
        return [alias.name for alias in node.names]
    if isinstance(node, ast.ImportFrom):
        assert node.level == 0, "imports are written in full"
        if node.module == "saccade":
            return [f"saccade.{alias.name}" for alias in node.names]
        return [node.module or ""]
    return []


def arrows(path: Path) -> set[str]:
    """Return the rooms that a file imports from, without its own."""
    found = {m for node in ast.walk(tree_of(path)) for m in imported(node)}
    ours = {m for m in found if m == "saccade" or m.startswith("saccade.")}
    rooms = {room(m) if room(m) in ROOMS else "" for m in ours}  # `from saccade import load`
    return rooms - {room(module_of(path))}


def hidden(path: Path) -> Iterator[str]:
    """Yield the modules that are imported inside functions of a file."""
    functions = (ast.FunctionDef, ast.AsyncFunctionDef, ast.Lambda)
    for function in ast.walk(tree_of(path)):
        if isinstance(function, functions):
            for node in ast.walk(function):
                yield from imported(node)


ROOMS = {room(module_of(path)) for path in FILES}


@pytest.mark.parametrize("here", sorted(ROOMS - set(DOORS)))
def test_no_arrow_points_back(here: str) -> None:
    assert here in LAYER, f"room '{here}' has no place in the layers"
    for path in (path for path in FILES if room(module_of(path)) == here):
        others = arrows(path) - set(DOORS)
        back = [other for other in others if LAYER[other] >= LAYER[here]]
        assert not back, f"{path} imports {back}, which are not above it"
        allowed = ALLOWED.get(here)
        if allowed is not None:
            assert others <= {"errors", "parts", *allowed}, path


@pytest.mark.parametrize("here", sorted(ROOMS))
def test_nothing_is_imported_inside_a_function(here: str) -> None:
    for path in (path for path in FILES if room(module_of(path)) == here):
        assert set(hidden(path)) <= OPTIONAL, path


@pytest.mark.parametrize("name", NO_TORCH)
def test_rooms_of_text_do_without_torch(name: str) -> None:
    files = [path for path in FILES if room(module_of(path)) == name]
    assert files
    for path in files:
        for node in ast.walk(tree_of(path)):
            assert not any(m.partition(".")[0] == "torch" for m in imported(node)), path


@pytest.mark.parametrize("here", sorted(ROOMS - MEMORY))
def test_only_kernels_touch_memory(here: str) -> None:
    """C is called by two rooms; the others see tensors go in and come out."""
    for path in (path for path in FILES if room(module_of(path)) == here):
        nodes = list(ast.walk(tree_of(path)))
        names = {node.attr for node in nodes if isinstance(node, ast.Attribute)}
        assert not names & {"data_ptr", "ctypes"}, path
        assert "ctypes" not in {module for node in nodes for module in imported(node)}, path


def test_the_layers_name_every_room_once_and_are_few() -> None:
    named = [one for layer in LAYERS for one in layer]
    assert len(named) == len(set(named))
    assert set(named) == ROOMS - set(DOORS)
    assert len(LAYERS) <= 15


def test_the_root_is_small() -> None:
    assert len(list(PACKAGE.glob("*.py"))) <= 10


SHARED = {"CTranslate2", "Onnx", "Coverage", "Text"}  # parts of two families, one idea


def test_no_public_class_name_stands_twice() -> None:
    names = [
        node.name
        for path in FILES
        for node in tree_of(path).body
        if isinstance(node, ast.ClassDef) and not node.name.startswith("_")
    ]
    twice = {name for name in names if names.count(name) > 1}
    assert twice <= SHARED, sorted(twice - SHARED)
