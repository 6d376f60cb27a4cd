"""The Differentiable Neural Computer."""

import torch
from torch import Tensor, nn
from torch.nn.functional import linear

from saccade.cells._addressing import (
    TINY,
    Links,
    allocation,
    content,
    erase_and_add,
    follow,
    oneplus,
    relink,
    retention,
    usage,
)
from saccade.cells._memory import MemoryCell, MemorySize
from saccade.cells.base import Cell
from saccade.flow import State, tensor
from saccade.kernels.dnc import DncMemory, dnc_step
from saccade.parts import Part

_BLANK = 1e-6
_MODES = 3  # of reading: back, by content, on
_NAMES = ("memory", "read", "write", "usage", "links", "precedence")


class DNC(MemoryCell):
    """A controller whose memory knows which slots are free and in which order they were written.

        psi = prod_r (1 - f[r] w_r'[r])                  what the reads of the last step left
        u = (u' + w' - u' w') psi                        how much each slot is in use
        a = allocation(u)                                the slot that is used least
        w = g_w (g_a a + (1 - g_a) C(M', k_w, beta_w))   where to write
        M = M' (1 - w e) + w v
        L, p = relink(L', p', w)                         which slot was written after which
        w_r = pi_1 L^T w_r' + pi_2 C(M, k_r, beta_r) + pi_3 L w_r'          where to read
        r = sum_n w_r[n] M[n]

    Graves et al. 2016 (Nature 538), Methods. C is the content weighting of `ntm`. All slots start
    at 1e-6. Unlike in the paper, h joins the controller's output and what was read by one matrix.

    Options: `slots` N and their `width` M, and how many heads read. One head writes.
    """

    def __init__(
        self,
        input_dim: int,
        hidden_dim: int,
        *,
        controller: Part[Cell] = Part(Cell, "lstm"),
        slots: int = 32,
        width: int = 16,
        reads: int = 1,
    ) -> None:
        super().__init__(input_dim, hidden_dim, controller, MemorySize(slots, width, reads))
        self._sizes = [reads * width, reads, reads, reads * _MODES, width, 1, width, width, 1, 1]
        self.interface = nn.Linear(hidden_dim, sum(self._sizes))
        nn.init.xavier_uniform_(self.interface.weight)
        nn.init.zeros_(self.interface.bias)

    def blank(self, like: Tensor) -> State:
        """Return a memory that holds next to nothing, no slot of it in use."""
        n_rows, (slots, width, reads, _) = like.shape[0], self.size
        return {
            "memory": like.new_full((n_rows, slots, width), _BLANK),
            "read_vectors": like.new_full((n_rows, reads, width), _BLANK),
            "read": like.new_zeros(n_rows, reads, slots),
            "write": like.new_zeros(n_rows, 1, slots),
            "usage": like.new_zeros(n_rows, slots),
            "links": like.new_zeros(n_rows, slots, slots),
            "precedence": like.new_zeros(n_rows, slots),
        }

    def access(self, control: Tensor, state: State) -> State:
        """Free, allocate, write, link, read."""
        raw = linear(control, self.interface.weight, self.interface.bias)
        found = dnc_step(raw, DncMemory(*(tensor(state, name) for name in _NAMES)), TINY)
        if found is None:
            return self._access(raw, state)
        after = zip(_NAMES, found.after, strict=True)
        return {"read_vectors": found.vectors, **dict(after)}

    def _access(self, raw: Tensor, state: State) -> State:
        """Do so in torch: the clear version of the kernel."""
        _, width, reads, _ = self.size
        keys, strengths, free, modes, key, strength, erase, add, allocate, gate = torch.split(
            raw, self._sizes, dim=1
        )
        before, read = tensor(state, "memory"), tensor(state, "read")  # [B, N, M], [B, R, N]
        kept = retention(free.sigmoid()[:, :, None], read)
        used = usage(tensor(state, "usage"), tensor(state, "write")[:, 0], kept)  # [B, N]
        found = content(before, key[:, None], oneplus(strength)[:, :, None])[:, 0]
        write = gate.sigmoid() * torch.lerp(found, allocation(used), allocate.sigmoid())  # [B, N]
        memory = erase_and_add(before, write[:, None], erase.sigmoid()[:, None], add[:, None])
        links = relink(Links(tensor(state, "links"), tensor(state, "precedence")), write)
        back, on = follow(links.links, read)  # 2 x [B, R, N]
        keys = keys.reshape(-1, reads, width)  # [B, R, M]
        by_content = content(memory, keys, oneplus(strengths)[..., None])
        ways = modes.reshape(-1, reads, _MODES).softmax(dim=2)[..., None]  # [B, R, 3, 1]
        read = ways[:, :, 0] * back + ways[:, :, 1] * by_content + ways[:, :, 2] * on
        return {
            "memory": memory,
            "read_vectors": torch.bmm(read, memory),  # [B, R, M]
            "read": read,
            "write": write[:, None],
            "usage": used,
            "links": links.links,
            "precedence": links.precedence,
        }
