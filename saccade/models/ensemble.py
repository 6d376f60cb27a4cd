"""Several models that write one output together: the mean of what they find likely."""

from collections.abc import Iterable, Mapping, Sequence
from math import log
from typing import ClassVar, NamedTuple

import torch
from torch import Tensor, nn

from saccade.errors import RecipeError, ShapeError
from saccade.flow import SOURCE, Batch, Decoded, Sources, State, Stepped, nested
from saccade.heads.given import GivenHead
from saccade.models.base import Model, Writer, writer
from saccade.nouns import Side
from saccade.parts import Part

_BY_STEPS = ("beam", "greedy")  # searches that only ask what comes next


class Ensemble(Writer):
    """Asks all its members what comes next, and takes the mean of their probabilities.

        p(y[t] | y[<t], x) = 1/M sum_m p_m(y[t] | y[<t], x)

    Sutskever et al. 2014 (arXiv:1409.3215), table 1, add up to 5 LSTMs that differ in their seeds.
    Hansen & Salamon 1990 (doi:10.1109/34.58871) is why: members that err apart outvote each other.
    Members may be of any architecture; what each reads and writes has the same symbols. The mean is
    of probabilities, not of their logarithms, so that one member alone cannot rule a symbol out.
    `saccade ensemble` makes one of trained models. Attention maps are those of the members, called
    `model 1`, `model 2` and so on.
    """

    discrete: ClassVar[bool | None] = True
    several: ClassVar[bool] = True

    def __init__(
        self,
        sources: Mapping[str, Side],
        target: Side,
        *,
        members: list[Part[Model]] = [Part(Model, "encoder_decoder")] * 2,
    ) -> None:
        super().__init__()
        if len(members) < 2:
            raise RecipeError(
                f"model.members: found {len(members)}; expected two models or more. Name more, or"
                " take the one as it is."
            )
        built = [part.build(sources, target) for part in members]
        for part, one in zip(members, built, strict=True):
            _check(part.kind, one)
        self.members = nn.ModuleList(built)
        self.one_vocabulary = any(one.one_vocabulary for one in built)
        self.covers = all(one.covers and one.attention_names for one in built)
        self.normalised = all(one.normalised for one in built)
        self.head = GivenHead(target.size, target.size, None)

    @property
    def writers(self) -> list[Writer]:
        """The members, in their order."""
        return [writer(one) for one in self.members if isinstance(one, Model)]

    @property
    def attention_names(self) -> tuple[str, ...]:
        """Those of all members, behind the member's number."""
        return tuple(
            f"model {n} {name}".strip()
            for n, one in enumerate(self.writers, start=1)
            for name in one.attention_names
        )

    def grid(self, shapes: dict[str, tuple[int, ...]]) -> tuple[int, ...]:
        """Return the shape of the places that attention weighs; it is the same for all members."""
        looking = [one for one in self.writers if one.attention_names] or self.writers
        grids = {one.grid(shapes) for one in looking}
        if len(grids) > 1:
            found = ", ".join(" x ".join(map(str, grid)) for grid in sorted(grids))
            raise ShapeError(
                f"ensemble: its models look at different places: {found}; expected the same to draw"
                " their maps side by side. Look at one model alone."
            )
        return next(iter(grids))

    def accept(self, weights: Mapping[str, Tensor], where: str) -> None:
        """Make room in the members whose size is that of their data."""
        for n, one in enumerate(self.writers):
            one.accept(_below(f"members.{n}.", weights), where)

    def forward(self, batch: Batch, *, look: bool = False) -> Decoded:
        """Read the sources and the given prefix: features are log-probabilities `[B, T, V]`."""
        several = [(one, one(batch, look=look)) for one in self.writers]
        said = [one.head.log_probs(decoded.features) for one, decoded in several]
        maps = [decoded.weights for _, decoded in several if decoded.weights is not None]
        return Decoded(mean_of(said), torch.cat(maps, dim=2) if maps else None)

    def start(self, sources: Sources) -> State:
        """Let every member read the sources."""
        return gathered(one.start(sources) for one in self.writers)

    def advance(self, token: Tensor, state: State, *, look: bool = False) -> Stepped:
        """Let every member read what was written last."""
        several = [
            (one, one.advance(token, own, look=look))
            for one, own in zip(self.writers, parted(state), strict=True)
        ]
        said = [one.head.log_probs(stepped.features) for one, stepped in several]
        maps = [stepped.weights for _, stepped in several if stepped.weights is not None]
        after = gathered(stepped.state for _, stepped in several)
        return Stepped(mean_of(said), torch.cat(maps, dim=1) if maps else None, after)


def mean_of(log_probs: Sequence[Tensor]) -> Tensor:
    """Return the logarithm of the mean of probabilities, given theirs.

    >>> mean_of([torch.tensor([0.25]).log(), torch.tensor([0.75]).log()]).exp()
    tensor([0.5000])
    """
    return torch.stack(list(log_probs)).logsumexp(dim=0) - log(len(log_probs))


def gathered(states: Iterable[State]) -> State:
    """Put the states of several models into one, what depends on the sources alone by itself."""
    own: State = {}
    read: State = {}
    for n, state in enumerate(states):
        own[str(n)] = {name: entry for name, entry in state.items() if name != SOURCE}
        read[str(n)] = nested(state, SOURCE) if SOURCE in state else {}
    return {**own, SOURCE: read}


def parted(state: State) -> list[State]:
    """Return the states that `gathered` put together.

    >>> parted(gathered([{"h": torch.zeros(2)}, {SOURCE: {"keys": torch.ones(1)}}]))
    [{'h': tensor([0., 0.])}, {'source': {'keys': tensor([1.])}}]
    """
    read = nested(state, SOURCE)
    return [_whole(nested(state, name), nested(read, name)) for name in read]


def _whole(own: State, read: State) -> State:
    return {**own, SOURCE: read} if read else own


def _below(place: str, weights: Mapping[str, Tensor]) -> dict[str, Tensor]:
    inside = (name for name in weights if name.startswith(place))
    return {name.removeprefix(place): weights[name] for name in inside}


class _Fault(NamedTuple):
    """What keeps a model from being a member, and what was expected."""

    found: str
    expected: str


def _check(kind: str, model: Model) -> None:
    """Refuse a member that does not write symbols one by one for its sources."""
    wrong = None
    if not model.reads:
        wrong = _Fault("reads no source", "one that does")
    elif not isinstance(model, Writer) or not model.head.discrete:
        wrong = _Fault("does not write symbols one by one", "one that does")
    elif model.search not in _BY_STEPS:
        wrong = _Fault(f"is searched by {model.search}", "one that beam search can follow")
    if wrong:
        raise RecipeError(
            f"model.members: {kind} {wrong.found}; expected {wrong.expected}, such as"
            " encoder_decoder. Leave it out."
        )
