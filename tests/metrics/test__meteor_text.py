import pytest

from saccade.metrics._meteor_text import normalised

PREFIXES = {"Mr": False, "No": True}


@pytest.mark.parametrize(
    ("text", "expected"),
    [  # as METEOR 1.5 prints them with -norm
        ("A man's dog, isn't it?", "a man 's dog , isn 't it ?"),
        ("1,000 men, 5 dogs,3 cats", "1,000 men , 5 dogs , 3 cats"),
        ("a red-hot pan -- no", "a red hot pan - no"),
        ("the 1990's boys' toys", "the 1990 's boys ' toys"),
        ("The U.S. flag.", "the us flag ."),
        ("Mr. Smith, No. 5, No. It", "mr. smith , no. 5 , no . it"),
        ("wait... what", "wait ... what"),
        ("the etc. of it", "the etc. of it"),
        ("“smart” ‘quotes’ (a)", "\" smart \" ' quotes ' ( a )"),
        ("", ""),
    ],
)
def test_normalised(text: str, expected: str) -> None:
    assert normalised(text, PREFIXES) == expected.split()
