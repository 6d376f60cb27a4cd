"""Small changes to inputs: bits, numbers that often hurt, pieces cut, doubled and put elsewhere."""

import json
import random
import re
from collections.abc import Callable, Sequence
from typing import Any

from tests.fuzz.target import LARGEST, Target

NUMBERS = (
    *(b"0", b"-1", b"1", b"2", b"255", b"256", b"65535", b"65536", b"2147483647", b"2147483648"),
    *(b"4294967296", b"9223372036854775807", b"9223372036854775808", b"1" + b"0" * 40, b"9" * 5000),
    *(b"1e308", b"1e999", b"-1e999", b"1e-320", b"nan", b"NaN", b"inf", b"-Infinity", b"0x10"),
    *(b"1_000", b"00", b"-0", b"1.5", b".", b"-", "٣".encode(), "²".encode(), b"1e", b""),
)
VALUES: tuple[Any, ...] = (
    *(None, True, False, 0, -1, 1, 2, 1.5, -0.0, 1e308, 2**31, 2**63, 2**64, 10**40),
    *(float("nan"), float("inf"), -float("inf")),
    *("", " ", "a", "\0", "\ud800", "é", "🙂", "x" * 3000, "0", "1e5", "nan", "\n", "\t", "../a"),
    *([], [[]], [None], [0], [""], ["a", "b"], [1, 2, 3], [[1, 2], [3]], {}, {"a": 1}, {"": None}),
)
TEXTS = (
    *(b"\0", b"\n", b"\r", b"\r\n", b"\t", b" ", b'"', b"'", b",", b";", b":", b"|", b"\\", b"#"),
    *(b"\xff", b"\xfe\xff", b"\xef\xbb\xbf", b"\xc3", b"\xed\xa0\x80", b"\xf4\x90\x80\x80"),
    *("\u2028".encode(), "\u202e".encode(), "\u0301".encode() * 50, "\u0130".encode(), b"\x1f\x8b"),
    *(b"[", b"]", b"{", b"}", b"null", b"true", b"[" * 3000, b'{"a":' * 3000, b"(" * 500, b"<a>"),
    *(
        b"%% ",
        b"\n%% options\n",
        b"..",
        b"/",
        b"*",
        b"&a",
        b"*a",
        b"<<: ",
        b"!!",
        b"--- ",
        b"|",
        b">",
    ),
)
_NUMBER = re.compile(rb"-?[0-9]+(?:\.[0-9]+)?")
_JSON = re.compile(rb"[\[{].*[\]}]", re.DOTALL)


