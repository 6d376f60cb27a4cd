"""How far back a gradient reaches through a recurrent cell: the vanishing-gradient picture.

    g[k] = mean over rows of || d (v . h[T]) / d s[T - k] ||,    v a random direction, |v| = 1

`s` is all that the cell carries from step to step: `h`, and `c` too for an LSTM. If g falls to zero
nothing that happened k steps ago can be learned from; if it grows, training is unstable. Hochreiter
1991; Bengio, Simard & Frasconi 1994; Pascanu, Mikolov & Bengio 2013 (arXiv:1211.5063), section 2.
"""

import copy
from collections.abc import Mapping, Sequence

import torch
from torch import Tensor, nn

from saccade.cells.base import Cell
from saccade.errors import RecipeError
from saccade.flow import Batch, Padded, map_state, tensor, tensors
from saccade.look.inspection import batch_of
from saccade.look.recording import Reel, record
from saccade.modalities._notation import Notation
from saccade.modalities.base import Array
from saccade.models.encoder_decoder import EncoderDecoder
from saccade.parts import Part, kinds
from saccade.predict.prediction import Prediction
from saccade.predict.predictor import Predictor
from saccade.tokenizers._vocabulary import END

_ROWS = 8  # sequences that a mean is over

Flow = Mapping[str, list[float]]


def through_cells(
    cells: Sequence[Part[Cell]] = (), *, length: int = 100, hidden: int = 64, seed: int = 1
) -> Flow:
    """Return the flow through untrained cells that read noise; every kind if none is given.

    Each is `hidden` wide, starts as training would start it, and reads `x ~ N(0, 1)`.
    """
    _check_length(length)
    flow = {}
    for part in cells or [Part(Cell, kind) for kind in kinds(Cell)]:
        name = " ".join([part.kind, *(f"{k}={v}" for k, v in part.options.items())])
        with torch.random.fork_rng():
            torch.manual_seed(seed)
            cell = part.build(hidden, hidden)
            noise = torch.randn(_ROWS, length, hidden)
        with torch.no_grad():
            reel = Reel(name, cell, cell.project(noise), cell.start(noise), backward=False)
        flow[name] = through(reel, seed=seed)
    return flow


def through_model(translator: Predictor, *, length: int = 100, seed: int = 1) -> Flow:
    """Return the flow through every cell of a model that reads and writes symbols drawn at random.

    There is a line for each layer and direction.
    """
    _check_length(length)
    noise = torch.Generator().manual_seed(seed)
    n_read = length - 1 if translator.model.reads else 0
    read = {name: _drawn(side, n_read, noise) for name, side in translator.sources.items()}
    arrays = [dict(zip(read, row, strict=True)) for row in zip(*read.values(), strict=True)]
    batch = translator.batch(arrays, list(_drawn(translator.target, length - 1, noise)))
    return _of(record(translator.model, lambda model: model(batch)), seed)


def _drawn(side: Notation, length: int, noise: torch.Generator) -> Array:
    """Draw symbols of a side, `[rows, length]`."""
    if side.vocabulary is None:
        raise RecipeError(
            "gradients: this model reads or writes something else than text, of which no symbols"
            " can be drawn. Use `saccade inspect MODEL example:1 --view gradients`."
        )
    size = max(len(side.vocabulary), END + 2)
    drawn: Array = torch.randint(END + 1, size, (_ROWS, length), generator=noise).numpy()
    return drawn


def through_sentence(translator: Predictor, translation: Prediction, *, seed: int = 1) -> Flow:
    """Return the flow through every cell of a model at work on one sentence."""
    batch = batch_of(translator, translation)
    return _of(record(translator.model, lambda model: model(batch)), seed)


def to_source(model: EncoderDecoder, batch: Batch, place: int = 0) -> list[float]:
    """Return how strongly one written symbol feels each place that was read, the last one first.

        g[k] = mean over rows of || d log p(y[place] | y[<place], x) / d x[S - k] ||

    `x` are the vectors that the encoder reads. All sources must be of one length: there is no
    padding. k runs from 0, the last place of the source, to S.
    """
    watched, read = copy.deepcopy(model).eval(), list[Tensor]()

    def note(_module: nn.Module, _given: object, found: Padded) -> None:
        read.append(found.values)

    watched.reading.embedder.register_forward_hook(note)
    with torch.enable_grad():
        features = watched(batch).features[:, place]  # [B, D]
        said = watched.head.log_probs(features)  # [B, V]
        total = said.gather(1, batch.target.values[:, place, None]).sum()
        (slopes,) = torch.autograd.grad(total, read)  # [B, S, D]
    return [float(norm) for norm in slopes.norm(dim=2).mean(dim=0).flip(0)]


def through(reel: Reel, *, seed: int = 1) -> list[float]:
    """Return g[0], g[1], ... of one cell, back to the state before its first step."""
    cell = copy.deepcopy(reel.cell).double()
    first = map_state(lambda entry: entry.double().requires_grad_(), reel.first)
    with torch.enable_grad():
        projected = reel.projected.double().requires_grad_()
        again = Reel(reel.name, cell, projected, first, reel.backward)
        states = again.replay()
        last = tensor(states[-1], "h")  # [B, D]
        noise = torch.Generator().manual_seed(seed)
        v = torch.randn(last.shape, generator=noise, dtype=torch.float64).to(last.device)
        total = (last * v / v.norm(dim=1, keepdim=True)).sum()
        entries = [entry for state in states for entry in tensors(state)]
        live = [entry for entry in entries if entry.requires_grad]  # not how long a slot was idle
        grads = iter(torch.autograd.grad(total, live, allow_unused=True, materialize_grads=True))
    found = [next(grads) if one.requires_grad else torch.zeros_like(one) for one in entries]
    n = len(tensors(first))
    steps = torch.stack([_norms(found, i, n) for i in range(len(states))])  # [T + 1]
    return [float(norm) for norm in steps.flip(0)]


def _norms(found: Sequence[Tensor], step: int, n: int) -> Tensor:
    mine = torch.cat([one.flatten(1) for one in found[step * n : (step + 1) * n]], dim=1)
    return mine.square().sum(dim=1).sqrt().mean()


def _of(reels: Sequence[Reel], seed: int) -> Flow:
    if not reels:
        raise RecipeError(
            "gradients: this model has no recurrent cell, so no gradient runs back through time."
            " Give a model with an rnn encoder or decoder, or none to see untrained cells."
        )
    return {reel.name: through(reel, seed=seed) for reel in reels}


def _check_length(length: int) -> None:
    if length < 2:
        raise RecipeError(
            f"gradients: length is {length}; expected 2 or more steps, as in 100; raise it."
        )
