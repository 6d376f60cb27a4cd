import json
import os
from pathlib import Path

import numpy as np
import pytest

from saccade import recipe as recipes
from saccade import run
from saccade.data.codecs import Codecs
from saccade.errors import CheckpointError
from saccade.export.base import export
from saccade.folders.examples import (
    EXAMPLES,
    MOST_EXAMPLES,
    example_of,
    pick_examples,
    read_examples,
    write_examples,
)
from saccade.modalities._picture import Picture, to_text
from saccade.modalities._resize import Sizing
from saccade.modalities.image import ImageCodec
from saccade.modalities.text import TextCodec
from saccade.nouns import pair
from saccade.recipe import Recipe
from saccade.tokenizers.character import Character
from tests.engines.folders import write_noise
from tests.samples import text_codecs
from tests.train import small

CODECS = text_codecs(Character().fit(["abc"], []))
SECRET = "correct horse battery staple"


def recipe_of(test: dict[str, object]) -> Recipe:
    train = {"kind": "pairs", "pairs": [["a", "b"]]}
    data = {"train": train, "valid": train, "test": test}
    return recipes.from_plain({"data": data, "training": {"max_steps": 1}})


def content(*rows: object, form: int = 1) -> str:
    return json.dumps({"format": form, "examples": rows})


def row(source: object = "a", target: object = "b") -> dict[str, object]:
    return {"sources": {"source": source}, "references": [target]}


def test_examples_come_back_without_their_origin(tmp_path: Path) -> None:
    pairs = [pair("ein\nHund", "a dog", "/home/me/private.txt:1"), pair("", "\u2028“é")]
    write_examples(tmp_path, pairs)
    assert "private" not in (tmp_path / EXAMPLES).read_text(encoding="utf-8")
    found = read_examples(tmp_path)
    assert [(e.source, e.target) for e in found] == [(e.source, e.target) for e in pairs]
    assert example_of(tmp_path, "2").origin == "examples.json:2"


def test_a_folder_without_the_file_has_none(tmp_path: Path) -> None:
    write_examples(tmp_path, [])
    assert read_examples(tmp_path) == []
    with pytest.raises(CheckpointError, match=r"example:1: no such example; .* carries 0 in"):
        example_of(tmp_path, "1")


def test_they_come_from_all_over_the_first_test_set() -> None:
    pairs = [[str(n), "x"] for n in range(1000)]
    found = pick_examples(recipe_of({"kind": "pairs", "pairs": [*pairs, ["7", "twice"]]}), CODECS)
    assert [e.source for e in found] == [str(n) for n in range(0, 1000, 5)]
    assert len(found) == MOST_EXAMPLES


def test_without_a_test_set_they_are_those_to_validate_on() -> None:
    assert [(e.source, e.target) for e in pick_examples(recipe_of({}), CODECS)] == [("a", "b")]


def test_texts_without_a_source_stay_apart(tmp_path: Path) -> None:
    (tmp_path / "t.txt").write_text("one\ntwo\none\n")
    found = pick_examples(recipe_of({"kind": "plain", "path": "t.txt"}), CODECS, tmp_path)
    assert [e.target for e in found] == ["one", "two"]


def test_what_is_picked_can_be_read(tmp_path: Path) -> None:
    pairs = [["\u00e9" * 20_001, "too long"]]
    pairs += [[f"{n}" + "\u00e9" * 19_000, "\u0000"] for n in range(60)]
    found = pick_examples(recipe_of({"kind": "pairs", "pairs": pairs}), CODECS)
    assert 20 < len(found) < 60  # two bytes a character: a mebibyte holds 27
    write_examples(tmp_path, found)
    assert [e.source for e in read_examples(tmp_path)] == [e.source for e in found]


