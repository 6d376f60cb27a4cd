"""Inputs that hypothesis invents: files of any bytes, and JSON with one value put elsewhere."""

import json
from collections.abc import Callable
from typing import Any

from hypothesis import HealthCheck, Phase, given, seed, settings
from hypothesis import strategies as st

from tests.fuzz.mutate import NUMBERS, TEXTS, VALUES
from tests.fuzz.target import LARGEST, Target
from tests.fuzz.targets import corpus_of

_scalars = st.sampled_from(VALUES) | st.integers() | st.floats() | st.text(max_size=20)
anything = st.recursive(
    _scalars,
    lambda inner: (
        st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=8), inner, max_size=4)
    ),
    max_leaves=12,
)


@st.composite
def inputs(draw: st.DrawFn, target: Target) -> bytes:
    """Invent an input: pieces of the corpus, of what stands in such files, and of anything."""
    seeds = list(corpus_of(target.name).values())
    known = draw(st.sampled_from(seeds))
    pieces = [known] if draw(st.booleans()) else known.split(b"\n")
    at = draw(st.integers(0, len(pieces) - 1))
    words = st.sampled_from((*target.words, *TEXTS, *NUMBERS)) | st.binary(max_size=30)
    begin, end = sorted(draw(st.integers(0, len(pieces[at]))) for _ in range(2))
    new = draw(st.lists(words, max_size=4).map(b"".join) | anything.map(_json))
    whole = draw(st.sampled_from(("within", "instead", "behind")))
    if whole == "within":
        pieces[at] = pieces[at][:begin] + new + pieces[at][end:]
    elif whole == "instead":
        pieces[at] = new
    else:
        pieces.insert(at + 1, new)
    return b"\n".join(pieces)[:LARGEST]


def campaign(
    target: Target, attempt: Callable[[Target, bytes], None], n: int, number: int = 1
) -> None:
    """Try `n` inputs; the same number invents the same ones."""

    @seed(number)
    @settings(
        max_examples=n,
        deadline=None,
        database=None,
        phases=[Phase.generate],
        suppress_health_check=list(HealthCheck),
    )
    @given(inputs(target))
    def tried(data: bytes) -> None:
        attempt(target, data)

    tried()


def _json(value: Any) -> bytes:
    return json.dumps(value).encode("utf-8", "surrogatepass")
