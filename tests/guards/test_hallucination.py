import numpy as np

from saccade.guards.hallucination import Evidence, hallucination


def evidence(target: list[str], *, finished: bool = True) -> Evidence:
    source = [f"▁word{i}" for i in range(8)]
    weights = np.eye(len(target), 9, dtype=np.float32)
    return Evidence(source, range(8), target, [-3.0] * len(target), finished, weights, None)


def test_all_that_is_wrong_is_told_in_order() -> None:
    flags = hallucination(evidence(["▁ag"] * 4, finished=False))
    assert [flag.kind for flag in flags] == ["loop", "coverage", "length", "confidence"]


def test_an_empty_output() -> None:
    assert [flag.kind for flag in hallucination(evidence([]))] == ["length"]