def test_pictures_may_be_longer(tmp_path: Path) -> None:
    noise = np.random.default_rng(0).integers(0, 256, (120, 120, 3), dtype=np.uint8)
    picture = to_text(Picture(noise))
    assert 20_000 < len(picture) < 200_000
    codecs = Codecs({"source": ImageCodec(Sizing())}, CODECS.target)
    pairs = [[picture if n % 20 else to_text(Picture(noise[: n + 1])), str(n)] for n in range(99)]
    found = pick_examples(recipe_of({"kind": "pairs", "pairs": pairs}), codecs)
    assert [e.target for e in found] == ["0", "98", "20", "40", "60", "80"]  # each picture once
    write_examples(tmp_path, found)
    assert [e.source for e in read_examples(tmp_path)] == [e.source for e in found]


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        (content(*[row()] * 201), "201 examples"),
        (content(row("a" * 20_001)), "example 1 has 20,001 characters"),
        (content(row(), row(target="b" * 20_001)), "example 2 has 20,001 characters"),
        (content(row(f"data:image/png;{'a' * 200_000}")), "example 1 has 200,015 characters"),
        (" " * (1 << 20) + content(row()), "over 1,048,576 bytes"),
        (content(row(source=SECRET, target=3)), "example 1 holds something else than text"),
        (content(SECRET), "example 1 has no source or no reference"),
        (content(row(), form=2), 'expected {"format": 1, "examples": [...]}'),
        (json.dumps([SECRET]), 'expected {"format": 1, "examples": [...]}'),
        (SECRET, "Expecting value"),
        (content(row("\ud800")), "surrogates not allowed"),
        ("[" * 200_000, "nested too deeply"),
        ("\udcff\udcfe", "can't decode byte"),
    ],
)
def test_other_files_are_refused_and_not_shown(tmp_path: Path, text: str, reason: str) -> None:
    (tmp_path / EXAMPLES).write_bytes(text.encode("utf-8", "surrogateescape"))
    with pytest.raises(CheckpointError) as refused:
        read_examples(tmp_path)
    message = str(refused.value)
    assert message.startswith(f"{tmp_path / EXAMPLES}: cannot be used (")
    assert reason in message
    assert message.endswith("Delete it, or copy the model folder again.")
    assert SECRET not in message


@pytest.mark.parametrize("make", [os.mkfifo, os.mkdir])
def test_what_is_no_file_is_not_opened(tmp_path: Path, make: type) -> None:
    make(tmp_path / EXAMPLES)
    with pytest.raises(CheckpointError, match="cannot be used"):
        read_examples(tmp_path)


def test_a_device_is_not_read(tmp_path: Path) -> None:
    (tmp_path / EXAMPLES).symlink_to("/dev/zero")
    with pytest.raises(CheckpointError, match="not a file"):
        read_examples(tmp_path)


def test_training_resuming_and_averaging_write_them(tmp_path: Path) -> None:
    small.run(tmp_path / "run", max_steps=2)
    expected = [(source, target) for source, target in small.pairs(100, 108)]
    assert [(e.source, e.target) for e in read_examples(tmp_path / "run")] == expected
    (tmp_path / "run" / EXAMPLES).unlink()
    small.run(tmp_path / "run", resume=True, max_steps=3)
    assert len(read_examples(tmp_path / "run")) == len(expected)
    run.average(tmp_path / "run", tmp_path / "mean")
    assert read_examples(tmp_path / "mean") == read_examples(tmp_path / "run")


def test_an_export_carries_them(tmp_path: Path) -> None:
    folder = write_noise(tmp_path / "model")
    assert read_examples(folder)
    export("ctranslate2", folder, tmp_path / "out")
    assert read_examples(tmp_path / "out") == read_examples(folder)


@pytest.mark.parametrize(("n", "kept"), [(20, 20), (200, 200), (201, 101), (3000, 200)])
def test_few_are_kept_whole_where_encoding_is_slow(
    n: int, kept: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(TextCodec, "chunk", 1)
    pairs = [["abc"[i % 3] * (i // 3 + 1), "b"] for i in range(n)]
    found = pick_examples(recipe_of({"kind": "pairs", "pairs": pairs}), CODECS)
    assert len(found) == kept
    assert found[0].source == "a"
