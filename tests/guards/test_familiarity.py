import pytest

from saccade.guards.familiarity import familiarity
from saccade.guards.statistics import gather

LINES = [
    f"the {a} {b}" for a in ("cat", "dog", "cow", "hen") * 20 for b in ("eats", "runs", "naps")
]
USUAL = gather(LINES, [3] * len(LINES), [3] * len(LINES))


def test_text_unlike_any() -> None:
    (flag,) = familiarity("Съешь же ещё", ["▁x", "▁y", "▁z"], USUAL)
    assert flag.message == (
        "The model has never seen text like this: 100% of its three-letter sequences, as ' Съ', do"
        " not occur in training."
    )
    assert (flag.kind, flag.side) == ("unfamiliar", "source")


@pytest.mark.parametrize("text", ["the cat naps", "the hen runs", ""])
def test_usual_text_passes(text: str) -> None:
    assert familiarity(text, text.split(), USUAL) == ()


def test_too_long() -> None:
    (flag,) = familiarity("the cat naps the dog runs", list("abcdef"), USUAL)
    assert flag.message == (
        "The source has 6 pieces; nearly all of training had at most 3. Cut it into sentences."
    )


def test_the_same_again_and_again_needs_no_profile() -> None:
    (flag,) = familiarity("ag " * 7, ["▁ag"] * 7, None)
    assert flag.message == "The source repeats 'ag' 7 times in a row."
    assert flag.places == tuple(range(7))
    assert familiarity("1000000000", list("1000000000"), None) == ()
    assert familiarity("x", ["x"], None) == ()
