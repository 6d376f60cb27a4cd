"""One shard with one model: rows in, a whole file out; and what is to be done with all of them."""

import json
from collections.abc import Iterator, Sequence
from contextlib import closing
from dataclasses import asdict, dataclass
from itertools import islice
from pathlib import Path
from typing import Any, BinaryIO, Protocol

from saccade.cli.formats import Format, OutputColumns, format_rows
from saccade.cli.shard_rows import ShardRow, read_rows
from saccade.cli.translate import refuse_search
from saccade.engines._open import load
from saccade.engines.base import Opened
from saccade.errors import DataError, RecipeError, SaccadeError, WorkerError
from saccade.predict.decode import CHUNK, Decode
from saccade.predict.inputs import read_input
from saccade.predict.prediction import DECIMALS, Prediction, rounded
from saccade.predict.shards import Shard, claimed, note_errors, published

DEATHS = 3  # of workers, before the shard that they had is given up


@dataclass(frozen=True, slots=True)
class ShardJob:
    """What is to be done with every shard; a value that can go to another process.

    form: None for that of the shard: JSON Lines and TSV as they came, else text.
    """

    model: Path
    decode: dict[str, Any]
    form: Format | None = None
    scores: bool = False
    alignments: bool = False
    flags: bool = False
    column: str = ""
    engine: str | None = "auto"
    quantise: str = ""
    device: str = "cpu"

    def plain(self) -> dict[str, Any]:
        """Return what decides about the bytes of the outputs; not who computes them, and where."""
        found = asdict(self)
        return {name: found[name] for name in found if name not in ("model", "engine", "device")}

    def open(self) -> Opened:
        """Open the model, unless it cannot do what is asked."""
        opened = load(
            self.model, device=self.device, engine=self.engine, quantise=self.quantise, much=True
        )
        if self.column and len(opened.sources) > 1:
            raise RecipeError(
                f"--column {self.column}: {self.model} reads several sources, each from the column"
                f" of its name: {', '.join(opened.sources)}. Leave it out."
            )
        asked = Decode(**self.decode)
        refuse_search(self.model, asked, opened, scores=self.scores, alignments=self.alignments)
        return opened

    def columns_of(self, shard: Shard) -> OutputColumns:
        """Say what a row of output looks like."""
        usual = Format(shard.kind) if shard.kind in ("tsv", "jsonl") else Format.text
        return OutputColumns(
            self.form or usual,
            nbest=int(self.decode.get("nbest", 1)),
            scores=self.scores,
            alignments=self.alignments,
            flags=self.flags,
        )


@dataclass(frozen=True, slots=True)
class ShardEnd:
    """What came of a shard: done, taken by another process, or failed as `problems` say.

    Or what no worker can do: misled by an option, or unable to open the model.
    """

    word: str
    lines: int = 0
    problems: tuple[str, ...] = ()

    def raise_if_none_can_do_it(self) -> None:
        """Raise what keeps any worker from doing any shard."""
        if self.word == "unable":
            raise WorkerError("\n".join(self.problems))
        if self.word == "misled":
            raise RecipeError(list(self.problems))


def opened_or_why(job: ShardJob) -> Opened | ShardEnd:
    """Open the model in a worker, or say why no worker can do what is asked."""
    try:
        return job.open()
    except RecipeError as error:
        return ShardEnd("misled", problems=tuple(error.problems))
    except SaccadeError as error:
        return ShardEnd("unable", problems=(str(error),))


def write_shard(opened: Opened, shard: Shard, job: ShardJob) -> ShardEnd:
    """Write the output of a shard, unless another process does it; row n belongs to row n."""
    decode, problems, lines = Decode(**job.decode), list[str](), 0
    try:
        with claimed(shard) as ours:
            if not ours:
                return ShardEnd("taken")
            with published(shard) as file, closing(_sink_of(file, shard, job)) as sink:
                rows = read_rows(shard, opened.sources, job.column)
                while several := list(islice(rows, CHUNK)):
                    for made, problem in _predict(opened, several, decode):
                        sink.add(lines, made, problem)
                        lines += 1
                        problems += [problem] if problem else []
                note_errors(shard, problems)
    except SaccadeError as error:
        return ShardEnd("failed", problems=(_named(str(error), shard),))
    except OSError as error:
        place = error.filename or shard.output
        return ShardEnd("failed", problems=(f"{place}: {error.strerror or error}.",))
    return ShardEnd("done", lines, tuple(problems))


