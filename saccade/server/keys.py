"""Who may ask, and how often: keys compared in constant time, a bucket of requests for each."""

import hashlib
import hmac
import time
from collections.abc import Callable, Sequence
from pathlib import Path

from saccade.errors import RecipeError
from saccade.server.memory import CommonMemory
from saccade.server.refusal import Refused

_BUCKETS = 1 << 16


class Keys:
    """The keys that open the door; only their hashes are kept."""

    def __init__(self, keys: Sequence[str]) -> None:
        self._hashes = [_hashed(key) for key in keys]

    @classmethod
    def read(cls, path: Path) -> "Keys":
        """Read one key a line; empty lines and lines that begin with # do not count."""
        try:
            lines = [line.strip() for line in path.read_text(encoding="utf-8").splitlines()]
        except (OSError, UnicodeDecodeError) as error:
            raise RecipeError(
                f"--keys {path}: cannot be read ({error}); expected a text file with one key a"
                " line; name another."
            ) from None
        keys = [line for line in lines if line and not line.startswith("#")]
        if not keys:
            raise RecipeError(
                f"--keys {path}: holds no key; expected one a line; write one, as"
                " `openssl rand -hex 24` makes."
            )
        return cls(keys)

    def knows(self, key: str) -> bool:
        """Tell whether a key is one of ours, in a time that does not depend on the key."""
        given, found = _hashed(key), False
        for known in self._hashes:
            found |= hmac.compare_digest(known, given)
        return found


class Rates:
    """A bucket of requests for everyone: `per_minute` fit in, and so many flow in each minute.

    All processes of a server take out of the same buckets. Two clients share one once in 65,536
    times.
    """

    def __init__(
        self,
        per_minute: int,
        clock: Callable[[], float] = time.monotonic,
        memory: CommonMemory | None = None,
    ) -> None:
        self._most, self._clock = float(per_minute), clock
        self._memory = memory or CommonMemory()
        self._taken = self._memory.section(8 * _BUCKETS).cast("d")  # 0 if a bucket is full
        self._when = self._memory.section(8 * _BUCKETS).cast("d")

    def take(self, who: str) -> None:
        """Take one request out of somebody's bucket, or refuse."""
        place = self._memory.place(who, _BUCKETS)
        with self._memory.locked():
            now = self._clock()
            flowed = (now - self._when[place]) * self._most / 60
            taken = min(max(self._taken[place] - flowed, 0.0), self._most)
            left = self._most - taken
            if left >= 1:
                self._taken[place], self._when[place] = taken + 1, now
                return
        wait = int((1 - left) * 60 / self._most) + 1
        raise Refused(
            429,
            f"rate: more than {self._most:.0f} requests a minute; expected fewer; wait"
            f" {wait} seconds.",
            retry=wait,
        )


class Door:
    """Lets in who holds a key, if keys are asked for, and not more often than agreed."""

    def __init__(self, keys: Keys | None = None, rates: Rates | None = None) -> None:
        self._keys, self._rates = keys, rates

    @property
    def keyed(self) -> bool:
        """Whether a key is needed."""
        return self._keys is not None

    def admit(self, key: str, address: str) -> str:
        """Let a request in, or refuse it; return who it is from: without keys, its address."""
        if self._keys and not self._keys.knows(key):
            found = "a key that is not known" if key else "no key"
            raise Refused(
                401,
                f"key: {found}; expected one of this server's keys; send it as `Authorization:"
                " Bearer KEY`.",
            )
        who = _hashed(key).hex() if self._keys else address
        if self._rates:
            self._rates.take(who)
        return who


def _hashed(key: str) -> bytes:
    return hashlib.sha256(key.encode("utf-8", "surrogatepass")).digest()
