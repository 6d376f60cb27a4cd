"""The output for a text depends on the text alone, and tells the truth about itself."""

from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from functools import cache
from typing import Any

import numpy as np
import pytest
import torch
from torch import Tensor

from saccade.errors import DataError, RecipeError
from saccade.look import inspection
from saccade.parts import Part
from saccade.predict.decode import Decode
from saccade.predict.prediction import Prediction
from saccade.predict.predictor import Predictor
from saccade.recipe import Decoding
from saccade.search.base import Search
from saccade.tokenizers._vocabulary import UNK, UNKNOWN, Reading
from saccade.tokenizers.word import Word
from tests.samples import (
    MODELS,
    PAIRS,
    codecs,
    scramble,
    sides,
    text_codecs,
    trained,
    untrained,
    vocabulary,
)

LINES = [source for source, _ in PAIRS] + ["cats", "", "two", "x", "fox", "out of six seats", "  "]
SEARCHES = {
    "greedy": Part(Search, "greedy"),
    "beam": Part(Search, "beam", {"width": 3, "n_best": 2}),
    "sample": Part(Search, "sample", {"n": 2, "top_k": 5}),
}
ONE, SEVEN, ALL = 1, 7 * 17, 4096  # batch_tokens; the longest line has 16 pieces and END
every_model = pytest.mark.parametrize("kind", MODELS)


def translator(kind: str, *, learned: bool = True, batch_tokens: int = ALL) -> Predictor:
    decoding = Decoding(batch_tokens=batch_tokens, max_ratio=1.0, max_extra=4)
    model = trained(kind) if learned else untrained(kind)
    return Predictor(model, codecs(), decoding)


@cache
def outputs(kind: str, search: str, *, learned: bool) -> list[Prediction]:
    return translator(kind, learned=learned).translate(LINES, search=SEARCHES[search])


CLOSE = 1e-5
NEAR = {"convolution": 3e-5}  # its logits reach 41, where float32 counts in steps of 4e-6


def assert_same(found: list[Prediction], expected: list[Prediction], close: float = CLOSE) -> None:
    for one, other in zip(found, expected, strict=True):
        assert one.text == other.text
        assert [n.text for n in one.nbest] == [n.text for n in other.nbest]
        for n, m in zip(one.nbest, other.nbest, strict=True):
            assert n.score == pytest.approx(m.score, rel=close, abs=close)
            assert n.token_scores == pytest.approx(m.token_scores, rel=close, abs=close)


@every_model
@pytest.mark.parametrize("search", SEARCHES)
@pytest.mark.parametrize("learned", [True, False], ids=["trained", "untrained"])
def test_the_batch_and_the_order_do_not_matter(kind: str, search: str, learned: bool) -> None:
    expected, part = outputs(kind, search, learned=learned), SEARCHES[search]
    near = NEAR.get(kind, CLOSE)
    for size in (ONE, SEVEN):
        one = translator(kind, learned=learned, batch_tokens=size)
        assert_same(one.translate(LINES, search=part), expected, near)
    turn = np.random.default_rng(1).permutation(len(LINES))
    whole = translator(kind, learned=learned)
    shuffled = whole.translate([LINES[i] for i in turn], search=part)
    assert_same(shuffled, [expected[i] for i in turn], near)
    assert_same(list(whole.stream(iter(LINES), Decode(search=part), chunk=4)), expected, near)


@pytest.mark.parametrize("kind", ["luong", "pre"])
def test_sixty_four_lines_are_sixty_four_single_ones(kind: str) -> None:
    letters = np.random.default_rng(2).choice(list("onetwfurhivsxac "), (64, 9))
    lines = ["".join(row[: 1 + i % 9]) for i, row in enumerate(letters)]
    one, seven, all_at_once = (
        translator(kind, batch_tokens=size).translate(lines, beam=2) for size in (1, 70, 640)
    )
    assert_same(one, all_at_once)
    assert_same(seven, all_at_once)


@every_model
def test_a_list_is_its_texts_one_by_one(kind: str) -> None:
    whole, part = translator(kind), SEARCHES["beam"]
    alone = [whole.translate(line, search=part) for line in LINES]
    assert_same(alone, outputs(kind, "beam", learned=True))


@every_model
def test_what_was_learned_is_translated(kind: str) -> None:
    found = outputs(kind, "greedy", learned=True)[: len(PAIRS)]
    assert [one.text for one in found] == [target for _, target in PAIRS]


