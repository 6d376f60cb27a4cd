"""What Python hands to the kernels: the structures of the C files, field by field."""

import ctypes

from torch import Tensor

_WHOLE, _PLACE, _NUMBER = ctypes.c_int64, ctypes.c_void_p, ctypes.c_float


class Int8Matrix(ctypes.Structure):
    """A matrix in bytes, with the scale of each row and the sum of its bytes."""

    _fields_ = tuple((name, _PLACE) for name in ("panels", "scales", "sums"))


class LinearWeights(ctypes.Structure):
    """`y = W x + b`, the matrix in panels, of numbers or of bytes."""

    _fields_ = (
        ("panels", _PLACE),
        ("bias", _PLACE),
        ("in_", _WHOLE),
        ("out", _WHOLE),
        ("rounded", Int8Matrix),
    )


class NormWeights(ctypes.Structure):
    """The norm of a wire, before the layer or behind the sum."""

    _fields_ = (
        ("weight", _PLACE),
        ("bias", _PLACE),
        ("eps", _NUMBER),
        ("pre", ctypes.c_int32),
    )


class DecoderLayerWeights(ctypes.Structure):
    """One layer: its products, then its norms."""

    _fields_ = (
        *(
            (n, LinearWeights)
            for n in ("query_keys_values", "own_output", "query", "output", "U", "V")
        ),
        *((n, NormWeights) for n in ("around_self", "around_reading", "around_feed_forward")),
    )


class EncoderLayerWeights(ctypes.Structure):
    """One layer of an encoder: its products, then its norms."""

    _fields_ = (
        *((n, LinearWeights) for n in ("query_keys_values", "output", "U", "V")),
        *((n, NormWeights) for n in ("around_attention", "around_feed_forward")),
    )


class EncoderWeights(ctypes.Structure):
    """The weights of an encoder."""

    _fields_ = (
        ("layers", _PLACE),
        ("norm", _PLACE),
        *((n, _WHOLE) for n in ("n_layers", "width", "heads", "hidden")),
    )


class EncodeCall(ctypes.Structure):
    """Sentences to encode, in place."""

    _fields_ = (
        *((n, _WHOLE) for n in ("batch", "places", "threads")),
        *((n, _PLACE) for n in ("mask", "turns", "x", "work")),
    )


class LstmScanCall(ctypes.Structure):
    """One direction of a layer of LSTM cells, and what it reads."""

    _fields_ = (
        *((n, LinearWeights) for n in ("input", "own")),
        *((n, _WHOLE) for n in ("batch", "places", "row", "backward", "threads", "vectors")),
        *((n, _PLACE) for n in ("x", "which", "mask", "states", "last", "work")),
    )


class LayerCache(ctypes.Structure):
    """What one layer reads: its past, and the memory folded or as it is."""

    _fields_ = tuple((name, _PLACE) for name in ("past", "keys", "values", "scores"))


class DecoderWeights(ctypes.Structure):
    """The weights of a decoder."""

    _fields_ = (
        ("layers", _PLACE),
        ("norm", _PLACE),
        ("scores", LinearWeights),
        ("vectors", _PLACE),
        *((n, _WHOLE) for n in ("n_layers", "width", "heads", "hidden")),
        ("scale", _NUMBER),
    )


class TopSymbols(ctypes.Structure):
    """Where the best symbols of each line are written, and which are never among them."""

    _fields_ = (
        *((n, _WHOLE) for n in ("n", "n_banned")),
        *((n, _PLACE) for n in ("banned", "gains", "symbols")),
    )


class DecodeCall(ctypes.Structure):
    """Where the lines of a batch stand, and where what follows is to be written."""

    _fields_ = (
        *((n, _WHOLE) for n in ("groups", "lines", "written", "room")),
        *((n, _WHOLE) for n in ("places", "steps", "folded", "threads")),
        *((n, _PLACE) for n in ("rows", "symbols", "place", "turn", "own", "seen", "reads")),
        *((n, _PLACE) for n in ("work", "log_probs", "few")),
    )


class DecodeBuffers(ctypes.Structure):
    """What the lines of a beam need besides, on a way of many steps."""

    _fields_ = tuple((name, _PLACE) for name in ("rows", "places", "turns", "own", "next"))


class CellWeights(ctypes.Structure):
    """One layer of a recurrent decoder: by what comes from below, and by what it knew."""

    _fields_ = (("below", LinearWeights), ("past", LinearWeights))


