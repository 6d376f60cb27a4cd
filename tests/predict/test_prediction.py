"""A translation shows what search found; the looker here is a toy with known weights."""

from dataclasses import replace
from xml.etree import ElementTree

import numpy as np
import pytest

from saccade.guards.profile import Profile
from saccade.guards.statistics import gather
from saccade.modalities._notation import Notation, TextNotation, Values
from saccade.nouns import Hypothesis
from saccade.predict.looker import DECODER, Arrays, Maps, SelfMap
from saccade.predict.prediction import Prediction, Predictions, rounded
from saccade.tokenizers._vocabulary import Reading, Vocabulary
from saccade.tokenizers.character import Character
from saccade.tokenizers.word import Word

LINES = ["the cat & <b>", "le chat & <b>"]


class Toy:
    """Looks at the source place that has the same number as the target place."""

    def __init__(self, vocabulary: Vocabulary, names: tuple[str, ...] = ("a", "b")) -> None:
        self.target: Notation = TextNotation(vocabulary)
        self.sources: dict[str, Notation] = {"source": self.target}
        self.attention_names = names
        self.profile: Profile | None = None
        self.covers = True
        self.self_attention_names = ("encoder one", "decoder one")

    def look(self, arrays: Arrays, target: Values) -> Maps:
        one = np.eye(len(target) + 1, *self.grid(arrays), dtype=np.float32)
        return np.stack([one] * len(self.attention_names))

    def look_within(self, arrays: Arrays, target: Values) -> tuple[SelfMap, ...]:
        read, written = (np.eye(n, dtype=np.float32) for n in (*self.grid(arrays), len(target) + 1))
        one = SelfMap("encoder one", "encoder", "source", read)
        return one, SelfMap("decoder one", DECODER, "", written)

    def grid(self, arrays: Arrays) -> tuple[int, ...]:
        return (sum(len(one) + 1 for one in arrays.values()),)

    def token_scores(self, arrays: Arrays, target: Values) -> tuple[float, ...]:
        return tuple(-0.1 for _ in (*target, "end"))


def translation(
    source: str, target: str, vocabulary: Vocabulary, names: tuple[str, ...] = ("a", "b")
) -> Prediction:
    tokens = tuple(vocabulary.encode(target))
    scores = tuple(-0.5 for _ in (*tokens, "end"))
    best = Hypothesis(tokens, -0.5, scores)
    other = Hypothesis(tokens[:1], -0.7, (-0.6, -0.8))
    ids = tuple(vocabulary.encode(source))
    looker = Toy(vocabulary, names)
    given = {"source": source}
    return Prediction(given, {"source": ids}, best, looker, (other,), blank=not source)


def words() -> Vocabulary:
    return Word().fit(LINES, ["nfc"])


def characters() -> Vocabulary:
    return Character().fit(LINES, ["nfc"])


def test_fields() -> None:
    one = translation("the cat", "le chat", words())
    assert (one.text, str(one)) == ("le chat", "le chat")
    assert one.tokens == ("▁le", "▁chat")
    assert one.source_tokens == ("▁the", "▁cat", "</s>")
    assert (one.score, one.token_scores, one.finished) == (-0.5, (-0.5,) * 3, True)
    assert [n.text for n in one.nbest] == ["le chat", "le"]
    assert [n.score for n in one.nbest] == [-0.5, -0.7]
    assert one.attention is not None
    assert one.attention.tolist() == [[1, 0, 0], [0, 1, 0]]
    assert list(one.attention_maps) == ["a", "b"]


def test_alignment_is_of_words() -> None:
    assert translation("the cat", "le chat", words()).alignment == [(0, 0), (1, 1)]
    assert translation("the cat", "", words()).alignment == []


def test_alignment_is_of_characters_where_they_are_the_pieces() -> None:
    # l-e-space-c-h-a-t over t-h-e-space-c-a-t
    assert translation("the cat", "le chat", characters()).alignment == [(i, i) for i in range(7)]
    assert translation("cat", "chat", characters()).alignment[:3] == [(0, 0), (1, 1), (2, 2)]


def test_alignment_with_a_reversed_source_counts_words_as_the_text_has_them() -> None:
    plain = words()
    turned = plain.read_as(Reading(reverse=True))
    one = translation("the cat", "le chat", plain)
    looker = Toy(plain)
    looker.sources = {"source": TextNotation(turned)}
    ids = {"source": tuple(turned.encode("the cat"))}
    other = Prediction(one.sources, ids, one.hypothesis, looker)
    assert other.source_tokens == ("▁cat", "▁the", "</s>")
    assert other.alignment == [(1, 0), (0, 1)]


@pytest.mark.parametrize("names", [("a", "b"), ()], ids=["attention", "none"])
@pytest.mark.parametrize("target", ["le <b> & chat", ""])
def test_html_is_well_formed_and_escaped(names: tuple[str, ...], target: str) -> None:
    for vocabulary in (words(), characters()):
        shown = translation("the <b> & cat", target, vocabulary, names)._repr_html_()
        assert "<b>" not in shown
        assert ElementTree.fromstring(f"<div>{shown}</div>") is not None
        assert "cat" in "".join(ElementTree.fromstring(f"<div>{shown}</div>").itertext())


