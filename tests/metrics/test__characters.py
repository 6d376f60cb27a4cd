import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from saccade.metrics._characters import NONE, SPACE, aligned, character_confusion
from saccade.metrics.cer import Cer

texts = st.text(alphabet="abc ", max_size=8)


def test_confusion_by_hand() -> None:
    found = character_confusion(["fo fei es", "ſo"], ["ſo ſei es", "ſo so"])
    assert found.labels == (SPACE, "f", "o", "s", "ſ", NONE)
    table = {
        (found.labels[i], found.labels[j]): int(n)
        for (i, j), n in np.ndenumerate(found.counts)
        if n
    }
    assert table == {
        (SPACE, SPACE): 2,
        ("o", "o"): 2,
        ("s", "s"): 1,
        ("ſ", "ſ"): 1,
        ("ſ", "f"): 2,
        (SPACE, NONE): 1,
        ("s", NONE): 1,
        ("o", NONE): 1,
    }


def test_the_nearest_reference_counts() -> None:
    assert character_confusion(["ab"], [["xyz", "ac"]]).labels == ("b", "c", NONE)


def test_nothing_wrong_is_an_empty_table() -> None:
    found = character_confusion(["ab"], ["ab"])
    assert found.labels == (NONE,)
    assert not found.counts.any()


@given(texts, texts)
def test_errors_are_those_of_the_error_rate(wanted: str, written: str) -> None:
    pairs = aligned(wanted, written)
    assert "".join(one for one, _ in pairs) == wanted
    assert "".join(other for _, other in pairs) == written
    table = character_confusion([written], [wanted]).counts
    assert table.sum() - np.trace(table) == Cer().stats(written, [wanted])[:3].sum()
