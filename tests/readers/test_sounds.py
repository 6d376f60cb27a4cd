"""Recordings by lists of every form, by their names, and what is refused."""

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from saccade.errors import DataError, RecipeError
from saccade.modalities._wave import write_wave
from saccade.readers.sounds import Sounds

DIGITS = Path("../shared/data/free-spoken-digits/recordings")
NAMES = "{label}_{speaker}_{index}"
FILES = ("3_ann_0.wav", "3_ann_1.wav", "4_bob_0.wav", "4_bob_7.wav")


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "sounds").mkdir()
    for n, name in enumerate(FILES):
        samples = np.full(300, n + 1, np.int16)
        (tmp_path / "sounds" / name).write_bytes(write_wave(samples, 8000))
    return tmp_path


def found(folder: Path, **options: Any) -> list[tuple[str, str, str]]:
    """Return name, speaker and text of every recording."""
    read = Sounds(folder, **options).read()
    return [(str(one.source), one.source.speaker, one.target) for one in read]


def write(folder: Path, name: str, text: str) -> str:
    (folder / name).parent.mkdir(exist_ok=True)
    (folder / name).write_text(text, encoding="utf-8")
    return name


def test_files_are_called_by_label_speaker_and_number(folder: Path) -> None:
    every = found(folder, files="sounds", names=NAMES)
    assert every == [(name, name[2:5], name[0]) for name in FILES]
    assert [one[0] for one in found(folder, files="sounds", names=NAMES, index="1-7")] == [
        FILES[1],
        FILES[3],
    ]
    named = found(folder, files="sounds", names=NAMES, labels={"3": "three"}, without=["bob"])
    assert {one[1:] for one in named} == {("ann", "three")}
    assert {one[1] for one in found(folder, files="sounds", names=NAMES, speakers=["bob"])} == {
        "bob"
    }


def test_folders_may_be_labels(folder: Path) -> None:
    (folder / "words" / "yes").mkdir(parents=True)
    (folder / "words" / "yes" / "x_nohash_0.wav").write_bytes(
        write_wave(np.ones(9, np.int16), 8000)
    )
    assert found(folder, files="words", names="{label}/{speaker}_nohash_{index}") == [
        ("yes/x_nohash_0.wav", "x", "yes")
    ]


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("a.tsv", "3_ann_0.wav\tthree\tann\n\n4_bob_0.wav\tfour\tbob\n"),
        (
            "b.tsv",
            "client_id\tpath\tsentence\nann\t3_ann_0.wav\tthree\nbob\t4_bob_0.wav\tfour\n",
        ),
        ("c.csv", 'path,text,speaker\n3_ann_0.wav,"three",ann\n4_bob_0.wav,four,bob\n'),
        (
            "d.jsonl",
            '{"audio_filepath": "3_ann_0.wav", "text": "three", "speaker": "ann"}\n'
            '{"audio_filepath": "4_bob_0.wav", "text": "four", "duration": 0.03, "speaker": "bob"}',
        ),
    ],
)
def test_lists_of_every_form(folder: Path, name: str, text: str) -> None:
    wanted = [("3_ann_0.wav", "ann", "three"), ("4_bob_0.wav", "bob", "four")]
    assert found(folder, files="sounds", manifest=write(folder, name, text)) == wanted
    inside = write(folder, f"sounds/{name}", text)
    assert found(folder, manifest=inside) == wanted  # beside the list


def test_a_part_of_a_file_is_read(folder: Path) -> None:
    line = {"audio_filepath": "3_ann_0.wav", "text": "three", "offset": 0.01, "duration": 0.02}
    name = write(folder, "sounds/m.jsonl", json.dumps(line))
    (one,) = Sounds(folder, manifest=name).read()
    assert (one.source.start, one.source.seconds) == (0.01, 0.02)


def test_a_folder_of_kaldi(folder: Path) -> None:
    write(folder, "k/wav.scp", "u1 ../sounds/3_ann_0.wav\nu2 ../sounds/4_bob_0.wav\n")
    write(folder, "k/text", "u2 four\nu1 three of them\n")
    assert found(folder, manifest="k") == [("u2", "", "four"), ("u1", "", "three of them")]
    write(folder, "k/utt2spk", "u1 ann\nu2 bob\n")
    before = Sounds(folder, manifest="k").fingerprint()
    assert [one[1] for one in found(folder, manifest="k")] == ["bob", "ann"]
    write(folder, "k/segments", "u1 u1 0.01 0.02\nu2 u2 0 0.03\n")
    (_, one) = Sounds(folder, manifest="k").read()
    assert (one.source.start, one.source.seconds) == (0.01, 0.01)
    assert Sounds(folder, manifest="k").fingerprint() != before
    write(folder, "k/segments", "u1 u1 2 1\nu2 u2 0 1\n")
    with pytest.raises(DataError, match=r"segments:1: found 'u1 2 1'; expected a recording, and w"):
        found(folder, manifest="k")


