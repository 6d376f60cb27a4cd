import re
from importlib.resources import files

import pytest

from saccade.errors import DataError
from saccade.guards.bias import BiasReading, Pair, changes, mean_of, parse, usual

FILE = """
- template: "{He} is {a {job}} and {he} sings."
  swap: {He: [He, She], he: [he, she]}
  vary: {job: [doctor, nurse]}
- source: "The nurse sleeps."
  readings: ["L'infirmier dort.", "L'infirmière dort."]
"""


def test_templates_become_pairs() -> None:
    probes = parse(FILE, "x")
    assert probes.pairs == (
        Pair(0, "doctor", "He is {a doctor} and he sings.", "She is {a doctor} and she sings."),
        Pair(0, "nurse", "He is {a nurse} and he sings.", "She is {a nurse} and she sings."),
    )
    assert probes.readings == (
        BiasReading("The nurse sleeps.", "L'infirmier dort.", "L'infirmière dort."),
    )


def test_the_example_is_a_file_of_probes() -> None:
    text = (files("saccade.guards") / "example.yaml").read_text(encoding="utf-8")
    probes = parse(text, "example")
    assert len(probes.pairs) > 20
    assert len(probes.readings) > 4


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("a: [", "x: not YAML: "),
        ("a: 1", "x: holds no list of probes; expected entries that begin with `- template:`"),
        ("[]", "x: holds no list of probes"),
        ("- 3", "x: probe 1: found 3; expected template, swap and vary, or source and readings."),
        ("- {tmplate: a}", "x: probe 1: found {'tmplate': 'a'}; expected template"),
        ("- {template: '{a}'}", "x: probe 1: found template '{a}' and swap None; expected a text"),
        (
            "- {template: '{a} {b}', swap: {a: [x, y]}}",
            "x: probe 1: the template's slots are ['a', 'b'] but swap and vary name ['a']; each",
        ),
        (
            "- {template: '{a}', swap: {a: [x]}}",
            "x: probe 1: slot 'a' has ['x']; expected two words. Put words that YAML reads",
        ),
        (
            "- {template: '{a} {b}', swap: {a: [x, y]}, vary: {b: [no]}}",
            "x: probe 1: slot 'b' has [False]; expected a list of words.",
        ),
        (
            "- {source: a, readings: [b]}",
            "x: probe 1: found source 'a' and readings ['b']; expected a text and a list of two",
        ),
    ],
)
def test_what_is_refused(text: str, message: str) -> None:
    with pytest.raises(DataError, match=re.escape(message)):
        parse(text, "x")


def test_changes() -> None:
    assert changes("il est las", "elle est lasse") == (("il", "elle"), ("las", "lasse"))
    assert changes("a b", "a b") == ()
    assert changes("", "a") == (("", "a"),)
    assert changes("你好", "您好") == (("你好", "您好"),)


def test_usual_changes_are_those_of_half() -> None:
    il, other = ("il", "elle"), ("bon", "mauvaise")
    assert usual([[il], [il, other], [il]]) == {il}
    assert usual([[other]]) == {other}
    assert usual([]) == set()


def test_the_interval_covers_the_mean_and_is_the_same_each_time() -> None:
    mean = mean_of([1.0, 2.0, 3.0, 4.0])
    assert mean.interval is not None
    assert mean.interval[0] < mean.value == 2.5 < mean.interval[1]
    assert mean == mean_of([1.0, 2.0, 3.0, 4.0])
    assert mean_of([1.5]).interval is None
    assert mean_of([]).n == 0
