"""Sparse access to a large memory: a head touches only the few slots nearest to its key."""

import torch
from torch import Tensor, nn
from torch.nn.functional import linear

from saccade.cells._addressing import oneplus, similarity
from saccade.cells._memory import MemoryCell, MemorySize
from saccade.cells.base import Cell
from saccade.errors import RecipeError
from saccade.flow import State, tensor
from saccade.parts import Part

_TOUCHED = 0.005  # the least weight that counts as an access
_NEARER = 1e-4  # slots that are as near as that are taken in their order


class SparseAccess(MemoryCell):
    """A controller that reads the K nearest slots, and writes where it last read or nobody did.

        w = alpha (gamma mean_r w_r' + (1 - gamma) l)      l: the slot that was accessed longest ago
        M[n] = M'[n] (1 - alpha (1 - gamma) l[n]) + w[n] a
        w_r = softmax(beta K(k, M)) over the K slots with the largest K(k, M), nought elsewhere
        r = sum_n w_r[n] M[n]

    Sparse access memory: Rae et al. 2016 (arXiv:1610.09027), section 3. Reading and writing touch
    2 R K + 1 slots at a step, however many there are; with `nearest` as large as `slots` it is
    dense. An access is a weight above 0.005. The paper looks the nearest slots up in an approximate
    index; here one product compares the key with all slots and keeps no gradient, which goes
    through the K slots found. The slot l is erased as far as it is written to.

    Options: `slots` N and their `width` M, how many heads read, and `nearest` K.
    """

    def __init__(
        self,
        input_dim: int,
        hidden_dim: int,
        *,
        controller: Part[Cell] = Part(Cell, "lstm"),
        slots: int = 1024,
        width: int = 20,
        reads: int = 1,
        nearest: int = 4,
    ) -> None:
        super().__init__(input_dim, hidden_dim, controller, MemorySize(slots, width, reads))
        if not 1 <= nearest <= slots:
            raise RecipeError(
                f"sparse_access.nearest: found {nearest} of {slots} slots; expected 1 to {slots}."
                " Change it."
            )
        self.nearest = nearest
        self._sizes = [reads * width, reads, width, 1, 1]
        self.interface = nn.Linear(hidden_dim, sum(self._sizes))
        nn.init.xavier_uniform_(self.interface.weight)
        nn.init.zeros_(self.interface.bias)

    def blank(self, like: Tensor) -> State:
        """Return a memory of zeros, which are like no key; its first slot is free first.

        `idle [B, N]` is how many steps ago each slot was accessed.
        """
        n_rows, (slots, width, reads, _) = like.shape[0], self.size
        idle = torch.arange(slots, 0, -1, device=like.device).to(like)
        return {
            "memory": like.new_zeros(n_rows, slots, width),
            "read_vectors": like.new_zeros(n_rows, reads, width),
            "read": like.new_zeros(n_rows, reads, slots),
            "write": like.new_zeros(n_rows, 1, slots),
            "idle": idle.expand(n_rows, -1),
        }

    def access(self, control: Tensor, state: State) -> State:
        """Write to few slots, then read few."""
        _, width, reads, _ = self.size
        raw = linear(control, self.interface.weight, self.interface.bias)
        keys, strengths, add, alpha, gamma = torch.split(raw, self._sizes, dim=1)
        memory, write = self._write(state, add, alpha.sigmoid(), gamma.sigmoid())
        keys = keys.reshape(-1, reads, width)  # [B, R, M]
        places = self._nearest(memory, keys)  # [B, R, K]
        rows = taken(memory, places)  # [B, R, K, M]
        near = similarity(rows.flatten(0, 1), keys.flatten(0, 1)[:, None])  # [B R, 1, K]
        near = near.view_as(places)  # [B, R, K]
        weights = (oneplus(strengths)[..., None] * near).softmax(dim=2)
        read = torch.zeros_like(tensor(state, "read")).scatter(2, places, weights)
        with torch.no_grad():
            touched = (read.amax(dim=1) > _TOUCHED) | (write > _TOUCHED)  # [B, N]
            idle = (tensor(state, "idle") + 1).masked_fill(touched, 0)
        return {
            "memory": memory,
            "read_vectors": (weights[:, :, None] @ rows).squeeze(2),  # [B, R, M]
            "read": read,
            "write": write[:, None],
            "idle": idle,
        }

    def _write(
        self, state: State, add: Tensor, alpha: Tensor, gamma: Tensor
    ) -> tuple[Tensor, Tensor]:
        """Return the memory after writing, and the weights `[B, N]`, most of them nought."""
        memory, read = tensor(state, "memory"), tensor(state, "read")
        again, places = read.topk(self.nearest, dim=2)  # 2 x [B, R, K]
        free = tensor(state, "idle").argmax(dim=1, keepdim=True)  # [B, 1]
        where = torch.cat([places.flatten(1), free], dim=1)  # [B, R K + 1]
        fresh = alpha * (1 - gamma)  # [B, 1]
        weights = torch.cat([alpha * gamma * again.flatten(1) / read.shape[1], fresh], dim=1)
        change = weights[..., None] * add[:, None]  # [B, R K + 1, M]
        erased = taken(memory, free[:, None])[:, 0] * fresh[..., None]  # [B, 1, M]
        change = torch.cat([change[:, :-1], change[:, -1:] - erased], dim=1)
        index = where[..., None].expand_as(change)
        write = torch.zeros_like(read[:, 0]).scatter_add(1, where, weights)
        return memory.scatter_add(1, index, change), write

    @torch.no_grad()
    def _nearest(self, memory: Tensor, keys: Tensor) -> Tensor:
        """Find the slots nearest to each key, `[B, R, K]`; of slots as near, the first."""
        slots = memory.shape[1]
        order = torch.linspace(0, -_NEARER, slots, dtype=memory.dtype, device=memory.device)
        return (similarity(memory, keys) + order).topk(self.nearest, dim=2).indices


def taken(memory: Tensor, places: Tensor) -> Tensor:
    """Take slots `[B, R, K]` of a memory `[B, N, M]`: `[B, R, K, M]`."""
    flat = places.flatten(1)[..., None].expand(-1, -1, memory.shape[2])
    return memory.gather(1, flat).view(*places.shape, memory.shape[2])
