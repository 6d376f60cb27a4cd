"""One network that reads and then writes: rows, states, and whether it can learn to copy."""

import pytest
import torch
from torch import Tensor
from torch.testing import assert_close

from saccade.cells.base import Cell
from saccade.errors import RecipeError
from saccade.flow import Batch, Padded, State, nested, tensor
from saccade.models.base import Model, Writer, writer
from saccade.models.read_then_write import joined, kept_where
from saccade.nouns import Side
from saccade.parts import Part
from tests.samples import backward, mask_of, randn, scramble

SIDE = Side(4, "linear", "bernoulli_end")
NTM = {"kind": "ntm", "slots": 8, "width": 6}


def build(**options: object) -> Writer:
    chosen = {"cell": NTM, "embedding": 8, "hidden": 12, **options}
    with torch.random.fork_rng():
        torch.manual_seed(1)
        return writer(Part(Model, "read_then_write", chosen).build({"source": SIDE}, SIDE))


def copies(*lengths: int, seed: int = 1) -> Batch:
    """Bits of these lengths to be copied, END behind them."""
    mask = mask_of(*(n + 1 for n in lengths))
    values = (randn(*mask.shape, 4, seed=seed) > 0).float() * mask[..., None]
    values[..., 3] = 0
    for row, n in zip(values, lengths, strict=True):
        row[n] = torch.tensor([0.0, 0, 0, 1])
    prefix = torch.zeros_like(values)
    prefix[:, 1:] = values[:, :-1] * mask[:, 1:, None]
    return Batch({"source": Padded(values, mask)}, Padded(values, mask), prefix)


def test_a_prefix_stands_right_behind_its_source() -> None:
    source = Padded(randn(3, 4, 2), mask_of(4, 1, 0, size=4))
    prefix = randn(3, 2, 2, seed=2)
    rows, first = joined(source, prefix)
    assert first.tolist() == [[4, 5], [1, 2], [0, 1]]
    for b, n in enumerate((4, 1, 0)):
        assert torch.equal(rows[b, :n], source.values[b, :n])
        assert torch.equal(rows[b, n : n + 2], prefix[b])


def test_rows_that_are_over_keep_their_state() -> None:
    after: State = {"h": randn(2, 3), "m": {"x": randn(2, 2, 2)}}
    before: State = {"h": randn(2, 3, seed=2), "m": {"x": randn(2, 2, 2, seed=2)}}
    found = kept_where(torch.tensor([True, False]), after, before)
    for row, wanted in ((0, after), (1, before)):
        assert torch.equal(tensor(found, "h")[row], tensor(wanted, "h")[row])
        one, other = tensor(nested(found, "m"), "x"), tensor(nested(wanted, "m"), "x")
        assert torch.equal(one[row], other[row])


@pytest.mark.parametrize("feedback", [True, False])
@pytest.mark.parametrize("cell", ["ntm", "dnc", "sparse_access", "clockwork", "lstm"])
def test_step_by_step_is_at_once_for_rows_of_any_length(cell: str, feedback: bool) -> None:
    part = {"kind": cell, **({"slots": 8} if cell in ("ntm", "dnc", "sparse_access") else {})}
    model = scramble(build(cell=part, feedback=feedback), scale=0.3).double()
    batch = copies(4, 1, 6)
    source = Padded(batch.source.values.double(), batch.source.mask)
    batch = Batch({"source": source}, batch.target, batch.prefix.double())
    whole, state = model(batch).features, model.start(batch.sources)
    for t in range(batch.prefix.shape[1]):
        features, _, state = model.advance(batch.prefix[:, t], state)
        assert_close(features, whole[:, t])


def bits_of(model: Model, batch: Batch) -> Tensor:
    return model.head.best(model(batch).features)


@pytest.mark.parametrize(
    "cell",
    [
        {"kind": "ntm", "slots": 8, "width": 6, "controller": "feedforward"},
        {"kind": "dnc", "slots": 8, "width": 6},
        {"kind": "sparse_access", "slots": 16, "width": 6, "nearest": 3},
        {"kind": "clockwork", "periods": [1, 2, 4]},
    ],
    ids=lambda cell: cell["kind"],
)
def test_eight_sequences_are_learned_by_heart(cell: dict[str, object]) -> None:
    model, batch = build(cell=cell, hidden=32).train(), copies(3, 1, 2, 3, 2, 3, 1, 3)
    optimiser = torch.optim.Adam(model.parameters(), lr=2e-2)
    mask = batch.target.mask
    for _ in range(250):
        total, each = model.head.loss(model(batch).features[mask], batch.target.values[mask])
        if total.item() / len(each) < 0.05:
            break
        optimiser.zero_grad()
        backward(total / len(each))
        torch.nn.utils.clip_grad_norm_(model.parameters(), 1.0)
        optimiser.step()
    assert torch.equal(bits_of(model.eval(), batch)[mask], batch.target.values[mask])


def test_layers_are_one_or_more() -> None:
    with pytest.raises(RecipeError, match=r"read_then_write.layers: found 0; expected 1 or more"):
        build(layers=0)
    model = build(layers=2, cell="lstm")
    assert isinstance(model.get_submodule("cells.1"), Cell)
