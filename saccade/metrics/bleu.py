"""Precision of word n-grams with a penalty for brevity."""

import math
import re
from collections.abc import Sequence
from typing import Literal

from saccade.metrics import _sacrebleu
from saccade.metrics._captions import words
from saccade.metrics.base import Metric, Score, Stats

_QUOTES = str.maketrans("\"'", "``")


class Bleu(Metric):
    """Multiply the geometric mean of n-gram precisions with a penalty for short output.

        BLEU-n = BP * exp(1/n * sum over i <= n of log p_i),    BP = min(1, exp(1 - r / c))

    c tokens were written, r is the length of the nearest reference. The value is sacrebleu's BLEU-4
    with its exponential smoothing of orders that match nothing. Papineni et al. 2002 (P02-1040);
    Post 2018 (arXiv:1804.08771). Output without any segment of four tokens scores 0, right or
    wrong: use `chrf` or `exact_match` for single words.

    order: the n of BLEU-n.  tokenize: as in sacrebleu; `captions`: in lower case, without
    punctuation; `sentences`: references as they are, case and " ." kept, parted by white space, and
    the output written like them, with a capital and " ."; `code`: names and single marks, see
    `code_tokens`.  smooth: `none` makes 0 of an order that matches nothing. With `captions` and
    `none` the figures are those of pycocoevalcap, which adds 1e-15 to counts.

    detail: `bleu_1..n` cumulative as above, `precision_1..n`, `brevity_penalty`,
    `hypothesis_length`, `reference_length`.
    """

    higher_is_better = True

    def __init__(
        self,
        *,
        tokenize: Literal[
            "13a", "none", "intl", "char", "zh", "captions", "sentences", "code"
        ] = "13a",
        lowercase: bool = False,
        order: Literal[1, 2, 3, 4] = 4,
        smooth: Literal["exp", "none"] = "exp",
    ) -> None:
        self._captions, self._sentences = tokenize == "captions", tokenize == "sentences"
        self._tokenize, self._own = tokenize, _OWN.get(tokenize)
        self._order, self._ours = order, self._own is not None or self._sentences
        self._scorer = _sacrebleu.scorer(
            "BLEU",
            tokenize="none" if self._ours else tokenize,
            lowercase=lowercase or self._captions,
            max_ngram_order=order,
            smooth_method=smooth,
        )
        of_captions = self._captions or self._sentences
        self.name = "BLEU" if order == 4 and not of_captions else f"BLEU-{order}"

    def stats(self, hypothesis: str, references: Sequence[str]) -> Stats:
        """Return lengths, matches and totals of the orders: `[5 + 2 * order]`."""
        if self._own:
            hypothesis = " ".join(self._own(hypothesis))
            references = [" ".join(self._own(line)) for line in references]
        if self._sentences:
            hypothesis = _sentence(hypothesis)
        return _sacrebleu.segment(self._scorer, hypothesis, references)

    def score(self, summed: Stats) -> Score:
        """Return BLEU in percent, with its parts."""
        found = _sacrebleu.figure(self._scorer, summed)
        orders = range(1, self._order + 1)
        detail = {f"bleu_{n}": _cumulative(found.bp, found.precisions[:n]) for n in orders}
        detail |= {f"precision_{n}": p for n, p in enumerate(found.precisions, start=1)}
        detail["brevity_penalty"] = found.bp
        detail["hypothesis_length"] = float(found.sys_len)
        detail["reference_length"] = float(found.ref_len)
        signature = _sacrebleu.signature(self._scorer, summed)
        if self._ours:
            signature = signature.replace("tok:none", f"tok:{self._tokenize}")
        return Score(self.name, found.score, signature, detail, self.higher_is_better)


def _sentence(text: str) -> str:
    """Write an output as a sentence whose words white space parts.

    >>> _sentence("a dog runs"), _sentence("Is it ?")
    ('A dog runs .', 'Is it ?')
    """
    text = text.strip()
    end = "" if not text or text[-1] in ".?!" else " ."
    return text[:1].upper() + text[1:] + end


def code_tokens(text: str) -> list[str]:
    """Cut code into names, numbers and single marks; a name in camelCase is cut before capitals.

    All quotes are the same mark. These are the tokens of the evaluation of CoNaLa (Yin et al. 2018,
    arXiv:1805.08949).

    >>> code_tokens("df['newName'] = 1.5")
    ['df', '[', '`', 'new', 'Name', '`', ']', '=', '1', '.', '5']
    """
    spaced = re.sub(r"([^A-Za-z0-9_])", r" \1 ", text)
    return re.sub(r"([a-z])([A-Z])", r"\1 \2", spaced).translate(_QUOTES).split()


def smoothed(stats: Stats) -> float:
    """Return BLEU-4 of one segment between 0 and 1, from its `Bleu.stats`.

        p_1 = matches / n-grams,    p_i = (matches + 1) / (n-grams + 1) for i > 1

    Lin & Och 2004 (C04-1072), BLEU+1: no order without a match makes a segment worthless, and the
    reference itself has 1 however short it is.
    """
    written, wanted, *counts = stats[:10].tolist()
    matches, totals = counts[:4], counts[4:]
    if not matches[0]:
        return float(written == wanted == 0)  # nothing, where nothing was wanted, is right
    logs = [
        math.log((m + (i > 0)) / (n + (i > 0)))
        for i, (m, n) in enumerate(zip(matches, totals, strict=True))
    ]
    return math.exp(min(0.0, 1 - wanted / written) + sum(logs) / 4)


def _cumulative(penalty: float, precisions: Sequence[float]) -> float:
    if min(precisions) <= 0:
        return 0.0
    return penalty * math.exp(sum(map(math.log, precisions)) / len(precisions))


_OWN = {"captions": words, "code": code_tokens}
