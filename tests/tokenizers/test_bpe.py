from saccade.tokenizers.bpe import Bpe


def test_joins_the_commonest_neighbours() -> None:
    # low 5, lower 2, newest 6, widest 3: the example of Sennrich et al. 2016, algorithm 1, whose
    # first joins are e+s, es+t and, as pieces carry no end mark here, then l+o and lo+w.
    lines = ["low"] * 5 + ["lower"] * 2 + ["newest"] * 6 + ["widest"] * 3
    vocabulary = Bpe(size=4 + 11 + 3).fit(lines, [])
    learned = set(vocabulary.pieces(range(len(vocabulary))))
    assert {"es", "est"} < learned


def test_pieces_do_not_cross_punctuation() -> None:
    vocabulary = Bpe(size=100).fit(["l'homme."] * 9, [])
    assert vocabulary.pieces(vocabulary.encode("l'homme.")) == ("▁l'", "homme", ".")
    whole = Bpe(size=100, punctuation=False).fit(["l'homme."] * 9, [])
    assert whole.pieces(whole.encode("l'homme.")) == ("▁l'homme.",)


def test_rare_pairs_are_not_joined() -> None:
    assert len(Bpe(min_count=2).fit(["ab"], [])) == 4 + 3
    assert len(Bpe(min_count=1).fit(["ab"], [])) > 4 + 3


def test_every_character_is_kept() -> None:
    vocabulary = Bpe(size=5).fit(["abcdef"], [])
    assert vocabulary.decode(vocabulary.encode("fedcba")) == "fedcba"
