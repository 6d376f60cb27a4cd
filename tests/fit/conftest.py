"""Words whose pronunciation is their letters, as a file and as an outline."""

from pathlib import Path

import pytest

from saccade.fit.outline import Outline, outline
from tests.fit.small import WORDS


@pytest.fixture(scope="module")
def pairs(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("data") / "words.tsv"
    rows = (f"{word}\t{' '.join(word.upper())}\n" for word in WORDS)
    path.write_text("".join(rows), encoding="utf-8")
    return path


@pytest.fixture(scope="module")
def made(pairs: Path) -> Outline:
    return outline([pairs])
