"""Loading the kernels and calling them; build.py compiles them."""

import ctypes
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple

import torch
from torch import Tensor

from saccade.kernels import build
from saccade.kernels.alignment_structures import (
    AlignerCall,
    CellsCall,
    CooccurrenceCall,
    FertilityCall,
    SymmetriseCall,
)
from saccade.kernels.structures import (
    AdditiveCall,
    AttentionCall,
    BackoffLinesCall,
    BeamCandidates,
    BeamState,
    BidirectionalLstmCall,
    CtcPrefixCall,
    CtcSpellingCall,
    DecodeBuffers,
    DecodeCall,
    DecoderWeights,
    DncCall,
    EncodeCall,
    EncoderWeights,
    FollowCall,
    InputFeedingCall,
    LinearWeights,
    LossCall,
    LstmCall,
    LstmScanCall,
    ProjectionCall,
    RnnDecodeCall,
    RnnDecoderWeights,
    StackCall,
    WindowCall,
)
from saccade.kernels.trellis_structures import FollowersCall, TrellisCall

SWITCH = build.SWITCH
_aside = ContextVar("kernels are left aside", default=False)


class Bytes(NamedTuple):
    """A matrix in bytes, laid out as `int8.h` tells; rows of zeros fill the last panel.

    `W[j]` is about `scales[j]` times its bytes, whose sum is `sums[j]`.
    """

    panels: Tensor
    scales: Tensor
    sums: Tensor


