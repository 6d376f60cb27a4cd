"""What is installed with saccade, and what pip-audit says of it, where it can say anything."""

import json
import re
import sys
import tomllib
from importlib.metadata import PathDistribution
from pathlib import Path

import pytest
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

from deploy import advisories, materials
from deploy.materials import BEGIN, END, EXTRAS, Bill, Material, between_marks

ROOT = Path(__file__).parents[2]
SAFE = '{"dependencies": [{"name": "torch", "version": "2.13.0", "vulns": []}]}'
KNOWN = (
    '{"dependencies": [{"name": "pyyaml", "version": "5.3", "vulns": [{"id": "PYSEC-2021-142",'
    ' "fix_versions": ["5.4"]}]}, {"name": "rich", "skip_reason": "nobody knows it"}]}'
)
DEAF = '{"dependencies": [{"name": "pyyaml", "skip_reason": "Dependency not found"}]}'


def test_the_bill_of_this_environment() -> None:
    bill = materials.collected("saccade", ["serve", "export"])
    found = {one.name: one for one in bill.materials}
    assert {"torch", "numpy", "typer", "fastapi", "starlette", "onnx"} <= found.keys()
    assert not {"saccade", "pytest", "ruff", "mypy"} & found.keys()  # nobody who uses it needs them
    assert found["torch"].needed == ("core",)
    assert found["starlette"].needed == ("serve",)
    assert found["torch"].licence.startswith(("BSD", "Apache"))
    assert bill.missing == ()
    content = json.loads(materials.cyclonedx(bill))
    assert (content["bomFormat"], content["specVersion"]) == ("CycloneDX", "1.6")
    refs = {one["bom-ref"] for one in content["components"]}
    assert len(refs) == len(bill.materials)
    named = {one["ref"]: one["dependsOn"] for one in content["dependencies"]}
    assert named.keys() == refs | {bill.root.url}
    assert all(set(needs) <= refs for needs in named.values())
    assert found["torch"].url in named[bill.root.url]
    pins = materials.pins(bill).splitlines()
    assert all(re.fullmatch(r"[a-z0-9.-]+==[^+\s]+", line) for line in pins)


def package(folder: Path, name: str, metadata: str, **files: str) -> None:
    info = folder / f"{name}-1.0.dist-info"
    info.mkdir()
    (info / "METADATA").write_text(f"Name: {name}\nVersion: 1.0\n{metadata}", encoding="utf-8")
    for path, text in files.items():
        (info / path).write_text(text, encoding="utf-8")
    record = [f"{info.name}/METADATA,,", *(f"{info.name}/{path},," for path in files)]
    record += [f"{name}.libs/libx264-d65.so.165,,", f"{name}.libs/libx26-1.so,,"]
    (info / "RECORD").write_text("\n".join(record), encoding="utf-8")


