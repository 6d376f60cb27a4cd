"""Inputs that mean nothing: what does a model make of them?"""

import random
import unicodedata

_TIMES = 24
_CYRILLIC = "Съешь же ещё этих мягких французских булок, да выпей чаю."
_LATIN = "Zwölf Boxkämpfer jagen Viktor quer über den großen Sylter Deich."
_LEAST = 4  # characters of a line that shuffling changes


def nonsense(sample: str) -> dict[str, str]:
    """Return inputs by name: one syllable again and again, a shuffled line, another script, dots.

    Args:
        sample: an ordinary input, which is shuffled; left out if it is too short for that.

    >>> nonsense("The cat sleeps.")["repeated"][:12]
    'ag ag ag ag '
    """
    cyrillic = any(unicodedata.name(c, "").startswith("CYRILLIC") for c in sample)
    probes = {
        "repeated": " ".join(["ag"] * _TIMES),
        "another script": _LATIN if cyrillic else _CYRILLIC,
        "punctuation": ". . . ! ? ; ; …",
    }
    if len(sample.strip()) >= _LEAST:
        letters = list(" ".join(sample.split()))
        random.Random(0).shuffle(letters)
        probes["shuffled"] = "".join(letters).strip()
    return probes
