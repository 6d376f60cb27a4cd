import gzip
import json
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from saccade import load
from saccade.cli.formats import Format
from saccade.cli.shard_rows import ShardRow, read_rows
from saccade.cli.shard_work import ShardJob, write_shard
from saccade.engines.base import Opened
from saccade.errors import DataError
from saccade.predict.shards import Shard
from tests.cli.conftest import Call


@pytest.fixture(scope="session")
def opened(work: Path) -> Opened:
    return load(work / "model")


def _shard(folder: Path, name: str, content: bytes = b"") -> Shard:
    if content:
        (folder / name).write_bytes(content)
    return Shard(folder / name, folder / "out" / name)


def _rows(shard: Shard, sources: tuple[str, ...] = ("source",), column: str = "") -> list[ShardRow]:
    return list(read_rows(shard, sources, column))


@pytest.mark.parametrize(
    "more",
    [
        [],
        ["--format", "jsonl", "--nbest", "2", "--alignments"],
        ["--format", "tsv", "--scores"],
        ["--nbest", "3"],
        ["--sample", "--seed", "3", "--prefix", "a"],
        ["--beam", "1"],
    ],
)
def test_outputs_are_those_without_shards(
    work: Path, tmp_path: Path, call: Call, opened: Opened, more: list[str]
) -> None:
    shard = _shard(tmp_path, "a.txt.gz", gzip.compress(b"un chat dort\r\n\nun chien court\n" * 3))
    plain = call("predict", work / "model", "-i", shard.path, *more)
    options = dict(zip(more[::2], more[1::2], strict=False))
    numbers = {n: int(options[f"--{n}"]) for n in ("beam", "nbest") if f"--{n}" in options}
    decode: dict[str, object] = {**numbers}
    if "--sample" in more:
        decode |= {"sample": {"seed": 3}, "prefix": "a"}
    form = Format(options["--format"]) if "--format" in options else None
    job = ShardJob(work / "model", decode, form, "--scores" in more, "--alignments" in more)
    assert write_shard(opened, shard, job).word == "done"
    assert gzip.decompress(shard.output.read_bytes()).decode() == plain.out


def test_json_lines_in_json_lines_out_in_step(tmp_path: Path, opened: Opened) -> None:
    lines = ['{"src": "un chat dort", "n": 1}', "", "[1", '{"src": 5}', '{"src": "un chat court"}']
    shard = _shard(tmp_path, "a.jsonl", "\n".join(lines).encode())
    end = write_shard(opened, shard, ShardJob(tmp_path, {}))
    rows = [json.loads(row or "{}") for row in shard.output.read_text().split("\n")[:-1]]
    assert [row.get("text") for row in rows] == ["a cat sleeps", None, None, None, "a cat runs"]
    assert [row.get("id") for row in rows] == [0, None, 2, 3, 4]
    assert rows[2]["error"] == end.problems[0]
    assert end.problems == (
        f"{shard.path}:3: found '[1'; expected a JSON object. Mend the line.",
        f"{shard.path}:4: 'src' is 5; expected text. Mend the line, or name another key with"
        " --column.",
    )
    assert end.lines == 5


def test_parquet_in_parquet_out(tmp_path: Path, opened: Opened) -> None:
    shard = _shard(tmp_path, "a.parquet")
    pq.write_table(pa.table({"n": [1, 2, 3], "source": ["un chat dort", None, ""]}), shard.path)
    end = write_shard(opened, shard, ShardJob(tmp_path, {}))
    found = pq.read_table(shard.output).to_pylist()
    assert [row["text"] for row in found] == ["a cat sleeps", None, ""]
    assert [row["error"] for row in found] == [None, *end.problems, None]
    assert end.problems[0].startswith(f"{shard.path}:2: 'source' is None; expected text. Fill it")
    assert found[0]["score"] == opened.predict("un chat dort").score.__round__(4)
    several = _shard(tmp_path, "b.parquet")
    shard.path.rename(several.path)
    failed = write_shard(opened, several, ShardJob(tmp_path, {"nbest": 2}))
    assert "--nbest, --alignments and --flags are for lines, but outputs of" in failed.problems[0]


def test_columns_are_chosen_by_name_or_number(tmp_path: Path) -> None:
    shard = _shard(tmp_path, "a.tsv", b"a\tb\nc\n")
    assert [row.given for row in _rows(shard)] == ["a", "c"]
    found = _rows(shard, column="2")
    assert found[0].given == "b"
    assert found[1].problem.startswith(f"{shard.path}:2: no column 2; the line has 1, parted by")
    shard = _shard(tmp_path, "a.jsonl", b'{"x": "1", "source": "2"}\n{"y": "3"}\n')
    assert [row.given for row in _rows(shard, column="x")] == ["1", None]
    assert (
        "2: no key or column 'source'. Found: y. Name the right one with" in _rows(shard)[1].problem
    )


def test_a_model_of_several_sources_reads_objects(tmp_path: Path) -> None:
    both = b'{"story": "a", "question": "b"}\n'
    for name in ("a.txt", "a.jsonl"):
        (row,) = _rows(_shard(tmp_path, name, both), ("story", "question"))
        assert row.given == {"story": "a", "question": "b"}
    (row,) = _rows(_shard(tmp_path, "b.jsonl", b'{"story": "a"}\n'), ("story", "question"))
    assert "no key or column 'question'" in row.problem
    assert "The model reads sources of these names: story, question." in row.problem


def test_a_broken_shard_fails_and_leaves_nothing(tmp_path: Path, opened: Opened) -> None:
    packed = gzip.compress(b"un chat dort\n" * 9)
    shard = _shard(tmp_path, "a.txt.gz", packed[:-9])
    end = write_shard(opened, shard, ShardJob(tmp_path, {}))
    assert end.word == "failed"
    assert end.problems[0].startswith(f"{shard.path}: not a whole gzip file, broken behind line")
    assert not list(shard.output.parent.iterdir())
    (tmp_path / "b.parquet").write_bytes(b"PAR1")
    end = write_shard(opened, _shard(tmp_path, "b.parquet"), ShardJob(tmp_path, {}))
    assert "b.parquet: cannot be read (" in end.problems[0]
    with pytest.raises(DataError, match=r"gone\.txt: no such file"):
        _rows(_shard(tmp_path, "gone.txt"))


def test_an_input_that_is_refused_is_named_and_the_others_are_predicted(
    tmp_path: Path, opened: Opened
) -> None:
    class Picky:
        sources = opened.sources

        def stream(self, inputs: list[str], *rest: object, **more: object) -> object:
            if "odd" in inputs:
                raise DataError("input 1: is odd; expected another. Mend it.")
            return opened.stream(inputs)

    shard = _shard(tmp_path, "a.txt", b"un chat dort\nodd\nun chien dort\n")
    end = write_shard(Picky(), shard, ShardJob(tmp_path, {}))  # type: ignore[arg-type]
    assert shard.output.read_text() == "a cat sleeps\n\na dog sleeps\n"
    assert end.problems == (f"{shard.path}:2: is odd; expected another. Mend it.",)
    assert shard.errors.read_text() == f"{end.problems[0]}\n"
