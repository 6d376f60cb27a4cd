import pytest

from saccade.metrics.chunk_f1 import ChunkF1, chunks


@pytest.mark.parametrize(
    ("tags", "expected"),
    [  # counted by hand by the rules of conlleval
        ("O O", []),
        ("B-NP I-NP O B-VP", [(0, 2, "NP"), (3, 4, "VP")]),
        ("I-NP I-NP", [(0, 2, "NP")]),
        ("B-NP B-NP", [(0, 1, "NP"), (1, 2, "NP")]),
        ("B-NP I-VP I-VP", [(0, 1, "NP"), (1, 3, "VP")]),
        ("S-X S-X B-X E-X I-X", [(0, 1, "X"), (1, 2, "X"), (2, 4, "X"), (4, 5, "X")]),
    ],
)
def test_where_chunks_begin_and_end(tags: str, expected: list[tuple[int, int, str]]) -> None:
    assert chunks(tags.split()) == expected


def test_precision_recall_and_f1() -> None:
    """Three found, one right; two wanted: P 1/3, R 1/2, F1 2/5."""
    found = ChunkF1().corpus(["B-NP I-NP B-VP B-NP"], ["B-NP I-NP B-VP I-VP"])
    assert found.detail["precision"] == pytest.approx(100 / 3)
    assert found.detail["recall"] == pytest.approx(50)
    assert found.value == pytest.approx(40)


def test_nothing_wanted_and_nothing_found_is_right() -> None:
    assert ChunkF1().corpus(["O"], ["O"]).value == 100
    assert ChunkF1().corpus(["B-X"], ["O"]).value == 0