class Mutator:
    """Makes inputs of others; the same seed makes the same ones.

    seeds: those it begins with.
    """

    def __init__(self, target: Target, seeds: Sequence[bytes], seed: int) -> None:
        self.target, self.seeds = target, list(seeds) or [b""]
        self.chance = random.Random(f"{target.name} {seed}")
        self._changes: list[Callable[[bytes], bytes]] = [
            *(self._flip, self._byte, self._cut, self._double, self._insert, self._word),
            *(self._number, self._binary, self._splice, self._truncate, self._line, self._value),
            *(self._number, self._value, self._word),  # which find most
        ]

    def next(self) -> bytes:
        """Return another input, made of one of the seeds."""
        return self.changed(self.chance.choice(self.seeds))

    def changed(self, data: bytes) -> bytes:
        """Return an input with one change, or with a few."""
        for _ in range(1 + int(self.chance.expovariate(1.0))):
            data = self.chance.choice(self._changes)(data)[:LARGEST]
        if self.target.mend and self.chance.random() < 0.7:
            data = self.target.mend(data)[:LARGEST]
        return data

    def _place(self, data: bytes) -> int:
        return self.chance.randint(0, len(data))

    def _span(self, data: bytes) -> tuple[int, int]:
        begin = self._place(data)
        longest = self.chance.choice((1, 4, 16, 64, len(data) + 1))
        return begin, min(begin + self.chance.randint(1, longest), len(data))

    def _flip(self, data: bytes) -> bytes:
        if not data:
            return data
        i = self.chance.randrange(len(data))
        return data[:i] + bytes([data[i] ^ 1 << self.chance.randrange(8)]) + data[i + 1 :]

    def _byte(self, data: bytes) -> bytes:
        i = self._place(data)
        one = self.chance.choice((0, 1, 9, 10, 13, 32, 127, 128, 255, self.chance.randrange(256)))
        return data[:i] + bytes([one]) + data[i + 1 :]

    def _cut(self, data: bytes) -> bytes:
        begin, end = self._span(data)
        return data[:begin] + data[end:]

    def _double(self, data: bytes) -> bytes:
        begin, end = self._span(data)
        times = self.chance.choice((2, 2, 3, 10, 100, 1000))
        return data[:begin] + data[begin:end] * times + data[end:]

    def _insert(self, data: bytes) -> bytes:
        i = self._place(data)
        return data[:i] + self.chance.choice(TEXTS) + data[i:]

    def _word(self, data: bytes) -> bytes:
        begin, end = self._span(data)
        words = self.target.words or TEXTS
        kept = end if self.chance.random() < 0.5 else begin
        return data[:begin] + self.chance.choice(words) + data[kept:]

    def _number(self, data: bytes) -> bytes:
        found = list(_NUMBER.finditer(data))
        if not found:
            return self._binary(data)
        one = self.chance.choice(found)
        return data[: one.start()] + self.chance.choice(NUMBERS) + data[one.end() :]

    def _binary(self, data: bytes) -> bytes:
        i, n = self._place(data), self.chance.choice((1, 2, 4, 8))
        top = 1 << 8 * n
        number = self.chance.choice((0, 1, 2, 127, 128, top - 1, top // 2, top // 2 - 1, top // 4))
        order: Any = self.chance.choice(("little", "big"))
        return data[:i] + (number % top).to_bytes(n, order) + data[i + n :]

    def _splice(self, data: bytes) -> bytes:
        other = self.chance.choice(self.seeds)
        begin, end = self._span(other)
        if self.chance.random() < 0.5:
            return data[: self._place(data)] + other[self._place(other) :]
        i = self._place(data)
        return data[:i] + other[begin:end] + data[i:]

    def _truncate(self, data: bytes) -> bytes:
        return data[: self._place(data)]

    def _line(self, data: bytes) -> bytes:
        """Move, double or drop a line."""
        lines = data.split(b"\n")
        i, j = (self.chance.randrange(len(lines)) for _ in range(2))
        change = self.chance.randrange(3)
        if change == 0:
            lines[i], lines[j] = lines[j], lines[i]
        elif change == 1:
            lines.insert(i, lines[j])
        else:
            del lines[i]
        return b"\n".join(lines)

    def _value(self, data: bytes) -> bytes:
        """Put another value somewhere in a JSON document, or in one of several lines of them."""
        pieces = [data] if self.chance.random() < 0.5 else data.split(b"\n")
        places = [i for i, piece in enumerate(pieces) if _JSON.search(piece)]
        if not places:
            return self._number(data)
        i = self.chance.choice(places)
        found = _JSON.search(pieces[i])
        assert found
        try:
            plain = json.loads(found[0])
        except (ValueError, RecursionError):
            return self._number(data)
        try:
            text = json.dumps(self._edited(plain)).encode("utf-8", "surrogatepass")
        except (ValueError, RecursionError):
            return data
        pieces[i] = pieces[i][: found.start()] + text + pieces[i][found.end() :]
        return b"\n".join(pieces)

    def _edited(self, plain: Any) -> Any:
        """Change one value within another."""
        chance = self.chance
        if not isinstance(plain, dict | list) or not plain or chance.random() < 0.1:
            return chance.choice(VALUES)
        keys: list[Any] = list(plain) if isinstance(plain, dict) else list(range(len(plain)))
        key, other = chance.choice(keys), chance.choice(keys)
        act = chance.random()
        if act < 0.1:
            del plain[key]
        elif act < 0.2:
            plain[key] = plain[other]
        elif act < 0.25 and isinstance(plain, list):
            plain.extend(plain[key : key + 1] * chance.choice((1, 5, 500)))
        elif act < 0.3 and isinstance(plain, dict):
            plain[chance.choice(("", "x", "kind", "é", "a" * 500))] = chance.choice(VALUES)
        else:
            plain[key] = self._edited(plain[key])
        return plain
