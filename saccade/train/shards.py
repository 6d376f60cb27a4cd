"""A model in shards: every process holds a part of each weight, its gradient and its moments.

Rajbhandari et al. 2020 (arXiv:1910.02054), stage 3, by torch's `fully_shard` (FSDP2). A weight of n
rows lies in parts of ceil(n / N) rows. Before a pass the weights of a Block, or of all that is no
Block, come together; after it they are dropped, and gradients are added up where their part is.

Objectives ask models for more than `forward`. So the outermost module that is sharded is one whose
`forward` is the whole question: what an objective asks meanwhile finds the weights in place.
"""

import copy
import warnings
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import ClassVar

import torch
from torch import Tensor, nn
from torch.distributed.device_mesh import init_device_mesh
from torch.distributed.fsdp import FSDPModule, fully_shard, register_fsdp_forward_method
from torch.distributed.tensor import DTensor, Shard

from saccade.errors import RecipeError
from saccade.flow import Batch, Loss
from saccade.kernels.allocator import kept_memory
from saccade.layers.block import Block
from saccade.models.base import Model
from saccade.objectives.base import Moment, Objective
from saccade.train import weights
from saccade.train.holding import Holding, Room, length
from saccade.train.processes import Processes

_PREFIXES = ("raw.", "adam.exp_avg.", "adam.exp_avg_sq.")  # of what has the shape of a weight


class Sharded(Holding):
    """A model of which every process holds a part.

    Process 0 keeps the given model whole besides, to judge and decode with; that of the others is
    sharded as it is. All must begin with the same weights.

    Args:
        model: whole, the same in all processes.
        processes: of the job.
        apart: False where passes differ from process to process, as sampling makes them: then all
            weights come together at once, since nobody may wait for a block that others do not ask.
    """

    joint: ClassVar[bool] = True
    kept: ClassVar[int] = 1 << 20  # what comes together for a block is to be given back after it

    def __init__(self, model: Model, processes: Processes, *, apart: bool) -> None:
        _check_shapes(model)
        processes.agree(weights.sums(model), "weights")
        with kept_memory(self.kept):
            self._share_out(model, processes, apart=apart)

    def _share_out(self, model: Model, processes: Processes, *, apart: bool) -> None:
        self._judged = model if processes.leads else None
        self.model = copy.deepcopy(model) if processes.leads else model
        device = next(model.parameters()).device
        mesh = init_device_mesh(device.type, (processes.size,))
        if apart:
            for block in [one for one in self.model.modules() if isinstance(one, Block)]:
                fully_shard(block, mesh=mesh)
                for name in block.entries:
                    register_fsdp_forward_method(block, name)
        self._question = _Question(self.model)
        fully_shard(self._question, mesh=mesh)
        _add_up(self._question)
        self._layouts = _layouts(self.model)
        self.own = _tree({name: _part(one) for name, one in self._layouts.items()})

    def loss(self, objective: Objective, batch: Batch, moment: Moment) -> Loss:
        """Ask an objective, with weights that come together for it."""
        with warnings.catch_warnings():  # nobody writes into the keys that `prepare` returns
            warnings.filterwarnings("ignore", message="FSDP2-wrapped module")
            return self._question.asked(lambda model: objective(model, batch, moment))

    def collect(self, processes: Processes) -> None:
        """Take over the sums that are there; a weight that no process asked for has none."""
        found = processes.tell({"unused": sorted(self._question.watched - self._question.used)})
        unused = set[str].intersection(*(set(one["unused"]) for one in found))
        self._question.used.clear()
        for name, part in self.own.named_parameters():
            whole = self._layouts[name]
            if isinstance(whole.grad, DTensor) and name not in unused:
                part.grad = whole.grad.to_local()
            whole.grad = None

    def norm(self, processes: Processes) -> float:
        """Return how long the gradient is, from the squares of all parts."""
        mine = length([p.grad for p in self.own.parameters() if p.grad is not None])
        squares = [float(one["length"]) ** 2 for one in processes.tell({"length": mine})]
        return float(sum(squares) ** 0.5)

    def show(self, weights: dict[str, Tensor]) -> None:
        """Bring weights together, one by one, in the model that process 0 keeps whole."""
        kept = dict(self._judged.named_parameters()) if self._judged else {}
        for name, tensor in self.stored(weights).items():
            assert isinstance(tensor, DTensor)
            whole = tensor.full_tensor()
            if name in kept:
                kept[name].detach().copy_(whole)

    def stored(self, tensors: dict[str, Tensor]) -> dict[str, Tensor]:
        """Say of parts what they are parts of."""
        return {name: self._placed(name, one) for name, one in tensors.items()}

    def _placed(self, name: str, part: Tensor) -> Tensor:
        layout = self._layout(name)
        if layout is None:
            return part
        return DTensor.from_local(
            part.detach(),
            layout.device_mesh,
            layout.placements,
            run_check=False,
            shape=layout.shape,
            stride=layout.stride(),
        )

    def taken(self, tensors: dict[str, Tensor]) -> dict[str, Tensor]:
        """Return the parts alone."""
        return {
            name: one.to_local() if isinstance(one, DTensor) else one
            for name, one in tensors.items()
        }

    @property
    def room(self) -> Room | None:
        """Make room for this process's part, or for what has no parts."""
        return self._room

    def _room(self, name: str, size: torch.Size, dtype: torch.dtype) -> Tensor:
        layout = self._layout(name)
        if layout is None or layout.shape != size:
            return torch.empty(size, dtype=dtype)
        return self._placed(name, torch.empty_like(layout.to_local(), dtype=dtype))

    def _layout(self, name: str) -> DTensor | None:
        """Return the weight that a tensor of a checkpoint is of the shape of, if there is one."""
        for prefix in ("", *_PREFIXES):
            if name.startswith(prefix) and name.removeprefix(prefix) in self._layouts:
                return self._layouts[name.removeprefix(prefix)]
        return None


