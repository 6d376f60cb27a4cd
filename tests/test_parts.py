"""Parts: how they are found, checked and built, and what is said when they are not."""

import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from saccade.attention.base import Attention
from saccade.errors import RecipeError
from saccade.models.base import Model
from saccade.parts import Part, find, kinds, plain, schema
from saccade.readers.base import Reader
from saccade.schedules.base import Schedule
from saccade.schedules.constant import Constant

CODE = """
from saccade.schedules.base import Schedule

class Half(Schedule):
    '''Half.'''
    def __init__(self, *, share: float = 0.5) -> None:
        self.share = share
    def factor(self, step, validations):
        return self.share
"""


@pytest.fixture
def lab(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    folder = tmp_path / "mylab"
    folder.mkdir()
    (folder / "__init__.py").write_text("", encoding="utf-8")
    (folder / "half.py").write_text(CODE, encoding="utf-8")
    monkeypatch.syspath_prepend(tmp_path)
    monkeypatch.delenv("SACCADE_PARTS", raising=False)
    yield folder
    for name in [name for name in sys.modules if name.partition(".")[0] == "mylab"]:
        del sys.modules[name]


def refusal(kind: str) -> str:
    with pytest.raises(RecipeError) as caught:
        find(Schedule, kind)
    return str(caught.value)


def test_kinds_are_file_names() -> None:
    assert kinds(Schedule) == ["constant", "cosine", "inverse_sqrt", "plateau"]
    assert "base" not in kinds(Attention)


def test_find() -> None:
    assert find(Schedule, "constant") is Constant


def test_an_unknown_part() -> None:
    assert refusal("constnat") == (
        "schedules has no part 'constnat'. Did you mean 'constant'? Parts: constant, cosine,"
        " inverse_sqrt, plateau."
    )
    assert refusal("base").startswith("schedules has no part 'base'.")
    assert refusal("").startswith("schedules has no part ''.")


@pytest.mark.usefixtures("lab")
def test_code_outside_must_be_trusted(monkeypatch: pytest.MonkeyPatch) -> None:
    assert refusal("mylab.half") == (
        "part 'mylab.half' is code outside saccade. If you trust it, import it first or set"
        " SACCADE_PARTS=mylab."
    )
    assert "mylab" not in sys.modules
    monkeypatch.setenv("SACCADE_PARTS", "other,mylab")
    part = Part(Schedule, "mylab.half", {"share": 0.25})
    assert part.build().factor(0, []) == 0.25
    assert part.plain() == {"kind": "mylab.half", "share": 0.25}
    monkeypatch.delenv("SACCADE_PARTS")
    assert find(Schedule, "mylab.half").__name__ == "Half"  # imported by now


@pytest.mark.usefixtures("lab")
def test_code_outside_that_is_not_there(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SACCADE_PARTS", "mylab")
    assert refusal("mylab.haff") == (
        "part 'mylab.haff' cannot be imported: No module named 'mylab.haff'. Install it, or add its"
        " folder to PYTHONPATH."
    )
    for kind in (".half", "mylab..half", "../half.py"):
        assert refusal(kind) == (
            f"part '{kind}' is not a module; expected a name such as mylab.cosine."
        )


def test_a_module_holds_exactly_one_part(lab: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SACCADE_PARTS", "mylab")
    (lab / "two.py").write_text(CODE + CODE.replace("Half", "Third"), encoding="utf-8")
    (lab / "none.py").write_text("x = 1", encoding="utf-8")
    assert refusal("mylab.two") == (
        "module mylab.two defines 2 concrete classes of Schedule; a part is exactly one."
    )
    assert refusal("mylab.none").startswith("module mylab.none defines 0 concrete classes")


def test_schema_is_the_signature() -> None:
    options = schema(find(Schedule, "cosine"))
    assert {name: (o.type, o.default) for name, o in options.items()} == {
        "steps": (int, 10000),
        "warmup": (int, 400),
        "floor": (float, 0.0),
    }


def test_building_checks_the_options() -> None:
    assert Part(Schedule, "constant", {"warmup": 2}).build().factor(0, []) == 0.5
    with pytest.raises(RecipeError) as caught:
        Part(Schedule, "constant", {"warmpu": 2, "warmup": "2"}).build()
    assert caught.value.problems == [
        "constant.warmpu: constant has no option 'warmpu'. Did you mean 'warmup'? Options: warmup.",
        "constant.warmup: expected a whole number, found '2'. Remove the quotes.",
    ]


def test_plain_fills_in_every_default() -> None:
    whole = Part(Model, "encoder_decoder").plain()
    assert whole["decoder"]["attention"] == {"kind": "additive", "hidden": 128}
    assert plain((1, {"a": [2]})) == [1, {"a": [2]}]


def test_a_number_or_a_name() -> None:
    for column in (3, "lemma"):
        assert Part(Reader, "csv", {"source": column}).plain()["source"] == column
        Part(Reader, "csv", {"source": column}).build(Path())
    with pytest.raises(RecipeError) as caught:
        Part(Reader, "csv", {"source": True}).build(Path())
    assert str(caught.value) == "csv.source: expected a whole number or text, found True."
