"""What all models of word alignment share: counting, lengths, and writing word by word."""

from abc import ABC, abstractmethod
from collections.abc import Mapping
from math import pi
from typing import Any, ClassVar, NamedTuple

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor, nn
from torch.nn.functional import logsigmoid

from saccade.errors import CheckpointError, DataError, RecipeError
from saccade.flow import SOURCE, Batch, Decoded, Sources, State, Stepped, nested, only, tensor
from saccade.heads._lexical import N_MARKS, LexicalHead, LexicalTable, Mixed
from saccade.models._aligner import REACH, Aligner, AlignerPass, AlignerSettings, AlignerState
from saccade.models.base import CountedModel, CountedPass, LaidPairs, LaidSide, Writer
from saccade.nouns import Side
from saccade.tokenizers._vocabulary import END, PAD, START

Array = NDArray[Any]
_LEAST_SCALE, _FAR = 0.5, -80.0
_NUMBERS = {"tension": 1, "jumps": 2 * REACH + 1, "length": 2}


class Place(NamedTuple):
    """The source as a model of alignment sees it, `[B, P]`; the first place is the empty word.

    words: ids.  mask: False for padding, and for END, which is no word.
    """

    words: Tensor
    mask: Tensor

    @property
    def lengths(self) -> Tensor:
        """Words of each source, `[B]`, without the empty one."""
        return self.mask.sum(dim=1) - 1