class _Question(nn.Module):
    """A model whose `forward` is whatever is asked of it.

    watched: names of the weights that may stay unused.  used: those that have had a gradient.
    """

    def __init__(self, model: Model) -> None:
        super().__init__()
        self.model = model
        self.watched, self.used = set[str](), set[str]()
        self._found: list[Loss] = []

    def asked(self, ask: Callable[[Model], Loss]) -> Loss:
        """Return the answer."""
        self(ask)
        return self._found.pop()

    def forward(self, ask: Callable[[Model], Loss]) -> Tensor:
        """Ask; what is returned is what a backward pass begins with."""
        if not self.watched:
            self._watch()
        self._found.append(ask(self.model))
        return self._found[-1].total

    def _watch(self) -> None:
        for name, one in self.model.named_parameters():
            if one.requires_grad and not isinstance(one, DTensor):  # those of blocks are not here
                self.watched.add(name)
                one.register_post_accumulate_grad_hook(  # type: ignore[no-untyped-call]
                    partial(self._note, name)
                )

    def _note(self, name: str, _: Tensor) -> None:
        self.used.add(name)


def _add_up(question: nn.Module) -> None:
    """Let gradients be sums, as objectives are; a weight that one process did not use counts 0."""
    for module in question.modules():
        if isinstance(module, FSDPModule):
            module.set_gradient_divide_factor(1.0)
            module.set_force_sum_reduction_for_comms(True)
            module.set_reduce_scatter_unused_params(True, recurse=False)


def _layouts(model: nn.Module) -> dict[str, DTensor]:
    found = dict[str, DTensor]()
    for name, parameter in model.named_parameters():
        assert isinstance(parameter, DTensor)
        assert parameter.placements == (Shard(0),)
        found[name] = parameter
    return found


def _part(whole: DTensor) -> nn.Parameter:
    """Return this process's rows, in the same memory."""
    return nn.Parameter(whole.to_local().detach(), requires_grad=whole.requires_grad)


def _tree(parts: Mapping[str, nn.Parameter]) -> nn.Module:
    """Put parameters under names with dots."""
    root = nn.Module()
    for name, part in parts.items():
        *path, last = name.split(".")
        at = root
        for step in path:
            if step not in dict(at.named_children()):
                at.add_module(step, nn.Module())
            at = at.get_submodule(step)
        at.register_parameter(last, part)
    return root


def _check_shapes(model: nn.Module) -> None:
    odd: Sequence[str] = [name for name, one in model.named_parameters() if one.dim() == 0]
    if odd:
        raise RecipeError(
            f"training.shard: {odd[0]} is a single number without rows; expected weights with rows"
            " to share out. Leave out training.shard."
        )