class Kernels:
    """The functions of the library, with the types they take."""

    def __init__(self, path: Path) -> None:
        library = ctypes.CDLL(str(path))  # lets go of Python's lock while it computes
        whole, place = ctypes.c_int64, ctypes.c_void_p
        model, step = ctypes.POINTER(DecoderWeights), ctypes.POINTER(DecodeCall)
        self._pack = _typed(library.pack, None, place, whole, whole, place)
        self._round = _typed(library.pack_rounded, None, place, whole, whole, place, place, place)
        self._panel: int = _typed(library.panel_width, whole)()
        self.rounds: bool = bool(_typed(library.rounds, whole)())  # bytes are fast here
        self.best = _typed(library.best, None, place, whole, whole, whole, place, place, whole)
        five = (whole,) * 5  # sentences, lines of each, symbols, ways of a line and of a sentence
        ways = ctypes.POINTER(BeamCandidates)
        self.ways_on = _typed(library.ways_on, None, place, place, *five, ways, whole)
        self.turn_page = _typed(library.turn_page, None, ctypes.POINTER(BeamState), place, place)
        encoder, source = ctypes.POINTER(EncoderWeights), ctypes.POINTER(EncodeCall)
        linear, sizes = ctypes.POINTER(LinearWeights), (whole, whole, whole)  # batch, heads, places
        self.multiply = _typed(
            library.multiply, None, linear, place, whole, place, whole, place, whole
        )
        self.scan = _typed(library.scan, None, ctypes.POINTER(LstmScanCall))
        self.encode = _typed(library.encode, None, encoder, source)
        self.hold = _typed(library.hold, None, linear, *sizes, place, place, place, whole)
        self.fold = _typed(library.fold, None, linear, *sizes, place, place, whole)
        self.work_size = _typed(library.work_size, whole, model, step)
        self.step = _typed(library.step, None, model, step)
        recurrent, turn = ctypes.POINTER(RnnDecoderWeights), ctypes.POINTER(RnnDecodeCall)
        self.turn_size = _typed(library.turn_size, whole, recurrent, turn)
        self.turn = _typed(library.turn, None, recurrent, turn)
        beam = ctypes.POINTER(BeamState)
        self.walk_turns = _typed(library.walk_turns, whole, recurrent, turn, beam, whole)
        trail = ctypes.POINTER(DecodeBuffers)
        self.walk_steps = _typed(library.walk_steps, whole, model, step, trail, beam, whole)
        self.ctc_prefix = _typed(library.ctc_prefix, whole, ctypes.POINTER(CtcPrefixCall))
        spelling = ctypes.POINTER(CtcSpellingCall)
        self.ctc_spelling = _typed(library.ctc_spelling, whole, spelling)
        lines = ctypes.POINTER(BackoffLinesCall)
        self.backoff_lines = _typed(library.backoff_lines, None, lines)
        self.stack_follow = _typed(library.stack_follow, whole, ctypes.POINTER(FollowCall))
        self.stack_cover = _typed(library.stack_cover, whole, ctypes.POINTER(StackCall))
        self._learn(library)
        self._align(library)
        self._tag(library)

    def _learn(self, library: ctypes.CDLL) -> None:
        """Name the functions of training."""
        whole, place = ctypes.c_int64, ctypes.c_void_p
        attention, feeding = ctypes.POINTER(AttentionCall), ctypes.POINTER(InputFeedingCall)
        loss, projection = ctypes.POINTER(LossCall), ctypes.POINTER(ProjectionCall)
        lstm, directions = ctypes.POINTER(LstmCall), ctypes.POINTER(BidirectionalLstmCall)
        draw = (ctypes.c_uint64, ctypes.c_uint32, ctypes.c_float)  # seed, limit, scale
        additive = ctypes.POINTER(AdditiveCall)
        self.additive_forward = _typed(library.additive_forward, None, additive)
        self.additive_backward = _typed(library.additive_backward, None, additive)
        self.attention_forward = _typed(library.attention_forward, None, attention)
        self.attention_backward = _typed(library.attention_backward, None, attention)
        self.cross_entropy = _typed(library.cross_entropy, None, loss)
        self.loss_parts = _typed(library.loss_parts, whole, whole)
        self.panels_size = _typed(library.panels_size, whole, projection)
        self.lay_projection = _typed(library.lay_projection, None, projection)
        self.project = _typed(library.project, None, projection)
        self.dropout = _typed(library.dropout, None, place, whole, *draw, place, whole)
        self.input_feeding_size = _typed(library.input_feeding_size, whole, feeding, whole)
        self.input_feeding_forward = _typed(library.input_feeding_forward, None, feeding)
        self.input_feeding_backward = _typed(library.input_feeding_backward, None, feeding)
        sliding = ctypes.POINTER(WindowCall)
        self.window_size = _typed(library.window_size, whole, sliding, whole)
        self.window_forward = _typed(library.window_forward, None, sliding)
        self.window_backward = _typed(library.window_backward, None, sliding)
        machine = ctypes.POINTER(DncCall)
        self.dnc_size = _typed(library.dnc_size, whole, machine)
        self.dnc_forward = _typed(library.dnc_forward, None, machine)
        self.dnc_backward = _typed(library.dnc_backward, None, machine)
        self.lstm_size = _typed(library.lstm_size, whole, lstm, whole)
        self.lstm_forward = _typed(library.lstm_forward, None, lstm)
        self.lstm_backward = _typed(library.lstm_backward, None, lstm)
        self.bidirectional_lstm_size = _typed(library.bidirectional_lstm_size, whole, directions)
        self.bidirectional_lstm_forward = _typed(
            library.bidirectional_lstm_forward, None, directions
        )
        self.bidirectional_lstm_backward = _typed(
            library.bidirectional_lstm_backward, None, directions
        )

    def _align(self, library: ctypes.CDLL) -> None:
        """Name the functions of word alignment."""
        whole, passing = ctypes.c_int64, ctypes.POINTER(AlignerCall)
        self.aligner_mixture = _typed(library.aligner_mixture, whole, passing)
        self.aligner_hmm = _typed(library.aligner_hmm, whole, passing)
        fertile = ctypes.POINTER(FertilityCall)
        self.aligner_fertility = _typed(library.aligner_fertility, whole, fertile)
        beside, cells = ctypes.POINTER(CooccurrenceCall), ctypes.POINTER(CellsCall)
        self.cooccurrence = _typed(library.cooccurrence, whole, beside)
        self.lexicon_cells = _typed(library.lexicon_cells, None, cells)
        self.symmetrise = _typed(library.symmetrise, whole, ctypes.POINTER(SymmetriseCall))

    def _tag(self, library: ctypes.CDLL) -> None:
        """Name the functions of hidden Markov models."""
        whole, ways = ctypes.c_int64, ctypes.POINTER(TrellisCall)
        self.trellis_best = _typed(library.trellis_best, whole, ways)
        self.trellis_gains = _typed(library.trellis_gains, whole, ways)
        follow = ctypes.POINTER(FollowersCall)
        self.trellis_followers = _typed(library.trellis_followers, whole, follow)

    def pack(self, weight: Tensor) -> Tensor:
        """Lay a matrix `[out, in]` out in panels, `[out / panel, in, panel]`."""
        n_out, n_in = weight.shape
        panels = torch.empty(-(-n_out // self._panel), n_in, self._panel)
        weight = weight.detach().contiguous()
        self._pack(weight.data_ptr(), n_out, n_in, panels.data_ptr())
        return panels

    def round(self, weight: Tensor) -> Bytes:
        """Round a matrix `[out, in]` to bytes, each row by its own scale."""
        n_out, n_in = weight.shape
        padded = -(-n_out // self._panel) * self._panel
        panels = torch.zeros(padded, -(-n_in // 4) * 4, dtype=torch.int8)
        scales, sums = torch.zeros(padded), torch.zeros(padded, dtype=torch.int32)
        weight = weight.detach().contiguous()
        where = (one.data_ptr() for one in (panels, scales, sums))
        self._round(weight.data_ptr(), n_out, n_in, *where)
        return Bytes(panels, scales, sums)


class KernelStatus(NamedTuple):
    """The kernels, if there are any, and a line that tells where they are or why there are none."""

    kernels: Kernels | None
    told: str


@cache
def found() -> KernelStatus:
    """Load the kernels, and compile them first where that has not been done.

    That is decided once a process. Who learns waits for another process that compiles them, and who
    only predicts does not: see build.py.
    """
    path, told = build.find(wait=torch.is_grad_enabled())
    if path is None:
        return KernelStatus(None, told)
    try:
        return KernelStatus(Kernels(path), told)
    except (OSError, AttributeError) as error:  # such as a folder from which nothing may be run
        return KernelStatus(None, f"{path} cannot be loaded: {error}")


def fits(*tensors: Tensor) -> bool:
    """Tell whether the kernels of training take tensors: float32, on a processor, not traced."""
    if torch.compiler.is_compiling() or _aside.get():  # as a graph for another engine
        return False
    return all(one.dtype == torch.float32 and one.device.type == "cpu" for one in tensors)


@contextmanager
def without_kernels() -> Iterator[None]:
    """Let torch compute what kernels of training would, in this thread, so that it can be seen."""
    token = _aside.set(True)
    try:
        yield
    finally:
        _aside.reset(token)


def learning() -> bool:
    """Tell whether float32 gradients are wanted: for kernels that keep what going back needs."""
    return torch.is_grad_enabled() and not torch.is_autocast_enabled("cpu")


def kernels_for(*tensors: Tensor) -> Kernels | None:
    """Return the kernels, if there are any and the tensors fit."""
    if not fits(*tensors):
        return None
    kernels, told = found()
    if kernels is None and told == build.BUSY and torch.is_grad_enabled():
        found.cache_clear()  # this process only predicted and did not wait; now it learns
        kernels, _ = found()
    return kernels


def _typed(function: Any, gives: Any, *takes: Any) -> Callable[..., Any]:
    function.restype, function.argtypes = gives, takes
    return function  # type: ignore[no-any-return]