class WordAligner(CountedModel, Writer, ABC):
    """A model that writes every target word as the translation of one source word or of none.

        p(y, a | x) = p(T | S) prod_j p(a_j | a_1..a_{j-1}, j, S, T) t(y_j | x_{a_j})

    S and T are lengths. Their model is a logistic distribution of T, rounded, around a multiple of
    S: so END has a probability before every word. What it looks at is, for each word of a given
    target, the posterior of every source place; the rest is the empty word's. END looks at END.
    While it writes, it is what is known before the word.
    """

    discrete: ClassVar[bool | None] = True
    covers = False  # the empty word has a share
    source_raws: ClassVar[tuple[str, ...]] = ("text",)
    target_raws: ClassVar[tuple[str, ...]] = ("text",)
    head: LexicalHead

    def __init__(
        self, sources: Mapping[str, Side], target: Side, plan: list[str], settings: AlignerSettings
    ) -> None:
        super().__init__()
        (source,) = sources.values()
        self.plan, self.n_source = plan, source.size
        self.iterations = len(plan)
        n_words = max(target.size - N_MARKS, 1)
        self.settings = AlignerSettings(
            settings.prior, settings.null, settings.jump_prior, n_words=n_words
        )
        self.head = LexicalHead(0, target.size, None, source.size)
        start = Aligner.begin(*(_side([], []),) * 2, source.size, target.size)
        self.tension = _held(torch.from_numpy(start.tension))
        self.jumps = _held(torch.from_numpy(start.jumps))
        self.length = _held(torch.tensor([1.0, 1.0], dtype=torch.double))  # ratio and scale

    @property
    def attention_names(self) -> tuple[str, ...]:
        """One map: the alignment."""
        return ("alignment",)

    def count(self, corpus: LaidPairs, iteration: int) -> CountedPass:
        """Make one pass of EM."""
        (source,), target = corpus.sources.values(), corpus.target
        if not len(target.values):
            raise DataError(f"{self.plan[-1]}: there is nothing to align; expected pairs of text.")
        if iteration == 0:
            begun = Aligner.begin(source, target, self.n_source, self.head.size)
            self._put(begun)
            self.length.data = _fit_lengths(source.lengths, target.lengths)
        aligner = Aligner(self.aligner_state(), self.settings)
        kind = self.plan[iteration]
        found = self._step(aligner, source, target, kind)
        self._put(aligner.state)
        figures = {"log-likelihood": found.likelihood, "tension": float(self.tension[0])}
        figures["perplexity"] = float(np.exp(-found.likelihood / len(target.values)))
        linked = float((found.places >= 0).mean())
        told = (
            f"{kind}: log-likelihood {found.likelihood:,.0f} before the pass; {linked:.1%} linked."
        )
        if iteration == 0:
            told += f" {len(aligner.state.t):,} pairs of words occur together."
        return CountedPass(figures | {"linked": linked}, told)

    def aligner_state(self) -> AlignerState:
        """Return what is known as arrays."""
        keys, rows, *numbers = (one.detach().cpu().numpy() for one in self.head.table)
        symbols = (keys % self.head.size).astype(np.int32)
        t, floors = (one.astype(np.float32) for one in numbers)
        more = (one.detach().double().cpu().numpy() for one in (self.tension, self.jumps))
        return AlignerState(rows, symbols, t, floors, *more)

    def accept(self, weights: Mapping[str, Tensor], where: str) -> None:
        """Check the tables of a file and make room for them."""
        own = {name.removeprefix("head."): one for name, one in weights.items()}
        self.head.accept(own, where)
        for name, size in _NUMBERS.items():
            if name not in weights or tuple(weights[name].shape) != (size,):
                raise CheckpointError(
                    f"{where}: {name} is missing or has another size; expected {size} numbers. The"
                    " file is another model's: use the folder as it was written."
                )
            if not bool((weights[name].isfinite() & (weights[name] >= 0)).all()):
                raise CheckpointError(
                    f"{where}: {name} has numbers that are not finite or below 0; expected others."
                    " The file is damaged: copy the model folder again."
                )

    def forward(self, batch: Batch, *, look: bool = False) -> Decoded:
        """Read the source and the given prefix; go through it word by word."""
        state, features = self.start(batch.sources), list[Tensor]()
        for token in batch.prefix.unbind(dim=1):
            step = self.advance(token, state)
            features.append(step.features)
            state = step.state
        weights = self._posteriors(batch) if look else None
        return Decoded(torch.stack(features, dim=1), weights)

    def start(self, sources: Sources) -> State:
        """Read the source; nothing is written yet."""
        source = only(sources).flat()
        words = torch.where(source.mask, source.values, PAD)
        mask = source.mask & (source.values != END)
        empty = torch.full_like(words[:, :1], self.n_source)
        place = Place(torch.cat([empty, words], 1), torch.cat([empty > 0, mask], 1))
        written = torch.zeros_like(words[:, 0])
        ends = (source.mask & (source.values == END)).to(self.head.table.t.dtype)
        return {
            SOURCE: {"words": place.words, "mask": place.mask, "ends": ends},
            "written": written,
            **self._begin(place),
        }

    def advance(self, token: Tensor, state: State, *, look: bool = False) -> Stepped:
        """Read one word `[B]`."""
        source, written = nested(state, SOURCE), tensor(state, "written")
        place = Place(tensor(source, "words"), tensor(source, "mask"))
        is_word = (token != START) & (token != PAD) & (token != END)
        told = self.head.look_up(place.words, token) * place.mask  # [B, P]
        own = {name: one for name, one in state.items() if name not in (SOURCE, "written")}
        own = self._read(place, own, written, told.double(), is_word)
        written = written + is_word
        weights, going, ending = self._next(place, own, written)
        kind = self.head.table.t.dtype
        going, ending = (one.clamp(min=_FAR).to(kind)[:, None] for one in (going, ending))
        weights = weights.to(kind)
        features = Mixed(weights, place.words, going, ending).features()
        seen = None
        if look:
            seen = weights[:, 1:] * going.exp() + tensor(source, "ends") * ending.exp()
            seen = seen[:, None]
        return Stepped(features, seen, {SOURCE: source, "written": written, **own})

    def _step(self, aligner: Aligner, source: LaidSide, target: LaidSide, kind: str) -> AlignerPass:
        """Make one pass of EM by the model `kind`."""
        return aligner.step(source, target, kind)

    @abstractmethod
    def _begin(self, place: Place) -> State:
        """Return what moves, before the first word."""

    @abstractmethod
    def _read(
        self, place: Place, state: State, written: Tensor, told: Tensor, is_word: Tensor
    ) -> State:
        """Read a word behind `written` others, which every place says with probability `told`.

        Rows that read no word stay as they are.
        """

    @abstractmethod
    def _next(self, place: Place, state: State, written: Tensor) -> tuple[Tensor, Tensor, Tensor]:
        """Say where the next word comes from, `[B, P]`; log-probabilities of going on and END."""

    def _posteriors(self, batch: Batch) -> Tensor:
        """Return where each word of the target comes from, `[B, T, 1, S]`."""
        source = batch.source.flat()
        mask = source.mask & (source.values != END)
        given = batch.target.mask & (batch.target.values != END)
        sides = [
            _side(values[here].tolist(), here.sum(dim=1).tolist())
            for values, here in ((source.values, mask), (batch.target.values, given))
        ]
        found = self._expect(*sides)
        places = torch.cat([torch.ones_like(mask[:, :1]), mask], dim=1)  # the empty word first
        inside = given[:, :, None] & places[:, None, :]  # [B, T, P]
        weights = torch.zeros(inside.shape, dtype=torch.double, device=mask.device)
        weights[inside] = torch.from_numpy(found).to(mask.device)
        weights = weights[:, :, 1:]
        ends = (batch.target.values == END) & batch.target.mask  # [B, T]
        last = (source.mask & (source.values == END))[:, None, :]
        weights = weights + (ends[:, :, None] & last)
        return weights[:, :, None].to(self.head.table.t.dtype)

    def _expect(self, source: LaidSide, target: LaidSide) -> Array:
        """Return the posteriors of all cells of pairs: `[T, S + 1]` each."""
        aligner = Aligner(self.aligner_state(), self.settings)
        return aligner.read(source, target, self.plan[-1]).counts

    def _put(self, state: AlignerState) -> None:
        size = self.head.size
        keys = state.lexicon.spread(np.arange(len(state.rows) - 1)) * size + state.symbols
        numbers = (keys, state.rows, state.t, state.floors)
        self.head.put(LexicalTable(*(torch.from_numpy(one) for one in numbers)))
        for name in ("tension", "jumps"):
            held = self.get_parameter(name)
            held.data = torch.from_numpy(getattr(state, name)).to(held.device)

    def _lengths(self, place: Place, written: Tensor) -> tuple[Tensor, Tensor]:
        """Return log-probabilities of going on and of END behind `written [B]` words."""
        return hazard(place.lengths.double(), written.double(), self.length.double())


