import math

import numpy as np
import pytest

from saccade.look import doctor
from saccade.look.probes import Nonsense
from tests.predict.test_prediction import translation, words


def texts(findings: list[doctor.Finding]) -> str:
    return "\n".join(finding.text for finding in findings)


@pytest.mark.parametrize(
    ("line", "what"),
    [
        ("caf\ufffd", "x: U+FFFD, a character lost in an earlier conversion: 1 (50.0%)"),
        ("a\u2028b", "x: control characters or odd line ends: 1 (50.0%)"),
        ("a\tb", "x: tabs: 1 (50.0%)"),
        (" padded", "x: spaces around the text: 1 (50.0%)"),
        ("cafe\u0301", "x: text not in NFC: 1 (50.0%)"),
        ("p\u0430ris", "x: words that mix Latin, Cyrillic or Greek letters: 1 (50.0%)"),
        ("", "x: empty lines: 1 (50.0%)"),
    ],
)
def test_odd_lines_are_named(line: str, what: str) -> None:
    found = doctor.examine_lines("x", ["good", line])
    named = next(finding for finding in found if finding.text == what)
    assert named.level == "warning"
    assert named.advice
    assert named.places == (f"line 2: {line}",)


def test_tabs_part_texts_from_features() -> None:
    assert texts(doctor.examine_lines("x", ["run\tV;PST"], featured=True)) == "x: 1 lines"


def test_clean_lines_have_nothing_to_say() -> None:
    clean = ["Привет, Paris", "日本語 text", "l'été", "Ελλάδα ok"]
    assert texts(doctor.examine_lines("x", clean)) == "x: 4 lines"


def test_loops() -> None:
    assert doctor.loops_in(["the", "cat"] * 3)
    assert doctor.loops_in(["no", "no", "no"])
    assert not doctor.loops_in([*["the", "cat", "and"] * 2, "the", "dog"])
    assert not doctor.loops_in(["0", "0", "0"])
    assert not doctor.loops_in([])


def test_sharpness() -> None:
    assert "no attention" in texts(doctor.examine_outputs([], [], [math.nan]))
    blunt = doctor.examine_outputs([], [], [0.95])[-1]
    assert (blunt.level, blunt.text) == (
        "warning",
        "attention entropy is 0.95 (0 looks at one piece, 1 at all alike)",
    )


def noticed(text: str, output: str) -> Nonsense:
    return Nonsense("repeated", translation(text, output, words()))


def test_flags_are_counted_by_kind() -> None:
    good = translation("the cat", "le chat", words())
    bad = translation("the cat", "chat chat chat chat", words())
    found = doctor.examine_flags([good] * 9 + [bad])
    assert [finding.level for finding in found].count("warning") == 1
    loops = next(finding for finding in found if finding.level == "warning")
    assert loops.text == "guard loop: 1 of 10 outputs (10.0%), output that repeats itself"
    assert loops.advice
    assert loops.places[0].startswith("the cat → chat chat chat chat: The output repeats 'chat'")
    assert len(doctor.examine_flags([])) == len(found)


def test_nonsense_that_goes_unnoticed_is_a_warning() -> None:
    (bad,) = doctor.examine_nonsense([noticed("the cat", "le chat")])
    assert bad.level == "warning"
    assert bad.text == "nonsense, repeated: the cat → le chat (no flag)"
    (good,) = doctor.examine_nonsense([noticed("the cat", "chat chat chat")])
    assert (good.level, good.advice) == ("good", "")
    assert good.text.endswith("(loop)")


def test_columns_of_half_precision_that_never_change() -> None:
    rows = np.full((3000, 3), 60.0, np.float16)  # their sum is above the largest half
    rows[1500:, 1] = 61.0
    (good, bad) = doctor.examine_arrays("train source", "features", [rows[:2000], rows[2000:]])
    assert good.text == "train source: 2 arrays; features"
    assert bad.text.startswith("train source: column 1, 3 never changes")
