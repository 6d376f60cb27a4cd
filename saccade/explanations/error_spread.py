"""How far a mistake spreads when a model reads what it wrote."""

from dataclasses import dataclass

import torch
from torch import Tensor

from saccade.errors import RecipeError
from saccade.explanations._charts import chart
from saccade.explanations._practice import alone, practise
from saccade.explanations._toys import FIRST, batch_of, letters
from saccade.explanations.base import Explained, Explanation
from saccade.flow import Batch
from saccade.models.base import Model, Writer, writer
from saccade.nouns import SOURCE_NAME, Side
from saccade.objectives.base import Moment
from saccade.objectives.scheduled_sampling import ScheduledSampling
from saccade.parts import Part
from saccade.recipe import Training
from saccade.views.drawing import Drawing, stacked

_LETTERS = 8
_ROWS, _TESTED = 32, 256
_FORCED = "teacher forcing"
_SAMPLED = "scheduled sampling"


@dataclass(frozen=True, slots=True)
class _Shares:
    """The share of rows that are right at each place, by what the model reads."""

    right: list[float]  # the right letters
    own: list[float]  # its own letters
    spoilt: list[float]  # its own letters, one of which was made wrong


class ErrorSpread(Explanation):
    """How far does an early mistake spread when a model reads its own outputs?

    A model that learns by teacher forcing reads the right letters, `p(y[t] | y[<t], x)`; when it
    writes it reads its own, and has never seen a wrong one. Here a GRU with additive attention
    copies `places` random letters. Right places are counted when it reads the right letters, its
    own, and its own after the letter of place `mistake` was replaced by a wrong one. The same model
    learns again by scheduled sampling, where the share of its own letters grows to `p` (Bengio et
    al. 2015, arXiv:1506.03099). A guess is right at one place of 8.
    """

    def __init__(
        self,
        *,
        seed: int = 1,
        places: int = 10,
        mistake: int = 3,
        width: int = 64,
        updates: int = 200,
        p: float = 0.25,
    ) -> None:
        if not 1 <= mistake < places:
            raise RecipeError(
                f"error-spread: mistake is {mistake}; expected a place from 1 to {places - 1}, with"
                f" places behind it, as there are {places}. Change one of them."
            )
        self.seed, self.places, self.mistake = seed, places, mistake
        self.width, self.updates, self.p = width, updates, p

    def run(self) -> Explained:
        """Train both ways and let both models write."""
        found = {name: self._measured(p) for name, p in ((_FORCED, 0.0), (_SAMPLED, self.p))}
        behind = {
            name: [_mean(line[self.mistake :]) for line in (one.right, one.own, one.spoilt)]
            for name, one in found.items()
        }
        forced, sampled = behind.values()
        said = (
            f"Trained by teacher forcing, the model is right at {forced[0]:.1%} of the places"
            f" behind place {self.mistake} if it reads the right letters, at {forced[1]:.1%} if it"
            f" reads its own, and at {forced[2]:.1%} if its letter at place {self.mistake} was made"
            f" wrong. Trained by scheduled sampling it is right at {sampled[0]:.1%},"
            f" {sampled[1]:.1%} and {sampled[2]:.1%} of them, where a guess has {1 / _LETTERS:.1%}."
        )
        figures = {
            f"{name}, {read}": share
            for name, shares in behind.items()
            for read, share in zip(("right", "own", "spoilt"), shares, strict=True)
        }
        return Explained(said, self._drawing(found, said), figures)

    def _drawing(self, found: dict[str, _Shares], said: str) -> Drawing:
        charts = {
            f"Right places, trained by {name}": chart(
                {
                    "reads the right letters": _points(one.right),
                    "reads its own": _points(one.own),
                    f"its own, wrong at place {self.mistake}": _points(one.spoilt),
                },
                x_label="place",
            )
            for name, one in found.items()
        }
        return stacked("How a mistake spreads", charts, said=said)

    def _measured(self, p: float) -> _Shares:
        """Train with so many letters of its own and count right places of new rows."""
        with alone(self.seed):
            model = self._model()
            draws = torch.Generator().manual_seed(self.seed)
            objective = ScheduledSampling(
                lambda _: "", p=p, schedule="linear", steps=self.updates, smoothing=0.0
            )

            def loss(step: int) -> Tensor:
                found = objective(model, self._copies(_ROWS, step), Moment(step, draws))
                return found.total / found.count

            practise(model, loss, self.updates, Training(learning_rate=0.005))
            tested = self._copies(_TESTED, self.updates)
            with torch.no_grad():
                given = model.head.best(model(tested).features)  # [B, T]
                return _Shares(
                    self._shares(given, tested),
                    self._shares(self._written(writer(model), tested), tested),
                    self._shares(self._written(writer(model), tested, self.mistake), tested),
                )

    def _written(self, model: Writer, batch: Batch, mistake: int = 0) -> Tensor:
        """Write greedily, `[B, T]`; the letter of place `mistake` is wrong, if that is not 0."""
        state, token = model.start(batch.sources), batch.prefix[:, 0]
        columns = []
        for place in range(1, self.places + 1):
            log_probs, state = model.step(token, state)
            token = log_probs.argmax(dim=1)  # [B]
            if place == mistake:
                token = self._wrong(batch.target.values[:, place - 1])
            columns.append(token)
        return torch.stack(columns, dim=1)

    def _wrong(self, right: Tensor) -> Tensor:
        """Draw another letter than the right one, every other as likely."""
        draws = torch.Generator().manual_seed(self.seed)
        further = torch.randint(1, _LETTERS, right.shape, generator=draws)
        return FIRST + (right - FIRST + further) % _LETTERS

    def _shares(self, ids: Tensor, batch: Batch) -> list[float]:
        wanted = batch.target.values[:, : self.places]
        shares: list[float] = (ids[:, : self.places] == wanted).double().mean(dim=0).tolist()
        return shares

    def _model(self) -> Model:
        layer = {"kind": "rnn", "hidden": self.width, "dropout": 0.0}
        options = {
            "embedding": self.width,
            "encoder": layer,
            "decoder": {**layer, "attention": "additive"},
            "dropout": 0.0,
        }
        side = Side(FIRST + _LETTERS)
        return Part(Model, "encoder_decoder", options).build({SOURCE_NAME: side}, side)

    def _copies(self, rows: int, step: int) -> Batch:
        """Draw letters to be copied."""
        drawn = letters(rows, self.places, _LETTERS, seed=self.seed, step=step).tolist()
        return batch_of(drawn, drawn)


def _points(shares: list[float]) -> list[tuple[float, float]]:
    return [(float(place), share) for place, share in enumerate(shares, start=1)]


def _mean(values: list[float]) -> float:
    return sum(values) / len(values)
