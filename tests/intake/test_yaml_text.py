"""YAML with limits: what it means is what PyYAML says, and what it may cost is bounded."""

import time
from pathlib import Path

import pytest
import yaml
from hypothesis import given, settings
from hypothesis import strategies as st

from saccade.intake import yaml_text
from saccade.intake.yaml_text import DEEPEST, MOST_VALUES, count_values, parse_yaml

RECIPES = sorted((Path(__file__).parents[2] / "recipes").rglob("*.yaml"))
PLAIN = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(max_size=9),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=5), inner),
    max_leaves=20,
)


@given(PLAIN)
@settings(max_examples=40)
def test_it_means_what_pyyaml_says(plain: object) -> None:
    text = yaml.safe_dump(plain, allow_unicode=True)
    assert parse_yaml(text) == yaml.safe_load(text)


def test_anchors_of_our_recipes_mean_what_they_meant() -> None:
    texts = [path.read_text(encoding="utf-8") for path in RECIPES]
    anchored = [text for text in texts if "&" in text and "*" in text]
    assert len(anchored) > 5
    for text in anchored[:8]:
        found = parse_yaml(text)
        assert found == yaml.safe_load(text)


@given(PLAIN)
@settings(max_examples=40)
def test_values_are_counted_alike_in_text_and_out_of_it(plain: object) -> None:
    text = yaml.safe_dump([plain])
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(yaml_text, "MOST_VALUES", count_values([plain]))
        parse_yaml(text)
        patch.setattr(yaml_text, "MOST_VALUES", count_values(plain) - 1)
        with pytest.raises(ValueError, match="says more than"):
            parse_yaml(text)


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("a: &a [1]\nb: *c", "line 2: not valid YAML: found undefined alias"),
        ("a:\n  &a [*a]", r"line 2: \*a stands in what it means; write it out"),
        ("a: &a {b: *a}", r"line 1: \*a stands in what it means"),
        ("- x\n" * 3 + "- " + "[" * 50, f"line 4: nested more than {DEEPEST} levels deep"),
        ("a: !!int x", "not valid YAML: invalid literal"),
        ("a: !!bool x", "not valid YAML: 'x'"),
        ("a: !!timestamp x", "not valid YAML: 'NoneType'"),
        ("a: 2001-99-99", "not valid YAML: month must be in 1..12"),
        ("a: " + "9" * 101, "line 1: a number of 101 characters"),
        ("? [a]\n: b", "line 1: not valid YAML: found unhashable key"),
        ("a: \0", "not valid YAML: "),
        ("a: \ud800", "not valid YAML: "),
        ("a: [", "line 1: not valid YAML: expected the node content"),
    ],
)
def test_what_is_refused(text: str, said: str) -> None:
    with pytest.raises(ValueError, match=said):
        parse_yaml(text)


def test_an_alias_counts_as_what_it_stands_for() -> None:
    row = "a: &a [" + "x," * 999 + "x]\n"
    n = MOST_VALUES // 1001
    assert len(parse_yaml(row + f"b: [{', '.join(['*a'] * (n - 2))}]")["b"]) == n - 2
    begun = time.process_time()
    with pytest.raises(ValueError, match=r"line 2: says more than 600,000 values, what aliases"):
        parse_yaml(row + f"b: [{', '.join(['*a'] * n)}]")
    assert time.process_time() - begun < 1


def test_a_long_text_is_no_number() -> None:
    assert parse_yaml("a: '" + "9" * 5000 + "'") == {"a": "9" * 5000}
