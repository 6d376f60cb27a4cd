from saccade.tokenizers._vocabulary import END, UNK
from saccade.tokenizers.line import Line


def test_a_line_is_a_symbol() -> None:
    vocabulary = Line().fit(["very good", "bad", "very good"], ["strip"])
    assert vocabulary.encode_many([" very good ", "bad", "good", ""]) == [[4], [5], [UNK], []]
    assert vocabulary.decode([4]) == "very good"
    assert vocabulary.words([4, 5]) == [0, 0]


def test_rare_lines_are_unknown() -> None:
    vocabulary = Line(min_count=2).fit(["a", "a", "b"], [])
    assert vocabulary.encode("b") == [UNK]


def test_a_line_that_looks_like_a_symbol_is_none() -> None:
    vocabulary = Line().fit(["</s>", "x </s>"], [])
    assert END not in vocabulary.encode("</s>")
    assert len(vocabulary.encode("x </s>")) == 1