class RnnDecoderWeights(ctypes.Structure):
    """The weights of a recurrent decoder."""

    _fields_ = (
        ("cells", _PLACE),
        *((n, LinearWeights) for n in ("readout", "narrow", "scores")),
        ("vectors", _PLACE),
        *((n, _WHOLE) for n in ("n_cells", "width", "vector", "fed")),
        *((n, _NUMBER) for n in ("factor", "scale")),
    )


class SymbolCache(ctypes.Structure):
    """What the lowest layer makes of symbols, as far as they have been written."""

    _fields_ = (("rows", _PLACE), ("row_of", _PLACE), ("n", _WHOLE), ("room", _WHOLE))


class RnnDecodeCall(ctypes.Structure):
    """Where the lines of a batch of a recurrent decoder stand, and where what follows goes."""

    _fields_ = (
        *((n, _WHOLE) for n in ("groups", "lines", "held", "places", "threads")),
        *((n, _PLACE) for n in ("rows", "symbols", "parents", "keys", "values", "seen")),
        *((n, _PLACE) for n in ("before", "after", "known", "work", "log_probs", "few")),
    )


class HeadsView(ctypes.Structure):
    """A tensor `[B, H, T, d]` with its strides."""

    _fields_ = (("at", _PLACE), *((n, _WHOLE) for n in ("batch", "head", "place")))


def heads_view(x: Tensor) -> HeadsView:
    """Point to `x [B, H, T, d]`, whose last dimension stands side by side."""
    return HeadsView(x.data_ptr(), *x.stride()[:3])


class AttentionCall(ctypes.Structure):
    """A call of attention, forward or back."""

    _fields_ = (
        *((n, _WHOLE) for n in ("batch", "heads", "queries", "keys", "width", "threads")),
        *((n, HeadsView) for n in ("q", "k", "v", "y", "dq", "dk", "dv", "dy")),
        ("mask", _PLACE),
        *((n, _WHOLE) for n in ("mask_batch", "mask_query", "mask_key")),
        ("weights", _PLACE),
        ("keep", _WHOLE),
        ("work", _PLACE),
    )


class AdditiveCall(ctypes.Structure):
    """A call of the scores of additive attention, forward or back."""

    _fields_ = (
        *((n, _WHOLE) for n in ("batch", "queries", "keys", "width", "threads")),
        *((n, _PLACE) for n in ("q", "k", "v", "scores", "dq", "dk", "dv")),
    )


class LossCall(ctypes.Structure):
    """A block of scores and what becomes of them."""

    _fields_ = (
        *((n, _WHOLE) for n in ("rows", "symbols", "threads", "learns")),
        ("smoothing", _NUMBER),
        *((n, _PLACE) for n in ("scores", "gold", "nll", "even", "d_bias")),
    )


class ProjectionCall(ctypes.Structure):
    """A block of features, the matrix that scores them, and what becomes of the scores."""

    _fields_ = (
        ("loss", LossCall),
        ("width", _WHOLE),
        *((n, _PLACE) for n in ("x", "weight", "bias", "zeros", "dx", "panels")),
    )


class BeamState(ctypes.Structure):
    """The hypotheses of a beam."""

    _fields_ = (
        *((n, _WHOLE) for n in ("width", "n_each", "steps", "n_completed", "n_best", "end")),
        ("patient", _WHOLE),
        *((n, _PLACE) for n in ("penalties", "limits", "rows", "symbols", "index")),
        *((n, _PLACE) for n in ("scores", "written", "completed", "lengths")),
        *((n, _WHOLE) for n in ("going", "step", "moved")),
    )


class BeamCandidates(ctypes.Structure):
    """Where the best ways to go on are written."""

    _fields_ = tuple((name, _PLACE) for name in ("totals", "parents", "symbols", "gains"))


class DropoutDraw(ctypes.Structure):
    """How dropout falls: the seed, p in units of 2^-32, and 1 / (1 - p)."""

    _fields_ = (("seed", ctypes.c_uint64), ("limit", ctypes.c_uint32), ("scale", _NUMBER))


class InputFeedingCall(ctypes.Structure):
    """A loop over time, forward or back."""

    _fields_ = (
        *((n, _WHOLE) for n in ("batch", "steps", "places", "width", "read", "threads")),
        *((n, _PLACE) for n in ("F", "U", "R", "bias")),
        ("F_row", _WHOLE),
        *((n, _PLACE) for n in ("keys", "values", "mask")),
        *((n, _PLACE) for n in ("gates", "rows", "cells", "weights", "features")),
        ("draw", DropoutDraw),
        ("scale", _NUMBER),
        *((n, _PLACE) for n in ("d_sums", "d_readout", "d_keys", "d_values")),
        *((n, _PLACE) for n in ("d_hidden", "d_cell", "work")),
    )


