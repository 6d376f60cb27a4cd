"""A frozen network: the same bits however it is asked, and few of them in memory."""

import numpy as np
import pytest
import torch

from saccade.embedders import _frozen
from saccade.embedders._frozen import FrozenTrunk, Pixels, sketched
from saccade.embedders.vgg import Vgg


def pictures(n: int) -> list[Pixels]:
    random = np.random.default_rng(0)
    return [random.integers(0, 256, (20, 33, 3), dtype=np.uint8) for _ in range(n)]


def frozen() -> FrozenTrunk:
    return FrozenTrunk(lambda: Vgg(width=2))


def test_features_are_those_of_the_network_rounded() -> None:
    one, network = frozen(), Vgg(width=2)
    (given,) = pictures(1)
    with torch.random.fork_rng():
        torch.manual_seed(0)
        network = Vgg(width=2)
    wanted = network(torch.from_numpy(given).float()[None])[0].detach().numpy()
    (found,) = one.features([given])
    assert found.shape == (2, 3, 16)
    assert np.array_equal(found, wanted.astype(np.float16))
    assert one.fingerprint == network.fingerprint()
    assert one.features([]) == []


def test_a_picture_is_computed_once_while_it_is_remembered(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    one, computed = frozen(), list[int]()
    run = one._run

    def counted(picture: Pixels) -> _frozen.Grid:
        computed.append(int(picture[0, 0, 0]))
        return run(picture)

    monkeypatch.setattr(one, "_run", counted)
    given = pictures(4)
    first = one.features([given[0], given[1], given[0]])
    again = one.features([given[1], given[0]])
    assert len(computed) == 2
    assert np.array_equal(first[0], first[2])
    assert np.array_equal(first[0], again[1])
    with pytest.raises(ValueError, match="read-only"):
        first[0][0] = 1


def test_memory_is_bounded(monkeypatch: pytest.MonkeyPatch) -> None:
    size = 2 * 3 * 16 * 2
    monkeypatch.setattr(_frozen, "_REMEMBERED", 3 * size)
    one, given = frozen(), pictures(6)
    wanted = frozen().features(given)
    for _ in range(2):
        found = [one.features([picture])[0] for picture in given]
        assert all(np.array_equal(*pair) for pair in zip(found, wanted, strict=True))
    assert (len(one._memory._grids), one._memory._size) == (3, 3 * size)


def test_a_sketch_has_a_size_and_no_weights() -> None:
    network = sketched(lambda: Vgg(width=8))
    assert network.channels == 64
    assert {p.device.type for p in network.parameters()} == {"meta"}
