"""What is installed with saccade: a bill of materials and a table of licences, from metadata.

    python -m deploy.materials --sbom build/sbom.json --pins build/pins.txt
    python -m deploy.materials --md docs/licences.md

Walks from saccade over what it requires, with its extras for users. What else is installed is left
out. The bill is CycloneDX 1.6 JSON; nothing of it comes from a network. `make audit` runs it in an
environment of its own.
"""

import argparse
import json
import re
import sys
import uuid
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from importlib.metadata import Distribution, PackageNotFoundError, distribution
from pathlib import Path
from urllib.parse import quote

from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

ROOT = "saccade"
EXTRAS = ("serve", "track", "fast", "data", "vision", "video", "sound", "export")
BEGIN, END = "<!-- licences: begin -->", "<!-- licences: end -->"
UNSTATED = "not stated"
_SHORT = 60  # characters of a field License that is a name and not a text
_COPYLEFT = re.compile(r"\b(?:[AL]?GPL|MPL|EPL|EUPL|CDDL)|Mozilla Public|General Public", re.I)
# Libraries that wheels carry and whose metadata does not name: what they are under.
_CARRIED = {
    "libx264": "GPL-2.0-or-later",
    "libx265": "GPL-2.0-or-later",
    "libavcodec": "LGPL-2.1-or-later; GPL with x264",
    "libsndfile": "LGPL-2.1-or-later",
    "libmp3lame": "LGPL-2.0-or-later",
    "libmpg123": "LGPL-2.1-or-later",
    "libgmp": "LGPL-3.0-or-later OR GPL-2.0-or-later",
    "libnettle": "LGPL-3.0-or-later OR GPL-2.0-or-later",
    "libunistring": "LGPL-3.0-or-later OR GPL-2.0-or-later",
    "libgnutls": "LGPL-2.1-or-later",
    "libasound": "LGPL-2.1-or-later",
    "libgomp": "GPL-3.0-or-later WITH GCC-exception-3.1",
    "libgfortran": "GPL-3.0-or-later WITH GCC-exception-3.1",
    "libquadmath": "LGPL-2.1-or-later",
}


@dataclass(frozen=True, slots=True)
class Material:
    """One package: who needs it (`core` or extras), and copyleft libraries that its wheel has."""

    name: str
    version: str
    licence: str
    needed: tuple[str, ...]
    requires: tuple[str, ...]
    carried: tuple[str, ...]

    @property
    def copyleft(self) -> str:
        """Say what of it is under copyleft: its own licence, or libraries in its wheel."""
        own = [self.licence] if _COPYLEFT.search(self.licence) else []
        return "; ".join([*own, *(f"{one}: {_CARRIED[one]}" for one in self.carried)])

    @property
    def url(self) -> str:
        """Return its package URL."""
        return f"pkg:pypi/{self.name}@{quote(self.version, safe='.')}"


@dataclass(frozen=True, slots=True)
class Bill:
    """All that saccade needs here, and the names that are not installed."""

    root: Material
    materials: tuple[Material, ...]
    missing: tuple[str, ...]


