"""The forecaster computes its equation, and learns to go on."""

import numpy as np
import torch
from saccade.data.windows import collate
from saccade.models.forecaster import Forecaster
from torch import nn
from torch.testing import assert_close

from saccade.decoders.base import Decoder
from saccade.encoders.base import Encoder
from saccade.objectives._errors import squared_error
from saccade.parts import Part
from tests.samples import backward, scramble

RNN = {"hidden": 12, "dropout": 0.0}
PLAIN = Part(
    Decoder, "rnn", {**RNN, "attention": "none", "wiring": "luong", "input_feeding": False}
)


def model_of(*, relative: bool = False) -> Forecaster:
    return Forecaster(
        1, 1, encoder=Part(Encoder, "rnn", RNN), decoder=PLAIN, embedding=4, relative=relative
    )


def waves() -> "list[np.ndarray[tuple[int, ...], np.dtype[np.float32]]]":
    phases = np.arange(16) * 0.4
    return [np.sin(np.arange(18) * 0.8 + p)[:, None].astype(np.float32) for p in phases]


def test_relative_adds_the_last_known_value() -> None:
    plain, relative = scramble(model_of()), scramble(model_of(relative=True))
    batch = collate([wave[:12] for wave in waves()], [wave[12:] for wave in waves()])
    found = [m.log_probs(m(batch).features) for m in (plain, relative)]
    assert_close(found[1] - found[0], batch.source.values[:, -1:].expand(-1, 6, -1))


def test_learns_to_go_on_by_itself() -> None:
    with torch.random.fork_rng():
        torch.manual_seed(1)
        model = model_of()
    batch = collate([wave[:12] for wave in waves()], [wave[12:] for wave in waves()])
    optimiser = torch.optim.Adam(model.parameters(), lr=1e-2)
    loss = squared_error(model, batch, free_running=True)
    for _ in range(150):
        optimiser.zero_grad()
        backward(loss.total / loss.count)
        nn.utils.clip_grad_norm_(model.parameters(), 1.0)
        optimiser.step()
        loss = squared_error(model, batch, free_running=True)
    assert loss.total.item() / loss.count < 0.02  # sines have a variance of 0.5
