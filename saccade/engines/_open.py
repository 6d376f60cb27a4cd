"""Open a folder with the engine that was asked for. Imports no torch before it is needed."""

from pathlib import Path
from typing import TYPE_CHECKING, Literal, overload

from saccade.engines.base import Engine, EngineOptions, Opened
from saccade.errors import RecipeError
from saccade.export.base import is_export, of_extra, read_export

if TYPE_CHECKING:
    from saccade.predict.predictor import Predictor

_AUTO = ("ctranslate2", "torch")  # soonest first; the text is the same


@overload
def load(
    folder: str | Path, *, device: str = "cpu", engine: Literal["torch"] = "torch"
) -> "Predictor": ...
@overload
def load(
    folder: str | Path,
    *,
    device: str = "cpu",
    engine: str,
    quantise: str = "",
    much: bool = False,
) -> Opened: ...
def load(
    folder: str | Path,
    *,
    device: str = "cpu",
    engine: str = "torch",
    quantise: str = "",
    much: bool = False,
) -> "Opened | Predictor":
    """Open a model folder, a run folder that is still training, or an exported folder.

    Args:
        folder: what `saccade train`, `saccade average` or `saccade export` wrote.
        device: where to put the weights.
        engine: torch, which can do everything; a file of the room `engines`; or auto, the one that
            is done first, with torch for what that one cannot do. All write the same text.
        quantise: round the weights, as int8; faster, and no longer quite the same text.
        much: whether there is so much to translate that auto need not begin soon: torch takes a
            second or two to load, and with kernels of its own is then the fastest.
    """
    wanted = EngineOptions(device, quantise, lenient=engine == "auto", much=much)
    return choose(Path(folder), engine, wanted).open(Path(folder), wanted)


def choose(folder: Path, engine: str, wanted: EngineOptions) -> Engine:
    """Return the engine that was named, or the first of the automatic ones that can; or refuse."""
    if engine == "auto" and is_export(folder):
        engine = read_export(folder).engine
    names = _automatic(wanted) if engine == "auto" else (engine,)
    problems: list[str] = []
    for name in names:
        try:
            found = of_extra(Engine, name)()
        except RecipeError as error:
            problems += error.problems
            continue
        refused = found.refusals(folder, wanted)
        if not refused:
            return found
        problems += refused
    raise RecipeError(problems)


def _automatic(wanted: EngineOptions) -> tuple[str, ...]:
    """Return the engines that may be chosen, those to be preferred first."""
    if not wanted.much:
        return _AUTO
    from saccade.kernels.library import found  # noqa: PLC0415 - imports torch

    return _AUTO[::-1] if found().kernels else _AUTO
