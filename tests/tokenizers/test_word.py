from saccade.tokenizers.word import Word


def test_punctuation_and_apostrophes_are_cut() -> None:
    lines = ["l'homme n’a pas dit « oui ».", "'don't' (stop)"]
    vocabulary = Word().fit(lines, [])
    pieces = [vocabulary.pieces(vocabulary.encode(line)) for line in lines]
    assert pieces[0] == ("▁l'", "homme", "▁n’", "a", "▁pas", "▁dit", "▁«", "▁oui", "▁»", ".")
    assert pieces[1] == ("▁'", "don'", "t", "'", "▁(", "stop", ")")


def test_without_punctuation_words_end_at_spaces() -> None:
    vocabulary = Word(punctuation=False).fit(["l'homme dort."], [])
    assert vocabulary.pieces(vocabulary.encode("l'homme dort.")) == ("▁l'homme", "▁dort.")


def test_commonest_first_then_by_text() -> None:
    vocabulary = Word().fit(["b a c c"], [])
    assert vocabulary.pieces(range(4, 7)) == ("▁c", "▁a", "▁b")


def test_size_counts_the_symbols() -> None:
    assert len(Word(size=6).fit(["a b c d"], [])) == 6


def test_rare_words_are_unknown() -> None:
    vocabulary = Word(min_count=2).fit(["a a b"], [])
    assert vocabulary.decode(vocabulary.encode("a b a")) == "a ⁇ a"


def test_factors_are_pieces_of_their_own() -> None:
    vocabulary = Word(factors=True).fit(["dort￨V l'homme￨N </s>￨X"], [])
    line = "dort￨V l'homme￨N dort"
    assert vocabulary.pieces(vocabulary.encode(line)) == ("▁dort", "￨V", "▁l'homme", "￨N", "▁dort")
    assert vocabulary.decode(vocabulary.encode(line)) == line


def test_digits_are_one() -> None:
    vocabulary = Word().fit(["in 1984"], ["digits"])
    assert vocabulary.pieces(vocabulary.encode("in 2026")) == ("▁in", "▁0000")


def test_marks_can_be_left_out() -> None:
    """Those that stand alone, behind a word or open one; not those inside, nor the s of a dog."""
    text = "A dog 's \"red\" ball , isn't here . ( T-shirt ) end!"
    known = Word(punctuation=False).fit([text], ["lowercase", "no_punctuation", "squeeze", "strip"])
    assert known.decode(known.encode(text)) == "a dog 's red ball isn't here t-shirt end"
