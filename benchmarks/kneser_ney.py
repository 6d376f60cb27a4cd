"""Building and asking n-gram models of words, beside KenLM's on the same text, in one run.

    python -m benchmarks.kneser_ney TEXT [--orders 3 5] [--lmplz PATH]

The first nine tenths of the lines are counted, the last twentieth is tested; words end at spaces.
Printed are seconds to build (ours from words to a table, and with the ARPA file written; theirs
from text to an ARPA file by lmplz, if it is given) and the perplexity of a word, END included, by
ours and by KenLM's query of each file. Unknown words count.
"""

import argparse
import math
import subprocess
import tempfile
import time
from pathlib import Path

import numpy as np
import torch

from saccade.folders.arpa import arpa_lines
from saccade.heads._backoff import BackoffHead
from saccade.kernels.backoff import ROOT
from saccade.models._kneser_ney import estimate
from saccade.tokenizers._vocabulary import END, START, SYMBOLS, UNK


def asked(path: Path, lines: list[list[str]]) -> float:
    """Return the perplexity that KenLM finds."""
    import kenlm  # noqa: PLC0415 - an oracle that need not be installed

    model = kenlm.Model(str(path))
    total = sum(model.score(" ".join(line)) for line in lines)
    return float(10 ** (-total / sum(len(line) + 1 for line in lines)))


def own(head: BackoffHead, rows: list[list[int]]) -> float:
    """Return the perplexity that we find."""
    total, n = 0.0, 0
    for row in rows:
        contexts, context = [], torch.tensor([ROOT])
        for symbol in (START, *row):
            context = head.walk(context, torch.tensor([symbol]))
            contexts.append(context)
        total -= float(head.look_up(torch.cat(contexts), torch.tensor([*row, END])).sum())
        n += len(contexts)
    return math.exp(total / n)


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("text", type=Path)
    parser.add_argument("--orders", type=int, nargs="+", default=[3, 5])
    parser.add_argument("--lmplz", default="")
    given = parser.parse_args()
    text = given.text.read_text(encoding="utf-8").split("\n")
    lines = [line.split() for line in text if line.strip()]
    train, test = lines[: len(lines) * 9 // 10], lines[len(lines) * 19 // 20 :]
    ids = {name: i for i, name in enumerate(SYMBOLS)}
    for line in train:
        for word in line:
            ids.setdefault(word, len(ids))
    values = np.array([ids[word] for line in train for word in line])
    lengths = np.array([len(line) for line in train])
    rows = [[ids.get(word, UNK) for word in line] for line in test]
    print(f"{len(values):,} words of {len(ids):,} kinds; {sum(map(len, rows)):,} to test")
    for order in given.orders:
        with tempfile.TemporaryDirectory() as folder:
            ours, theirs, plain = (Path(folder) / n for n in ("ours.arpa", "theirs.arpa", "text"))
            began = time.perf_counter()
            made = estimate(values, lengths, len(ids), order)
            built = time.perf_counter() - began
            with ours.open("w", encoding="utf-8") as file:
                file.writelines(arpa_lines(made.table, list(ids)))
            written = time.perf_counter() - began
            head = BackoffHead(1, len(ids), None)
            head.put(made.table)
            print(f"order {order}: ours {built:.2f} s, with its file {written:.2f} s;", end=" ")
            print(f"perplexity {own(head, rows):.4f}, by KenLM {asked(ours, test):.4f}")
            if given.lmplz:
                plain.write_text("\n".join(" ".join(line) for line in train) + "\n", "utf-8")
                command = [given.lmplz, "-o", str(order), "-S", "1G", "-T", folder]
                command += ["--text", str(plain), "--arpa", str(theirs)]
                began = time.perf_counter()
                subprocess.run(command, check=True, capture_output=True)
                print(f"         lmplz {time.perf_counter() - began:.2f} s;", end=" ")
                print(f"perplexity by KenLM {asked(theirs, test):.4f}")


if __name__ == "__main__":
    main()
