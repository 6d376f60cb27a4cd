"""From figures to tables: the median over rounds, shares of the machine, quality, Markdown."""

import re
import statistics
from collections.abc import Iterable, Mapping, Sequence
from functools import lru_cache
from pathlib import Path
from typing import Any

import sacrebleu

from benchmarks.workloads import WORKS

Row = dict[str, Any]
_KEY = ("work", "case", "unit", "peer")
_PEAK, _READING = "fp32 product of squares", "read memory"


def merge(figures: Iterable[Mapping[str, Any]], references: Sequence[str]) -> list[Row]:
    """Make one row of all rounds of a figure, with its share of the machine.

    A round counts by its median. T, R and decoding in batches are a share of the fp32 product of
    squares with all threads; decoding one by one is a share of the speed at which memory is read,
    as every step reads all weights of the decoder once.
    """
    grouped: dict[tuple[str, ...], list[Mapping[str, Any]]] = {}
    for figure in figures:
        grouped.setdefault(tuple(figure[name] for name in _KEY), []).append(figure)
    rows = [_row(rounds, references) for rounds in grouped.values()]
    _compare_outputs(rows, grouped)
    peak, reading = _limit(rows, _PEAK), _limit(rows, _READING)
    for row in rows:
        facts = row["facts"]
        if "gigabytes_per_second" in facts and reading:
            row["share"] = {"of": _READING, "is": facts["gigabytes_per_second"] / reading}
        elif "gflops" in facts and peak:
            row["share"] = {"of": _PEAK, "is": facts["gflops"] / peak}
    return sorted(rows, key=lambda row: list(WORKS).index(row["work"]))


def _row(rounds: Sequence[Mapping[str, Any]], references: Sequence[str]) -> Row:
    medians = [statistics.median(one["values"]) for one in rounds]
    names = rounds[0]["facts"]
    facts = {name: statistics.median(one["facts"][name] for one in rounds) for name in names}
    outputs = tuple(_text(pieces) for pieces in rounds[-1]["outputs"])
    if outputs:
        facts["bleu"] = _bleu(outputs, tuple(references[: len(outputs)]))
    return {
        **{name: rounds[0][name] for name in (*_KEY, "version", "note")},
        "median": statistics.median(medians),
        "low": min(medians),
        "high": max(medians),
        "rounds": medians,
        "load": max(one["load"] for one in rounds),
        "facts": facts,
    }


@lru_cache  # the same outputs are asked about after every turn
def _bleu(outputs: tuple[str, ...], references: tuple[str, ...]) -> float:
    return float(sacrebleu.corpus_bleu(list(outputs), [list(references)]).score)


def _compare_outputs(rows: list[Row], grouped: Mapping[Any, list[Mapping[str, Any]]]) -> None:
    """Note which share of an engine's outputs are, letter for letter, those of saccade."""
    for row in rows:
        own = grouped[tuple(row[name] for name in _KEY)][-1]["outputs"]
        key = tuple("saccade" if name == "peer" else row[name] for name in _KEY)
        ours = grouped[key][-1]["outputs"] if key in grouped else []
        if own and len(own) == len(ours):
            same = sum(a == b for a, b in zip(own, ours, strict=True))
            row["facts"]["same_as_saccade"] = same / len(own)


def _limit(rows: list[Row], case: str) -> float:
    """Return the limit with the most threads."""
    return max((row["median"] for row in rows if row["case"].startswith(case)), default=0.0)


def _text(pieces: Sequence[str]) -> str:
    """Join pieces to text.

    >>> _text(["▁Ein", "▁Hu", "nd"])
    'Ein Hund'
    """
    return "".join(pieces).replace("▁", " ").strip()


def joined(runs: Sequence[Mapping[str, Any]]) -> dict[str, Any]:
    """Put the rows of several runs into one; the last run of a figure counts."""
    rows = {tuple(row[name] for name in _KEY): row for run in runs for row in run["figures"]}
    skipped = {name: how for run in runs for name, how in run["skipped"].items()}
    return {**runs[-1], "figures": list(rows.values()), "skipped": skipped}


def markdown(whole: Mapping[str, Any]) -> str:
    """Write a table for each workload."""
    machine, effort = whole["machine"], whole["effort"]
    parts = [
        f"{machine['processor']}, {machine['cores']} cores; {effort['threads']} threads used."
        f" Median of {whole['rounds']} rounds, lowest and highest beside it."
    ]
    for work, title in WORKS.items():
        rows = [row for row in whole["figures"] if row["work"] == work]
        if rows:
            parts.append(f"### {work}. {title}\n\n{_table(rows)}")
    parts += [f"Left out, as not installed: {name} (`{how}`)." for name, how in _of(whole)]
    return "\n\n".join(parts)


def _of(whole: Mapping[str, Any]) -> Iterable[tuple[str, str]]:
    return dict(whole["skipped"]).items()


def _table(rows: list[Row]) -> str:
    lines = ["| engine | what | median | lowest – highest | share | besides |"]
    lines.append("| --- | --- | ---: | ---: | ---: | --- |")
    for row in sorted(rows, key=lambda row: row["case"]):
        name = " ".join(filter(None, [row["peer"], row["version"]]))
        what = ", ".join(filter(None, [row["case"], row["unit"]]))
        share = f"{100 * row['share']['is']:.0f} %" if "share" in row else ""
        spread = f"{number(row['low'])} – {number(row['high'])}"
        cells = [name, what, number(row["median"]), spread, share, _besides(row)]
        lines.append(f"| {' | '.join(cells)} |")
    return "\n".join(lines)


def _besides(row: Row) -> str:
    facts, said = row["facts"], []
    if "p50_ms" in facts:
        said.append(f"p50 {number(facts['p50_ms'])}, p95 {number(facts['p95_ms'])} ms")
    if "seconds_per_step" in facts:
        said.append(f"{number(facts['symbols_per_step'])} symbols a step")
    if "gflops" in facts:
        said.append(f"{number(facts['gflops'])} GFLOP/s")
    if "peak_mib" in facts:
        said.append(f"peak {number(facts['peak_mib'])} MiB")
    if "bleu" in facts:
        said.append(f"BLEU {facts['bleu']:.1f}")
    if "same_as_saccade" in facts and row["peer"] != "saccade":
        said.append(f"{100 * facts['same_as_saccade']:.0f} % of outputs as saccade's")
    return "; ".join([*said, *filter(None, [row["note"]])])


def number(value: float) -> str:
    """Write three digits or more, with commas.

    >>> number(12345.6), number(123.45), number(1.2345)
    ('12,346', '123', '1.23')
    """
    return f"{value:,.0f}" if value >= 100 else f"{value:.1f}" if value >= 10 else f"{value:.2f}"


def put(path: Path, name: str, text: str) -> None:
    """Write a file, or only what stands between its marks if it has them."""
    begin, end = f"<!-- {name} -->", f"<!-- /{name} -->"
    old = path.read_text(encoding="utf-8") if path.exists() else ""
    pattern = re.compile(f"{re.escape(begin)}.*?{re.escape(end)}", re.DOTALL)
    new = f"{begin}\n{text}\n{end}"
    whole = pattern.sub(lambda _: new, old) if pattern.search(old) else f"{text}\n"
    path.write_text(whole, encoding="utf-8")
