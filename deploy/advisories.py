"""Ask pip-audit whether installed packages have known vulnerabilities, and whether it could tell.

    python -m deploy.advisories build/pins.txt

pip-audit says that nothing is known also where its service knows none of the packages. So it is
first asked about a version that has been known to be vulnerable since 2020. If that is not found
there is no advisory service here: this is said, nothing counts as audited, and the code is 0. It is
1 if anything is known.
"""

import argparse
import json
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

_KNOWN = "pyyaml==5.3"  # CVE-2020-1747
_SECONDS = 600.0


@dataclass(frozen=True, slots=True)
class Found:
    """What pip-audit said: vulnerabilities as `name version: id`, and what it passed over."""

    known: tuple[str, ...]
    skipped: tuple[str, ...]
    asked: int


def main() -> None:
    """Ask, and print."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawTextHelpFormatter
    )
    parser.add_argument("pins", type=Path, help="name==version a line")
    parser.add_argument("--service", default="pypi", help="pypi, osv or esms, as of pip-audit")
    given = parser.parse_args()
    lines = given.pins.read_text(encoding="utf-8").split()
    sys.exit(verdict(lines, ["--vulnerability-service", given.service]))


def verdict(lines: Sequence[str], options: Sequence[str] = ()) -> int:
    """Print what is known of some packages; return the code to end with."""
    canary = ask([_KNOWN], options)
    if isinstance(canary, str) or not canary.known:
        why = canary if isinstance(canary, str) else f"it does not know that {_KNOWN} is vulnerable"
        print(f"No advisory service here: {why}. NOTHING was audited; run this where there is one.")
        return 0
    found = ask(lines, options)
    if isinstance(found, str):
        print(f"The advisory service stopped answering: {found}. NOTHING was audited.")
        return 0
    for one in found.known:
        print(f"VULNERABLE {one}")
    for one in found.skipped:
        print(f"not audited: {one}")
    audited = found.asked - len(found.skipped)
    print(f"{audited} of {found.asked} packages audited, {len(found.known)} vulnerabilities known.")
    return 1 if found.known else 0


def ask(lines: Sequence[str], options: Sequence[str] = ()) -> Found | str:
    """Run pip-audit; return what it found, or why it could not say."""
    with tempfile.TemporaryDirectory() as name:
        pins, out = Path(name) / "pins.txt", Path(name) / "found.json"
        pins.write_text("\n".join(lines) + "\n", encoding="utf-8")
        command = [sys.executable, "-m", "pip_audit", "--disable-pip", "--no-deps", "-r", str(pins)]
        command += ["--format", "json", "--output", str(out), "--progress-spinner", "off", *options]
        try:
            ended = subprocess.run(
                command, capture_output=True, text=True, timeout=_SECONDS, check=False
            )
        except subprocess.TimeoutExpired:
            return f"no answer within {_SECONDS:.0f} seconds"
        if not out.exists() or not out.stat().st_size:
            return (ended.stderr.strip() or f"code {ended.returncode}").splitlines()[-1]
        return read(out.read_text(encoding="utf-8"))


def read(text: str) -> Found:
    """Read what pip-audit writes as JSON."""
    rows = json.loads(text)["dependencies"]
    known = [
        f"{row['name']} {row['version']}: {one['id']}"
        + (f", mended in {', '.join(one['fix_versions'])}" if one.get("fix_versions") else "")
        for row in rows
        for one in row.get("vulns", [])
    ]
    skipped = [f"{row['name']}: {row['skip_reason']}" for row in rows if "skip_reason" in row]
    return Found(tuple(known), tuple(skipped), len(rows))


if __name__ == "__main__":
    main()
