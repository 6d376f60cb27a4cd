"""Choose the best and the worst outputs of a model by a metric, and draw them."""

from collections.abc import Sequence

from saccade.look.grounding import grounding
from saccade.look.report import picture_of
from saccade.metrics.base import Metric
from saccade.nouns import Example
from saccade.parts import Part
from saccade.predict.evaluation import Evaluation
from saccade.predict.prediction import Prediction
from saccade.views.gallery import Gallery, GalleryItem

_NO_SEGMENTS = ("bleu",)  # 0 for most single sentences


def usual_metric(metrics: Sequence[Part[Metric]]) -> Part[Metric]:
    """Return the first of a recipe's metrics that tells single outputs apart, else chrF."""
    told = [part for part in metrics if part.kind not in _NO_SEGMENTS]
    return told[0] if told else Part(Metric, "chrf")


def gallery_of(name: str, found: Evaluation, metric: Part[Metric], *, n: int = 8) -> Gallery:
    """Rank the outputs of an evaluation one by one, and draw the first and the last `n`.

    Outputs with equal scores are ranked by the model's own score. CIDEr and the like are fitted to
    the whole set, not to one output.
    """
    built = metric.build()
    outputs = [one.output for one in found.predictions]
    references = [list(example.references) for example in found.examples]
    rows = built.matrix(outputs, references)
    scores = [built.score(row).value for row in rows]
    way = 1 if built.higher_is_better else -1
    order = sorted(
        range(len(scores)), key=lambda i: (-way * scores[i], -found.predictions[i].score, i)
    )
    n = min(n, max(len(order) // 2, 1))

    def items(places: Sequence[int]) -> list[GalleryItem]:
        ranked = [(place, order[place]) for place in places]
        return [
            _item(place + 1, scores[i], found.predictions[i], found.examples[i])
            for place, i in ranked
        ]

    last = range(max(len(order) - n, n), len(order))
    mean = built.score(rows.sum(axis=0))
    return Gallery(
        name=name,
        metric=built.label or built.name,
        summary={
            "split": found.split,
            "outputs": f"{len(outputs):,}",
            "metric": built.label or built.name,
            "of all": f"{mean.value:.2f}",
        },
        best=items(range(min(n, len(order)))),
        worst=items(last[::-1]),
        words=grounding(found.predictions),
    )


def _item(rank: int, score: float, one: Prediction, example: Example) -> GalleryItem:
    notations = one.looker.sources
    picture = picture_of(one, example)
    shown = {
        name.capitalize(): notations[name].write(raw)
        for name, raw in one.sources.items()
        if not (picture and notations[name].view == "picture" and len(notations) == 1)
    }
    target = one.looker.target
    references = [target.shown(reference) for reference in example.references]
    return GalleryItem(rank, score, shown, target.shown(one.output), references, picture)
