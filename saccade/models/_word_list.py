"""A word list out of pairs of sentences: each word with the one it is linked with most often."""

from collections.abc import Sequence

import numpy as np

from saccade.models._aligner import align_corpus
from saccade.models.base import LaidSide
from saccade.tokenizers._vocabulary import END, MARK

_LEAST = 2  # how often two words must be linked
_SHARE = 0.15  # of the links of a word, its translation must have so many


def induced_words(
    source: LaidSide, target: LaidSide, pieces: Sequence[str], target_pieces: Sequence[str]
) -> dict[str, str]:
    """Link the words of all pairs (IBM Model 1 and the HMM), and list the commonest partners.

        to(s) = argmax_t n(s, t)        if n >= 2 and n is 15 % of the links of s or more

    Args:
        source: all sentences, as ids.
        target: their translations.
        pieces: what the source's ids spell; only whole words are listed.
        target_pieces: likewise.
    """
    if not len(source.values) or not len(target.values):
        return {}
    links = align_corpus(source, target, len(pieces), len(target_pieces), {"ibm1": 5, "hmm": 3})
    begins = [np.cumsum(one.lengths) - one.lengths for one in (source, target)]
    s = source.values[begins[0][links[:, 0]] + links[:, 1]].astype(np.int64)
    t = target.values[begins[1][links[:, 0]] + links[:, 2]].astype(np.int64)
    pairs, n = np.unique(s * len(target_pieces) + t, return_counts=True)
    s, t = pairs // len(target_pieces), pairs % len(target_pieces)
    whole = np.bincount(s, weights=n, minlength=len(pieces))
    order = np.lexsort((t, -n, s))
    first = order[np.unique(s[order], return_index=True)[1]]
    good = first[(n[first] >= _LEAST) & (n[first] >= _SHARE * whole[s[first]])]
    good = good[np.argsort(n[good], kind="stable")]  # of two pieces of one spelling, the commoner
    return {
        pieces[a].removeprefix(MARK): target_pieces[b].removeprefix(MARK)
        for a, b in zip(s[good].tolist(), t[good].tolist(), strict=True)
        if a > END and b > END and _is_word(pieces[a]) and _is_word(target_pieces[b])
    }


def _is_word(piece: str) -> bool:
    """Tell whether a piece is a word and no mark, nor unknown."""
    return piece.removeprefix(MARK)[:1].isalnum()
