"""The Neural Turing Machine."""

import torch
from torch import Tensor, nn
from torch.nn.functional import linear, softplus

from saccade.cells._addressing import (
    content,
    erase_and_add,
    interpolate,
    oneplus,
    sharpen,
    shift,
)
from saccade.cells._memory import MemoryCell, MemorySize
from saccade.cells.base import Cell
from saccade.errors import RecipeError
from saccade.flow import State, tensor
from saccade.parts import Part

_BLANK = 1e-6


class NTM(MemoryCell):
    """A controller with heads that find slots by what they hold, or by where they are.

        w_c = softmax(beta K(k, M'))            content          look for what the key holds
        w_g = g w_c + (1 - g) w'                interpolation    or stay where the head is
        w_s[n] = sum_j s[j] w_g[n - j]          shift            go to slots nearby
        w = w_s^gamma / sum w_s^gamma           sharpening       and be sure of it
        r = sum_n w[n] M'[n]                                     a head that reads
        M[n] = M'[n] (1 - w[n] e) + w[n] a                       a head that writes

    Graves, Wayne & Danihelka 2014 (arXiv:1410.5401), sections 3.1 to 3.3. The paper leaves open
    what happens first in a step: here all heads find their slots in the memory as it was, and read
    before they write. k and a are squashed by tanh, and all slots start at 1e-6 (Collier & Beel
    2018, arXiv:1807.08518). All heads start at the first slot.

    Options: `slots` N and their `width` M; how many heads read and write; `reach` J, how many slots
    a head can move in a step.
    """

    def __init__(
        self,
        input_dim: int,
        hidden_dim: int,
        *,
        controller: Part[Cell] = Part(Cell, "lstm"),
        slots: int = 128,
        width: int = 20,
        reads: int = 1,
        writes: int = 1,
        reach: int = 1,
    ) -> None:
        super().__init__(input_dim, hidden_dim, controller, MemorySize(slots, width, reads, writes))
        if not 1 <= 2 * reach < slots:
            raise RecipeError(
                f"ntm.reach: found {reach} with {slots} slots; expected 1 or more, and less than"
                " half of the slots. Change it."
            )
        self.reach = reach
        self.heads = nn.Linear(
            hidden_dim, (reads + writes) * (width + 4 + 2 * reach) + 2 * writes * width
        )
        nn.init.xavier_uniform_(self.heads.weight)
        nn.init.zeros_(self.heads.bias)

    def blank(self, like: Tensor) -> State:
        """Return a memory that holds next to nothing, all heads at its first slot."""
        n_rows, (slots, width, reads, writes) = like.shape[0], self.size
        first = like.new_zeros(n_rows, reads + writes, slots)
        first[:, :, 0] = 1
        return {
            "memory": like.new_full((n_rows, slots, width), _BLANK),
            "read_vectors": like.new_full((n_rows, reads, width), _BLANK),
            "read": first[:, :reads],
            "write": first[:, reads:],
        }

    def access(self, control: Tensor, state: State) -> State:
        """Let all heads find their slots, read, then write."""
        _, width, reads, writes = self.size
        memory = tensor(state, "memory")  # [B, N, M]
        n_heads = reads + writes
        raw = linear(control, self.heads.weight, self.heads.bias)
        each, n_changes = width + 4 + 2 * self.reach, 2 * writes * width
        found, changes = torch.split(raw, [n_heads * each, n_changes], dim=1)
        key, strength, gate, power, steps = torch.split(
            found.reshape(-1, n_heads, each), [width, 1, 1, 1, 2 * self.reach + 1], dim=2
        )  # each [B, H, ...]
        before = torch.cat([tensor(state, "read"), tensor(state, "write")], dim=1)  # [B, H, N]
        weights = content(memory, key.tanh(), softplus(strength))
        weights = interpolate(weights, before, gate.sigmoid())
        weights = shift(weights, steps.softmax(dim=2))
        weights = sharpen(weights, oneplus(power))
        read, write = torch.split(weights, [reads, writes], dim=1)
        erase, add = changes.reshape(-1, 2, writes, width).unbind(dim=1)  # 2 x [B, W, M]
        return {
            "memory": erase_and_add(memory, write, erase.sigmoid(), add.tanh()),
            "read_vectors": torch.bmm(read, memory),  # [B, R, M]
            "read": read,
            "write": write,
        }
