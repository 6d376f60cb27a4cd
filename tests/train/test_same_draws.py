"""A seed gives the same run with kernels and without: the same masks, and figures to rounding."""

from typing import Any

import pytest
import torch
from torch import Tensor, nn
from torch.testing import assert_close

from saccade.attention.base import Attention
from saccade.decoders.base import Decoder
from saccade.encoders.base import Encoder
from saccade.kernels.library import found
from saccade.layers.dropout import Dropout
from saccade.models.base import Model
from saccade.objectives.cross_entropy import cross_entropy
from saccade.parts import Part
from tests.samples import backward, kernels_off, pairs_batch, sides, vocabulary

UPDATES = 5
LUONG = {"cell": "lstm", "wiring": "luong", "attention": "bilinear", "hidden": 32}
TRANSFORMER = {
    "layers": 2,
    "feed_forward": 64,
    "attention": Part(Attention, "multihead", {"heads": 2}),
}
DROPPED = {
    **TRANSFORMER,
    "attention": Part(Attention, "multihead", {"heads": 2, "dropout": 0.2}),
}
MODELS: dict[str, tuple[str, dict[str, Any], dict[str, Any]]] = {
    "input feeding": ("rnn", {"cell": "lstm", "hidden": 16}, LUONG),
    "two layers": (
        "rnn",
        {"cell": "lstm", "hidden": 16, "layers": 2},
        {**LUONG, "layers": 2, "input_feeding": False},
    ),
    "bahdanau": ("rnn", {"cell": "gru", "hidden": 16}, {"cell": "lstm", "hidden": 32}),
    "transformer": ("transformer", TRANSFORMER, TRANSFORMER),
    "dropped weights": ("transformer", DROPPED, DROPPED),
}


def build(kind: str) -> Model:
    room, encoder, decoder = MODELS[kind]
    options = {
        "embedding": 32,
        "dropout": 0.2,
        "encoder": Part(Encoder, room, {**encoder, "dropout": 0.2}),
        "decoder": Part(Decoder, room, {**decoder, "dropout": 0.2}),
    }
    with torch.random.fork_rng():
        torch.manual_seed(3)
        return Part(Model, "encoder_decoder", options).build(*sides(len(vocabulary())))


def train(kind: str) -> tuple[list[Tensor], list[float], dict[str, Tensor]]:
    """Take some updates; return what was dropped, the losses and the weights.

    The decoder is watched too: one kernel writes its features, and calls no layer for dropout.
    """
    model, dropped, losses = build(kind), [], []

    def watch(_: nn.Module, __: Any, made: Any) -> None:
        features = made if torch.is_tensor(made) else made.features
        dropped.append(features.detach() == 0)

    model.get_submodule("decoder").register_forward_hook(watch)
    for module in model.modules():
        if type(module) is Dropout:
            module.register_forward_hook(watch)
    optimiser = torch.optim.SGD(model.parameters(), lr=0.5)  # Adam would blow up rounding errors
    with torch.random.fork_rng():
        torch.manual_seed(7)
        for _ in range(UPDATES):
            optimiser.zero_grad()
            loss = cross_entropy(model, pairs_batch(), smoothing=0.1)
            backward(loss.total / loss.count)
            optimiser.step()
            losses.append(loss.total.item() / loss.count)
    return dropped, losses, {name: p.detach() for name, p in model.named_parameters()}


@pytest.mark.skipif(found().kernels is None, reason=f"no kernels: {found().told}")
@pytest.mark.parametrize("kind", MODELS)
def test_a_run_does_not_depend_on_a_compiler(kind: str) -> None:
    dropped, losses, weights = train(kind)
    with kernels_off():
        clear_dropped, clear_losses, clear_weights = train(kind)
    assert len(dropped) == len(clear_dropped) > 2 * UPDATES
    assert all(map(torch.equal, dropped, clear_dropped))
    assert 0.1 < torch.cat([one.flatten() for one in dropped]).double().mean() < 0.3
    assert losses[-1] < losses[0]
    assert losses == pytest.approx(clear_losses, rel=1e-5)
    for name, weight in weights.items():
        size = float(clear_weights[name].abs().max())
        assert_close(weight, clear_weights[name], rtol=1e-4, atol=1e-5 * size, msg=name)
