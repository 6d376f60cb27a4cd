from torch import nn

from saccade.cells.base import Cell
from saccade.export._sweeps import TraceableCell, traceable
from tests.samples import untrained


def test_a_copy_is_made_traceable_and_the_model_left_alone() -> None:
    model = untrained("luong")
    before = [module for module in model.modules() if isinstance(module, Cell)]
    copied = traceable(model)
    wrapped = [module for module in copied.modules() if isinstance(module, TraceableCell)]
    assert len(wrapped) == len(before) == 3
    assert [module for module in model.modules() if isinstance(module, Cell)] == before
    assert all(one.node is not None for one in wrapped)
    assert isinstance(copied, nn.Module)
    assert not copied.training
