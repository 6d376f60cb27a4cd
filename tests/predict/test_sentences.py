"""Sentences end where a reader would end them, and a doubtful case stays together."""

import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from saccade.predict.sentences import spans


def cut(line: str) -> list[str]:
    return [line[start:end] for start, end in spans(line)]


SEPARATE = [
    "He sleeps. | She sees them.",
    "Really?! | Yes! | No…",
    "Wait... | What was that?",
    "« Bonjour. » | Il part.",
    'He said "Go." | She left.',
    "„Geh.“ | Er ging.",
    "(He left.) | (She stayed.)",
    "It is 5 p.m. | The shop is shut.",
    "It cost 3.50. | That was in 2004. | Then it rose.",
    "So do I. | He too.",
    "Wait ! | Tu viens ? | Oui.",
    "¿Vienes? | ¡Sí!",
    "he sleeps. | she runs.",  # no capital anywhere
    "何ですか？| はい。| 終わり。",
    "他来了。| 3月走了！| 好",
    "यह एक वाक्य है। | यह दूसरा है।",
    "هل تنام؟ | نعم.",
    "Он спит. | Она видит.",
    "Նա քնում է։ | Նա տեսնում է։",
    "እሱ ተኛ። | እሷ አየች።",
]
TOGETHER = [
    "",
    "no mark at all",
    "Mr. Smith met Dr. Who in St. Louis.",
    "J. R. R. Tolkien wrote it.",
    "The U.S. Army left.",
    "See e.g. Paris, i.e. the capital.",
    "Das ist z.B. Berlin bzw. Bonn.",
    "Am 3. Mai kam er.",
    "1. First comes this",
    "Pi is 3.14 and 1.000.000 is more.",
    "See No. 5 and p. 12 of vol. 3.",
    "Visit www.example.org/a?b=c today.",
    'He asked "why?" and left.',
    "Well... maybe.",
    "Yes. . . ?",
    "Это было, т.е. Вчера.",
    "「そうだ。」と彼は言った。",
    "３．１４です",
]


@pytest.mark.parametrize("marked", SEPARATE)
def test_what_is_cut(marked: str) -> None:
    line = marked.replace("| ", "") if " | " in marked else marked.replace("|", "")
    assert cut(line) == [part.strip() for part in marked.split("|")]


@pytest.mark.parametrize("line", TOGETHER)
def test_what_stays_together(line: str) -> None:
    assert cut(line) == ([line] if line else [])


@given(st.text(alphabet="aA1.,!?…。」\"') \u00a0é।", max_size=60))
def test_nothing_but_white_space_is_lost_and_no_number_is_cut(line: str) -> None:
    found = spans(line)
    edges = [0, *(edge for span in found for edge in span), len(line)]
    assert edges == sorted(edges)
    assert all(not line[a:b].strip() for a, b in zip(edges[::2], edges[1::2], strict=True))
    assert all(cut(line)[i].strip() == cut(line)[i] != "" for i in range(len(found)))
    for _, end in found[:-1]:
        assert not (line[end - 1].isdigit() and line[end : end + 1].isdigit())


def test_a_long_line_of_marks_takes_no_time() -> None:
    assert len(cut("Mr. " * 20_000)) == 1
    assert len(cut("." * 50_000 + "a")) == 1


def test_a_long_line_of_initials_is_read_at_once() -> None:
    begun = time.process_time()
    assert spans("A. " * 30_000) == [(0, 89_999)]
    assert time.process_time() - begun < 1
