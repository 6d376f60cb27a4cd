"""A chart of curves as a picture for every place."""

from saccade.views import curves
from saccade.views.curves import Series
from saccade.views.drawing import Drawing, colourless


def chart(
    series: Series, *, x_label: str, title: str = "", y_label: str = "", said: str = ""
) -> Drawing:
    """Draw series over common axes."""
    return Drawing(
        title or y_label or ", ".join(series),
        lambda: curves.to_svg(series, title=title, x_label=x_label, y_label=y_label),
        colourless(lambda width: curves.to_terminal(series, width=width)),
        said=said,
    )