def main() -> None:
    """Write what is asked for; end with code 1 if a package of an extra is not there."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawTextHelpFormatter
    )
    parser.add_argument("--sbom", type=Path, help="CycloneDX JSON")
    parser.add_argument("--pins", type=Path, help="name==version a line, for pip-audit")
    parser.add_argument("--md", type=Path, help="a page: its table is put between its marks")
    given = parser.parse_args()
    bill = collected(ROOT, EXTRAS)
    for path, text in ((given.sbom, cyclonedx(bill)), (given.pins, pins(bill))):
        if path:
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text, encoding="utf-8")
    if given.md:
        page = given.md.read_text(encoding="utf-8")
        given.md.write_text(between_marks(page, table(bill.materials)), encoding="utf-8")
    flagged = [one for one in bill.materials if one.copyleft or one.licence == UNSTATED]
    print(f"{len(bill.materials)} packages; copyleft, or no licence stated, in {len(flagged)}:")
    for one in flagged:
        print(f"  {one.name} {one.version} ({', '.join(one.needed)}): {one.copyleft or UNSTATED}")
    if bill.missing:
        words = f"pip install '{ROOT}[{','.join(EXTRAS)}]'"
        sys.exit(f"not installed: {', '.join(bill.missing)}; expected all. Run: {words}")


def collected(root: str, extras: Sequence[str]) -> Bill:
    """Walk over what is required, at first by the package alone and then with each extra."""
    needed = dict[str, list[str]]()
    missing = dict[str, None]()
    for group in ("", *extras):
        for name in _reached(root, group):
            if _found(name):
                needed.setdefault(name, []).append(group or "core")
            else:
                missing[name] = None
    groups = {name: ("core",) if "core" in who else tuple(who) for name, who in needed.items()}
    all_extras = frozenset(extras)
    return Bill(
        _material(root, (), all_extras),
        tuple(_material(name, groups[name]) for name in sorted(groups)),
        tuple(missing),
    )


def _reached(root: str, group: str) -> Iterator[str]:
    """Yield the names of all that a package requires with one of its extras, itself left out."""
    seen, waiting = set[tuple[str, str]](), [(canonicalize_name(root), group)]
    while waiting:
        name, extra = waiting.pop()
        if (name, extra) in seen:
            continue
        seen.add((name, extra))
        if name != canonicalize_name(root):
            yield name
        if package := _found(name):
            for one in _required(package, extra):
                child = canonicalize_name(one.name)
                waiting += [(child, "")] + [(child, wanted) for wanted in sorted(one.extras)]


def _required(package: Distribution, extra: str) -> Iterator[Requirement]:
    """Yield what a package requires on this machine."""
    for text in package.requires or []:
        one = Requirement(text)
        if one.marker is None or one.marker.evaluate({"extra": extra}):
            yield one


def _found(name: str) -> Distribution | None:
    try:
        return distribution(name)
    except PackageNotFoundError:
        return None


def _material(name: str, needed: tuple[str, ...], extras: frozenset[str] = frozenset()) -> Material:
    package = distribution(name)
    children = {
        canonicalize_name(one.name)
        for extra in ("", *extras)
        for one in _required(package, extra)
        if _found(one.name)
    }
    return Material(
        canonicalize_name(name),
        package.version,
        licence_of(package),
        needed,
        tuple(sorted(children)),
        tuple(sorted(_libraries(package))),
    )


def licence_of(package: Distribution) -> str:
    """Read a licence: an expression, a short name, classifiers, or how its licence file begins."""
    fields = package.metadata.json
    if expression := str(fields.get("license_expression", "")):
        return expression
    text = str(fields.get("license", "")).strip()
    if text not in ("", "UNKNOWN") and len(text) <= _SHORT and "\n" not in text:
        return text
    said = [one for one in fields.get("classifier", []) if one.startswith("License :: ")]
    return " OR ".join(one.rpartition(" :: ")[2] for one in said) or _opening(package) or UNSTATED


def _opening(package: Distribution) -> str:
    """Return the first line of a licence file that says something."""
    for path in package.files or []:
        if re.fullmatch(r"(?:LICEN[CS]E|COPYING)(?:\.\w+)?", path.name):
            lines = (
                Path(str(path.locate())).read_text(encoding="utf-8", errors="replace").split("\n")
            )
            return next((line.strip()[:_SHORT] for line in lines if line.strip()), "")
    return ""


def _libraries(package: Distribution) -> set[str]:
    """Return which known libraries lie in a wheel beside its own modules."""
    names = {path.name for path in package.files or [] if ".so" in path.name}
    return {known for known in _CARRIED for name in names if re.match(rf"{known}[-_.]", name)}


def cyclonedx(bill: Bill) -> str:
    """Return the bill as CycloneDX 1.6."""
    content = {
        "bomFormat": "CycloneDX",
        "specVersion": "1.6",
        "serialNumber": f"urn:uuid:{uuid.uuid4()}",
        "version": 1,
        "metadata": {
            "timestamp": datetime.now(UTC).isoformat(timespec="seconds"),
            "component": _component(bill.root, "application"),
        },
        "components": [_component(one, "library") for one in bill.materials],
        "dependencies": list(_dependencies(bill)),
    }
    return json.dumps(content, indent=1) + "\n"


def _component(one: Material, kind: str) -> dict[str, object]:
    more = [{"name": "saccade:needed-for", "value": name} for name in one.needed]
    more += [{"name": f"saccade:carries:{name}", "value": _CARRIED[name]} for name in one.carried]
    return {
        "type": kind,
        "bom-ref": one.url,
        "name": one.name,
        "version": one.version,
        "purl": one.url,
        "licenses": [{"license": {"name": one.licence}}],
        **({"properties": more} if more else {}),
    }


def _dependencies(bill: Bill) -> Iterator[dict[str, object]]:
    urls = {one.name: one.url for one in bill.materials}
    for one in (bill.root, *bill.materials):
        needs = [urls[name] for name in one.requires if name in urls]
        yield {"ref": one.url, "dependsOn": needs}


def pins(bill: Bill) -> str:
    """Return a line a package with its version; what stands behind `+` is of the build alone."""
    return "".join(f"{one.name}=={one.version.partition('+')[0]}\n" for one in bill.materials)


def table(materials: Iterable[Material]) -> str:
    """Return a table of licences in Markdown."""
    lines = ["| package | version | licence | for | copyleft |", "|---|---|---|---|---|"]
    for one in materials:
        words = (one.name, one.version, one.licence, ", ".join(one.needed), one.copyleft)
        lines.append("| " + " | ".join(word.replace("|", "/") for word in words) + " |")
    return "\n".join(lines)


def between_marks(page: str, text: str) -> str:
    """Put a text between the marks of a page."""
    before, begin, rest = page.partition(BEGIN)
    _, end, after = rest.partition(END)
    if not begin or not end:
        raise SystemExit(f"the page has no marks; expected {BEGIN} and {END}. Add them.")
    return f"{before}{begin}\n{text}\n{end}{after}"


if __name__ == "__main__":
    main()
