"""Who may ask, and how often: keys compared in constant time, a bucket of requests for each."""

import hashlib
import hmac
import time
from collections.abc import Callable, Sequence
from pathlib import Path

from saccade.errors import RecipeError
from saccade.server.refusal import Refused

_MOST = 10_000  # buckets remembered; full ones are forgotten first


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
    """A bucket of requests for everyone: `per_minute` fit in, and so many flow in each minute."""

    def __init__(self, per_minute: int, clock: Callable[[], float] = time.monotonic) -> None:
        self._most, self._clock = float(per_minute), clock
        self._buckets: dict[str, tuple[float, float]] = {}  # who: (requests left, when)

    def take(self, who: str) -> None:
        """Take one request out of somebody's bucket, or refuse."""
        now = self._clock()
        left = self._left(who, now)
        if left < 1:
            wait = int((1 - left) * 60 / self._most) + 1
            raise Refused(
                429,
                f"rate: more than {self._most:.0f} requests a minute; expected fewer; wait"
                f" {wait} seconds.",
                retry=wait,
            )
        self._buckets[who] = (left - 1, now)
        if len(self._buckets) > _MOST:
            full = [name for name in self._buckets if self._left(name, now) >= self._most]
            for name in full or list(self._buckets)[: _MOST // 2]:
                del self._buckets[name]

    def _left(self, who: str, now: float) -> float:
        left, then = self._buckets.get(who, (self._most, now))
        return min(left + (now - then) * self._most / 60, self._most)


class Door:
    """Lets in who holds a key, if keys are asked for, and not more often than agreed."""

    def __init__(self, keys: Keys | None = None, rates: Rates | None = None) -> None:
        self._keys, self._rates = keys, rates

    @property
    def keyed(self) -> bool:
        """Whether a key is needed."""
        return self._keys is not None

    def admit(self, key: str, address: str) -> None:
        """Let a request in, or refuse it; without keys everyone is known by their address."""
        if self._keys and not self._keys.knows(key):
            found = "a key that is not known" if key else "no key"
            raise Refused(
                401,
                f"key: {found}; expected one of this server's keys; send it as `Authorization:"
                " Bearer KEY`.",
            )
        if self._rates:
            self._rates.take(_hashed(key).hex() if self._keys else address)


def _hashed(key: str) -> bytes:
    return hashlib.sha256(key.encode("utf-8", "surrogatepass")).digest()
