"""Does the source hold what the vocabulary does not know?"""

from collections.abc import Sequence

from saccade.guards.flag import Flag, Severity, quote

_SHOWN = 3


def unknown(n_source: int, places: Sequence[int], texts: Sequence[str]) -> tuple[Flag, ...]:
    """Flag source pieces that the model reads as "unknown": a note, a warning if a third are.

    Args:
        n_source: how many pieces the source has.
        places: which of them are unknown.
        texts: what stands there.
    """
    if not places:
        return ()
    different = list(dict.fromkeys(text for text in texts if text))
    shown = ", ".join(quote(text) for text in different[:_SHOWN])
    more = f" and {len(different) - _SHOWN} more" if len(different) > _SHOWN else ""
    severity: Severity = "warning" if 3 * len(places) >= n_source else "note"
    message = f"The model does not know {shown or 'a part of the source'}{more}."
    return (Flag("unknown", message, severity, tuple(places), "source"),)
