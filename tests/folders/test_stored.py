"""Model folders that versions of format 2 wrote do today what they did then; see `stored.py`.

`format_2` was written before folders had seals, by commit 6e2ec50. `format_2_more` has every model
without a network, and an ensemble. A version that raises the number of the format adds a folder.
"""

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from saccade.folders.facts import FORMAT
from saccade.train.seals import SEALS
from tests import classical
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


MORE: dict[str, Any] = json.loads((HERE / "format_2_more/expected.json").read_text("utf-8"))


@pytest.mark.parametrize("kind", MORE)
def test_one_without_a_network_writes_what_it_wrote(kind: str) -> None:
    found = stored.written_without_network(HERE / "format_2_more" / kind, kind)
    assert _texts(found) == _texts(MORE[kind])
    np.testing.assert_allclose(_numbers(found), _numbers(MORE[kind]), atol=1e-5)


def _texts(rows: list[Any]) -> list[str]:
    return [row[0] for row in rows if isinstance(row, list)]


def _numbers(rows: list[Any]) -> list[float]:
    return [row[1] if isinstance(row, list) else row for row in rows]


def test_every_format_and_every_model_without_a_network_is_stored() -> None:
    facts = [json.loads(path.read_text("utf-8")) for path in HERE.glob("format_*/*/saccade.json")]
    assert {one["format"] for one in facts} == set(range(1, FORMAT + 1))
    assert {*classical.KINDS, "ensemble"} == MORE.keys()
    assert {path.parent.name for path in HERE.glob("format_2_more/*/saccade.json")} == MORE.keys()


@pytest.mark.parametrize("version", VERSIONS)
def test_which_have_seals(version: str) -> None:
    for kind in stored.KINDS:
        facts = json.loads((HERE / version / kind / "saccade.json").read_text(encoding="utf-8"))
        assert facts["format"] == 2
        named = {"model.safetensors", "source.json", "target.json"}
        assert set(facts.get(SEALS, {})) == (named if "sealed" in version else set())