def _named(said: str, shard: Shard) -> str:
    return said if str(shard.path) in said or str(shard.output) in said else f"{shard.path}: {said}"


def _predict(
    opened: Opened, several: Sequence[ShardRow], decode: Decode
) -> Iterator[tuple[Prediction | None, str]]:
    """Yield for each row its prediction, if there is one, and what is wrong with the row.

    Rows are predicted together, and one by one only where one of them is refused: an output does
    not depend on its neighbours.
    """
    inputs = [row.given for row in several if row.given is not None]
    try:
        made = iter(list(opened.stream(inputs, decode, chunk=CHUNK)))
    except SaccadeError:
        yield from (_alone(opened, row, decode) for row in several)
        return
    for row in several:
        yield (None, row.problem) if row.given is None else (next(made), "")


def _alone(opened: Opened, row: ShardRow, decode: Decode) -> tuple[Prediction | None, str]:
    if row.given is None:
        return None, row.problem
    try:
        read_input(row.given, opened.sources, row.where)
        return next(iter(opened.stream([row.given], decode, chunk=1))), ""
    except SaccadeError as error:
        said = str(error).removeprefix("input 1: ")
        return None, said if said.startswith(row.where) else f"{row.where}: {said}"


class _Sink(Protocol):
    """Where the outputs of a shard go."""

    def add(self, number: int, made: Prediction | None, problem: str) -> None:
        """Write the output of row `number`, from 0, or hold its place."""

    def close(self) -> None:
        """Write what is left."""


def _sink_of(file: BinaryIO, shard: Shard, job: ShardJob) -> _Sink:
    columns = job.columns_of(shard)
    if shard.kind == "parquet" and job.form is None:
        if columns.nbest > 1 or columns.alignments or columns.flags:
            raise DataError(
                f"{shard.path}: --nbest, --alignments and --flags are for lines, but outputs of"
                " Parquet are columns; expected neither. Add --format jsonl, or leave them out."
            )
        return _Rows(file)
    return _Lines(file, columns)


class _Lines:
    """Lines, as without shards; a row without an output is an empty line, or an object in JSON."""

    def __init__(self, file: BinaryIO, columns: OutputColumns) -> None:
        self._file, self._columns = file, columns

    def add(self, number: int, made: Prediction | None, problem: str) -> None:
        rows = [""]
        if made is not None:
            rows = list(format_rows(number, made, self._columns))
        elif problem and self._columns.form is Format.jsonl:
            rows = [json.dumps({"id": number, "error": problem}, ensure_ascii=False)]
        for row in rows:
            self._file.write(row.encode("utf-8", "replace") + b"\n")

    def close(self) -> None:
        pass


class _Rows:
    """A table: `text`, `score`, and `error` where there is no output."""

    def __init__(self, file: BinaryIO) -> None:
        import pyarrow  # noqa: PLC0415 - an extra
        import pyarrow.parquet  # noqa: PLC0415 - an extra

        kinds = {"text": pyarrow.string(), "score": pyarrow.float64(), "error": pyarrow.string()}
        self._lib, self._schema = pyarrow, pyarrow.schema(list(kinds.items()))
        self._writer = pyarrow.parquet.ParquetWriter(file, self._schema)
        self._waiting: list[dict[str, Any]] = []

    def add(self, number: int, made: Prediction | None, problem: str) -> None:
        text = made.text if made is not None else None
        score = round(rounded(made.score), DECIMALS) if made is not None else None
        self._waiting.append({"text": text, "score": score, "error": problem or None})
        if len(self._waiting) >= CHUNK:
            self._put()

    def close(self) -> None:
        self._put()
        self._writer.close()

    def _put(self) -> None:
        table = self._lib.Table.from_pylist(self._waiting, schema=self._schema)
        self._writer.write_table(table)
        self._waiting = []
