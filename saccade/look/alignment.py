"""Pictures of an alignment: spikes, the trellis with its path, and all paths of a short text."""

import numpy as np

from saccade.predict.alignment import Alignment
from saccade.predict.predictor import Predictor
from saccade.views import spellings, svg, trellis
from saccade.views.drawing import Drawing


def draw_alignment(found: Alignment) -> Drawing:
    """Draw where each label is: how likely at each frame, and by which path."""
    names = [one.text for one in found.labels]
    said = f"{''.join(names)}: log-probability {found.score:.3f}, {len(found.path)} frames"

    def draw() -> str:
        return svg.stack(
            {
                "How likely each label is at each frame": trellis.spikes_svg(
                    found.posteriors, names
                ),
                "The best path": trellis.to_svg(found.posteriors, names, found.path),
            },
            name=said,
        )

    def write(*, width: int, colour: bool) -> str:  # noqa: ARG001 - as every terminal
        return trellis.to_terminal(found.posteriors, names, found.path, width=width)

    return Drawing(
        "Alignment",
        draw,
        write,
        said=said,
    )


def spellings_of(found: Alignment, predictor: Predictor) -> str:
    """List all paths that spell the text."""
    vocabulary = predictor.target.vocabulary
    assert vocabulary is not None
    names = vocabulary.pieces(range(len(vocabulary)))
    return spellings.to_terminal(
        spellings.every_path(np.asarray(found.frames), found.ids), list(names)
    )
