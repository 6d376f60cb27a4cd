"""DRAW: a picture drawn in steps, each where the network looks and writes."""

from collections.abc import Mapping
from typing import ClassVar, NamedTuple

import torch
from torch import Tensor, nn
from torch.special import ndtri

from saccade.cells.base import Cell
from saccade.errors import RecipeError
from saccade.flow import SOURCE, Batch, Decoded, Sources, State, Stepped, nested, only, tensor
from saccade.glimpses.base import Pictures
from saccade.glimpses.filter_bank import FilterBank
from saccade.heads.bernoulli_bound import BernoulliBound
from saccade.kernels.precision import restored
from saccade.models.base import Writer
from saccade.nouns import Side
from saccade.parts import Part

_MOST = 128  # steps
_NOISES, _SEED = 64, 1  # rows of fixed chance, for what is measured without any


class Drawn(NamedTuple):
    """A picture in the making.

    canvas: `[B, N, H, W]`, logits after every step.  told: `[B]`, nats that the encoder told the
    decoder.  reads, writes: `[B, N, 5]`, where; without attention zeros.
    """

    canvas: Tensor
    told: Tensor
    reads: Tensor
    writes: Tensor


class DrawModel(Writer):
    """Writes black and white pictures: a canvas to which every step adds.

        x' = x - s(c[n-1])                              what is still wrong
        r = [read(x); read(x')]                         where h_dec[n-1] says
        h_enc[n] = cell([r; h_dec[n-1]], h_enc[n-1])
        z[n] ~ Normal(M h_enc[n], exp(S h_enc[n])^2)    in training; Normal(0, 1) when it draws
        h_dec[n] = cell([z[n]; l], h_dec[n-1])
        c[n] = c[n-1] + write(h_dec[n])                 where h_dec[n] says
        -log p(x) <= -log p(x | c[N]) + sum_n KL(q(z[n]) || Normal(0, 1))

    Gregor et al. 2015 (arXiv:1502.04623), sections 2 and 3. With `attention` read and write go
    through Gaussian filter banks of `read` and `write` filters each way; without, the whole picture
    is read and written. l is a vector of the source if it is `conditional`, a label say; else the
    source is not read. The target is a picture as `height` places, each of a row of bits.

    Values are the likeliest rows of the canvas with z = 0, or drawn: z first, then the bits. Where
    the bound is measured outside of training, chance comes from a fixed table, by the number of
    ones in the picture: the same picture always has the same nats.
    """

    source_raws: ClassVar[tuple[str, ...]] = ("text",)
    target_raws: ClassVar[tuple[str, ...]] = ("bits",)
    discrete: ClassVar[bool | None] = False
    objective: ClassVar[str] = "variational"
    head: BernoulliBound

    def __init__(  # noqa: PLR0913 - all but two are options
        self,
        sources: Mapping[str, Side],
        target: Side,
        *,
        height: int = 28,
        steps: int = 16,
        attention: bool = True,
        read: int = 5,
        write: int = 5,
        cell: Part[Cell] = Part(Cell, "lstm"),
        latent: int = 32,
        hidden: int = 256,
        conditional: bool = False,
    ) -> None:
        super().__init__()
        _check(height, steps, latent)
        self.shape, self.n_steps, self.latent = (height, target.size), steps, latent
        self.reader, self.writer = FilterBank(2, size=read), FilterBank(1, size=write)
        n_pixels = height * target.size
        seen = self.reader.glimpse_dim if attention else 2 * n_pixels
        (side,) = sources.values()
        self.label = nn.Embedding(side.size, hidden) if conditional else None
        self.where = nn.Linear(hidden, 10) if attention else None
        self.patch = nn.Linear(hidden, write * write if attention else n_pixels)
        self.encoder = cell.build(seen + hidden, hidden)
        self.tell = nn.Linear(hidden, 2 * latent)
        self.decoder = cell.build(latent + (hidden if conditional else 0), hidden)
        self.head = BernoulliBound(target.size, target.size, None)
        self.head.n_uniform = steps * latent + target.size
        noise = torch.randn(_NOISES, steps, latent, generator=torch.Generator().manual_seed(_SEED))
        self.noise: Tensor
        self.register_buffer("noise", noise, persistent=False)

    @property
    def attention_names(self) -> tuple[str, ...]:
        """None: where it reads and writes is not a map over its source."""
        return ()

    def forward(self, batch: Batch, *, look: bool = False) -> Decoded:
        """Measure the bound of the target with fixed chance: features `[B, H, W + 1]`."""
        pictures = batch.target.values.to(self.patch.weight.dtype)
        drawn = self.copy(pictures, batch.sources, self.noise_of(pictures))
        return Decoded(self._features(drawn), None)

    def noise_of(self, pictures: Tensor) -> Tensor:
        """Return the fixed chance of pictures `[B, H, W]`, by their number of ones: `[B, N, Z]`."""
        n_ones = pictures.sum(dim=(1, 2)).long()  # [B]
        return self.noise.index_select(0, n_ones % _NOISES)

    def latents(self, uniform: Tensor, bias: float) -> Tensor:
        """Turn numbers of chance `[B, n_uniform]` into latents `[B, N, Z]`."""
        chance = uniform[:, : -self.head.size].clamp(1e-12, 1 - 1e-12)
        normal: Tensor = ndtri(chance)
        return normal.view(-1, self.n_steps, self.latent) / (1 + bias)

    def explore(self, batch: Batch, generator: torch.Generator) -> Decoded:
        """Measure the bound with chance of a generator, for training."""
        pictures = batch.target.values.to(self.patch.weight.dtype)
        shape = (len(pictures), self.n_steps, self.latent)
        noise = torch.randn(shape, generator=generator).to(pictures)
        return Decoded(self._features(self.copy(pictures, batch.sources, noise)), None)

    def copy(self, pictures: Tensor, sources: Sources, noise: Tensor) -> Drawn:
        """Draw pictures `[B, H, W]` that the encoder sees."""
        label = self._label(sources)
        encoder = self.encoder.start(pictures)
        decoder, canvas, output = self._blank(pictures)
        made: list[Tensor] = []
        reads, writes, told = list[Tensor](), list[Tensor](), output.new_zeros(len(output))
        for n in range(self.n_steps):
            r, where = self._read(pictures, canvas, output)
            h, encoder, _ = self.encoder(torch.cat([r, output], dim=1), encoder)
            mean, log_scale = restored(self.tell(h)).chunk(2, dim=1)  # 2 x [B, Z]
            z = mean + log_scale.exp() * noise[:, n]
            told = told + _divergence(mean, log_scale)
            output, decoder, canvas, there = self._step(z, label, decoder, canvas)
            made.append(canvas)
            reads.append(where)
            writes.append(there)
        return Drawn(torch.stack(made, 1), told, torch.stack(reads, 1), torch.stack(writes, 1))

    def invent(self, latents: Tensor, sources: Sources) -> Drawn:
        """Draw pictures that nobody sees, of latents `[B, N, Z]`."""
        return self._invent(latents, self._label(sources))

    def _invent(self, latents: Tensor, label: Tensor | None) -> Drawn:
        decoder, canvas, output = self._blank(latents)
        made, writes = list[Tensor](), list[Tensor]()
        for n in range(self.n_steps):
            output, decoder, canvas, there = self._step(latents[:, n], label, decoder, canvas)
            made.append(canvas)
            writes.append(there)
        places = torch.stack(writes, dim=1)
        nothing = output.new_zeros(len(output))
        return Drawn(torch.stack(made, dim=1), nothing, torch.zeros_like(places), places)

    def start(self, sources: Sources) -> State:
        """Keep the label; nothing is drawn before the first place asks for it."""
        source = only(sources)
        label = self._label(sources)
        kept = self.patch.weight.new_zeros(len(source.mask), 0) if label is None else label
        empty = kept.new_zeros(len(kept), *self.shape)
        return {SOURCE: {"label": kept}, "canvas": empty, "row": kept.new_zeros(len(kept))}

    def advance(self, token: Tensor, state: State, *, look: bool = False) -> Stepped:
        """Write the next row of the canvas that z = 0 makes, or of the one that was drawn."""
        row, canvas = tensor(state, "row"), tensor(state, "canvas")
        if not row.any():
            zeros = canvas.new_zeros(len(canvas), self.n_steps, self.latent)
            canvas = self._canvas(zeros, state)
        return self._row(canvas, row, state)

    def draw(
        self, token: Tensor, state: State, uniform: Tensor, bias: float
    ) -> tuple[Tensor, State]:
        """Draw z at the first place, and the bits of every row; a bias makes both less wild."""
        row, canvas = tensor(state, "row"), tensor(state, "canvas")
        if not row.any():
            canvas = self._canvas(self.latents(uniform, bias).to(canvas), state)
        features, _, state = self._row(canvas, row, state)
        return self.head.draw(features, uniform, bias), state

    def _canvas(self, latents: Tensor, state: State) -> Tensor:
        label = tensor(nested(state, SOURCE), "label")
        return self._invent(latents, label if label.shape[1] else None).canvas[:, -1]

    def _row(self, canvas: Tensor, row: Tensor, state: State) -> Stepped:
        index = row.long().clamp(max=self.shape[0] - 1)
        logits = canvas[torch.arange(len(canvas), device=canvas.device), index]  # [B, W]
        features = torch.cat([logits, torch.zeros_like(logits[:, :1])], dim=1)
        return Stepped(features, None, {**state, "canvas": canvas, "row": row + 1})

    def _features(self, drawn: Drawn) -> Tensor:
        """Put the nats that were told behind the logits, shared out among the rows."""
        told = (drawn.told / self.shape[0])[:, None, None].expand(-1, self.shape[0], 1)
        return torch.cat([drawn.canvas[:, -1], told], dim=2)  # [B, H, W + 1]

    def _blank(self, like: Tensor) -> tuple[State, Tensor, Tensor]:
        """Return the decoder's first state, an empty canvas and an empty output."""
        state = self.decoder.start(like)
        return state, like.new_zeros(len(like), *self.shape), tensor(state, "h")

    def _label(self, sources: Sources) -> Tensor | None:
        """Return the mean vector of the source's symbols, `[B, D]`."""
        if self.label is None:
            return None
        source = only(sources)
        kept = source.mask[..., None].to(self.label.weight.dtype)
        vectors: Tensor = self.label(source.values)  # [B, S, D]
        return (vectors * kept).sum(dim=1) / kept.sum(dim=1)

    def _read(self, pictures: Tensor, canvas: Tensor, output: Tensor) -> tuple[Tensor, Tensor]:
        both = torch.stack([pictures, pictures - canvas.sigmoid()], dim=1)  # [B, 2, H, W]
        if self.where is None:
            return both.flatten(1), output.new_zeros(len(output), 5)
        where = restored(self.where(output))[:, :5]
        sizes = torch.tensor(self.shape, device=where.device).expand(len(where), -1)
        return self.reader(Pictures(both, sizes), where), where

    def _step(
        self, z: Tensor, label: Tensor | None, state: State, canvas: Tensor
    ) -> tuple[Tensor, State, Tensor, Tensor]:
        """Move the decoder on and write: its output, its state, the canvas, and where."""
        output, state, _ = self.decoder(z if label is None else torch.cat([z, label], 1), state)
        patch = self.patch(output)
        if self.where is None:
            there = output.new_zeros(len(output), 5)
            return output, state, canvas + patch.view_as(canvas), there
        there = restored(self.where(output))[:, 5:]
        square = patch.view(-1, self.writer.size, self.writer.size)
        return output, state, canvas + self.writer.write(square, there, self.shape), there


def _divergence(mean: Tensor, log_scale: Tensor) -> Tensor:
    """Return KL(Normal(m, s^2) || Normal(0, 1)) of each row: 1/2 sum (m^2 + s^2 - 1) - log s."""
    return ((mean.square() + (2 * log_scale).exp() - 1) / 2 - log_scale).sum(dim=1)


def _check(height: int, steps: int, latent: int) -> None:
    limits = {"height": (height, 1024), "steps": (steps, _MOST), "latent": (latent, 1024)}
    problems = [
        f"draw.{name}: found {found}; expected 1 to {most}. Change it."
        for name, (found, most) in limits.items()
        if not 1 <= found <= most
    ]
    if problems:
        raise RecipeError(problems)