@every_model
@pytest.mark.parametrize("search", SEARCHES)
@pytest.mark.parametrize("learned", [True, False], ids=["trained", "untrained"])
def test_forced_decoding_agrees_with_search(kind: str, search: str, learned: bool) -> None:
    found = [one for one in outputs(kind, search, learned=learned) if len(one.source_values)]
    given = translator(kind, learned=learned, batch_tokens=SEVEN)
    scored = given.score([one.source_text for one in found], [one.text for one in found])
    for one, forced in zip(found, scored, strict=True):
        n = len(one.token_scores)
        assert forced.tokens == (*one.tokens, "</s>")
        assert forced.token_scores[:n] == pytest.approx(one.token_scores, abs=3e-5)
        assert n == len(one.tokens) + one.finished
        if one.finished:
            assert forced.score == pytest.approx(one.hypothesis.log_prob, abs=1e-4)


@every_model
def test_empty_in_empty_out(kind: str) -> None:
    empty = translator(kind).translate("")
    assert (empty.text, empty.tokens, empty.score, empty.alignment) == ("", (), 0.0, [])
    assert empty.attention is None
    assert empty.source_tokens == ("</s>",)
    assert [one.text for one in empty.nbest] == [""]
    assert translator(kind).translate([]) == []


@every_model
def test_a_prefix_is_honoured(kind: str) -> None:
    given = translator(kind)
    for options in ({"beam": 1}, {"beam": 3}, {"search": SEARCHES["sample"]}):
        chosen: dict[str, Any] = options
        for one in given.translate(LINES[:4], prefix="qu", **chosen):
            assert one.text.startswith("qu")
            forced = given.score([one.source_text], [one.text])[0]
            n = len(one.token_scores)
            assert forced.token_scores[:n] == pytest.approx(one.token_scores, abs=3e-5)
    assert given.translate("four", prefix="qu").text == "quatre"


@every_model
def test_nbest_is_sorted_and_starts_with_the_best(kind: str) -> None:
    for one in translator(kind, learned=False).translate(LINES, nbest=4):
        if not len(one.source_values):
            continue
        assert 1 <= len(one.nbest) <= 4
        assert one.nbest[0].hypothesis == one.hypothesis
        assert len({n.hypothesis.tokens for n in one.nbest}) == len(one.nbest)
        for finished in (True, False):
            scores = [n.score for n in one.nbest if n.finished is finished]
            assert scores == sorted(scores, reverse=True)


def test_a_wider_beam_is_used_where_nbest_needs_it() -> None:
    given = translator("bahdanau", learned=False)
    assert_same(given.translate(LINES, nbest=4, beam=2), given.translate(LINES, nbest=4, beam=4))
    long, short = (given.translate(LINES, length_penalty=p) for p in (3.0, 0.0))
    assert sum(len(one.tokens) for one in long) > sum(len(one.tokens) for one in short)


def test_the_recipes_own_search_is_the_default() -> None:
    greedy = translator("bahdanau", learned=False)
    greedy.decoding = replace(greedy.decoding, search=SEARCHES["greedy"])
    assert_same(greedy.translate(LINES), outputs("bahdanau", "greedy", learned=False))


def test_the_unknown_is_never_written() -> None:
    for kind in MODELS:
        for one in outputs(kind, "sample", learned=False):
            assert all(UNKNOWN not in n.text for n in one.nbest)


def test_the_tree_is_kept_if_asked_for() -> None:
    given = translator("luong")
    assert given.translate("one").tree == ()
    assert given.translate("one", trace=True).tree


@every_model
def test_two_threads_do_as_one(kind: str) -> None:
    given, part = translator(kind), SEARCHES["beam"]
    with ThreadPoolExecutor(2) as pool:
        both = list(pool.map(lambda _: given.translate(LINES, search=part), range(2)))
    for found in both:
        assert_same(found, outputs(kind, "beam", learned=True))


@every_model
def test_where_the_model_looked(kind: str) -> None:
    for one in outputs(kind, "greedy", learned=True):
        if not one.looker.attention_names or not len(one.source_values):
            assert one.attention is None
            assert one.alignment == []
            continue
        weights = one.attention
        assert weights is not None
        assert weights.shape == (len(one.tokens), len(one.source_tokens))
        np.testing.assert_allclose(weights.sum(axis=1), 1.0, atol=1e-5)
        assert tuple(one.attention_maps) == one.looker.attention_names
        alone = translator(kind).look(one.arrays, one.hypothesis.tokens)
        np.testing.assert_allclose(alone[:, :-1].mean(axis=0), weights, atol=1e-6)


def test_scoring_of_nothing() -> None:
    given = translator("bahdanau")
    assert given.score([], []) == []
    (one,) = given.score([""], [""])
    assert one.tokens == ("</s>",)
    assert one.score == one.token_scores[0] < 0


