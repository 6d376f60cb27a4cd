import re
import shutil
import subprocess
from pathlib import Path

import pytest

from saccade.metrics._captions import reading, words
from tests.metrics.caption_reference import CAPTIONS, peer

CASES = [  # as PTBTokenizer of CoreNLP 3.4.1 parts them, without pycocoevalcap's punctuation
    (
        "A man's dog isn't here, they've gone; we'll see.",
        "a man 's dog is n't here they 've gone we 'll see",
    ),
    ("She said \"hello\" and 'bye'.", "she said hello and bye"),
    ("Don't can't won't I'm he'd it’s", "do n't ca n't wo n't i 'm he 'd it 's"),
    ("The U.S. flag, Dr. Smith etc.", "the u.s. flag dr. smith etc."),
    ("and/or 3.5% $5.00 1,000 #7 5:30 3rd", "and/or 3.5 % $ 5.00 1,000 # 7 5:30 3rd"),
    ("rock 'n' roll o'clock the boys' '90s", "rock 'n' roll o'clock the boys '90s"),
    ("wait... what?! no—yes - ok", "wait what ?! no yes ok"),
    ("(black) [a] T-Shirt", "-lrb- black -rrb- -lsb- a -rsb- t-shirt"),
    ("We cannot; gonna", "we can not gon na"),
    ("U. Miami, A&amp;M; I run.", "u. miami a&m i run"),
    ("", ""),
    (" . ", ""),
]


@pytest.mark.parametrize(("text", "expected"), CASES)
def test_words(text: str, expected: str) -> None:
    assert words(text) == expected.split()


def test_none_keeps_everything() -> None:
    assert words(" A dog , barks .", "none") == ["A", "dog", ",", "barks", "."]
    assert "mixed" in reading("none")
    assert "lc" in reading("captions")


def test_equals_the_peers_tokenizer() -> None:
    tokenizer = peer("tokenizer.ptbtokenizer")
    if shutil.which("java") is None:
        pytest.skip("pycocoevalcap's tokenizer needs java")
    if not CAPTIONS.exists():
        pytest.skip("no Flickr8k beside the project (../shared/data/flickr8k)")
    jar = Path(tokenizer.__file__).parent / tokenizer.STANFORD_CORENLP_3_4_1_JAR
    lines = [row.partition("\t")[2] for row in CAPTIONS.read_text(encoding="utf-8").splitlines()]
    unusual = [line for line in lines if re.search("[^A-Za-z ,.-]", line)]
    lines = [*lines[::20], *unusual, *(text for text, _ in CASES)]
    command = ["java", "-cp", str(jar), "edu.stanford.nlp.process.PTBTokenizer"]
    ran = subprocess.run(
        [*command, "-preserveLines", "-lowerCase"],
        input="\n".join(lines).encode(),
        capture_output=True,
        check=True,
    )
    found = ran.stdout.decode().split("\n")
    assert len(found) >= len(lines)
    for line, row in zip(lines, found, strict=False):
        expected = [word for word in row.split() if word not in tokenizer.PUNCTUATIONS]
        assert words(line) == expected, line
