"""How large a model, a batch and a run suit so many pairs: the rules, each with its reason.

The figures behind them are in docs/results/fit.md.

    rows       = pairs / 30, from 8 to 32 (single words); an epoch has 30 updates or more
    updates    = 2,500 (pairs / 200)^0.3 for single words, 3,000 (pairs / 1,000)^0.25 for texts;
                 up to twice as many if there is time, but not for labels and tags
    warm-up    = a twentieth of the updates, 20 to 400
    dropout    = 0.4 below 10,000 pairs, 0.3 below 50,000, else 0.1
    pieces     = pairs / 4, from 300 to 8,000 (byte-pair encoding)

Where the time is too short for the updates, batches and then models become smaller (`smaller`): on
one core 30,000 sentence pairs in ten minutes are 430 updates with the sizes above, and 5,000 with
batches of 1,000 places and a width of 128.
"""

import dataclasses
from dataclasses import dataclass

from saccade.fit.jobs import Level, TaskKind
from saccade.fit.survey import SideSurvey, Survey

LONGEST = 1000  # pieces of a text, at most
_EPOCH = 30  # updates that an epoch has at least
_LONGER = 2.0
_LARGE_BATCH, _SMALL_BATCH = 2000, 1000  # places


@dataclass(frozen=True, slots=True)
class RunSizes:
    """What the rules say about a data set."""

    pairs: int
    pieces: int
    """The size of the vocabulary of byte-pair encoding."""
    max_length: dict[str, int]
    batch_tokens: int
    updates: int
    width: int
    layers: int
    dropout: float
    longer: float
    """How many times the updates may be made if there is time."""

    @property
    def warmup(self) -> int:
        """Updates over which the learning rate rises."""
        return min(400, max(20, self.updates // 20))


def sizes_for(job: TaskKind, found: Survey, train_pairs: int) -> RunSizes:
    """Apply the rules to what was counted; `train_pairs` are left for training."""
    n = max(train_pairs, 1)
    pieces = _rounded(min(8000, max(300, n / 4)))
    sides = {
        "source": _length(job.source, found.source, pieces),
        "target": _length(job.target, found.target, pieces),
    }
    row = max(mean for mean, _ in sides.values()) + 1
    words = job.source == "characters"
    if words:
        rows = min(32.0, max(8.0, n / _EPOCH))
        if n > 20_000:
            rows = 64.0
        updates = 2500 * (n / 200) ** 0.3
    else:
        rows = min(4096 / row, max(8.0, n / _EPOCH))
        updates = 3000 * (n / 1000) ** 0.25
    return RunSizes(
        n,
        pieces,
        {side: min(LONGEST, max(32, 2 * longest)) for side, (_, longest) in sides.items()},
        int(max(rows * row * 1.2, 1.2 * max(longest for _, longest in sides.values()))),
        _rounded(min(20_000, max(1500, updates))),
        128 if words or n < 5000 else 192 if n < 20_000 else 256,
        2 if n < 5000 else 3,
        0.4 if n < 10_000 else 0.3 if n < 50_000 else 0.1,
        _LONGER if job.writes_text else 1.0,
    )


def smaller(job: TaskKind, sizes: RunSizes) -> RunSizes | None:
    """Return the next smaller sizes, for less time; None if there are none.

    Batches of 2,000 places or more are halved first, then the model gets smaller, then batches are
    halved down to 1,000 places.
    """
    half = sizes.batch_tokens // 2
    if half >= _LARGE_BATCH:
        return dataclasses.replace(sizes, batch_tokens=half)
    if sizes.width > 128 and job.writes_text:
        narrow = 192 if sizes.width > 192 else 128
        return dataclasses.replace(sizes, width=narrow, layers=3 if narrow > 128 else 2)
    if half >= _SMALL_BATCH and half >= max(sizes.max_length.values()):
        return dataclasses.replace(sizes, batch_tokens=half)
    return None


def relative_cost(sizes: RunSizes) -> float:
    """Say what an update costs beside that of other sizes of the same model.

        batch^0.85 width^1.3 layers^0.3

    Fitted to LSTMs and Transformers of width 128 to 256 on batches of 1,000 to 5,000 places.
    """
    return float(sizes.batch_tokens**0.85 * sizes.width**1.3 * sizes.layers**0.3)


def _length(level: Level, text: SideSurvey, pieces: int) -> tuple[float, int]:
    """Return how many pieces a text has on average, and nearly at most."""
    if level == "characters":
        return text.characters, text.longest
    if level == "label":
        return 1.0, 1
    if level in ("symbols", "words"):
        return text.words, text.longest_words
    per_word = 1.3 if pieces >= 4000 else 1.8 if pieces >= 1000 else 2.5
    return text.words * per_word, int(text.longest_words * per_word)


def _rounded(n: float) -> int:
    """Round to two digits.

    >>> _rounded(4736.2), _rounded(312)
    (4700, 310)
    """
    digits = max(len(str(int(n))) - 2, 0)
    return int(round(n, -digits))
