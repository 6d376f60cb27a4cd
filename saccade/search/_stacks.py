"""Stacks of hypotheses by the number of covered words: the clear form of kernels/stack.c."""

import heapq
from dataclasses import dataclass, field
from functools import cache
from typing import NamedTuple

import numpy as np

from saccade.kernels.backoff import ROOT, FusedTable
from saccade.kernels.stack import Covered, PhraseOptions, StackCount, StackLimits

_NEVER = -1e300


class Arc(NamedTuple):
    """A way into a hypothesis: from which one, by which option, and what that adds."""

    parent: int
    option: int
    gain: float


@dataclass(slots=True)
class Partial:
    """A hypothesis that covers some words of the source.

    gap: the first word that is not covered.  beyond: which words behind it are, bit k for the k-th.
    last: span of the phrase that was written last.  context: of the language model.  length: words
    written.  total: the score and what the rest is expected to score.  arcs: the best one first.
    """

    gap: int
    beyond: int
    last: tuple[int, int]
    context: int
    length: int
    score: float
    total: float
    arcs: list[Arc] = field(default_factory=list)


class Language:
    """A back-off table, walked word by word in double precision."""

    def __init__(self, fused: FusedTable) -> None:
        table = fused.table
        self._keys, self._suffixes = table.keys.numpy(), table.suffixes.numpy()
        self._scores, self._backoffs = table.scores.numpy(), table.backoffs.numpy()
        self._size, self._weight = int(table.begins[1]) - 1, float(np.float32(fused.weight))
        self.start = fused.start
        self.read = cache(self._read)

    def _read(self, context: int, word: int) -> tuple[float, int]:
        """Return what a word gains behind a context, and the context behind it."""
        spent = 0.0
        while (node := self._child(context, word)) < 0:
            spent += float(self._backoffs[context])
            context = int(self._suffixes[context])
        after = node if node < len(self._backoffs) else int(self._suffixes[node])
        return self._weight * (spent + float(self._scores[node])), after

    def _child(self, context: int, word: int) -> int:
        if context == ROOT:
            return 1 + word
        key = context * self._size + word
        at = int(np.searchsorted(self._keys, key))
        return at if at < len(self._keys) and self._keys[at] == key else -1


class Outlook:
    """What words that are not covered yet are expected to score: the best way to cover them alone.

    inner: `[S + 1][n]`, of n words from each place on, as far as a jump may leave them.
    rest: `[S + 1]`, of all words from each place on.
    """

    def __init__(self, options: PhraseOptions, row: int, reach: int) -> None:
        n = int(options.lengths[row])
        best = [dict[int, float]() for _ in range(n)]
        for o in range(options.firsts[row], options.firsts[row + 1]):
            begin, end = options.spans[o].tolist()
            found = float(options.scores[o]) + float(options.guesses[o])
            best[begin][end - begin] = max(found, best[begin].get(end - begin, _NEVER))
        self.rest = [0.0] * (n + 1)
        self.inner = [[0.0] + [_NEVER] * reach for _ in range(n + 1)]
        for i in range(n - 1, -1, -1):
            ways = sorted(best[i].items())
            self.rest[i] = max(score + self.rest[i + size] for size, score in ways)
            for m in range(1, min(reach, n - i) + 1):
                fitting = [(s, w) for s, w in ways if s <= m]
                self.inner[i][m] = max(w + self.inner[i + s][m - s] for s, w in fitting)

    def __call__(self, gap: int, beyond: int) -> float:
        """Add up what the gaps are expected to score."""
        total, place = 0.0, gap
        while beyond:
            n = (beyond & -beyond).bit_length() - 1  # words of this gap
            total += self.inner[place][n]
            beyond >>= n
            place += n
            n = (~beyond & (beyond + 1)).bit_length() - 1  # covered words behind it
            beyond >>= n
            place += n
        return total + self.rest[place]


