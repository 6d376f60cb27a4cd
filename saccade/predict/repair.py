"""Mend what was read by a noisy channel: what is usual, and how it may have been misread."""

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from math import log

import numpy as np
import torch
from numpy.typing import NDArray

from saccade.errors import RecipeError
from saccade.models.base import Writer
from saccade.nouns import Hypothesis
from saccade.search.base import Found
from saccade.shaping._prefix_reader import PrefixReader
from saccade.tokenizers._vocabulary import END, PAD, START, UNK, Vocabulary

Numbers = NDArray[np.float64]
Prefix = tuple[int, ...]
Beam = dict[Prefix, float]
Confusions = Mapping[tuple[str, str], int]
"""How often (wanted, written) was counted; "" is nothing, and most are a character and itself."""

_MARKS = (PAD, UNK, START, END)
_PRIOR = 10.0  # observations that a character has before any was made
_WIDTH, _EACH, _MARGIN = (
    8,
    4,
    12.0,
)  # prefixes kept; symbols tried behind each; nats behind the best


@dataclass(frozen=True, slots=True)
class Channel:
    """How characters are misread, in logarithms.

        taken[v, x] = log p(x is read | v is there)      sum_x p(x | v) + p(nothing | v) = 1
        dropped[v] = log p(nothing is read | v is there)
        spurious[x] = log p(x is read before a character | nothing is there)

    Counts n of what was taken for what, and for each character as many more observations as
    `_PRIOR`, which are right, wrong or dropped as often as characters are on the average; a wrong
    one may be any other.
    """

    taken: Numbers
    dropped: Numbers
    spurious: Numbers

    @classmethod
    def of(cls, counts: Confusions, vocabulary: Vocabulary) -> "Channel":
        """Make a channel of counts, for the symbols of a vocabulary of characters."""
        if not vocabulary.characters:
            raise RecipeError(
                "decoding.repair: the symbols of the target are not characters, which a table of"
                " confusions counts; expected the tokenizer character. Leave repair out."
            )
        size = len(vocabulary)
        n, lost, extra = np.zeros((size, size)), np.zeros(size), np.zeros(size)
        for (wanted, written), times in counts.items():
            v, x = (_id(one, vocabulary) for one in (wanted, written))
            if wanted and written and UNK not in (v, x):
                n[v, x] += times
            elif wanted and not written and v != UNK:
                lost[v] += times
            elif written and not wanted and x != UNK:
                extra[x] += times
        total = n.sum() + lost.sum() + 1.0
        right = float(np.trace(n))
        wrong, gone = (n.sum() - right + 0.5) / total, (lost.sum() + 0.5) / total
        each = n.sum(axis=1) + lost + _PRIOR  # [V]
        others = np.full((size, size), wrong / (size - 1))
        np.fill_diagonal(others, 1 - wrong - gone)
        taken = np.log((n + _PRIOR * others) / each[:, None])
        dropped = np.log((lost + _PRIOR * gone) / each)
        often = (extra + _PRIOR / size) / (extra.sum() + _PRIOR)
        spurious = np.log(often) + log((extra.sum() + 0.5) / total)
        taken[list(_MARKS)] = dropped[list(_MARKS)] = -np.inf
        return cls(taken, dropped, spurious)


def _id(text: str, vocabulary: Vocabulary) -> int:
    ids = vocabulary.encode(text) if text.strip() else vocabulary.encode_many([f"a{text}a"])[0][1:2]
    return ids[0] if len(ids) == 1 else UNK


