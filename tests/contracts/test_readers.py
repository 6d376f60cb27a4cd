"""Every reader says which files it opens, before it opens them."""

import json
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from saccade.modalities import _png
from saccade.modalities._wave import write_wave
from saccade.parts import Part, kinds
from saccade.readers import _lines
from saccade.readers.base import Reader
from tests.readers.test_dataset import save
from tests.readers.test_iam_ondb import TEXT, XML
from tests.readers.test_idx import idx

TEXTS = {
    "a.txt": "one two\nthree four\n",
    "b.txt": "un deux\ntrois quatre\n",
    "t.tsv": "one\tun\ntwo\tdeux\n",
    "o.tsv": "two\tdeux\n",
    "j.jsonl": json.dumps({"source": "one", "target": "un"}) + "\n",
    "s.csv": "x\n1\n2\n3\n4\n",
    "c.conll": "the\tDT\ncat\tNN\n\n",
    "l.txt": "0 good\n1 bad\n",
    "m.txt": "right: rihgt, rigt\n",
    "d.txt": "hello __eou__ hi __eou__\n",
    "q.csv": "source,target\none,un\n",
    "pictures.tsv": "a.png\ta cat\nb.png\ta dog\n",
    "names.txt": "a.png\n",
    "beside.txt": "b.png\na.png\n",
    "clips.tsv": "a\tit falls\na\tit drops\nb.gif\tit grows\n",
    "split.txt": "a\n",
    "ink.jsonl": '{"text": "a", "strokes": [[[0, 0], [1, 1]]]}\n',
    "forms.txt": "a01-000u\n",
    "sounds.tsv": "a.wav\tone\nb.wav\ttwo\n",
    "qa1.txt": "1 Mary slept.\n2 Who slept?\tMary\t1\n",
    "stories.tsv": "Mary slept.\tWho slept?\tMary\n",
}
TSV = {"kind": "tsv", "path": "t.tsv"}
SOUNDS = {"kind": "sounds", "files": "sounds", "manifest": "sounds.tsv"}
OPTIONS: dict[str, dict[str, Any]] = {
    "bitmaps": {"corpus": {"kind": "idx", "images": "images.idx", "labels": "labels.idx"}},
    "babi": {"path": "qa1.txt", "part": "test"},
    "stories": {"path": "stories.tsv"},
    "blocks": {"path": "a.txt"},
    "captions": {"images": "pictures", "captions": "pictures.tsv", "split": "names.txt"},
    "clips": {"clips": "clips", "captions": "clips.tsv", "split": "split.txt"},
    "columns": {"path": "c.conll"},
    "csv": {"path": "q.csv"},
    "dataset": {"path": "set"},
    "dialogue": {"path": "d.txt"},
    "embedded": {},
    "iam_ondb": {"strokes": "lineStrokes", "texts": "ascii", "split": "forms.txt"},
    "idx": {"images": "images.idx", "labels": "labels.idx"},
    "illustrated": {
        "corpus": TSV,
        "names": "beside.txt",
        "images": "pictures",
    },
    "ink": {"path": "ink.jsonl"},
    "joined": {"corpus": TSV},
    "jsonl": {"path": "j.jsonl"},
    "labelled": {"path": "l.txt"},
    "languages": {"corpora": {"one": TSV, "two": {"kind": "jsonl", "path": "j.jsonl"}}},
    "lengths": {"corpus": TSV},
    "misspellings": {"path": "m.txt"},
    "noisy": {"corpus": TSV},
    "parquet": {"path": "p.parquet"},
    "pairs": {"pairs": [["a", "b"]]},
    "plain": {"path": "a.txt"},
    "series": {"path": "s.csv", "window": 2, "horizon": 1},
    "scattered": {"corpus": {"kind": "idx", "images": "images.idx", "labels": "labels.idx"}},
    "shards": {"paths": ["j*.jsonl", "p.parquet"]},
    "shuffled": {"corpus": TSV, "stop": 1},
    "sounds": {"files": "sounds", "manifest": "sounds.tsv"},
    "split": {"corpus": TSV},
    "streamed": {"corpus": TSV},
    "strings": {"corpus": SOUNDS, "count": 3},
    "targets": {"corpus": TSV},
    "text": {"source": "a.txt", "target": "b.txt"},
    "tsv": {"path": "t.tsv"},
    "without": {"corpus": TSV, "others": [{"kind": "tsv", "path": "o.tsv"}]},
    "words": {"corpora": [TSV, {"kind": "plain", "path": "a.txt"}]},
}


@pytest.mark.parametrize("kind", kinds(Reader))
def test_files_are_named_before_they_are_opened(
    kind: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name, text in TEXTS.items():
        (tmp_path / name).write_text(text, encoding="utf-8")
    columns = {"source": ["one"], "target": ["un"]}
    pq.write_table(pa.table(columns), tmp_path / "p.parquet")
    save(tmp_path / "set", columns)
    (tmp_path / "pictures").mkdir()
    for name in ("a.png", "b.png"):
        (tmp_path / "pictures" / name).write_bytes(_png.encode(np.zeros((2, 2, 3), np.uint8)))
    (tmp_path / "clips" / "a").mkdir(parents=True)
    for folder, name, text in (
        ("lineStrokes", "a01-000u-01.xml", XML),
        ("ascii", "a01-000u.txt", TEXT),
    ):
        (tmp_path / folder / "a01" / "a01-000").mkdir(parents=True)
        (tmp_path / folder / "a01" / "a01-000" / name).write_text(text, encoding="utf-8")
    (tmp_path / "sounds").mkdir()
    for name in ("a.wav", "b.wav"):
        (tmp_path / "sounds" / name).write_bytes(write_wave(np.ones(300, np.int16), 8000))
    (tmp_path / "images.idx").write_bytes(idx(2, 2, 2))
    (tmp_path / "labels.idx").write_bytes(idx(2))
    opened: list[Path] = []
    real = _lines.open_bytes

    def seen(path: Path, *, unpack: bool = True) -> Any:
        opened.append(path)
        return real(path, unpack=unpack)

    monkeypatch.setattr(_lines, "open_bytes", seen)
    reader = Part(Reader, kind, OPTIONS[kind]).build(tmp_path)
    assert opened == []
    assert list(reader.read())
    assert set(opened) == set(reader.paths)
    assert reader.fingerprint()
    assert set(opened) == set(reader.paths)