class StackSearch:
    """Covers one sentence.

    In every stack the best hypotheses are followed; of equals, the one that was made first. One
    that cannot come among them is not looked at any more: what a language model says of a word is
    never above 0 if its weight is not below.
    """

    def __init__(self, options: PhraseOptions, row: int, language: Language) -> None:
        self.options, self.language = options, language
        self.n, self.reach = int(options.lengths[row]), len(options.jumps) - 1
        self.outlook = Outlook(options, row, self.reach)
        self.at = [list[int]() for _ in range(self.n)]
        for o in range(options.firsts[row], options.firsts[row + 1]):
            self.at[int(options.spans[o, 0])].append(o)
        self.made = [Partial(0, 0, (0, 0), language.start, 0, 0.0, self.outlook(0, 0))]
        self.known = dict[tuple[int, ...], int]()
        self.stacks = [list[int]() for _ in range(self.n + 1)]
        self.stacks[0].append(0)
        self.best = [list[float]() for _ in range(self.n + 1)]  # heaps of totals
        self.top = [_NEVER] * (self.n + 1)
        self.recombined, self.skipped = [0] * (self.n + 1), [0] * (self.n + 1)

    def run(self, limit: int, end: int, limits: StackLimits) -> Covered:
        """Fill the stacks one after the other, and take the best paths."""
        self.limit, self.limits = limit, limits
        self.bounded = self.language._weight >= 0
        kept = list[list[int]]()
        for stack in self.stacks[:-1]:
            kept.append(self._pruned(stack))
            for h in kept[-1]:
                self._extend(h)
        kept.append(self._pruned(self.stacks[-1]))
        finished = bool(kept[-1])
        last = next(one for one in reversed(kept) if one)
        ends = [(h, self.language.read(self.made[h].context, end)[0]) for h in last]
        paths, scores = self._paths(ends if finished else [(last[0], 0.0)])
        stacks = [
            StackCount(len(s), self.recombined[i], self.skipped[i], len(kept[i]))
            for i, s in enumerate(self.stacks)
        ]
        return Covered(paths, scores, stacks, finished)

    def _pruned(self, stack: list[int]) -> list[int]:
        """Return the hypotheses to follow, best first."""
        order = sorted(stack, key=lambda h: (-self.made[h].total, h))[: self.limits.width]
        least = self.made[order[0]].total - self.limits.threshold if order else 0.0
        return [h for h in order if self.made[h].total >= least]

    def _extend(self, h: int) -> None:
        """Write every phrase that may come next."""
        here, options = self.made[h], self.options
        for begin in range(here.gap, min(here.gap + self.reach, self.n - 1) + 1):
            jump = abs(begin - here.last[1])
            if here.beyond >> (begin - here.gap) & 1 or jump > self.reach:
                continue
            for o in self.at[begin]:
                stop = int(options.spans[o, 1])
                if begin > here.gap and stop - here.gap > self.reach:
                    break  # the gap would be out of reach
                bits = ((1 << (stop - begin)) - 1) << (begin - here.gap)
                if here.beyond & bits:
                    break
                self._write(h, o, here.beyond | bits, jump)

    def _write(self, h: int, option: int, covered: int, jump: int) -> None:
        here, options = self.made[h], self.options
        begin, stop = options.spans[option].tolist()
        words = options.target(option)
        if here.length + len(words) > self.limit:
            return
        shift = (~covered & (covered + 1)).bit_length() - 1
        gap, beyond = here.gap + shift, covered >> shift
        n = gap + beyond.bit_count()
        turn = 0 if begin == here.last[1] else 1 if stop == here.last[0] else 2
        gain = float(options.scores[option]) + float(options.turns[option, turn])
        gain += float(options.jumps[jump])
        future, context = self.outlook(gap, beyond), here.context
        for word in words:
            if self._behind(n, here.score + gain + future):
                return
            said, context = self.language.read(context, word)
            gain += said
        score = here.score + gain
        total = score + future
        if self._behind(n, total):
            return
        open_left = begin > gap and not beyond >> (begin - 1 - gap) & 1
        key = (gap, beyond, begin if open_left else -1, stop, context)
        arc, known = Arc(h, option, gain), self.known.get(key)
        if known is None:
            self.known[key] = len(self.made)
            self.stacks[n].append(len(self.made))
            length = here.length + len(words)
            self.made.append(
                Partial(gap, beyond, (begin, stop), context, length, score, total, [arc])
            )
            self._note(n, total)
            return
        self.recombined[n] += 1
        other = self.made[known]
        if score > other.score:
            other.last, other.length = (begin, stop), here.length + len(words)
            other.score, other.total = score, total
            other.arcs.insert(0, arc)
        else:
            other.arcs.append(arc)

    def _behind(self, n: int, total: float) -> bool:
        """Tell whether a total, or what it cannot exceed, comes too late for a stack; count it."""
        best = self.best[n]
        if not self.bounded or not best:
            return False
        late = len(best) == self.limits.width and total < best[0]
        if late or total < self.top[n] - self.limits.threshold:
            self.skipped[n] += 1
            return True
        return False

    def _note(self, n: int, total: float) -> None:
        """Remember the best totals of a stack."""
        best = self.best[n]
        self.top[n] = max(self.top[n], total)
        if len(best) < self.limits.width:
            heapq.heappush(best, total)
        elif total > best[0]:
            heapq.heapreplace(best, total)

    def _paths(self, ends: list[tuple[int, float]]) -> tuple[list[list[int]], list[float]]:
        """Return the best paths to the ends: A* from behind, which knows what stands before."""
        heap = list[tuple[float, int, int, float, tuple[int, ...]]]()
        for h, gain in ends:
            heapq.heappush(heap, (-(self.made[h].score + gain), len(heap), h, gain, ()))
        count, paths, scores = len(heap), list[list[int]](), list[float]()
        while heap and len(paths) < self.limits.n_best:
            total, _, h, behind, path = heapq.heappop(heap)
            if not self.made[h].arcs:
                paths.append(list(path))
                scores.append(-total)
                continue
            for parent, option, gain in self.made[h].arcs:
                further = gain + behind
                before = self.made[parent].score
                heapq.heappush(heap, (-(before + further), count, parent, further, (option, *path)))
                count += 1
        return paths, scores
