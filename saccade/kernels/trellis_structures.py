"""What Python hands to the kernels of a trellis: `trellis.c`, field by field."""

import ctypes

_WHOLE, _PLACE = ctypes.c_int64, ctypes.c_void_p


class TrellisCall(ctypes.Structure):
    """All ways through hidden states, and where to write the best path or what symbols add."""

    _fields_ = (
        *((n, _WHOLE) for n in ("rows", "places", "first", "width", "threads")),
        *((n, _PLACE) for n in ("tables", "scores", "leads", "lengths", "symbols", "tokens")),
        *((n, _PLACE) for n in ("path", "gains")),
    )


class FollowersCall(ctypes.Structure):
    """Which states can follow each other, and where to write how likely they do."""

    _fields_ = (
        *((n, _WHOLE) for n in ("count", "groups", "width", "states")),
        *((n, _WHOLE) for n in ("n_pairs", "n_triples", "order", "threads")),
        *((n, _PLACE) for n in ("names", "candidates", "pair_keys", "triple_keys")),
        *((n, _PLACE) for n in ("ones", "pairs", "triples", "shares", "tables")),
    )
