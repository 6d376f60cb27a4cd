"""Open a folder with the engine that was asked for. Imports no torch before it is needed."""

from pathlib import Path
from typing import TYPE_CHECKING, Literal, overload

from saccade.engines.base import Engine, Opened, Wanted
from saccade.errors import RecipeError
from saccade.export.base import is_export, of_extra, read_export

if TYPE_CHECKING:
    from saccade.translator import Translator

_AUTO = ("ctranslate2", "torch")  # fastest first; the text is the same


@overload
def load(
    folder: str | Path, *, device: str = "cpu", engine: Literal["torch"] = "torch"
) -> "Translator": ...
@overload
def load(folder: str | Path, *, device: str = "cpu", engine: str, quantise: str = "") -> Opened: ...
def load(
    folder: str | Path, *, device: str = "cpu", engine: str = "torch", quantise: str = ""
) -> "Opened | Translator":
    """Open a model folder, a run folder that is still training, or an exported folder.

    Args:
        folder: what `saccade train`, `saccade average` or `saccade export` wrote.
        device: where to put the weights.
        engine: torch, which can do everything; a file of the room `engines`; or auto, the fastest
            that can run the model and writes the same text, with torch for what that one cannot do.
        quantise: round the weights, as int8; faster, and no longer quite the same text.
    """
    wanted = Wanted(device, quantise, lenient=engine == "auto")
    return choose(Path(folder), engine, wanted).open(Path(folder), wanted)


def choose(folder: Path, engine: str, wanted: Wanted) -> Engine:
    """Return the engine that was named, or the first of the automatic ones that can; or refuse."""
    if engine == "auto" and is_export(folder):
        engine = read_export(folder).engine
    names = _AUTO if engine == "auto" else (engine,)
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
