"""What a campaign finds: each once, made smaller, in a file of its own."""

import hashlib
import sys
from pathlib import Path

from tests.fuzz.target import Finding, Target, attempt

_TRIES = 300  # to make a finding smaller
_SHOWN, _WIDE = 12, 200  # lines of what is told, and characters of each


class Notes:
    """What was found so far, and how many inputs were tried."""

    def __init__(self, folder: Path) -> None:
        self.folder, self.inputs = folder, 0
        self.found: dict[tuple[str, str, str], Finding] = {}

    def attempt(self, target: Target, data: bytes) -> None:
        """Try one input; keep it if it finds something new."""
        self.inputs += 1
        finding = attempt(target, data)
        if finding is None or (target.name, *finding.key) in self.found:
            return
        if finding.kind in ("slow", "memory") and attempt(target, data) is None:
            return  # a pause of the machine, or what is loaded once
        self.found[target.name, *finding.key] = finding
        small = smaller(target, data, finding)
        place = self.folder / target.name / f"{finding.kind}-{_name(small)}".lower()
        place.parent.mkdir(parents=True, exist_ok=True)
        place.write_bytes(small)
        said = "\n".join(line[:_WIDE] for line in finding.told.splitlines()[-_SHOWN:])
        tell(f"{target.name}: {finding.kind} in {finding.place}; see {place}\n{said}\n")


def smaller(target: Target, data: bytes, finding: Finding) -> bytes:
    """Cut pieces out while the same is found."""
    if finding.kind in ("Endless", "slow", "memory"):
        return data
    size, tries = max(len(data) // 2, 1), 0
    while size and tries < _TRIES:
        at = 0
        while at < len(data) and tries < _TRIES:
            tries += 1
            less = data[:at] + data[at + size :]
            again = attempt(target, less)
            if again and again.key == finding.key:
                data = less
            else:
                at += size
        size //= 2
    return data


def tell(line: str) -> None:
    """Tell whoever waits."""
    sys.stdout.write(f"{line}\n")
    sys.stdout.flush()


def _name(data: bytes) -> str:
    return hashlib.sha256(data).hexdigest()[:8]
