"""Model folders that versions of format 2 wrote do today what they did then; see `stored.py`.

`format_2` was written before folders had seals, by commit 6e2ec50.
"""

import json
from pathlib import Path

import numpy as np
import pytest

from saccade.train.seals import SEALS
from tests.folders import stored

HERE = Path(__file__).parent
VERSIONS = ["format_2", "format_2_sealed"]


@pytest.mark.parametrize("kind", stored.KINDS)
@pytest.mark.parametrize("version", VERSIONS)
def test_it_writes_what_it_wrote(version: str, kind: str) -> None:
    expected = json.loads((HERE / version / "expected.json").read_text(encoding="utf-8"))[kind]
    found = stored.written(HERE / version / kind, kind)
    if kind in stored.TEXTS:
        assert [text for text, _ in found] == [text for text, _ in expected]
        found, expected = ([score for _, score in rows] for rows in (found, expected))
    np.testing.assert_allclose(found, expected, atol=1e-5)


@pytest.mark.parametrize("version", VERSIONS)
def test_which_have_seals(version: str) -> None:
    for kind in stored.KINDS:
        facts = json.loads((HERE / version / kind / "saccade.json").read_text(encoding="utf-8"))
        assert facts["format"] == 2
        named = {"model.safetensors", "source.json", "target.json"}
        assert set(facts.get(SEALS, {})) == (named if "sealed" in version else set())
