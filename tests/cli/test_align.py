"""`saccade align` on files of pairs: one direction, two, and a gold standard."""

from pathlib import Path
from typing import Any

import pytest

from saccade import recipe as recipes
from saccade import run
from saccade.folders import model as folders
from saccade.predict.predictor import Predictor
from tests.cli.conftest import Call

PAIRS = [
    *(["un chat", "a cat"], ["deux chats", "two cats"], ["un chien", "a dog"]),
    *(["deux chiens", "two dogs"], ["trois chats", "three cats"], ["trois chiens", "three dogs"]),
]
WORDS = {"tokenizer": {"kind": "word", "punctuation": False}}


def trained(folder: Path, *, back: bool = False, **model: Any) -> Predictor:
    pairs = [pair[::-1] if back else pair for pair in PAIRS]
    reader = {"kind": "pairs", "pairs": pairs}
    plain: dict[str, Any] = {
        "name": "back" if back else "forward",
        "data": {"train": reader, "valid": reader, "source": WORDS, "target": WORDS},
        "model": model or {"kind": "hmm_alignment", "null": 0.1},
        "decoding": {"metrics": []},
    }
    run.train(recipes.from_plain(plain, "test"), folder / str(plain["name"]))
    return folders.load(folder / str(plain["name"]))


@pytest.fixture(scope="module")
def runs(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("aligned")
    trained(folder)
    trained(folder, back=True)
    lines = "".join(f"{source}\t{target}\n" for source, target in PAIRS)
    (folder / "pairs.tsv").write_text(lines, encoding="utf-8")
    (folder / "gold").write_text("0-0 1-1\n" * 5 + "0-0 1p1\n", encoding="utf-8")
    return folder


def test_links_of_pairs_and_their_error(runs: Path, call: Call) -> None:
    found = call("align", runs / "forward", runs / "pairs.tsv")
    assert found.out.splitlines() == ["0-0 1-1"] * 6
    told = call("align", runs / "forward", runs / "pairs.tsv", "--gold", runs / "gold")
    assert told.out == "AER 0.0000  precision 1.0000  recall 1.0000  (12 links, 11 sure)\n"


def test_two_directions_become_one(runs: Path, call: Call) -> None:
    both = ("--reverse", runs / "back", "--symmetrise", "intersection", "-o", runs / "found")
    call("align", runs / "forward", runs / "pairs.tsv", *both)
    assert (runs / "found").read_text("utf-8") == "0-0 1-1\n" * 6
    again = call("align", runs / "found", runs / "pairs.tsv", "--gold", runs / "gold")
    assert again.out.startswith("AER 0.0000")


def test_other_verbs_take_them(runs: Path, call: Call, tmp_path: Path) -> None:
    for name, side in (("a", 0), ("b", 1)):
        text = "".join(f"{pair[side]}\n" for pair in PAIRS)
        (tmp_path / name).write_text(text, encoding="utf-8")
    scores = call("score", runs / "forward", tmp_path / "a", tmp_path / "b").out.split()
    assert all(-20 < float(one) < 0 for one in scores)
    assert "cat" in call("inspect", runs / "forward", "un chat").out


def test_what_is_wrong_is_told(runs: Path, call: Call) -> None:
    short = runs / "short"
    short.write_text("0-0\n", encoding="utf-8")
    wrong = call("align", runs / "forward", runs / "pairs.tsv", "--gold", short)
    assert "short: has 1 lines but there are 6 pairs" in wrong.err
    wrong = call("align", runs / "forward", "un chat", "a cat", "--gold", short)
    assert "--reverse and --gold are for a file of pairs" in wrong.err
