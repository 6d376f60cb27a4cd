import pytest

from saccade.metrics._stems import stem

# Sample vocabulary of https://snowballstem.org/algorithms/english/stemmer.html, as METEOR's
# englishStemmer stems it
SAMPLE = {
    "consist": "consist",
    "consistency": "consist",
    "consolation": "consol",
    "conspicuous": "conspicu",
    "conspiracy": "conspiraci",
    "constance": "constanc",
    "knackeries": "knackeri",
    "knaves": "knave",
    "kneel": "kneel",
    "knives": "knive",
    "knightly": "knight",
    "knocked": "knock",
    "knots": "knot",
    "knit": "knit",
}
RULES = [  # one of each rule
    *[("caresses", "caress"), ("ties", "tie"), ("cries", "cri"), ("gas", "gas"), ("gaps", "gap")],
    *[("kiwis", "kiwi"), ("bus", "bus"), ("agreed", "agre"), ("feed", "feed"), ("hopping", "hop")],
    *[("hoping", "hope"), ("luxuriated", "luxuri"), ("fizzed", "fizz"), ("say", "say")],
    *[("cry", "cri"), ("by", "by"), ("dying", "die"), ("news", "news"), ("inning", "inning")],
    *[("generate", "generat"), ("communism", "communism"), ("youth", "youth"), ("boy's", "boy")],
    *[("sadly", "sad"), ("apology", "apolog"), ("hopeful", "hope"), ("adoption", "adopt")],
    *[("controll", "control"), ("rate", "rate"), ("a", "a"), ("", ""), ("'em", "em")],
]


@pytest.mark.parametrize(("word", "expected"), [*SAMPLE.items(), *RULES])
def test_stem(word: str, expected: str) -> None:
    assert stem(word) == expected
