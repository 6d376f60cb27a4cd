"""Open a folder with the engine that was asked for. Imports no torch before it is needed."""

from pathlib import Path
from typing import TYPE_CHECKING, Literal, NamedTuple, overload

from saccade.engines.base import Engine, EngineOptions, Opened
from saccade.errors import RecipeError
from saccade.export.base import is_export, of_extra, read_export
from saccade.predict.inputs import read_path

if TYPE_CHECKING:
    from saccade.predict.predictor import Predictor

_WHOLE = ("native", "torch")  # engines that can do everything, the faster one first
_SOON = ("ctranslate2", "native", "torch")  # who has translated a little first
_MUCH = ("native", "ctranslate2", "torch")  # who has translated much first; the text is the same


@overload
def load(
    folder: str | Path,
    *,
    device: str = "cpu",
    engine: Literal["native", "torch"] | None = None,
) -> "Predictor": ...
@overload
def load(
    folder: str | Path,
    *,
    device: str = "cpu",
    engine: str | None,
    quantise: str = "",
    much: bool = False,
) -> Opened: ...
def load(
    folder: str | Path,
    *,
    device: str = "cpu",
    engine: str | None = None,
    quantise: str = "",
    much: bool = False,
) -> "Opened | Predictor":
    """Open a model folder, a run folder that is still training, or an exported folder.

    Args:
        folder: what `saccade train`, `saccade average` or `saccade export` wrote.
        device: where to put the weights.
        engine: a file of the room `engines`; or auto, the one that is done first, with torch for
            what that one cannot do. If none is named, native, or torch where native cannot be used:
            these can do everything. All write the same text.
        quantise: round the weights, as int8; faster, and no longer quite the same text.
        much: whether there is so much to translate that auto need not begin soon: native, which
            loads torch for a second or two, is then the fastest.
    """
    wanted = EngineOptions(device, quantise, lenient=engine == "auto", much=much)
    place = read_path(folder, "load")
    return choose(place, engine, wanted).open(place, wanted)


class LoadedPair(NamedTuple):
    """A model run by an engine that can do everything, and by the one that is to write outputs.

    writer: None if that is the same.
    """

    predictor: "Predictor"
    writer: Opened | None


def load_pair(
    folder: str | Path, *, device: str = "cpu", engine: str | None = None, quantise: str = ""
) -> LoadedPair:
    """Open a model folder for a process that asks for more than outputs: see `load`."""
    wanted = EngineOptions(device, quantise, lenient=engine == "auto", much=True)
    chosen = choose(Path(folder), engine, wanted)
    predictor = load(folder, device=device, engine="torch" if engine == "torch" else None)
    return LoadedPair(predictor, chosen.open_beside(Path(folder), wanted, predictor))


def choose(folder: Path, engine: str | None, wanted: EngineOptions) -> Engine:
    """Return the engine that was named, or the first of several that can; or refuse."""
    if engine == "auto" and is_export(folder):
        engine = read_export(folder).engine
    problems: list[str] = []
    for name in _names(engine, wanted):
        try:
            found = of_extra(Engine, name)()
        except RecipeError as error:
            problems += error.problems
            continue
        refused = found.refusals(folder, wanted)
        if not refused:
            return found
        problems = [*problems, *refused] if engine == "auto" else refused
    raise RecipeError(problems)


def _names(engine: str | None, wanted: EngineOptions) -> tuple[str, ...]:
    """Return the engines that may be chosen, those to be preferred first."""
    if engine == "auto":
        return _MUCH if wanted.much else _SOON
    if engine in (None, "torch") and wanted.quantise == "int8":
        return ("native",)  # which rounds what torch searches
    return (engine,) if engine else _WHOLE
