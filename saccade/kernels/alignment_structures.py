"""What Python hands to the kernels of word alignment: `aligner.c` and `links.c`, field by field."""

import ctypes

_WHOLE, _PLACE, _NUMBER = ctypes.c_int64, ctypes.c_void_p, ctypes.c_double


class SymmetriseCall(ctypes.Structure):
    """Links of two directions, and where to write those that a rule chooses."""

    _fields_ = (
        *((n, _WHOLE) for n in ("pairs", "n_forward", "n_backward", "rule", "cells")),
        *(
            (n, _PLACE)
            for n in ("source_lengths", "target_lengths", "forward", "backward", "found")
        ),
    )


class CooccurrenceCall(ctypes.Structure):
    """Where every source word occurs, the words of the targets, and room for those beside it."""

    _fields_ = (
        *((n, _WHOLE) for n in ("n_source", "n_target")),
        *((n, _PLACE) for n in ("begins", "pairs", "target_begins", "targets", "rows", "found")),
    )


class CellsCall(ctypes.Structure):
    """Pairs of sentences, and where to write the entry of the lexicon for each pair of words."""

    _fields_ = (
        *((n, _WHOLE) for n in ("pairs", "n_source")),
        *(
            (n, _PLACE)
            for n in (
                *("sources", "targets", "source_lengths", "target_lengths"),
                *("rows", "symbols", "cells"),
            )
        ),
    )


class AlignerCall(ctypes.Structure):
    """Pairs of sentences with their cells, a model, and where to add what is expected of them."""

    _fields_ = (
        *((n, _WHOLE) for n in ("pairs", "reach", "longest")),
        *((n, _NUMBER) for n in ("null", "tension")),
        *(
            (n, _PLACE)
            for n in (
                *("source_lengths", "target_lengths", "cells", "t", "jumps", "counts"),
                *("likelihoods", "distance", "linked", "jump_counts", "origins", "best"),
            )
        ),
    )


class FertilityCall(ctypes.Structure):
    """Pairs of sentences with their cells, Model 3, and where to add what is expected of them."""

    _fields_ = (
        ("pairs", _WHOLE),
        *((n, _NUMBER) for n in ("spurious", "tension")),
        *(
            (n, _PLACE)
            for n in (
                *("source_lengths", "target_lengths", "words", "cells", "t", "fertilities"),
                *("counts", "fertility_counts", "linked", "distance", "likelihoods", "best"),
            )
        ),
    )