def test_wrong_use_is_refused() -> None:
    given = translator("bahdanau")
    with pytest.raises(DataError, match="score: 2 sources but 1 targets; expected one target for"):
        given.score(["one", "two"], ["un"])
    with pytest.raises(RecipeError, match="translate: chunk is 0; expected 1 or more lines"):
        given.translate("one", chunk=0)
    with pytest.raises(RecipeError, match=r"beam\.width: 0 is below 1"):
        given.translate("one", beam=0)
    with pytest.raises(RecipeError, match=r"beam\.n_best: 0 is not between 1"):
        given.translate("one", nbest=0)
    with pytest.raises(RecipeError, match=r"no option 'nbset'. Did you mean 'nbest'\?"):
        given.translate("one", nbset=2)  # type: ignore[call-overload]


def test_every_line_may_have_its_own_prefix() -> None:
    given = translator("bahdanau")
    found = given.translate(["four", "six", "four"], prefix=["qu", "", "ci"])
    apart = [given.translate("four", prefix="qu"), given.translate("six")]
    assert [one.text for one in found[:2]] == [one.text for one in apart]
    assert found[2].text.startswith("ci")
    with pytest.raises(DataError, match="translate: 1 prefixes for 2 lines; expected one for each"):
        given.translate(["four", "six"], prefix=["qu"])


def test_watching_tells_of_lines_and_changes_nothing() -> None:
    given = translator("pre", batch_tokens=SEVEN)
    told: dict[int, list[str]] = {}

    def watch(numbers: Sequence[int], tokens: Tensor) -> None:
        for number, line in zip(numbers, tokens.tolist(), strict=True):
            told.setdefault(number, []).append(given.target.decode(line))

    found = given.translate(LINES, watch=watch)
    assert [one.text for one in found] == [one.text for one in given.translate(LINES)]
    assert set(told) == {i for i, one in enumerate(found) if len(one.source_values)}
    assert told[3][:3] == ["q", "qu", "qua"]


def test_a_reversed_source_is_the_same_text_turned_around() -> None:
    plain = translator("bahdanau", learned=False)
    turned = vocabulary().read_as(Reading(reverse=True))
    other = Predictor(plain.model, text_codecs(turned, vocabulary()), plain.decoding)
    one, two = plain.translate("stac owt"), other.translate("two cats")
    assert (two.text, two.score) == (one.text, one.score)
    assert two.source_tokens == one.source_tokens == (*"stac", "▁", *"owt", "</s>")
    assert one.attention is not None
    assert two.attention is not None
    assert np.array_equal(two.attention, one.attention)
    assert inspection.words(other.source, two.source_values, two.source_tokens[:-1]) == (
        "two",
        "cats",
    )


def test_unknown_words_are_replaced_if_asked_for() -> None:
    words = Word().fit(["a b c d"], [])
    model = scramble(MODELS["bahdanau"].build(*sides(len(words))), scale=0.1)
    with torch.no_grad():
        model.get_parameter("head.bias")[UNK] = 50.0
    plain, replacing = (
        Predictor(
            model, text_codecs(words), Decoding(max_extra=0, max_ratio=1.0, replace_unknown=on)
        )
        for on in (False, True)
    )
    greedy = SEARCHES["greedy"]
    assert UNK not in plain.translate("a zebra b", search=greedy).hypothesis.tokens
    found = replacing.translate("a zebra b", search=greedy)
    assert set(found.hypothesis.tokens) == {UNK}
    assert set(found.text.split()) <= {"a", "zebra", "b"}
    looked = found.attention
    assert looked is not None
    assert found.text.split() == [["a", "zebra", "b"][row[:-1].argmax()] for row in looked]


def test_what_cannot_be_replaced_is_refused() -> None:
    decoding = Decoding(replace_unknown=True)
    words = Word().fit(["a b c d"], [])
    blind = MODELS["sutskever"].build(*sides(len(words)))
    with pytest.raises(RecipeError, match="replace_unknown: the model has no attention, so nobody"):
        Predictor(blind, text_codecs(words), decoding)
    with pytest.raises(RecipeError, match="replace_unknown: the pieces are not whole words, so an"):
        Predictor(untrained("bahdanau"), codecs(), decoding)


@pytest.mark.parametrize("kind", ["luong", "pre"])
def test_threads_do_not_matter(kind: str) -> None:
    lines, before = LINES * 12, torch.get_num_threads()
    expected = translator(kind, batch_tokens=SEVEN).translate(lines, beam=2)
    try:
        torch.set_num_threads(2)
        assert_same(translator(kind, batch_tokens=SEVEN).translate(lines, beam=2), expected)
    finally:
        torch.set_num_threads(before)
