import torch
from torch.testing import assert_close

from saccade.encoders.hierarchical import HierarchicalEncoder
from saccade.flow import Padded
from tests.samples import mask_of, randn, scramble


def source(extra: int = 0) -> Padded:
    """Rows of turns of 2, 3 and 1 places; of 4; of 1 and 1; of none."""
    mask = mask_of(6, 4, 2, 0, size=6 + extra)
    ends = torch.zeros_like(mask)
    for row, place in ((0, 1), (0, 4), (0, 5), (1, 3), (2, 0), (2, 1)):
        ends[row, place] = True
    ends[1, 5] = True  # in the padding, where it means nothing
    return Padded(randn(4, 6 + extra, 5), mask, ends)


def test_words_are_read_within_their_turn_and_turns_in_order() -> None:
    encoder = scramble(HierarchicalEncoder(5, hidden=4, context=3))
    memory, x = encoder(source()), source().values
    turns = [x[:1, 0:2], x[:1, 2:5], x[:1, 5:6]]
    read = [encoder.words(Padded(turn, mask_of(turn.shape[1]))) for turn in turns]
    context = encoder.turns(Padded(torch.stack([r.summary for r in read], dim=1), mask_of(3)))
    words = torch.cat([r.states for r in read], dim=1)  # [1, 6, 8]
    beside = context.states[:, [0, 0, 1, 1, 1, 2]]  # [1, 6, 3]
    assert_close(memory.states[:1], torch.cat([words, beside], dim=2))
    assert_close(memory.summary[:1], torch.cat([read[2].summary, context.summary], dim=1))
    assert encoder.memory_dim == 11


def test_the_memory_may_hold_turns_alone() -> None:
    words = scramble(HierarchicalEncoder(5, hidden=4, context=3))
    turns = HierarchicalEncoder(5, hidden=4, context=3, level="turns")
    turns.load_state_dict(words.state_dict())
    memory = turns.eval()(source())
    assert memory.states.shape == (4, 3, 3)
    assert memory.mask.sum(dim=1).tolist() == [3, 1, 2, 0]
    assert_close(memory.states[0], words(source()).states[0, [1, 4, 5], 8:])
    assert memory.places.tolist() == [
        [0, 0, 1, 1, 1, 2],
        [0, 0, 0, 0, -1, -1],
        [0, 1, -1, -1, -1, -1],
        [-1, -1, -1, -1, -1, -1],
    ]


def test_a_source_without_ends_is_one_turn() -> None:
    encoder = scramble(HierarchicalEncoder(5, hidden=4, context=3))
    known, unknown = source(), Padded(source().values, source().mask)
    assert_close(encoder(unknown).states[1], encoder(known).states[1])
    assert not torch.allclose(encoder(unknown).states[0], encoder(known).states[0])


def test_a_later_turn_is_not_known_before() -> None:
    encoder = scramble(HierarchicalEncoder(5, hidden=4, context=3))
    one = source()
    other = one.values.clone()
    other[0, 5] += 1
    first, second = (encoder(Padded(v, one.mask, one.ends)).states[0] for v in (one.values, other))
    assert torch.equal(first[:5], second[:5])
    assert not torch.allclose(first[5], second[5])


def test_rows_and_padding_do_not_matter_with_turns_either() -> None:
    encoder = scramble(HierarchicalEncoder(5, hidden=4, context=3))
    one, whole = source(), encoder(source())
    for i, n in enumerate((6, 4, 2)):
        assert one.ends is not None
        alone = Padded(one.values[i : i + 1, :n], one.mask[i : i + 1, :n], one.ends[i : i + 1, :n])
        assert_close(encoder(alone).states[0], whole.states[i, :n])
        assert_close(encoder(alone).summary[0], whole.summary[i])
