"""Pairs in memory, whoever holds them: frames and data sets by what they can do."""

from collections.abc import Iterator
from typing import Any

import pytest

from saccade.data.tables import examples_in, named_texts, text_pairs
from saccade.errors import DataError

PAIRS = [["un", "one"], ["deux", "two"]]


class Rows:
    """A Dataset of `datasets`, as far as we use it: names of columns, and rows as dictionaries."""

    def __init__(self, names: list[str], rows: list[list[Any]]) -> None:
        self.column_names = names
        self._rows = rows

    def __iter__(self) -> Iterator[dict[str, Any]]:
        return (dict(zip(self.column_names, row, strict=True)) for row in self._rows)


class Columns:
    """A DataFrame of pandas, as far as we use it: columns by name."""

    def __init__(self, columns: dict[str, list[Any]]) -> None:
        self._columns = columns
        self.columns = tuple(columns)

    def __getitem__(self, name: str) -> list[Any]:
        return self._columns[name]

    def itertuples(self) -> Iterator[tuple[Any, ...]]:
        return zip(*self._columns.values(), strict=True)


@pytest.mark.parametrize(
    "data",
    [
        [("un", "one"), ("deux", "two")],
        (("un", "one"), ["deux", "two"]),
        iter(PAIRS),
        [{"source": "un", "target": "one"}, {"target": "two", "source": "deux"}],
        [{"fr": "un", "en": "one"}, {"fr": "deux", "en": "two"}],
        Rows(["fr", "en", "id"], [["un", "one", 1], ["deux", "two", 2]]),
        Rows(["id", "target", "source"], [[1, "one", "un"], [2, "two", "deux"]]),
        Columns({"fr": ["un", "deux"], "en": ["one", "two"]}),
        Columns({"target": ["one", "two"], "id": [1, 2], "source": ["un", "deux"]}),
    ],
)
def test_every_form_gives_the_same_pairs(data: Any) -> None:
    assert text_pairs(data, "pairs") == PAIRS


def test_a_frame_of_pandas() -> None:
    pandas = pytest.importorskip("pandas")
    frame = pandas.DataFrame({"id": [1, 2], "source": ["un", "deux"], "target": ["one", "two"]})
    assert text_pairs(frame, "pairs") == PAIRS
    assert text_pairs(frame[["source", "target"]].set_axis(["a", "b"], axis=1), "p") == PAIRS
    with pytest.raises(DataError, match=r"pairs:2: the target is float nan; expected text"):
        text_pairs(frame.assign(target=["one", float("nan")]), "pairs")


def test_a_dataset_of_datasets() -> None:
    datasets = pytest.importorskip("datasets")
    columns = {"source": ["un", "deux"], "target": ["one", "two"]}
    data = datasets.Dataset.from_dict(columns)
    assert text_pairs(data, "pairs") == PAIRS
    with pytest.raises(DataError, match=r"found DatasetDict of train; .*as data\['train'\]"):
        text_pairs(datasets.DatasetDict({"train": data}), "pairs")


TAKEN = r"expected a list of \(source, target\) pairs, a pandas DataFrame or a datasets.Dataset"


@pytest.mark.parametrize(
    ("data", "told"),
    [
        (3, rf"pairs: found int 3; {TAKEN}"),
        ("un\tone", rf"pairs: found str 'un\\tone'; {TAKEN}"),
        (None, rf"pairs: found None; {TAKEN}"),
        ({"train": PAIRS}, rf"pairs: found dict of train; {TAKEN}.*Give one of its parts"),
        (["un"], r"pairs:1: found str 'un'; expected a pair \(source, target\). Mend the entry"),
        ([("un", "one"), ("deux",)], r"pairs:2: found tuple \('deux',\); expected a pair"),
        ([("un", None)], r"pairs:1: the target is None; expected text \(a str\). Convert it"),
        ([(1, "one")], r"pairs:1: the source is int 1; expected text"),
        (Rows(["text"], [["un"]]), rf"pairs: found 1 columns \(text\); {TAKEN}.*Add a column"),
        (Columns({}), rf"pairs: found 0 columns \(no name\); {TAKEN}"),
    ],
)
def test_what_is_no_table_is_refused(data: Any, told: str) -> None:
    with pytest.raises(DataError, match=told):
        text_pairs(data, "pairs")


def test_examples_may_have_several_references_and_sources() -> None:
    one, other = examples_in([("un", ["one", "a"]), ({"story": "s", "question": "q"}, "x")], "data")
    assert one.references == ("one", "a")
    assert one.sources == {"source": "un"}
    assert one.origin == "data:1"
    assert other.sources == {"story": "s", "question": "q"}
    assert examples_in(["to be"], "data", alone=True)[0].target == "to be"


@pytest.mark.parametrize("target", [None, [], float("nan"), ["a", None]])
def test_an_example_needs_a_reference(target: Any) -> None:
    with pytest.raises(DataError, match=r"data:1: the target is .*; expected a text, or a list"):
        examples_in([("un", target)], "data")


IPA = {"source": "word", "target": "ipa", "features": "tags"}
NAMED = [{"word": "un", "ipa": "œ̃", "tags": "NUM"}]


@pytest.mark.parametrize(
    "data",
    [
        [{"id": 1, **NAMED[0]}],
        Rows(["id", "word", "ipa", "tags"], [[1, "un", "œ̃", "NUM"]]),
        Columns({"id": [1], "ipa": ["œ̃"], "word": ["un"], "tags": ["NUM"]}),
    ],
)
def test_columns_are_taken_by_their_names(data: Any) -> None:
    assert named_texts(data, "data", IPA) == NAMED
    two = {name: IPA[name] for name in ("source", "target")}
    assert named_texts(data, "data", two) == [{"word": "un", "ipa": "œ̃"}]
    with pytest.raises(DataError, match=r"no column 'wrod'. Did you mean 'word'\? Columns found"):
        named_texts(data, "data", {**IPA, "source": "wrod"})


def test_pairs_without_names_take_those_that_are_given() -> None:
    assert named_texts(PAIRS[:1], "data", {}) == [{"source": "un", "target": "one"}]
    assert named_texts(PAIRS[:1], "data", {"source": "fr"}) == [{"fr": "un", "target": "one"}]
    with pytest.raises(DataError, match=r"data:1: tags is float nan; expected text"):
        named_texts([{**NAMED[0], "tags": float("nan")}], "data", IPA)
    with pytest.raises(DataError, match=r"data: found int 3; expected a list of"):
        named_texts(3, "data", IPA)
