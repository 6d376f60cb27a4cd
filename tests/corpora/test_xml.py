import re
from xml.etree import ElementTree

import pytest

from saccade.corpora.xml import Xml
from saccade.errors import RecipeError


def test_beginning_and_rest_are_well_formed() -> None:
    for source, target in Xml(size=500).pairs("train"):
        ElementTree.fromstring(f"<all>{source}{target}</all>")
        assert re.fullmatch(r"(</[a-z]{2,10}>)+", target)


def test_something_was_closed_before_and_something_is_deep() -> None:
    pairs = list(Xml(size=300).pairs("train"))
    assert any("</" in source for source, _ in pairs)
    depths = [target.count("</") for _, target in pairs]
    assert (min(depths), max(depths)) == (1, 4)


def test_depth_is_an_option() -> None:
    assert {t.count("</") for _, t in Xml(size=100, depth=1).pairs("train")} == {1}
    assert max(t.count("</") for _, t in Xml(size=300, depth=7).pairs("train")) == 7
    with pytest.raises(RecipeError, match=r"xml\.depth: found 0; expected at least 1 tag that can"):
        Xml(depth=0)
