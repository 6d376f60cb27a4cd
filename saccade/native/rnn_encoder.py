"""The recurrent encoder in C: a direction of a layer over a batch of sentences is one call."""

from collections.abc import Callable

from torch import Tensor, nn

from saccade.cells.lstm import LSTM
from saccade.encoders.base import Encoder
from saccade.encoders.rnn import RnnEncoder
from saccade.flow import Memory, Padded
from saccade.kernels import structures
from saccade.kernels.library import Kernels
from saccade.native import panels
from saccade.native.panels import Panels
from saccade.native.thread_choice import ThreadChoice


class NativeRnnEncoder:
    """What an `RnnEncoder` of LSTM cells computes, without dropout."""

    def __init__(self, encoder: RnnEncoder, kernels: Kernels) -> None:
        self.residual = encoder.residual
        self.layers = [_Layer(list(layer), kernels) for layer in encoder.layers]  # type: ignore[call-overload]

    @staticmethod
    def serves(encoder: Encoder) -> bool:
        """Tell whether the kernels know every part and how its numbers are laid out."""
        if type(encoder) is not RnnEncoder:
            return False
        cells = [cell for layer in encoder.layers for cell in layer]  # type: ignore[attr-defined]
        return (
            all(type(cell) is LSTM and len(cell.gates) == 4 for cell in cells)
            and not any(cell.hidden_dim % panels.LANES for cell in cells)
            and panels.whole_on_processor(encoder)
        )

    def read(self, source: Padded) -> Memory:
        """Read vectors, nested sequences end to end."""
        return self(source.flat())

    def __call__(self, source: Padded, which: Tensor | None = None) -> Memory:
        """Read `source.values [B, S, X]`, or rows of `[M, X]`: at each place that of `which`."""
        mask = source.mask.contiguous()  # [B, S]
        x, summary = self.layers[0](source.values, mask, which)  # [B, S, D], [B, D]
        for layer in self.layers[1:]:
            states, last = layer(x, mask)
            x, summary = (x + states, summary + last) if self.residual else (states, last)
        return Memory(x, source.mask, summary)

    def of_symbols(self, source: Padded, vectors: Callable[[Tensor], Tensor]) -> Memory:
        """Read `source.values [B, S]`: what is made of a symbol is the same wherever it stands."""
        found = source.values.unique(return_inverse=True)  # type: ignore[no-untyped-call]
        symbols, which = found  # [M], [B, S]
        return self(Padded(vectors(symbols), source.mask), which)


class _Layer:
    """The cells of one layer, one or one a direction, in panels."""

    def __init__(self, cells: list[nn.Module], kernels: Kernels) -> None:
        self.kernels, self._threads, self.panels = (
            kernels,
            ThreadChoice(),
            list[tuple[Panels, Panels]](),
        )
        for cell in cells:
            assert isinstance(cell, LSTM)
            self.panels.append((Panels(cell.W, cell.b, kernels), Panels(cell.U, None, kernels)))
        self.width = self.panels[0][1].structure.in_  # of a direction

    def __call__(
        self, x: Tensor, mask: Tensor, which: Tensor | None = None
    ) -> tuple[Tensor, Tensor]:
        """Read `x [B, S, X]` where `mask` keeps it: states `[B, S, D]`, and the last `[B, D]`.

        If it is told `which` vector stands at a place, `[B, S]`, these are `x [M, X]`.
        """
        x, (n, places) = x.contiguous(), mask.shape
        row, n_vectors = self.width * len(self.panels), x.numel() // x.shape[-1]
        states, last = x.new_empty(n, places, row), x.new_empty(n, row)
        work = x.new_empty((n_vectors + 2 * n) * 4 * self.width)
        for i, (inputs, own) in enumerate(self.panels):
            given = structures.LstmScanCall(
                input=inputs.structure,
                own=own.structure,
                batch=n,
                places=places,
                row=row,
                backward=i == 1,
                vectors=n_vectors,
                x=x.data_ptr(),
                which=None if which is None else which.data_ptr(),
                mask=mask.data_ptr(),
                states=states[:, :, i * self.width :].data_ptr(),
                last=last[:, i * self.width :].data_ptr(),
                work=work.data_ptr(),
            )

            def scan(threads: int, given: structures.LstmScanCall = given) -> None:
                given.threads = threads
                self.kernels.scan(given)

            self._threads.run(n_vectors * inputs.n_products + n * places * own.n_products, scan)
        return states, last