def test_nothing_has_no_attention() -> None:
    one = translation("", "", words())
    assert one.attention is None
    assert one.attention_maps == {}
    assert one.alignment == []
    assert ElementTree.fromstring(one._repr_html_()) is not None


def test_flags_of_a_good_output() -> None:
    assert translation("the cat", "le chat", words()).flags == ()
    assert translation("the cat", "le chat", words(), names=()).flags == ()
    assert translation("", "", words()).flags == ()


def test_flags_of_a_bad_one() -> None:
    one = translation("the Quux cat", "chat chat chat chat", words())
    assert [flag.kind for flag in one.flags] == ["unknown", "loop"]
    assert one.flags[0].message == "The model does not know 'Quux'."
    assert one.flags[0].places == (1,)
    (empty,) = translation("the cat", "", words()).flags
    assert empty.message == "The output is empty; the source is not."


def test_flags_against_training() -> None:
    one = translation("the & &", "le chat & <b> le", words())
    lines = [f"the cat {i}" for i in range(300)]
    one.looker.profile = gather(lines, [3] * 300, [3] * 300)
    assert {flag.kind for flag in one.flags} == {"unfamiliar", "length"}


def test_an_unknown_word_is_the_source_word_that_was_looked_at() -> None:
    """The toy looks at the source place of the same number."""
    plain = translation("the dog & <i>", "le chien & <i>", words())
    assert plain.text == "le ⁇ & < ⁇>"
    assert plain.tokens[1] == "▁⁇"
    one = replace(plain, replacing=True)
    assert one.text == "le dog & < i>"
    assert one.tokens == ("▁le", "▁dog", "▁&", "▁<", "▁i", ">")
    assert [n.text for n in one.nbest] == [one.text, "le"]
    assert one.attention is not None
    assert one.attention.shape == (6, 7)


def test_slots_are_their_words() -> None:
    vocabulary = words().reserve(2)
    first, second = vocabulary.slots
    hypothesis = Hypothesis((second, first, second), -1.0, (-1.0,) * 4)
    given, ids = {"source": "dog Hanna"}, {"source": (first, second)}
    one = Prediction(given, ids, hypothesis, Toy(vocabulary), copied=("dog", "Hanna"))
    assert one.text == "Hanna dog Hanna"
    assert one.tokens == ("▁Hanna", "▁dog", "▁Hanna")
    assert one.source_tokens == ("▁dog", "▁Hanna", "</s>")
    assert replace(one, copied=()).text == "⁇ ⁇ ⁇"


def test_scores_of_tokens_are_asked_for_where_the_engine_did_not_say() -> None:
    vocabulary = characters()
    ids = tuple(vocabulary.encode("the"))

    def found(hypothesis: Hypothesis) -> Prediction:
        return Prediction({"source": "the"}, {"source": ids}, hypothesis, Toy(vocabulary))

    silent, cut = (Hypothesis(ids, -0.5, (), finished=finished) for finished in (True, False))
    assert found(silent).token_scores == (-0.1,) * (len(ids) + 1)
    assert found(cut).token_scores == (-0.1,) * len(ids)
    nothing = found(Hypothesis((), 0.0, ()))
    assert replace(nothing, blank=True).token_scores == ()


def test_several_sources_stand_side_by_side() -> None:
    one = translation("the cat", "le chat", words())
    looker = Toy(words())
    looker.sources = {"a": looker.target, "b": looker.target}
    ids = tuple(words().encode("the cat"))
    given = {"a": "the cat", "b": "cat the"}
    both = Prediction(given, {"a": ids, "b": ids[::-1]}, one.hypothesis, looker)
    assert both.source_tokens == ("▁the", "▁cat", "</s>", "▁cat", "▁the", "</s>")
    assert both.source_text == "a: the cat  b: cat the"
    assert both.grid == (6,)
    assert both.attention is not None
    assert both.attention.shape == (2, 6)
    assert both.alignment == []  # words of two sources cannot be numbered


def test_a_prediction_shows_text_score_and_source() -> None:
    one = translation("the cat", "le chat", words())
    assert repr(one) == "<Prediction 'le chat', score=-0.5 of 'the cat'>"


def test_a_list_shows_as_a_table() -> None:
    one = translation("the <b>", "le <b>", words())
    several = Predictions([one] * 60)
    html = several._repr_html_()
    assert html.count("<tr>") == 51
    assert "10 more are not shown." in html
    assert "&lt;b&gt;" in html
    assert "-0.5000" in html
    assert "more" not in Predictions([one])._repr_html_()
    assert isinstance(one.nbest, Predictions)
    assert [n.score for n in one.nbest] == [-0.5, -0.7]


def test_scores_are_shown_with_four_decimals() -> None:
    assert rounded(-1.23456789) == -1.2346
    assert rounded(-1.23456711) == -1.2346
    assert str(rounded(-1e-7)) == "0.0"


def test_self_attention_is_of_what_was_read_and_of_what_was_written() -> None:
    one = translation("the cat", "le chat", words())
    found = one.self_attention
    assert list(found) == ["encoder one", "decoder one"]
    assert found["encoder one"].shape == (len(one.source_tokens),) * 2  # END too
    assert found["decoder one"].shape == (len(one.tokens),) * 2
    assert translation("", "", words()).self_attention == {}
