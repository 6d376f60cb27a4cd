"""What BLEU sees of meaning."""

import random
from collections.abc import Mapping, Sequence
from functools import partial
from typing import NamedTuple

from saccade.explanations.base import Explained, Explanation
from saccade.metrics.base import Metric
from saccade.parts import Part
from saccade.views import bars
from saccade.views.drawing import Drawing, colourless, stacked


class _Group(NamedTuple):
    """A meaning: three ways to say it, a fourth one, and something else in the words of the first.

    references: what translators wrote.  paraphrase: right, in words of its own.  wrong: the words
    of the first reference, arranged to mean something else or the contrary.
    """

    references: tuple[str, str, str]
    paraphrase: str
    wrong: str


_GROUPS = (
    _Group(
        (
            "The committee will meet again next week to discuss the new budget.",
            "Next week the committee is going to talk about the new budget once more.",
            "The committee comes together once more next week to talk about the new budget.",
        ),
        "Next week the committee comes together again to talk about the new budget.",
        "The new committee will meet next week to discuss the budget again.",
    ),
    _Group(
        (
            "The old man bought his neighbour a dog because he was lonely.",
            "Because his neighbour was lonely, the old man got him a dog.",
            "The old man gave his lonely neighbour a dog.",
        ),
        "The old man got a dog for his lonely neighbour.",
        "The dog bought his old neighbour a man because he was lonely.",
    ),
    _Group(
        (
            "The train to the coast was late because of the heavy snow.",
            "Because of heavy snow, the train to the coast arrived late.",
            "Heavy snow delayed the train to the coast.",
        ),
        "Heavy snow delayed the train that goes to the coast.",
        "The heavy train to the snow was late because of the coast.",
    ),
    _Group(
        (
            "She did not sell the house although her brother wanted the money.",
            "Although her brother wanted the money, she kept the house.",
            "She kept the house even though her brother was after the money.",
        ),
        "Even though her brother wanted the money, she kept the house.",
        "She did sell the house although her brother wanted not the money.",
    ),
)
_METRICS: Mapping[str, Part[Metric]] = {
    "BLEU": Part(Metric, "bleu"),
    "chrF": Part(Metric, "chrf"),
    "METEOR": Part(Metric, "meteor", {"matchers": "stem"}),
    "ROUGE-L": Part(Metric, "rouge"),
}


class WhatBleuSees(Explanation):
    """Is a sentence with a high BLEU right, and one with a low BLEU wrong?

    There are four sentences, each with three references. Measured are a good paraphrase against one
    reference and against all three, a sentence that means something else in the words of the first
    reference, and these words in an order drawn by `seed`. Metrics compare words and their order,
    and none of them reads. Callison-Burch, Osborne & Koehn 2006 (E06-1032).
    """

    def __init__(self, *, seed: int = 1) -> None:
        self.seed = seed

    def run(self) -> Explained:
        """Measure the four kinds of output by each metric."""
        dice = random.Random(self.seed)
        one = [group.references[:1] for group in _GROUPS]
        three = [group.references for group in _GROUPS]
        right = [group.paraphrase for group in _GROUPS]
        kinds: dict[str, tuple[Sequence[str], Sequence[Sequence[str]]]] = {
            "right, 1 reference": (right, one),
            "right, 3 references": (right, three),
            "wrong, same words": ([group.wrong for group in _GROUPS], one),
            "shuffled, same words": ([_shuffled(only, dice) for (only,) in one], one),
        }
        found = {
            name: {kind: _score(part, *texts) for kind, texts in kinds.items()}
            for name, part in _METRICS.items()
        }
        bleu = found["BLEU"]
        alone, several, wrong, shuffled = bleu.values()
        fooled = [
            name
            for name, scores in found.items()
            if scores["wrong, same words"] > scores["right, 1 reference"]
        ]
        said = (
            f"Against one reference good paraphrases have a BLEU of {alone:.1f} and sentences that"
            f" mean something else in its words {wrong:.1f} (these words shuffled {shuffled:.1f});"
            f" against three references the paraphrases have {several:.1f}."
            f" With one reference {len(fooled)} of {len(found)} metrics prefer the wrong sentences"
            f" to the right ones ({', '.join(fooled)})."
        )
        charts = {name: _bars(scores) for name, scores in found.items()}
        figures = {f"{name} {kind}": one for name in found for kind, one in found[name].items()}
        return Explained(said, stacked("BLEU", charts, said=said), figures)


def _score(
    part: Part[Metric], outputs: Sequence[str], references: Sequence[Sequence[str]]
) -> float:
    return part.build().corpus(outputs, references).value


def _shuffled(text: str, dice: random.Random) -> str:
    """Put the words of a sentence in another order; its mark stays behind."""
    words = text.removesuffix(".").split()
    return " ".join(dice.sample(words, len(words))) + "."


def _bars(scores: Mapping[str, float]) -> Drawing:
    return Drawing(
        "Scores",
        partial(bars.to_svg, scores),
        colourless(lambda width: bars.to_terminal(scores, width=width)),
    )
