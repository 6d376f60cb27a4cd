"""The structures of Python are laid out in memory as those of the C files."""

import ctypes
import shutil
import subprocess
from pathlib import Path

import pytest

from saccade.kernels import alignment_structures, build, structures, trellis_structures

SOURCE = Path(build.__file__).parent


def test_the_structures_are_those_of_the_c_files(tmp_path: Path) -> None:
    real = next(filter(None, map(shutil.which, ("cc", "gcc", "clang"))), None)
    if real is None:
        pytest.skip("no C compiler")
    kinds = [
        kind
        for module in (structures, alignment_structures, trellis_structures)
        for kind in vars(module).values()
        if isinstance(kind, type) and issubclass(kind, ctypes.Structure)
    ]
    fields = [(kind, field[0]) for kind in kinds for field in kind._fields_]
    lines = [
        *(f'#include "{one.name}"' for one in build.SOURCES if one.suffix == ".c"),
        "#include <stddef.h>",
        "#include <stdio.h>",
        "int main(void) {",
        *(f'printf("%zu\\n", sizeof({kind.__name__}));' for kind in kinds),
        *(f'printf("%zu\\n", offsetof({k.__name__}, {name.rstrip("_")}));' for k, name in fields),
        "}",
    ]
    (tmp_path / "sizes.c").write_text("\n".join(lines), encoding="utf-8")
    program = tmp_path / "sizes"
    command = [real, "-std=gnu11", "-w", f"-I{SOURCE}", str(tmp_path / "sizes.c"), "-o"]
    subprocess.run([*command, str(program), "-lm"], check=True)
    printed = subprocess.run([program], check=True, capture_output=True, text=True).stdout
    expected = [
        *(ctypes.sizeof(kind) for kind in kinds),
        *(getattr(kind, name).offset for kind, name in fields),
    ]
    assert len(fields) > 80
    assert [int(line) for line in printed.split()] == expected
