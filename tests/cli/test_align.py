"""`saccade align` on files of pairs: one direction, two, and a gold standard."""

import json
import re
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


def trained(
    folder: Path, *, back: bool = False, limit: dict[str, int] | None = None, **model: Any
) -> Predictor:
    pairs = [pair[::-1] if back else pair for pair in PAIRS]
    reader = {"kind": "pairs", "pairs": pairs}
    plain: dict[str, Any] = {
        "name": "back" if back else "forward",
        "data": {"train": reader, "valid": reader, "source": WORDS, "target": WORDS},
        "model": model or {"kind": "hmm_alignment", "null": 0.1},
        "training": limit or {},
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


def test_likely_links_of_two_directions(runs: Path, call: Call) -> None:
    both = ("align", runs / "forward", runs / "pairs.tsv", "--reverse", runs / "back")
    assert call(*both, "--threshold", "0.3").out.splitlines() == ["0-0 1-1"] * 6
    assert call(*both, "--threshold", "1").out.split() == []
    wrong = call(*both, "--threshold", "0.3", "--symmetrise", "union")
    assert "--symmetrise joins links, but --threshold needs to know how likely" in wrong.err
    (runs / "links").write_text("0-0\n" * 6, encoding="utf-8")
    wrong = call("align", runs / "links", runs / "pairs.tsv", "--threshold", "0.3")
    assert "links is a file of links, but --threshold needs" in wrong.err


def test_evaluate_tells_the_error_over_a_split(runs: Path, call: Call, tmp_path: Path) -> None:
    mixed = tmp_path / "mixed"
    mixed.write_text("0-1 1-1\n" * 2 + "0-0 1-1\n" * 4, encoding="utf-8")
    asked = ("evaluate", runs / "forward", "--split", "valid", "--gold", mixed)
    line = call("align", runs / "forward", runs / "pairs.tsv", "--gold", mixed).out
    assert line == "AER 0.1667  precision 0.8333  recall 0.8333  (12 links, 12 sure)\n"
    assert line in call(*asked).out
    found = json.loads(call(*asked, "--json", "-").out)["alignment"]
    assert found == {
        "aer": pytest.approx(1 / 6),
        "precision": pytest.approx(5 / 6),
        "recall": pytest.approx(5 / 6),
        "links": 12,
        "sure": 12,
    }


def test_any_model_with_attention_has_an_error(runs: Path, call: Call, tmp_path: Path) -> None:
    small: dict[str, Any] = {"embedding": 8, "encoder": {"kind": "rnn", "hidden": 8}}
    for attention in ("additive", "none"):
        decoder = {"kind": "rnn", "hidden": 8, "attention": attention}
        trained(
            tmp_path / attention,
            limit={"max_steps": 2},
            kind="encoder_decoder",
            **small,
            decoder=decoder,
        )
    asked = ("--split", "valid", "--gold", runs / "gold")
    told = call("evaluate", tmp_path / "additive" / "forward", *asked)
    assert re.search(r"AER 0\.\d{4}  precision", told.out), told.err
    told = call("evaluate", tmp_path / "none" / "forward", *asked)
    assert told.code == 1
    assert "the model has no attention, so nothing says which words belong together" in told.err


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
    assert "--reverse, --gold and --threshold are for a file of pairs" in wrong.err