def test_extras_missing_packages_and_what_wheels_carry(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    needs = "Requires-Dist: mid-a\nRequires-Dist: mid_b; extra == 'more'\n"
    package(tmp_path, "top_a", needs + "Provides-Extra: more\nLicense-Expression: MIT\n")
    package(tmp_path, "mid_a", "Requires-Dist: absent-a; python_version > '3'\nLicense: GPLv3\n")
    package(tmp_path, "mid_b", "Requires-Dist: mid-a\nRequires-Dist: no-b; extra == 'other'\n")
    monkeypatch.setattr(sys, "path", [str(tmp_path)])
    bill = materials.collected("top_a", ["more"])
    first, second = bill.materials
    assert (first.name, first.needed, first.licence) == ("mid-a", ("core",), "GPLv3")
    assert first.copyleft == "GPLv3; libx264: GPL-2.0-or-later"
    assert (second.name, second.needed, second.licence) == ("mid-b", ("more",), "not stated")
    assert second.requires == ("mid-a",)
    assert bill.root.requires == ("mid-a", "mid-b")
    assert bill.missing == ("absent-a",)


@pytest.mark.parametrize(
    ("metadata", "licence"),
    [
        ("License-Expression: MIT AND Zlib\nLicense: old\n", "MIT AND Zlib"),
        ("License: BSD\nClassifier: License :: OSI Approved :: Other\n", "BSD"),
        (f"License: {'text ' * 40}\nClassifier: License :: OSI Approved :: BSD\n", "BSD"),
        ("License: UNKNOWN\n", "Apache License"),
    ],
)  # fmt: skip
def test_where_a_licence_is_stated(tmp_path: Path, metadata: str, licence: str) -> None:
    package(tmp_path, "p", metadata, LICENSE="\n  Apache License\nVersion 2\n")
    assert materials.licence_of(PathDistribution(tmp_path / "p-1.0.dist-info")) == licence


def test_the_page_names_every_package_that_users_install() -> None:
    page = (ROOT / "docs/licences.md").read_text(encoding="utf-8")
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    wanted = [*project["dependencies"]]
    for extra in EXTRAS:
        wanted += project["optional-dependencies"][extra]
    for text in wanted:
        name = canonicalize_name(Requirement(text).name)
        assert f"\n| {name} | " in page, "run: make audit MD=docs/licences.md"
    own = Material("a|b", "1", "MIT", ("core",), (), ())
    assert between_marks(f"x {BEGIN} old {END} y", materials.table([own])) == (
        f"x {BEGIN}\n| package | version | licence | for | copyleft |\n|---|---|---|---|---|\n"
        f"| a/b | 1 | MIT | core |  |\n{END} y"
    )
    with pytest.raises(SystemExit, match=r"the page has no marks"):
        between_marks("x", "y")


def test_the_command_fails_where_an_extra_is_missing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    root = Material("saccade", "1", "Apache-2.0", (), (), ())
    one = Material("av", "2+cpu", "BSD", ("video",), (), ("libx264",))
    bills = [Bill(root, (one,), ("tensorboard",)), Bill(root, (one,), ())]
    monkeypatch.setattr(materials, "collected", lambda *_: bills.pop(0))
    sbom, pins = tmp_path / "new/sbom.json", tmp_path / "new/pins.txt"
    monkeypatch.setattr(sys, "argv", ["materials", "--sbom", str(sbom), "--pins", str(pins)])
    with pytest.raises(SystemExit, match=r"not installed: tensorboard; expected all\. Run: pip"):
        materials.main()
    materials.main()
    assert pins.read_text(encoding="utf-8") == "av==2\n"
    (component,) = json.loads(sbom.read_text(encoding="utf-8"))["components"]
    assert component["purl"] == "pkg:pypi/av@2%2Bcpu"
    assert "av 2+cpu (video): libx264: GPL-2.0-or-later" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("said", "code", "text"),
    [
        ([DEAF, SAFE], 0, "it does not know that pyyaml==5.3 is vulnerable. NOTHING was audited"),
        (["", SAFE], 0, "No advisory service here: no network. NOTHING was audited"),
        ([KNOWN, ""], 0, "stopped answering: no network. NOTHING was audited"),
        ([KNOWN, SAFE], 0, "1 of 1 packages audited, 0 vulnerabilities known."),
        ([KNOWN, KNOWN], 1, "yaml 5.3: PYSEC-2021-142, mended in 5.4\nnot audited: rich: nobody"),
    ],
)  # fmt: skip
def test_silence_is_not_safety(
    said: list[str],
    code: int,
    text: str,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    answers = tmp_path / "answers.json"
    answers.write_text(json.dumps(said), encoding="utf-8")
    (tmp_path / "pip_audit.py").write_text(
        f"""import json, pathlib, sys
path = pathlib.Path({str(answers)!r})
first, *rest = json.loads(path.read_text())
path.write_text(json.dumps(rest))
if not first:
    sys.exit("Traceback\\nno network")
pathlib.Path(sys.argv[sys.argv.index("--output") + 1]).write_text(first)
""",
        encoding="utf-8",
    )
    monkeypatch.setenv("PYTHONPATH", str(tmp_path))
    assert advisories.verdict(["torch==2.13.0"]) == code
    assert text in capsys.readouterr().out
