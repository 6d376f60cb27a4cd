"""Strings of words: the same for everybody, of one speaker, with gaps."""

from pathlib import Path
from typing import Any

import numpy as np
import pytest

from saccade.errors import RecipeError
from saccade.modalities._sound import SplicedSound
from saccade.modalities._wave import write_wave
from saccade.modalities.sound import Audio
from saccade.nouns import Example
from saccade.parts import Part
from saccade.readers.base import Reader
from saccade.readers.strings import Strings

CORPUS = Part(Reader, "sounds", {"files": "sounds", "names": "{label}_{speaker}_{index}"})


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "sounds").mkdir()
    for label in "123":
        for speaker in ("ann", "bob"):
            samples = np.full(800, int(label), np.int16)
            path = tmp_path / "sounds" / f"{label}_{speaker}_0.wav"
            path.write_bytes(write_wave(samples, 8000))
    return tmp_path


def strings(folder: Path, **options: Any) -> list[Example]:
    return list(Strings(folder, corpus=CORPUS, **{"count": 40, **options}).read())


def test_a_string_is_its_words_one_after_the_other(folder: Path) -> None:
    codec = Audio(rate=8000, by="file").fit([])
    for one in strings(folder, joiner=""):
        assert isinstance(one.source, SplicedSound)
        assert 2 <= len(one.target) <= 7
        samples = codec.take(one.source).samples
        heard = samples[samples > 0][::800]
        assert "".join(map(str, heard)) == one.target
        assert len(one.source.gaps) == len(one.target) + 1
        assert all(0 <= gap <= 0.1 for gap in one.source.gaps)
        assert one.source.speaker in ("ann", "bob")
    assert {one.source.speaker for one in strings(folder)} == {"ann", "bob"}


def test_they_are_the_same_for_everybody_and_grow(folder: Path) -> None:
    first, again = strings(folder), strings(folder, count=60)
    assert [one.target for one in again[:40]] == [one.target for one in first]
    assert [one.source for one in again[:40]] == [one.source for one in first]
    assert [one.target for one in strings(folder, seed=2)] != [one.target for one in first]
    assert " " in first[0].target


def test_several_speakers_may_share_a_string(folder: Path) -> None:
    assert any(not one.source.speaker for one in strings(folder, one_speaker=False))


def test_options_have_another_fingerprint(folder: Path) -> None:
    prints = {
        Strings(folder, corpus=CORPUS, **one).fingerprint()
        for one in ({}, {"seed": 2}, {"gap": 0.0}, {"most": 3}, {"count": 9}, {"joiner": ""})
    }
    assert len(prints) == 6


@pytest.mark.parametrize("odd", [{"least": 0}, {"most": 1}, {"count": 0}, {"most": 999}])
def test_odd_numbers_are_refused(folder: Path, odd: dict[str, int]) -> None:
    with pytest.raises(RecipeError, match=r"strings: least \d+, most \d+ and count \d+; expected"):
        strings(folder, **odd)
    with pytest.raises(RecipeError, match=r"strings.gap: found 99; expected 0 to 10 seconds"):
        strings(folder, gap=99.0)
