"""Modified Kneser-Ney against its equations in words of one syllable, and against KenLM."""

import math
from collections import Counter, defaultdict
from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pytest
import torch
from numpy.typing import NDArray

from saccade.folders.arpa import arpa_lines
from saccade.heads._backoff import BackoffHead, fault
from saccade.kernels.backoff import ROOT
from saccade.models._kneser_ney import FALLBACK, Smoothed, estimate
from saccade.tokenizers._vocabulary import END, PAD, START, UNK

Ids = tuple[int, ...]
SIZE = 9


def texts(n: int = 60, seed: int = 1) -> list[Ids]:
    """Sequences of five symbols, some likelier than others, in which n-grams come again."""
    chance = np.random.Generator(np.random.PCG64(seed))
    odds = np.array([0.4, 0.25, 0.2, 0.1, 0.05])
    return [tuple(4 + chance.choice(5, chance.integers(0, 9), p=odds)) for _ in range(n)]


def laid(lines: Sequence[Ids]) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    values = [i for line in lines for i in line]
    return np.array(values, np.int64), np.array([len(line) for line in lines])


class Slow:
    """The same model as dictionaries, straight from Chen & Goodman 1998."""

    def __init__(self, lines: Sequence[Ids], order: int, size: int, prune: Sequence[int]) -> None:
        self.order, self.size, self.prune = order, size, prune
        raw: Counter[Ids] = Counter()
        for line in lines:
            row = (START, *line, END)
            for t in range(1, len(row)):
                for n in range(1, min(order, t + 1) + 1):
                    raw[row[t - n + 1 : t + 1]] += 1
        left: dict[Ids, set[int]] = defaultdict(set)
        for gram in raw:
            left[gram[1:]].add(gram[0])
        self.raw = raw
        self.a = {g: len(left[g]) if len(g) < order and g in left else n for g, n in raw.items()}
        self.following: dict[Ids, list[int]] = defaultdict(list)
        for gram in raw:
            self.following[gram[:-1]].append(gram[-1])
        self.off = [self._discounts(n) for n in range(order + 1)]

    def _discounts(self, length: int) -> list[float]:
        n = Counter(a for g, a in self.a.items() if len(g) == length)
        if not (n[1] and n[2] and n[3]):
            return [0.0, *FALLBACK]
        y = n[1] / (n[1] + 2 * n[2])
        found = [j - (j + 1) * y * n[j + 1] / n[j] for j in (1, 2, 3)]
        fits = all(0 <= d <= j for j, d in enumerate(found, start=1))
        return [0.0, *(found if fits else FALLBACK)]

    def kept(self, gram: Ids) -> bool:
        least = [*self.prune, *list(self.prune[-1:]) * self.order]
        return gram in self.raw and self.raw[gram] > (least[len(gram) - 1] if self.prune else 0)

    def p(self, w: int, history: Ids) -> float:
        if len(history) >= self.order:
            return self.p(w, history[-self.order + 1 :] if self.order > 1 else ())
        known = self.following.get(history, [])
        shorter = self.p(w, history[1:]) if history else 1 / (self.size - 2)
        if not any(self.kept((*history, v)) for v in known):
            return shorter
        off = self.off[len(history) + 1]
        total = sum(self.a[*history, v] for v in known)
        spent = sum(
            off[min(self.a[*history, v], 3)] if self.kept((*history, v)) else self.a[*history, v]
            for v in known
        )
        gram = (*history, w)
        own = self.a[gram] - off[min(self.a[gram], 3)] if self.kept(gram) else 0.0
        return (own + spent * shorter) / total


def rows(made: Smoothed, histories: Sequence[Ids]) -> torch.Tensor:
    head = BackoffHead(1, SIZE, None)
    head.put(made.table)
    contexts = []
    for history in histories:
        context = torch.tensor([ROOT])
        for symbol in history:
            context = head.walk(context, torch.tensor([symbol]))
        contexts.append(context)
    return head.log_probs(torch.stack(contexts))


@pytest.mark.parametrize("order", [1, 2, 3, 5])
@pytest.mark.parametrize("prune", [(), (0, 1)])
def test_it_is_what_the_equations_say(order: int, prune: tuple[int, ...]) -> None:
    lines = texts()
    made, slow = estimate(*laid(lines), SIZE, order, prune), Slow(lines, order, SIZE, prune)
    assert fault(made.table, SIZE) == ""
    histories = [(START,), (START, 4), (START, 4, 5, 4), (START, 8, 8, 8), (START, 4, 4, 4, 5)]
    found = rows(made, histories).exp()
    assert found.sum(dim=1) == pytest.approx(np.ones(len(histories)), abs=1e-6)
    for history, row in zip(histories, found.tolist(), strict=True):
        expected = [slow.p(w, history) for w in range(SIZE)]
        expected[PAD] = expected[START] = 0.0
        assert row == pytest.approx(expected, abs=1e-6)


def test_by_hand() -> None:
    """One line "a b a": with discounts that cannot be estimated, 0.5, 1 and 1.5."""
    made = estimate(np.array([4, 5, 4]), np.array([3]), 6, 2)
    assert [d.estimated for d in made.discounts] == [False, False]
    assert made.sizes == (6, 4)  # of two: START a, a b, b a, a END
    head = BackoffHead(1, 6, None)
    head.put(made.table)
    alone = head.log_probs(torch.tensor([[ROOT]])).exp()[0].tolist()
    # left neighbours: a 2, b 1, END 1; 1 + 0.5 + 0.5 of 4 are left for four symbols
    assert alone == pytest.approx([0, 1 / 8, 0, 1 / 8 + 1 / 8, 1 / 4 + 1 / 8, 1 / 8 + 1 / 8])
    behind = head.log_probs(torch.tensor([[1 + 4]])).exp()[0]  # "a": b and END once each
    assert behind[5].item() == pytest.approx(0.5 / 2 + (1.0 / 2) * 1 / 4)
    assert behind[UNK].item() == pytest.approx((1.0 / 2) * 1 / 8)


def test_nothing_but_empty_lines() -> None:
    made = estimate(np.zeros(0, np.int64), np.zeros(3, np.int64), SIZE, 3)
    assert rows(made, [(START,)])[0].argmax() == END


@pytest.mark.parametrize("order", [2, 4])
def test_kenlm_finds_the_same_in_what_is_written(order: int, tmp_path: Path) -> None:
    kenlm = pytest.importorskip("kenlm", reason="the oracle kenlm is not installed")
    lines = texts(200)
    made = estimate(*laid(lines), SIZE, order)
    names = ["<pad>", "<unk>", "<s>", "</s>", *"abcde"]
    path = tmp_path / "model.arpa"
    with path.open("w", encoding="utf-8") as file:
        file.writelines(arpa_lines(made.table, names))
    theirs, head = kenlm.Model(str(path)), BackoffHead(1, SIZE, None)
    head.put(made.table)
    for line in texts(20, seed=2):
        contexts, context = [], torch.tensor([ROOT])
        for symbol in (START, *line):
            context = head.walk(context, torch.tensor([symbol])) if order > 1 else context
            contexts.append(context)
        found = head.look_up(torch.cat(contexts), torch.tensor([*line, END])) / math.log(10)
        said = [one[0] for one in theirs.full_scores(" ".join(names[i] for i in line))]
        assert found.tolist() == pytest.approx(said, abs=1e-5)