def hazard(S: Tensor, t: Tensor, length: Tensor) -> tuple[Tensor, Tensor]:
    """Return log p(T > t) and log p(T = t), both given T >= t, for sources of S words.

    p(T <= t) = sigmoid((t + 1/2 - r S) / (s sqrt(S + 1)))
    """
    scale = length[1] * (S + 1).sqrt()
    over = logsigmoid(-(t + 0.5 - length[0] * S) / scale)
    reached = torch.where(t > 0, logsigmoid(-(t - 0.5 - length[0] * S) / scale), 0.0)
    going = (over - reached).clamp(max=-1e-30)
    return going, (-torch.expm1(going)).clamp(min=1e-30).log()


def checked(owner: str, passes: Mapping[str, int], prior: float, null: float) -> AlignerSettings:
    """Return settings if they can be; refuse them if not."""
    for name, n in passes.items():
        least = int(name == "passes")
        if not least <= n <= 1_000:
            raise RecipeError(f"{owner}.{name}: {n} is not between {least} and 1000; 5 is usual.")
    if not 0 <= prior <= 100:
        raise RecipeError(f"{owner}.prior: {prior} is not between 0 and 100; 0.01 is usual.")
    if not 0 < null < 1:
        raise RecipeError(f"{owner}.null: {null} is not between 0 and 1; 0.1 to 0.6 is usual.")
    return AlignerSettings(prior, null)


def _fit_lengths(sources: Array, targets: Array) -> Tensor:
    """Fit the ratio of lengths and how far they spread."""
    ratio = targets.sum() / max(sources.sum(), 1)
    spread = np.mean((targets - ratio * sources) ** 2 / (sources + 1.0))
    scale = max(float(np.sqrt(3 * spread)) / pi, _LEAST_SCALE / 2)
    return torch.tensor([float(ratio), scale], dtype=torch.double)


def _held(tensor: Tensor) -> nn.Parameter:
    return nn.Parameter(tensor, requires_grad=False)


def _side(values: list[int], lengths: list[int]) -> LaidSide:
    return LaidSide(np.array(values, np.int64), np.array(lengths, np.int64))
