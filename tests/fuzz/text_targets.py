"""Targets for single files of text that people write, or that other tools do."""

import json
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path

from saccade import recipe
from saccade.errors import SaccadeError
from saccade.fit.files import find_corpus
from saccade.fit.series import looks_like_series, survey_series
from saccade.folders.arpa import arpa_lines, read_arpa, table_of
from saccade.folders.fusion import read_confusions
from saccade.guards import bias, sense
from saccade.look.report import curves_in
from saccade.metrics.invalid_words import InvalidWords
from saccade.models._rule_book import RuleBook
from saccade.models._rule_file import read_rules
from saccade.predict.linking import read_pairs
from saccade.predict.pharaoh import read_gold, read_links
from saccade.server.judgements import Judgements
from saccade.server.keys import Keys
from saccade.starters.stories import look_at_stories
from saccade.tokenizers._vocabulary import Vocabulary
from saccade.train.history import MetricsFile
from tests.fuzz import bundle
from tests.fuzz.target import Target

_YAML = (
    *(
        b"kind: ",
        b"model:",
        b"data:",
        b"training:",
        b"decoding:",
        b"seed: ",
        b"name: ",
        b"- ",
        b": ",
    ),
    *(
        b"encoder_decoder",
        b"transformer",
        b"rnn",
        b"additive",
        b"text",
        b"tsv",
        b"&a ",
        b"*a",
        b"~",
    ),
    *(
        b"!!python/object:os.system",
        b"!!binary ",
        b"!!set {a}",
        b"<<: *a",
        b"? ",
        b"\n  ",
        b"1:1:1",
    ),
    *(
        b"2001-01-01",
        b"0o17",
        b"0b1",
        b".inf",
        b".nan",
        b"1_0",
        b"yes",
        b"'",
        b'"\\ud800"',
        b"%YAML",
    ),
)
_RULES = (
    *(
        b"words:",
        b"classes:",
        b"order:",
        b"like: ",
        b"to: ",
        b"class: ",
        b"number=plural",
        b"forms:",
    ),
    *(b"source", b"target", b"noun", b"verb", b"- ", b"{", b"}", b"[", b"]", b"...", b"*", b"1 2"),
)
_ARPA = (
    *(
        b"\\data\\",
        b"\\1-grams:",
        b"\\2-grams:",
        b"\\end\\",
        b"ngram 1=",
        b"<s>",
        b"</s>",
        b"<unk>",
    ),
    *(b"-99", b"\t", b"\n\n", b"ngram 2=1", b"-0.5\ta", b"-0.5\ta b\t-0.1"),
)
_LINKS = (
    b"0-0",
    b"1-2",
    b"0p1",
    b"2?3",
    b"7\t",
    b"-",
    b"999999-0",
    b"0-999999",
    b"\n",
    b"a b c\td e",
)


def text_targets() -> list[Target]:
    """Return the targets of this file."""
    return [
        Target("recipe", _recipe, words=_YAML),
        Target("vocabulary", _vocabulary),
        _of_path("arpa", _arpa, words=_ARPA),
        _of_path("rules", lambda path: RuleBook(read_rules(path)), words=_RULES),
        _of_path("links", _links, words=_LINKS),
        _of_path("metrics", _metrics),
        _of_path("fit", _fit, name="my.txt"),
        _of_path("confusions", read_confusions),
        _of_path("keys", lambda path: Keys.read(path).knows("a")),
        _of_path("judgements", lambda path: Judgements(("a", "b"), path).summary()),
        _of_path("stories", look_at_stories),
        _of_path("words", _invalid),
        Target("bias-probes", lambda data: bias.parse(_text(data), "probes")),
        Target("sense-probes", lambda data: sense.parse(_text(data), "probes")),
    ]


def _of_path(
    target: str,
    read: Callable[[Path], object],
    *,
    name: str = "file",
    words: tuple[bytes, ...] = (),
) -> Target:
    """Make a target that reads one file."""

    def run(data: bytes) -> None:
        with bundle.unpacked({name: data}) as folder:
            read(folder / name)

    return Target(target, run, words=words)


def _text(data: bytes) -> str:
    """Return what a caller hands over that has decoded it."""
    return data.decode("utf-8", "replace")


def _recipe(data: bytes) -> None:
    """Read a recipe, and write it again: it says the same."""
    found = recipe.parse(_text(data), "mine.yaml")
    again = recipe.parse(found.to_yaml(), "again.yaml")
    assert again.same(found)


def _vocabulary(data: bytes) -> None:
    """Read a vocabulary, and do all that can be done with one."""
    found = Vocabulary(_text(data))
    ids = found.encode("ab cd. \u00e9 12\tX;Y")
    found.decode(ids)
    found.pieces(ids)
    found.words(ids)
    found.units(ids)
    found.cuts("ab cd")
    found.unknown("zz ab")
    assert len(found.spellings) == len(found.all_pieces)
    json.dumps([found.fingerprint, found.joins, found.broader])
    found.encode_many(["", "a" * 500, "\0"])
    with suppress(SaccadeError):  # most have no words
        found.reserve(2)


def _arpa(path: Path) -> None:
    read = read_arpa(path)
    table = table_of(read)
    list(arpa_lines(table, read.names))


def _links(path: Path) -> None:
    lengths = [3, 2, 1], [2, 2, 1]
    try:
        read_gold(path, *lengths)
        read_links(path, *lengths)
    except SaccadeError:
        read_pairs(path)


def _metrics(path: Path) -> None:
    path.rename(path.with_name("metrics.jsonl"))
    file = MetricsFile(path.parent)
    curves_in(file)
    assert len(file.trouble) < 1000


def _fit(path: Path) -> None:
    if looks_like_series(path):
        survey_series(path).told()
        return
    find_corpus([path])


def _invalid(path: Path) -> None:
    metric = InvalidWords(words=str(path))
    metric.stats("a b c", ["a b"])
