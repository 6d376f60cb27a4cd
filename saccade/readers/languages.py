"""Several corpora as one, each source marked with the name of its corpus: one model for many."""

import hashlib
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Literal

from saccade.errors import DataError, RecipeError
from saccade.nouns import Example
from saccade.parts import Part
from saccade.readers.base import Reader


class Languages(Reader):
    r"""Reads corpora one after the other; every source says which of them it is from.

        mark: behind        abandonner <tab> fre      for the tokenizer `featured`
        mark: before        <fr> She sees them.       for words and pieces of words

    The names are those of `corpora`: languages to read, languages to write, or any other kinds of
    pairs that one model is to keep apart. A sentence of Johnson et al. 2017 (arXiv:1611.04558)
    begins with the language to write in the same way.
    """

    def __init__(
        self,
        root: Path,
        *,
        corpora: dict[str, Part[Reader]] = {},  # noqa: B006
        mark: Literal["behind", "before"] = "behind",
    ) -> None:
        if not corpora:
            raise RecipeError(
                "languages.corpora: found none; expected readers by name. Write"
                " {fre: {kind: tsv, path: fre.tsv}, ...}."
            )
        for name in corpora:
            if not name or any(character.isspace() or character in "<>;" for character in name):
                raise RecipeError(
                    f"languages.corpora: found the name {name!r}; expected one without spaces, <, >"
                    " and semicolons, since it becomes one symbol. Change it."
                )
        self.corpora = {name: part.build(root) for name, part in corpora.items()}
        super().__init__(root, *(path for one in self.corpora.values() for path in one.paths))
        self.mark = mark

    def read(self) -> Iterator[Example]:
        """Yield the pairs of all corpora in the order of the recipe."""
        for name, corpus in self.corpora.items():
            for example in corpus.read():
                yield replace(example, sources=self._marked(name, example))

    def count(self) -> int:
        """Return about how many pairs there are."""
        return sum(corpus.count() for corpus in self.corpora.values())

    def fingerprint(self) -> str:
        """Hash the corpora, their names and where they stand."""
        told = [f"{name} {corpus.fingerprint()}" for name, corpus in self.corpora.items()]
        text = "\n".join((f"languages {self.mark}", *told))
        return hashlib.blake2b(text.encode(), digest_size=16).hexdigest()

    def _marked(self, name: str, example: Example) -> dict[str, str]:
        """Return the sources with the name beside the first of them."""
        (key, source), *others = example.sources.items()
        if not isinstance(source, str):
            raise DataError(
                f"{example.origin}: the source is no text; expected text that a name can stand"
                " beside. Read this corpus without `languages`."
            )
        return {key: _beside(source, name, self.mark), **dict(others)}


def _beside(source: str, name: str, mark: Literal["behind", "before"]) -> str:
    r"""Put a name beside a text.

    >>> _beside("abandonner", "fre", "behind"), _beside("She sees.", "fr", "before")
    ('abandonner\tfre', '<fr> She sees.')
    """
    return f"{source}\t{name}" if mark == "behind" else f"<{name}> {source}"
