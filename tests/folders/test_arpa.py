r"""ARPA files are read with care: what is wrong with one is told by file and line."""

import math
from pathlib import Path

import numpy as np
import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st

from saccade.errors import SaccadeError
from saccade.folders.arpa import arpa_lines, read_arpa, table_of
from saccade.heads._backoff import BackoffHead, fault
from saccade.models._kneser_ney import estimate
from saccade.tokenizers._vocabulary import START

SMALL = r"""made by hand
\data\
ngram 1=5
ngram 2=3
ngram 3=1

\1-grams:
-1	<unk>
-99	<s>	-0.5
-0.7	</s>
-0.5	a	-0.25
-0.6	b

\2-grams:
-0.1	<s> a	-0.3
-0.2	a b
-0.4	b </s>

\3-grams:
-0.05	<s> a b

\end\
"""


def written(folder: Path, text: str) -> Path:
    path = folder / "small.arpa"
    path.write_text(text, encoding="utf-8")
    return path


def head_of(path: Path) -> BackoffHead:
    read = read_arpa(path)
    head = BackoffHead(1, len(read.names), None)
    table = table_of(read)
    assert fault(table, len(read.names)) == ""
    head.put(table)
    return head


def test_what_is_read(tmp_path: Path) -> None:
    path = written(tmp_path, SMALL.partition("\n")[2])
    assert read_arpa(path).names == ["<pad>", "<unk>", "<s>", "</s>", "a", "b"]
    head = head_of(path)
    behind_start = head.walk(torch.tensor([0]), torch.tensor([START]))
    behind_a = head.walk(behind_start, torch.tensor([4]))
    rows = head.log_probs(torch.stack([behind_start, behind_a])) / math.log(10)
    assert rows[0, 3:].tolist() == pytest.approx([-0.5 - 0.7, -0.1, -0.5 - 0.6])
    assert rows[1, 3:].tolist() == pytest.approx([-0.3 - 0.25 - 0.7, -0.3 - 0.25 - 0.5, -0.05])


def test_a_missing_suffix_is_passed_over(tmp_path: Path) -> None:
    """Tools that prune may leave `<s> a b` without `a b`."""
    text = SMALL.partition("\n")[2].replace("-0.2\ta b\n", "").replace("ngram 2=3", "ngram 2=2")
    head = head_of(written(tmp_path, text))
    context = torch.tensor([0])
    for symbol in (START, 4, 5):
        context = head.walk(context, torch.tensor([symbol]))
    assert context.tolist() == [1 + 5]


def test_what_is_written_is_read_back(tmp_path: Path) -> None:
    chance = np.random.Generator(np.random.PCG64(1))
    table = estimate(chance.integers(4, 9, 300), np.full(60, 5), 9, 4, (0, 0, 1)).table
    names = ["<pad>", "<unk>", "<s>", "</s>", *"vwxyz"]
    again = table_of(read_arpa(written(tmp_path, "".join(arpa_lines(table, names)))))
    for one, two in zip(table, again, strict=True):
        torch.testing.assert_close(one, two, atol=1e-5, rtol=0)


@pytest.mark.parametrize(
    ("old", "new", "told"),
    [
        (
            "\\end\\\n",
            "",
            r"small.arpa:20: the file ends here; expected \\end\\ as its last line. ",
        ),
        (
            "-0.4\tb </s>\n",
            "",
            r"small.arpa:17: found '\\\\3-grams:'; expected a log-probability, 2",
        ),
        ("\\2-grams", "\\3-grams", r"small.arpa:13: found '\\\\3-grams:'; expected '\\\\2-grams:'"),
        (
            "-0.2\ta b",
            "-0.2\ta c",
            r"small.arpa:15: found the word 'c'; expected one of \\1-grams:",
        ),
        ("-0.7\t", "0.7\t", r"small.arpa:9: found '0.7'; expected a number from -1000 to 0. Mend"),
        ("-0.7\t", "nan\t", r"small.arpa:9: found 'nan'; expected a number from -1000 to 0"),
        ("-0.25", "1e999", r"small.arpa:10: found '1e999'; expected a number from -1000 to 99"),
        ("ngram 2=3", "ngram 3=3", r"small.arpa:3: found 'ngram 3=3'; expected 'ngram 2=', up to"),
        ("ngram 1=5", "ngram 1=999999999999", r"header counts 1,000,000,000,003 n-grams of 3 len"),
        ("\\data\\", "\\dota\\", r"small.arpa:1: found '\\\\dota\\\\'; expected '\\\\data\\\\'"),
        ("<s> a\t", "</s> a\t", r"small.arpa:19: the n-gram '<s> a b': its context is no n-gram"),
        ("-0.2\ta b", "-0.2\t<s> a", r"small.arpa:15: the n-gram '<s> a': it stands there twice"),
        ("-0.05\t<s> a b", "-0.05\t<s> a b\t-1", r"small.arpa:19: found .*; expected a log-proba"),
    ],
)
def test_what_is_wrong_is_told(old: str, new: str, told: str, tmp_path: Path) -> None:
    text = SMALL.partition("\n")[2]
    assert old in text
    with pytest.raises(SaccadeError, match=told):
        table_of(read_arpa(written(tmp_path, text.replace(old, new, 1))))


@pytest.mark.parametrize("part", [0.3, 0.5, 0.9])
def test_a_file_that_is_cut_names_the_line_where_it_ends(part: float, tmp_path: Path) -> None:
    text = SMALL.partition("\n")[2]
    cut = text[: int(part * len(text))]
    cut = cut[: cut.rindex("\n") + 1]
    with pytest.raises(SaccadeError, match=rf"small.arpa:{cut.count(chr(10))}: the file ends h"):
        read_arpa(written(tmp_path, cut))


@settings(max_examples=60, deadline=None)
@given(cut=st.integers(0, len(SMALL)), noise=st.text(max_size=8), at=st.integers(0, len(SMALL)))
def test_no_file_breaks_more_than_itself(
    cut: int, noise: str, at: int, tmp_path_factory: pytest.TempPathFactory
) -> None:
    text = SMALL.partition("\n")[2]
    path = tmp_path_factory.mktemp("arpa") / "small.arpa"
    path.write_bytes((text[:at] + noise + text[at:])[:cut].encode("utf-8", "replace"))
    try:
        read = read_arpa(path)
        assert fault(table_of(read), len(read.names)) in ("", "a probability is above 1")
    except SaccadeError:
        pass
