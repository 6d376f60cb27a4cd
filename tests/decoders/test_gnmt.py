import pytest
import torch
from torch import Tensor
from torch.testing import assert_close

from saccade.attention.base import Attention
from saccade.cells.lstm import LSTM
from saccade.decoders.gnmt import GnmtDecoder
from saccade.errors import RecipeError
from saccade.flow import Memory
from saccade.parts import Part
from tests import reference
from tests.samples import memory, randn, scramble

LENGTHS, D = (3, 5, 1), 6


def decoder(layers: int, residual_from: int = 3) -> GnmtDecoder:
    built = GnmtDecoder(4, 8, hidden=D, layers=layers, residual_from=residual_from)
    return scramble(built).eval()


def by_torch(ours: GnmtDecoder, x: Tensor, memory: Memory) -> Tensor:
    """Compute the equations of the docstring with torch's LSTM, one whole layer after the other."""
    cells = [cell for cell in ours.cells if isinstance(cell, LSTM)]
    first = torch.tanh(ours.bridge(memory.summary)).view(len(x), -1, D)  # [B, 2 L, D]
    prepared = ours.attention.prepare_memory(memory)
    h, c = first[:, 0], first[:, 1]
    lowest, contexts, one_step = [], [], reference.lstm(cells[0])
    for t in range(x.shape[1]):
        read = ours.attention(h[:, None], prepared, memory.mask[:, None], {}).context
        out, (h_n, c_n) = one_step(torch.cat([x[:, t, None], read], dim=2), (h[None], c[None]))
        h, c = h_n[0], c_n[0]
        lowest.append(out)
        contexts.append(read)
    y, context = torch.cat(lowest, dim=1), torch.cat(contexts, dim=1)
    for i, cell in enumerate(cells[1:], 1):
        begin = (first[:, 2 * i][None].contiguous(), first[:, 2 * i + 1][None].contiguous())
        out, _ = reference.lstm(cell)(torch.cat([y, context], dim=2), begin)
        y = out + y if i + 1 >= ours.residual_from else out
    return y


@pytest.mark.parametrize("layers", [1, 2, 4])
@pytest.mark.parametrize("residual_from", [2, 3, 9])
def test_the_stack_is_that_of_the_equations(layers: int, residual_from: int) -> None:
    ours, x, source = decoder(layers, residual_from), randn(3, 5, 4), memory(*LENGTHS)
    assert_close(ours(x, source).features, by_torch(ours, x, source))


def test_what_the_lowest_layer_asked_before_reaches_all_layers() -> None:
    """What is read at a step does not depend on its symbol, and changes what every layer reads."""
    ours, source = decoder(3), memory(*LENGTHS)
    maps = [ours.step(randn(3, 4, seed=seed), ours.start(source), look=True) for seed in (1, 2)]
    assert maps[0].weights is not None
    assert maps[1].weights is not None
    assert_close(maps[0].weights, maps[1].weights)
    above = ours.get_submodule("cells.2")
    assert isinstance(above, LSTM)
    with torch.no_grad():
        before = ours(randn(3, 4, 4), source).features
        above.W[:, D:] = 0.0  # the top layer is deaf to the context
        assert not torch.allclose(ours(randn(3, 4, 4), source).features, before)


@pytest.mark.parametrize("attention", ["location_aware", "none", "multihead"])
def test_any_attention_may_be_asked(attention: str) -> None:
    options = {"heads": 2} if attention == "multihead" else {}
    ours = GnmtDecoder(4, 8, hidden=D, attention=Part(Attention, attention, options), layers=2)
    x, state = randn(3, 4, 4), scramble(ours).start(memory(*LENGTHS))
    whole = ours.eval()(x, memory(*LENGTHS)).features
    for t in range(4):
        features, _, state = ours.step(x[:, t], state)
        assert_close(features, whole[:, t])


def test_the_lowest_layer_cannot_add_words() -> None:
    with pytest.raises(RecipeError, match=r"residual_from 1 is below 2; the lowest layer reads"):
        GnmtDecoder(4, 8, residual_from=1)
