"""The recurrent encoder in C: a direction of a layer over a batch of sentences is one call."""

from collections.abc import Callable
from typing import Self

from torch import Tensor, nn

from saccade.cells.lstm import LSTM
from saccade.encoders.base import Encoder
from saccade.encoders.rnn import RnnEncoder
from saccade.flow import Memory, Padded
from saccade.kernels import structures
from saccade.native.panels import LANES, PanelMaker, Panels, kernels_can_read
from saccade.native.thread_choice import ThreadChoice


class NativeRnnEncoder:
    """What an `RnnEncoder` of LSTM cells computes, without dropout."""

    def __init__(self, encoder: RnnEncoder, make: PanelMaker) -> None:
        self.adds = encoder.adds
        self.layers = [_Layer(list(layer), make) for layer in encoder.layers]  # type: ignore[call-overload]

    @classmethod
    def of(cls, encoder: Encoder, make: PanelMaker) -> Self | None:
        """Lay an encoder out; None if the kernels do not know a part, or how it is laid out."""
        if type(encoder) is not RnnEncoder or encoder.carry:
            return None
        cells = [cell for layer in encoder.layers for cell in layer]  # type: ignore[attr-defined]
        known = (
            all(type(cell) is LSTM and len(cell.slices) == 4 for cell in cells)
            and not any(cell.hidden_dim % LANES for cell in cells)
            and kernels_can_read(encoder)
        )
        return cls(encoder, make) if known else None

    def read(self, source: Padded) -> Memory:
        """Read vectors, nested sequences end to end."""
        return self(source.flat())

    def __call__(self, source: Padded, which: Tensor | None = None) -> Memory:
        """Read `source.values [B, S, X]`, or rows of `[M, X]`: at each place that of `which`."""
        mask = source.mask.contiguous()  # [B, S]
        x, summary = self.layers[0](source.values, mask, which)  # [B, S, D], [B, D]
        for layer, adds in zip(self.layers[1:], self.adds[1:], strict=True):
            states, last = layer(x, mask)
            x, summary = (x + states, summary + last) if adds else (states, last)
        return Memory(x, source.mask, summary)

    def of_symbols(self, source: Padded, vectors: Callable[[Tensor], Tensor]) -> Memory:
        """Read `source.values [B, S]`: what is made of a symbol is the same wherever it stands."""
        found = source.values.unique(return_inverse=True)  # type: ignore[no-untyped-call]
        symbols, which = found  # [M], [B, S]
        return self(Padded(vectors(symbols), source.mask), which)


class _Layer:
    """The cells of one layer, one or one a direction, in panels."""

    def __init__(self, cells: list[nn.Module], make: PanelMaker) -> None:
        self.kernels, self._threads = make.kernels, ThreadChoice()
        self.panels: list[tuple[Panels, Panels]] = []
        for cell in cells:
            assert isinstance(cell, LSTM)
            self.panels.append((make.panels(cell.W, cell.b), make.panels(cell.U, None)))
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
