"""The noisy channel: what was misread is mended where language and channel agree."""

from math import exp

import numpy as np
import pytest
import torch

from saccade.errors import RecipeError
from saccade.models.base import Model, Writer, writer
from saccade.nouns import Hypothesis
from saccade.parts import Part
from saccade.predict.repair import Channel, Repair
from saccade.predict.shapers import repair_of
from saccade.recipe import Decoding
from saccade.search.base import Found
from saccade.shaping._prefix_reader import PrefixReader
from saccade.tokenizers._vocabulary import END, PAD, START, UNK
from saccade.tokenizers.character import Character
from saccade.tokenizers.word import Word
from tests.samples import sides

LETTERS = Character().fit(["man nan"], [])
COUNTS = {("m", "m"): 90, ("m", "n"): 10, ("n", "n"): 200, ("a", "a"): 300, ("", "a"): 1}
COUNTS |= {("n", ""): 2, (" ", " "): 50}


def channel() -> Channel:
    return Channel.of(COUNTS, LETTERS)


def language_model(favourite: str) -> Writer:
    """A model that finds one symbol likelier than others, whatever stands before."""
    options = {"embedding": 4, "dropout": 0.0, "tie": False}
    built = Part(Model, "language_model", options).build(*sides(len(LETTERS)))
    bias = torch.zeros(len(LETTERS))
    bias[LETTERS.encode(favourite)[0]] = 4.0
    for name, weight in built.named_parameters():
        weight.data = bias if name == "head.bias" else torch.zeros_like(weight)
    return writer(built.eval())


def ids(text: str) -> tuple[int, ...]:
    return tuple(LETTERS.encode(text))


def test_what_may_be_read_adds_up_to_one() -> None:
    found = channel()
    letters = [i for i in range(len(LETTERS)) if i not in (PAD, UNK, START, END)]
    sums = np.exp(found.taken).sum(axis=1) + np.exp(found.dropped)
    assert sums[letters] == pytest.approx(1.0)
    assert np.exp(found.spurious).sum() == pytest.approx(1.5 / 653, rel=1e-6)
    (m,), (n,) = ids("m"), ids("n")
    assert exp(found.taken[m, n]) > 5 * exp(found.taken[n, m])


def test_language_decides_between_what_is_confused() -> None:
    line = ids("nan")
    assert Repair(channel(), language_model("a"), 1.0)([line]) == [line]
    assert Repair(channel(), language_model("m"), 0.0)([line]) == [line]
    (mended,) = Repair(channel(), language_model("m"), 1.0)([line])
    assert LETTERS.decode(mended) == "mam"  # a, which is never m, stays


def brute_force(repair: Repair, line: tuple[int, ...], most: int) -> float:
    """The best score of all texts, by dynamic programming over each."""
    letters = [i for i in range(len(LETTERS)) if i not in (PAD, UNK, START, END)]
    best, texts = -np.inf, list[tuple[int, ...]]([()])
    for _ in range(most + 1):
        best = max(best, *(score(repair, line, text) for text in texts))
        texts = [(*text, v) for text in texts for v in letters]
    return best


def score(repair: Repair, line: tuple[int, ...], text: tuple[int, ...]) -> float:
    """The likeliest edits from `text` to what was read, and the language model."""
    channel = repair.channel
    table = np.full((len(text) + 1, len(line) + 1), -np.inf)
    table[0, 0] = 0.0
    for i in range(len(text) + 1):
        for j in range(len(line) + 1):
            ways = [table[i, j]]
            if j:
                ways.append(table[i, j - 1] + channel.spurious[line[j - 1]])
            if i:
                ways.append(table[i - 1, j] + channel.dropped[text[i - 1]])
            if i and j:
                ways.append(table[i - 1, j - 1] + channel.taken[text[i - 1], line[j - 1]])
            table[i, j] = max(ways)
    said = PrefixReader(repair.model)(torch.zeros(1, 0, dtype=torch.long))[0].detach()
    return float(table[-1, -1] + repair.weight * said[[*text, END]].sum())


@pytest.mark.parametrize("favourite", ["m", "a", "n"])
def test_the_beam_finds_what_listing_finds(favourite: str) -> None:
    repair = Repair(channel(), language_model(favourite), 0.8)
    line = ids("nan")
    (found,) = repair([line])
    assert score(repair, line, found) == pytest.approx(brute_force(repair, line, 4), abs=1e-5)


def test_lines_do_not_depend_on_each_other() -> None:
    repair = Repair(channel(), language_model("m"), 1.0)
    lines = [ids("nan"), (), ids("n an")]
    assert repair(lines) == [repair([line])[0] for line in lines]


def test_what_was_read_stands_behind_what_it_became() -> None:
    read, kept = Hypothesis(ids("n"), -1.0, (-1.0, 0.0)), Hypothesis(ids("a"), 0.0, (0.0, 0.0))
    repair = Repair(channel(), language_model("m"), 1.0)
    mended, same = repair.mend([Found((read,)), Found((kept,))])
    assert [one.tokens for one in mended.hypotheses] == [ids("m"), ids("n")]
    assert same == Found((kept,))


def test_words_cannot_be_mended_by_characters() -> None:
    with pytest.raises(RecipeError, match=r"decoding.repair: the symbols of the target are not ch"):
        Channel.of(COUNTS, Word().fit(["a b a b"], []))


def test_a_table_alone_is_refused() -> None:
    with pytest.raises(RecipeError, match=r"decoding.repair: x.tsv needs a language model beside"):
        repair_of(Decoding(repair="x.tsv"), LETTERS, None)
