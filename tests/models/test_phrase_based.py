"""Phrase-based translation learns small corpora, stops and goes on, and refuses what is damaged."""

from typing import Any

import numpy as np
import pytest
import torch

from saccade.errors import CheckpointError, DataError, RecipeError
from saccade.folders.model import put_weights
from saccade.models.base import LaidPairs, LaidSide, phrase_writer
from saccade.models.ngram import NGram
from saccade.models.phrase_based import PhraseBased
from saccade.search.base import Task
from saccade.search.stack import Stack
from saccade.tokenizers._vocabulary import END, START, UNK
from saccade.train import weights
from tests.samples import batch_of, sides

SIZE = 14
TURNED = {4: 9, 5: 10, 6: 11, 7: 12, 8: 13}  # word by word, but 7 8 is written the other way round


def translated(words: list[int]) -> list[int]:
    found = [TURNED[word] for word in words]
    for i in range(len(words) - 1):
        if words[i : i + 2] == [7, 8]:
            found[i : i + 2] = [13, 12]
    return found


def corpus(n: int = 60, seed: int = 1, held_out: LaidPairs | None = None) -> LaidPairs:
    chance = np.random.Generator(np.random.PCG64(seed))
    lines = [chance.integers(4, 9, chance.integers(2, 6)).tolist() for _ in range(n)]
    return LaidPairs({"source": laid(lines)}, laid([*map(translated, lines)]), held_out)


def laid(lines: list[list[int]]) -> LaidSide:
    return LaidSide(np.array([w for line in lines for w in line]), np.array([*map(len, lines)]))


def model(**options: Any) -> PhraseBased:
    return PhraseBased(*sides(SIZE), passes=[2, 2], order=3, tune=options.pop("tune", 1), **options)


def fitted(**options: int) -> PhraseBased:
    made = model(**options)
    both = corpus(held_out=corpus(12, 2))
    for i in range(made.iterations):
        made.count(both, i)
    return made.eval()


@pytest.fixture(scope="module")
def known() -> PhraseBased:
    return fitted()


def write(made: PhraseBased, words: list[int], banned: tuple[int, ...] = ()) -> list[int]:
    sources = batch_of((words, [4])).sources
    limits = torch.tensor([99])
    options = made.read_phrases(sources)
    task = Task(start=START, end=END, limits=limits, banned=banned, options=options)
    (found,) = Stack()(made.step, made.start(sources), task)
    return list(found.hypotheses[0].tokens)


def test_it_translates_and_reorders(known: PhraseBased) -> None:
    for words in ([4, 5], [6, 7, 8], [7, 8, 4, 5, 6]):
        assert write(known, words) == translated(words)


def test_unknown_words_are_written_as_unknown_or_left_out(known: PhraseBased) -> None:
    assert write(known, [4, UNK, 5]).count(UNK) == 1
    assert UNK not in write(known, [4, UNK, 5], banned=(UNK,))
    assert write(known, [UNK, UNK]) == [UNK, UNK]


def test_without_jumps_it_still_ends() -> None:
    assert len(write(fitted(distortion_limit=0, tune=0), [4, 5, 6])) == 3


def test_what_it_says_word_by_word_is_a_distribution(known: PhraseBased) -> None:
    batch = batch_of(([4, 7, 8], [9, 13, 12]), ([5], [13, 13]))
    decoded = known(batch, look=True)
    torch.testing.assert_close(decoded.features.exp().sum(dim=2), torch.ones(2, 4))
    assert decoded.features[0, 0, 9].exp() > 0.3
    assert decoded.weights is not None
    assert decoded.weights[0, 0, 0].tolist() == [1.0, 0.0, 0.0, 0.0]
    torch.testing.assert_close(decoded.weights[0, :, 0].sum(dim=1), torch.ones(4))
    assert decoded.weights[0, 3, 0].tolist() == [0.0, 0.0, 0.0, 1.0]  # END looks at END
    state = known.start(batch.sources)
    for t in range(4):
        step, state = known.step(batch.prefix[:, t], state)
        torch.testing.assert_close(step, decoded.features[:, t])


def test_it_goes_on_between_passes_bit_for_bit() -> None:
    whole, both = fitted(), corpus(held_out=corpus(12, 2))
    held = weights.of(model())
    for i in range(whole.iterations):
        part = model()
        put_weights(part, {name: one.clone() for name, one in held.items()}, "between")
        part.count(both, i)
        held = weights.of(part)
    for name, one in weights.of(whole).items():
        assert torch.equal(one, held[name]), name


def test_without_validation_pairs_the_weights_stay() -> None:
    made = model()
    *_, told = [made.count(corpus(), i).told for i in range(made.iterations)]
    assert told == "There are no validation pairs to tune on; the weights stay."


@pytest.mark.parametrize(
    ("name", "change", "told"),
    [
        ("table.words", lambda t: t + 90, "a word is not of the vocabulary; expected a phrase tab"),
        ("table.features", lambda t: t * torch.nan, "a number is not finite; expected a phrase"),
        ("table.options", lambda t: t[:-1], r"its arrays have the shapes"),
        ("weights", lambda t: t[:3], "the weights of the features are .*; expected 11 finite"),
        ("language.keys", lambda t: t.flip(0), "its nodes are not in order; expected a back-off"),
    ],
)
def test_a_damaged_folder_is_refused(known, name, change, told) -> None:  # type: ignore[no-untyped-def]
    broken = {**weights.of(known), name: change(weights.of(known)[name])}
    with pytest.raises(CheckpointError, match=f"^here: {told}"):
        put_weights(model(), broken, "here")
    del broken[name]
    with pytest.raises(CheckpointError, match=r"^here: the weights"):
        put_weights(model(), broken, "here")


def test_an_empty_table_is_refused(known: PhraseBased) -> None:
    nothing = {f"table.{name}": one.data for name, one in model().table.named_parameters()}
    with pytest.raises(
        CheckpointError, match=r"^here: its phrase table is empty though its langua"
    ):
        put_weights(model(), {**weights.of(known), **nothing}, "here")


def test_what_cannot_be_is_refused() -> None:
    with pytest.raises(RecipeError, match=r"phrase_based.passes: \[0, 0\] does not fit; expected"):
        PhraseBased(*sides(SIZE), passes=[0, 0])
    with pytest.raises(RecipeError, match=r"phrase_based.distortion_limit: 49 is not between 0 an"):
        PhraseBased(*sides(SIZE), distortion_limit=49)
    nothing = LaidSide(np.zeros(0, np.int64), np.zeros(0, np.int64))
    with pytest.raises(DataError, match="phrase_based: there is nothing to count; expected pairs"):
        model().count(LaidPairs({"source": nothing}, nothing), 0)
    with pytest.raises(RecipeError, match=r"stack: NGram has no phrases to cover the source with"):
        phrase_writer(NGram(*sides(8)), "stack")


def test_no_phrase_at_all_is_an_error() -> None:
    strange = LaidSide(np.full(4, UNK), np.array([2, 2]))
    made, both = model(), LaidPairs({"source": strange}, strange)
    for i in range(4):
        made.count(both, i)
    with pytest.raises(DataError, match="phrase_based: no phrase pair was found in 2 pairs; expec"):
        made.count(both, 4)
