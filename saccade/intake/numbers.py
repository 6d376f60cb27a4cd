"""Whole numbers as strangers write them; thousands of digits are an error to Python."""

_MOST_DIGITS = 18  # a number of 64 bits


def whole(text: str) -> int | None:
    """Return the number that ASCII digits spell, up to 18 of them; None for any other text.

    >>> whole("12"), whole("-1"), whole("²"), whole("9" * 5000)
    (12, None, None, None)
    """
    fits = text.isascii() and text.isdigit() and len(text) <= _MOST_DIGITS
    return int(text) if fits else None
