"""How a run goes, read from its folder at every call, so that a running one is seen live."""

from collections import deque
from typing import Any

from fastapi import APIRouter
from fastapi.responses import Response

from saccade.look.report import read_curves
from saccade.server.answers import answer, encoded
from saccade.server.desk import Desk
from saccade.server.models import Served
from saccade.server.predict import number
from saccade.train.history import METRICS, MetricsFile
from saccade.views import curves
from saccade.views.report import by_quantity


def routes(desk: Desk) -> APIRouter:
    """Make the route of curves."""
    router = APIRouter()

    @router.get("/v1/models/{name}/curves")
    async def curves_of(name: str) -> Response:
        """Tell how the training of a model goes or went."""
        model = desk.model(name)
        return answer(await desk.drawn(lambda: encoded(told(model))))

    return router


def told(model: Served) -> dict[str, Any]:
    """Read the curves of a run, and where it stands.

    It is `finished` when its weights were written after the last figure, else `training`, also if
    it was stopped; `none` if the folder tells nothing of a training. `damaged` says what of its
    file is left out, if anything is.
    """
    figures, weights = model.folder / METRICS, model.folder / "model.safetensors"
    if not figures.exists():
        return {"state": "none", "step": 0, "epoch": 0, "damaged": "", "series": {}, "views": {}}
    metrics = MetricsFile(model.folder)
    ends = deque(metrics.rows(), maxlen=1)
    last = ends[0] if ends else {}
    done = weights.exists() and weights.stat().st_mtime >= figures.stat().st_mtime
    series = read_curves(model.folder)
    return {
        "state": "finished" if done else "training",
        "step": last.get("step", 0),
        "epoch": last.get("epoch", 0),
        "damaged": metrics.trouble,
        "series": {name: [[x, number(y)] for x, y in line] for name, line in series.items()},
        "views": {
            name: curves.to_svg(lines_of, title=name)
            for name, lines_of in by_quantity(series).items()
        },
    }