class WindowCall(ctypes.Structure):
    """An LSTM that moves a window along its source, forward or back."""

    _fields_ = (
        *((n, _WHOLE) for n in ("batch", "steps", "places", "width", "read", "bells", "threads")),
        *((n, _PLACE) for n in ("F", "U", "A", "bias")),
        ("F_row", _WHOLE),
        *((n, _PLACE) for n in ("values", "mask", "gates", "rows", "cells", "bell", "weights")),
        *((n, _PLACE) for n in ("hidden", "window", "d_sums", "d_bell", "d_values", "work")),
    )


class DncState(ctypes.Structure):
    """The memory of a Differentiable Neural Computer, or gradients of it."""

    _fields_ = tuple(
        (n, _PLACE) for n in ("memory", "vectors", "read", "write", "usage", "links", "precedence")
    )


class DncCall(ctypes.Structure):
    """One step of that memory, forward or back."""

    _fields_ = (
        *((n, _WHOLE) for n in ("batch", "slots", "width", "reads", "threads")),
        ("tiny", _NUMBER),
        *((n, _PLACE) for n in ("raw", "d_raw")),
        *((n, DncState) for n in ("before", "after", "d_before", "d_after")),
        ("work", _PLACE),
    )


class LstmCall(ctypes.Structure):
    """All steps of an LSTM, forward or back."""

    _fields_ = (
        *((n, _WHOLE) for n in ("batch", "steps", "width", "threads")),
        *((n, _PLACE) for n in ("U", "gates", "hidden", "cells", "outputs")),
        *((n, _PLACE) for n in ("d_sums", "d_hidden", "d_cell", "work")),
    )


class BidirectionalLstmCall(ctypes.Structure):
    """Both directions of a layer of LSTM cells, forward or back."""

    _fields_ = (
        *((n, _WHOLE) for n in ("batch", "places", "width", "threads")),
        *((n, _PLACE) for n in ("U_right", "U_left", "mask", "gates", "d_sums")),
        *((n, _PLACE) for n in ("cells", "states", "last", "work")),
    )


class BackoffWalk(ctypes.Structure):
    """A back-off table with a say in a search."""

    _fields_ = (
        *((n, _PLACE) for n in ("keys", "ids", "suffixes", "begins", "scores", "backoffs", "paid")),
        *((n, _WHOLE) for n in ("size", "contexts", "start")),
        ("weight", _NUMBER),
        ("most", _NUMBER),
    )


class BackoffLinesCall(ctypes.Structure):
    """Lines of labels, and where to write what a table adds to each label."""

    _fields_ = (
        *((n, _WHOLE) for n in ("lines", "longest", "end")),
        *((n, _PLACE) for n in ("walk", "labels", "lengths", "gains")),
    )


class CtcPrefixCall(ctypes.Structure):
    """Frames to go along with a beam of prefixes, and where to write them."""

    _fields_ = (
        *((n, _WHOLE) for n in ("rows", "places", "size", "width", "threads")),
        *((n, _PLACE) for n in ("frames", "walk", "limits", "tokens", "lengths", "scores")),
    )


class CtcSpellingCall(ctypes.Structure):
    """Labels to measure by all paths that spell them, and where to write what each adds."""

    _fields_ = (
        *((n, _WHOLE) for n in ("lines", "places", "size", "longest", "threads")),
        *((n, _PLACE) for n in ("frames", "rows", "labels", "lengths", "gains")),
    )


class StackCall(ctypes.Structure):
    """Sentences to cover by phrases, and where to write what was found."""

    _fields_ = (
        *((n, _WHOLE) for n in ("rows", "longest", "reach", "width", "n_best", "end")),
        ("threshold", ctypes.c_double),
        ("walk", _PLACE),
        *((n, _PLACE) for n in ("lengths", "firsts", "spans", "begins", "words")),
        *((n, _PLACE) for n in ("scores", "guesses", "turns", "jumps")),
        *((n, _PLACE) for n in ("limits", "paths", "sizes", "totals", "stacks", "finished")),
    )


class FollowCall(ctypes.Structure):
    """A text to write by the phrases of one sentence, and where to write what may follow."""

    _fields_ = (
        ("options", _PLACE),
        *((n, _WHOLE) for n in ("row", "length", "size")),
        *((n, _PLACE) for n in ("text", "values", "path", "n_path")),
    )
