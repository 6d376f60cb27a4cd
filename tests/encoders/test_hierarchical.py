import numpy as np
import torch
from torch.testing import assert_close

from saccade.encoders.hierarchical import HierarchicalEncoder
from saccade.flow import Memory, Padded
from saccade.modalities.text import TextCodec
from saccade.tokenizers._vocabulary import END, Reading
from tests.samples import mask_of, randn, scramble, vocabulary

TURNS = ((2, 3, 1), (4,), (1, 1), ())  # places of the turns of each row


def source(extra: int = 0) -> Padded:
    """Rows of turns of 2, 3 and 1 places; of 4; of 1 and 1; of none: `[4, 3, 4, 5]`."""
    mask = torch.zeros(4, 3 + extra, 4 + extra, dtype=torch.bool)
    for row, turns in enumerate(TURNS):
        for n, length in enumerate(turns):
            mask[row, n, :length] = True
    values = randn(*mask.shape, 5, seed=2)
    values[:, :3, :4] = randn(4, 3, 4, 5)
    return Padded(values, mask)


def test_words_are_read_within_their_turn_and_turns_in_order() -> None:
    encoder = scramble(HierarchicalEncoder(5, hidden=4, context=3))
    memory, x = encoder(source()), source().values
    turns = [x[:1, 0, :2], x[:1, 1, :3], x[:1, 2, :1]]
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


def test_a_sequence_is_one_turn() -> None:
    encoder = scramble(HierarchicalEncoder(5, hidden=4, context=3))
    known, flat = encoder(source()), encoder(source().flat())
    assert_close(flat.states[1], known.states[1])
    assert not torch.allclose(flat.states[0], known.states[0])


def test_a_later_turn_is_not_known_before() -> None:
    encoder = scramble(HierarchicalEncoder(5, hidden=4, context=3))
    one = source()
    other = one.values.clone()
    other[0, 2] += 1
    first, second = (encoder(Padded(v, one.mask)).states[0] for v in (one.values, other))
    assert torch.equal(first[:5], second[:5])
    assert not torch.allclose(first[5], second[5])


def test_rows_and_padding_do_not_matter_with_turns_either() -> None:
    encoder = scramble(HierarchicalEncoder(5, hidden=4, context=3))
    one, whole = source(), encoder(source())
    for i, turns in enumerate(TURNS[:3]):
        n, longest = len(turns), max(turns)
        alone: Memory = encoder(
            Padded(one.values[i : i + 1, :n, :longest], one.mask[i : i + 1, :n, :longest])
        )
        assert_close(alone.states[0], whole.states[i, : sum(turns)])
        assert_close(alone.summary[0], whole.summary[i])
    wider: Memory = encoder(source(extra=2))
    assert_close(wider.states, whole.states)
    assert_close(wider.summary, whole.summary)


def test_a_separator_cuts_a_text_into_turns() -> None:
    """What the codec lays out is what the encoder reads."""
    codec = TextCodec(vocabulary().read_as(Reading(separator="|")))
    values, mask = codec.pad(codec.encode(["one | two | a", "four"]))
    one, two, a, four = (vocabulary().encode(text) for text in ("one", "two", "a", "four"))
    expected = [[[*one, END], [*two, END], [*a, END]], [[*four, END], [], []]]
    found = [
        [row[kept].tolist() for row, kept in zip(*pair, strict=True)]
        for pair in zip(values, mask, strict=True)
    ]
    assert found == expected
    encoder = scramble(HierarchicalEncoder(5, hidden=4, context=3, level="turns"))
    vectors = randn(*np.shape(values), 5)
    memory = encoder(Padded(vectors, torch.from_numpy(mask)))
    assert memory.mask.tolist() == [[True, True, True], [True, False, False]]
