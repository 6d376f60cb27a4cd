"""Writing a given text by phrases: what may follow each of its beginnings, and by which phrases.

All hypotheses that have written the same words have the same context of the language model, so what
it said of them is left out, and hypotheses differ in what they cover alone.
"""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from saccade.kernels import stack as kernels
from saccade.kernels.stack import Array, Followed, PhraseOptions
from saccade.search._stacks import Language, Outlook

_NEVER = -1e300


def follow(options: PhraseOptions, row: int, text: Sequence[int], end: int, width: int) -> Followed:
    """Write a text by the phrases of one sentence, with `width` hypotheses at each of its places.

        value(v) = max over derivations d that write text[:t] v ...  of  score(d) + outlook(d)

    d ends with the phrase that v stands in, whose other words the language model has read too. By
    the kernels, if there are any.
    """
    by_kernels = kernels.follow(options, row, text, end, width)
    if by_kernels is not None:
        return by_kernels
    return follow_plainly(options, row, list(text), end, width)


class _Held(NamedTuple):
    """A hypothesis that has written a beginning: what it covers, its score, and how it came."""

    gap: int
    beyond: int
    last: tuple[int, int]
    score: float
    total: float
    parent: "_Held | None"
    option: int


def follow_plainly(
    options: PhraseOptions, row: int, text: list[int], end: int, width: int
) -> Followed:
    """Do what `stack_follow.c` does."""
    language = Language(options.language)
    n, reach = int(options.lengths[row]), len(options.jumps) - 1
    outlook, at = Outlook(options, row, reach), [list[int]() for _ in range(n)]
    for o in range(options.firsts[row], options.firsts[row + 1]):
        at[int(options.spans[o, 0])].append(o)
    values = np.full((len(text) + 1, len(options.language.ids)), -np.inf)
    held = [dict[tuple[int, ...], _Held]() for _ in range(len(text) + 1)]
    held[0][()] = _Held(0, 0, (0, 0), 0.0, outlook(0, 0), None, -1)
    context, furthest = language.start, held[0][()]
    for j in range(len(text) + 1):
        said = dict[int, _Spoken]()
        here = sorted(held[j].values(), key=lambda one: -one.total)[:width]
        for one in here:
            furthest = one if one is here[0] else furthest
            if one.gap == n:
                ending = one.score + language.read(context, end)[0]
                values[j, end] = max(values[j, end], ending)
                continue
            for o in _fitting(one, options, at, reach):
                if o not in said:
                    said[o] = _spoken(options.target(o), text[j:], language, context)
                _go_on(one, o, said[o], options, outlook, held, values, j)
        if j < len(text):
            context = language.read(context, text[j])[1]
    whole = [one for one in held[len(text)].values() if one.gap == n]
    best = max(whole, key=lambda one: one.score) if whole else furthest
    return Followed(values, _path(best))


class _Spoken(NamedTuple):
    """An option behind a beginning of the text.

    words: its own.  rest: what the language model says of each and all behind it.  alike: how many
    of its words are the next ones of the text.
    """

    words: list[int]
    rest: list[float]
    alike: int


def _spoken(words: list[int], text: list[int], language: Language, context: int) -> _Spoken:
    gains = list[float]()
    for word in words:
        gain, context = language.read(context, word)
        gains.append(gain)
    rest = [0.0] * len(words)
    behind = 0.0
    for k in range(len(words) - 1, -1, -1):
        behind += gains[k]
        rest[k] = behind
    alike = 0
    while alike < min(len(words), len(text)) and words[alike] == text[alike]:
        alike += 1
    return _Spoken(words, rest, alike)


def _fitting(one: _Held, options: PhraseOptions, at: list[list[int]], reach: int) -> list[int]:
    """Return the options that may be written next."""
    found = list[int]()
    for begin in range(one.gap, min(one.gap + reach, len(at) - 1) + 1):
        if one.beyond >> (begin - one.gap) & 1 or abs(begin - one.last[1]) > reach:
            continue
        for o in at[begin]:
            stop = int(options.spans[o, 1])
            bits = ((1 << (stop - begin)) - 1) << (begin - one.gap)
            if (begin > one.gap and stop - one.gap > reach) or one.beyond & bits:
                break
            found.append(o)
    return found


def _go_on(
    one: _Held,
    o: int,
    spoken: _Spoken,
    options: PhraseOptions,
    outlook: Outlook,
    held: list[dict[tuple[int, ...], _Held]],
    values: Array,
    j: int,
) -> None:
    """Write an option: note what each of its words is worth, and keep it if the text agrees."""
    begin, stop = options.spans[o].tolist()
    turn = 0 if begin == one.last[1] else 1 if stop == one.last[0] else 2
    gain = float(options.scores[o]) + float(options.turns[o, turn])
    gain += float(options.jumps[abs(begin - one.last[1])])
    covered = one.beyond | ((1 << (stop - begin)) - 1) << (begin - one.gap)
    shift = (~covered & (covered + 1)).bit_length() - 1
    gap, beyond = one.gap + shift, covered >> shift
    score = one.score + gain
    total = score + outlook(gap, beyond)
    for k in range(min(spoken.alike + 1, len(spoken.words))):
        v = spoken.words[k]
        values[j + k, v] = max(values[j + k, v], total + spoken.rest[k])
    if spoken.alike < len(spoken.words):
        return
    open_left = begin > gap and not beyond >> (begin - 1 - gap) & 1
    key = (gap, beyond, begin if open_left else -1, stop)
    there = held[j + len(spoken.words)]
    if key not in there or score > there[key].score:
        there[key] = _Held(gap, beyond, (begin, stop), score, total, one, o)


def _path(held: _Held | None) -> list[int]:
    path = list[int]()
    while held is not None and held.option >= 0:
        path.append(held.option)
        held = held.parent
    return path[::-1]
