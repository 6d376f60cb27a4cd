"""A map over several sources, drawn source by source."""

import numpy as np

from saccade.modalities._picture import Picture
from saccade.views.drawing import AttentionMap
from saccade.views.sources import SourceOver, draw_sources
from tests.captions import pixels
from tests.views.pictures import parts


def test_each_source_is_drawn_by_its_own_view() -> None:
    weights = np.array([[0.1, 0.2, 0.3, 0.1, 0.3], [0.5, 0.1, 0.1, 0.1, 0.2]])
    names = ("image 1,1", "image 1,2", "image 2,1", "image 2,2", "why")
    one = AttentionMap(weights, names, ("a", "b"), (5,), title="look", said="x")
    over = {
        "image": SourceOver("picture", (2, 2), Picture(pixels(1))),
        "question": SourceOver("heatmap", (1,), "why"),
    }
    drawn = draw_sources(one, over, {"image": (0, 4), "question": (4, 5)})
    titles = [t.text for t in parts(drawn.svg, "text") if t.get("class") == "title"]
    assert titles == ["image", "question"]
    assert len(parts(drawn.svg, "use")) == 2
    cells = [r.get("data-value") for r in parts(drawn.svg, "rect") if r.get("data-value")]
    assert cells == ["0.3", "0.2"]  # of the text; the picture is smooth
    assert drawn.said == "x"
