import numpy as np
import pytest
import torch

from saccade.flow import SOURCE, nested, tensor
from saccade.search._frames import BLANK
from saccade.search._prefix_beam import PrefixBeam, Trie
from tests.models.test__lattice import every_path, spelt
from tests.search.toys import frame_state

FRAMES = tensor(nested(frame_state([1, 8, 25, 49]), SOURCE), "frames")


def allowed() -> torch.Tensor:
    frames = FRAMES.double().index_fill(2, torch.tensor([1, 2]), float("-inf"))
    return frames.masked_fill(frames < -1e20, float("-inf"))


def test_a_beam_wide_enough_has_all_sums() -> None:
    frames = allowed()
    beam = PrefixBeam(frames.numpy(), np.full(4, 9), 800, None)
    for t in range(frames.shape[1]):
        beam.advance(t)
    for row, found in enumerate(beam.found()):
        sums: dict[tuple[int, ...], list[float]] = {}
        for path, log_prob in every_path(frames[row]):
            if log_prob > float("-inf"):
                sums.setdefault(spelt(path), []).append(log_prob)
        right = {k: torch.tensor(ps).double().logsumexp(0).item() for k, ps in sums.items()}
        assert dict(zip(found.prefixes, found.scores, strict=True)) == pytest.approx(right)
        assert found.scores == sorted(found.scores, reverse=True)


def test_what_shapers_add_counts_from_the_moment_it_is_written() -> None:
    frames = allowed()[:1]
    asked: list[tuple[int, ...]] = []

    def deltas(prefixes: list[tuple[int, ...]]) -> np.ndarray[tuple[int, int], np.dtype[np.double]]:
        asked.extend(prefixes)
        added = np.zeros((len(prefixes), 6))
        added[:, 4] = -1.5
        added[:, 5] = -np.inf
        return added

    beam = PrefixBeam(frames.numpy(), np.full(1, 9), 800, deltas)
    plain = PrefixBeam(frames.numpy(), np.full(1, 9), 800, None)
    for t in range(frames.shape[1]):
        beam.advance(t)
        plain.advance(t)
    (shaped,), (free,) = beam.found(), plain.found()
    known = dict(zip(free.prefixes, free.scores, strict=True))
    expected = {k: v - 1.5 * k.count(4) for k, v in known.items() if 5 not in k}
    assert dict(zip(shaped.prefixes, shaped.scores, strict=True)) == pytest.approx(expected)
    assert len(asked) == len(set(asked))


def test_a_prefix_that_comes_back_is_the_same() -> None:
    trie = Trie()
    node = trie.child(trie.child(0, 4), 5)
    assert trie.read(node) == (4, 5)
    assert trie.child(trie.child(0, 4), 5) == node
    assert trie.read(0) == ()
    assert BLANK not in trie.read(node)
