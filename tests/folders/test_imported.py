"""A language model goes out as an ARPA file and comes back as the same model."""

from pathlib import Path

import pytest
import torch

from saccade import run
from saccade.cli import main
from saccade.errors import DataError, RecipeError
from saccade.export.base import export
from saccade.folders import model as folders
from saccade.folders.imported import import_arpa, names_of
from saccade.tokenizers.character import Character
from saccade.tokenizers.word import Word
from tests.folders.test_arpa import SMALL, written
from tests.learners.test_counting import recipe
from tests.train import small

TEXTS = ["un chat dort.", "deux chats", "un\tchat"]


def test_names_have_no_white_space() -> None:
    letters = names_of(Character().fit([*TEXTS, "\n"], ["nfc"]))
    assert {"▁", "<0x0A>", "<0x09>"} <= set(letters)
    plain = names_of(Word(punctuation=False).fit(TEXTS, ["nfc"]))
    assert {"deux", "chats", "dort."} <= set(plain)
    cut = names_of(Word().fit(TEXTS, ["nfc"]))
    assert {"▁deux", "."} <= set(cut)
    for names in (letters, plain, cut):
        assert len(set(names)) == len(names)
        assert not any(c.isspace() for name in names for c in name)


@pytest.mark.parametrize(
    "tokenizer", ["character", {"kind": "word"}, {"kind": "word", "punctuation": False}]
)
def test_there_and_back(tokenizer: object, tmp_path: Path) -> None:
    pairs = [["", f"{a} {b}, {c}."] for a in ["un", "deux"] for b in ["chat", "cat"] for c in "ab"]
    data = {
        "train": {"kind": "pairs", "pairs": pairs},
        "valid": {"kind": "pairs", "pairs": pairs[:3]},
        "target": {"tokenizer": tokenizer, "normalise": ["nfc"]},
    }
    made = run.train(recipe(data=data), tmp_path / "lm", console=small.quiet())
    export("arpa", tmp_path / "lm", tmp_path / "out")
    found = import_arpa(tmp_path / "out" / "model.arpa", tmp_path / "back")
    assert found.n_symbols == len(made.predictor.target.vocabulary or ())
    opened = folders.load(tmp_path / "back")
    texts = ["un chat, a.", "deux cat, b.", "chat un", ""]
    for one, two in zip(
        opened.score([""] * 4, texts), made.predictor.score([""] * 4, texts), strict=True
    ):
        assert one.token_scores == pytest.approx(two.token_scores, abs=1e-5)


def test_a_file_from_elsewhere_by_the_command_line(tmp_path: Path) -> None:
    text = SMALL.partition("\n")[2].replace("\ta", "\talpha").replace(" a", " alpha")
    path = written(tmp_path, text)
    with pytest.raises(SystemExit) as left:
        main(["import", str(path), "-o", str(tmp_path / "lm")])
    assert left.value.code == 0
    opened = folders.load(tmp_path / "lm")
    assert opened.predict("alpha").text.startswith("alpha b")
    table = opened.model.backoff_table()
    assert table is not None
    assert opened.model.n_parameters == len(torch.cat([*table[3:]]))


def test_what_cannot_be_is_refused(tmp_path: Path) -> None:
    empty = "\\data\\\nngram 1=2\n\n\\1-grams:\n-1\t<s>\n-0.1\t</s>\n\\end\\\n"
    with pytest.raises(DataError, match=r"small.arpa: has no words; expected some in \\1-grams:"):
        import_arpa(written(tmp_path, empty), tmp_path / "lm")
    small.run(tmp_path / "net", max_steps=1)
    with pytest.raises(
        RecipeError, match=r"net: model.kind is encoder_decoder; arpa holds n-grams"
    ):
        export("arpa", tmp_path / "net", tmp_path / "out")