def test_commands_are_not_run(folder: Path) -> None:
    write(folder, "k/wav.scp", "u1 touch pwned |\n")
    write(folder, "k/text", "u1 three\n")
    with pytest.raises(DataError, match=r"wav.scp:1: found the command 'touch pwned \|'; expected"):
        found(folder, manifest="k")
    assert not list(folder.rglob("pwned"))


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("nothing\n", r"m.tsv:1: found 'nothing'; expected the name of a sound and its text"),
        ("a.wav\tone\nb.wav\n", r"m.tsv:2: found 'b.wav'; expected the name of a sound and its te"),
        ("3_ann_0.wav\t\n", r"m.tsv:1: 3_ann_0.wav has no text; expected what is said. Write it"),
        ("../x.wav\tone\n", r"m.tsv:1: the sound is called '../x.wav'; expected a name inside"),
        ("/x.wav\tone\n", r"m.tsv:1: the sound is called '/x.wav'; expected a name inside"),
        ("\tone\n", r"m.tsv:1: names no sound; expected a file. Mend the line"),
        ("{}\n", r"m.tsv:1: has no text under 'audio_filepath'; it has "),
        ("{5\n", r"m.tsv:1: found '{5'; expected an object {\"audio_filepath\""),
        (
            '{"path": "a", "text": "b", "offset": -1}\n',
            r"m.tsv:1: offset or duration is -1; expected seconds. Mend the line",
        ),
        ("gone.wav\tone\n3_ann_0.wav\ttwo\n", r"m.tsv:1: .*gone.wav: no such file; expected a sou"),
    ],
)
def test_lists_that_are_wrong_are_refused(folder: Path, text: str, said: str) -> None:
    write(folder, "m.tsv", text)
    with pytest.raises(DataError, match=said):
        found(folder, files="sounds", manifest="m.tsv")


def test_what_is_broken_may_be_skipped(folder: Path) -> None:
    (folder / "sounds" / FILES[0]).write_bytes(b"")
    (folder / "sounds" / FILES[1]).write_bytes(b"RIFF....WAVE")
    with pytest.raises(
        DataError, match=r"3_ann_0.wav: the file is empty; expected a sound. 1 of 4"
    ):
        found(folder, files="sounds", names=NAMES)
    reader = Sounds(folder, files="sounds", names=NAMES, missing="skip")
    assert [str(one.source) for one in reader.read()] == list(FILES[2:])
    assert reader.skipped().startswith("2 of 4 recordings are missing, empty or broken, and skipp")
    assert not Sounds(folder, files="sounds", names=NAMES).skipped()
    for name in FILES[2:]:
        (folder / "sounds" / name).unlink()
    with pytest.raises(DataError, match=r"sounds: none of its 2 recordings can be read"):
        list(reader.read())


def test_other_names_are_refused(folder: Path) -> None:
    with pytest.raises(DataError, match=r"3_ann_0.wav: is not called as {label}-{index}; expected"):
        found(folder, files="sounds", names="{label}-{index}")
    with pytest.raises(DataError, match=r"sounds: no recording is left to read; expected some"):
        found(folder, files="sounds", names=NAMES, index="90-99")
    with pytest.raises(DataError, match=r"nowhere: no such folder; expected sounds. Check files"):
        found(folder, files="nowhere", names=NAMES)


@pytest.mark.parametrize(
    ("options", "said"),
    [
        ({}, r"sounds: found manifest '', files '' and names ''; expected a manifest of recordi"),
        ({"names": NAMES}, r"expected a manifest of recordings, or a folder of files and the nam"),
        ({"files": "a", "names": "{}"}, r"sounds.names: found '{}'; expected {label} in it, as in"),
        (
            {"manifest": "a", "index": "x"},
            r"sounds.index: found 'x'; expected numbers such as 5-49",
        ),
    ],
)
def test_options_that_say_nothing_are_refused(options: dict[str, Any], said: str) -> None:
    with pytest.raises(RecipeError, match=said):
        Sounds(Path(), **options)


def test_other_sounds_have_another_fingerprint(folder: Path) -> None:
    reader = Sounds(folder, files="sounds", names=NAMES)
    before = reader.fingerprint()
    assert Sounds(folder, files="sounds", names=NAMES).fingerprint() == before
    assert Sounds(folder, files="sounds", names=NAMES, index="0").fingerprint() != before
    (folder / "sounds" / FILES[0]).write_bytes(write_wave(np.ones(9, np.int16), 8000))
    assert reader.fingerprint() != before


@pytest.mark.skipif(not DIGITS.is_dir(), reason="needs ../shared/data/free-spoken-digits")
def test_the_official_split_of_the_digits() -> None:
    read = {index: found(Path(), files=str(DIGITS), names=NAMES, index=index)
            for index in ("0-4", "5-49")}  # fmt: skip
    assert [len(one) for one in read.values()] == [300, 2700]
    assert len({one[1] for one in read["0-4"]}) == 6
