import datetime
import re

import pytest

from saccade.corpora.dates import LOCALES, Dates, patterns, understandable, write

DAY = datetime.date(2031, 3, 14)


@pytest.mark.parametrize(
    ("locale", "pattern", "text"),
    [
        ("fr", "long", "14 mars 2031"),
        ("fr", "full", "vendredi 14 mars 2031"),
        ("en_US", "long", "March 14, 2031"),
        ("en_GB", "full", "Friday, 14 March 2031"),
        ("de", "long", "14. März 2031"),
        ("es", "long", "14 de marzo de 2031"),
        ("hu", "long", "2031. március 14."),
        ("el", "long", "14 Μαρτίου 2031"),
        ("ru", "d MMMM y", "14 марта 2031"),
        ("sv", "short", "2031-03-14"),
        ("de", "medium", "14.03.2031"),
    ],
)
def test_written_as_people_do(locale: str, pattern: str, text: str) -> None:
    assert write(DAY, locale, pattern) == text
    assert understandable(text)


@pytest.mark.parametrize(
    "text", ["3/14/31", "14/03/2031", "03-04-2031", "14.03.31", "14. 3. 31", "14 mars 31", "٢٠٣١"]
)
def test_leaves_out_what_cannot_be_known(text: str) -> None:
    assert not understandable(text)


def test_no_text_means_two_days() -> None:
    meant: dict[str, datetime.date] = {}
    for month in range(1, 13):
        for number in (1, 4, 12, 21):
            day = datetime.date(2031, month, number)
            for locale in LOCALES:
                for pattern in patterns(locale):
                    text = write(day, locale, pattern).lower()
                    if understandable(text):
                        assert meant.setdefault(text, day) == day, (text, locale)


def test_every_target_is_an_iso_date_and_its_year_is_in_the_source() -> None:
    for source, target in Dates().pairs("train"):
        day = datetime.date.fromisoformat(target)
        assert day.isoformat() == target
        assert 1950 <= day.year <= 2049
        assert str(day.year) in source
        assert str(day.day) in source
        assert re.fullmatch(r"[^/]+", source)


def test_known_days_appear() -> None:
    pairs = dict(Dates(size=20000).pairs("train"))
    days = {"mars": 3, "березня": 3, "Μαρτίου": 3, "December": 12, "grudnia": 12, "août": 8}
    for name, month in days.items():
        found = [target for source, target in pairs.items() if name in source.split()]
        assert found
        assert all(datetime.date.fromisoformat(target).month == month for target in found)


def test_case_varies() -> None:
    sources = [source for source, _ in Dates(size=4000).pairs("train") if "mars" in source.lower()]
    assert any("Mars" in source for source in sources)
    assert any("mars" in source for source in sources)


def test_every_locale_has_an_understandable_form() -> None:
    for locale in LOCALES:
        assert sum(understandable(write(DAY, locale, p)) for p in patterns(locale)) >= 3