class Repair:
    """Looks for the likeliest text behind what was read.

        argmax_y  log p(read | y) + weight log p_lm(y) + insertion |y|

    Shannon's noisy channel, as Kernighan, Church & Gale 1990 mend spelling with it; here for whole
    lines, by a beam over edits. It goes along what was read: each symbol was there, stands for
    another, or stands for nothing, and one that was not read may come before it. The best way to
    a text counts, not the sum of all. How sure the reader was of a symbol is not asked.

    Args:
        channel: how characters are misread.
        model: the language model.
        weight: how much it counts.
        insertion: what every symbol is paid.
        ids: for each symbol of ours, what the language model calls it, if its vocabulary differs.
    """

    def __init__(
        self,
        channel: Channel,
        model: Writer,
        weight: float,
        insertion: float = 0.0,
        ids: Sequence[int] = (),
    ) -> None:
        self.channel, self.model = channel, model.eval()
        self.weight, self.insertion = weight, insertion
        self.ids = np.asarray(ids or range(len(channel.dropped)))

    @torch.no_grad()
    def __call__(self, lines: Sequence[Prefix]) -> list[Prefix]:
        """Return the likeliest text of each line that was read."""
        says = _Says(PrefixReader(self.model), self.ids, self.weight, self.insertion)
        beams: list[Beam] = [{(): 0.0} for _ in lines]
        for i in range(max(map(len, lines), default=0)):
            going = [b for b, line in enumerate(lines) if i < len(line)]
            grown = self._missing([beams[b] for b in going], says)
            says.ask(grown)
            for b, beam in zip(going, grown, strict=True):
                beams[b] = self._read(beam, lines[b][i], says)
        beams = self._missing(beams, says)
        says.ask(beams)
        ended = [{p: s + says[p][END] for p, s in beam.items()} for beam in beams]
        return [max(beam, key=beam.__getitem__) for beam in ended]

    def mend(self, all_found: Sequence[Found]) -> list[Found]:
        """Put what is likeliest before what was found, where it is another."""
        best = [found.hypotheses[0] for found in all_found]
        mended = self([one.tokens for one in best])
        return [
            found
            if tokens == one.tokens
            else Found((Hypothesis(tokens, one.score, ()), *found.hypotheses), found.tree)
            for found, one, tokens in zip(all_found, best, mended, strict=True)
        ]

    def _missing(self, beams: list[Beam], says: "_Says") -> list[Beam]:
        """Let a symbol that was not read stand behind each prefix, or none."""
        says.ask(beams)
        return [_pruned([beam, self._longer(beam, self.channel.dropped, says)]) for beam in beams]

    def _read(self, beam: Beam, x: int, says: "_Says") -> Beam:
        """Explain that `x` was read, behind every prefix."""
        alone = {prefix: score + float(self.channel.spurious[x]) for prefix, score in beam.items()}
        return _pruned([self._longer(beam, self.channel.taken[:, x], says), alone])

    def _longer(self, beam: Beam, cost: Numbers, says: "_Says") -> Beam:
        """Write a symbol behind every prefix: the few that language model and channel like best."""
        found: Beam = {}
        for prefix, score in beam.items():
            whole = score + cost + says[prefix]  # [V]
            for v in np.argpartition(-whole, _EACH)[:_EACH].tolist():
                if whole[v] > -np.inf:
                    longer = (*prefix, v)
                    found[longer] = max(float(whole[v]), found.get(longer, -np.inf))
        return found


class _Says(dict[Prefix, Numbers]):
    """What the language model adds for each symbol behind prefixes that were asked for."""

    def __init__(
        self, reader: PrefixReader, ids: NDArray[np.int64], weight: float, insertion: float
    ) -> None:
        super().__init__()
        self.reader, self.ids, self.weight = reader, ids, weight
        self.device = next(reader.model.parameters()).device
        self.paid = np.full(len(ids), insertion)
        self.paid[list(_MARKS)] = 0.0

    def ask(self, beams: Sequence[Beam]) -> None:
        """Ask about all prefixes at once, those of a length together."""
        fresh = defaultdict[int, list[Prefix]](list)
        for prefix in dict.fromkeys(p for beam in beams for p in beam if p not in self):
            fresh[len(prefix)].append(prefix)
        for length, prefixes in sorted(fresh.items()):
            named = self.ids[np.asarray(prefixes, dtype=np.int64).reshape(len(prefixes), length)]
            said = self.reader(torch.from_numpy(named).to(self.device))  # [N, V]
            added = self.weight * said.double().numpy(force=True)[:, self.ids] + self.paid
            self |= dict(zip(prefixes, added, strict=True))


def _pruned(beams: Sequence[Beam]) -> Beam:
    """Keep the best prefixes of several beams; of equals, those that stand first."""
    merged: Beam = {}
    for beam in beams:
        for prefix, score in beam.items():
            merged[prefix] = max(score, merged.get(prefix, -np.inf))
    best = sorted(merged.items(), key=lambda one: -one[1])[:_WIDTH]
    return {prefix: score for prefix, score in best if score > best[0][1] - _MARGIN}
