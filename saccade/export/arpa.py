"""For tools that read ARPA files, such as KenLM and decoders of speech: an n-gram model as text.

`model.arpa` holds every n-gram with its log-probability and back-off, base 10. `saccade import`
reads it back.
"""

from collections.abc import Mapping
from pathlib import Path
from typing import Any, ClassVar

from saccade.errors import RecipeError
from saccade.export.base import Exporter
from saccade.folders import model as folders
from saccade.folders.arpa import arpa_lines
from saccade.folders.identity import read_plan
from saccade.folders.imported import names_of


class Arpa(Exporter):
    """Writes an n-gram model as `model.arpa`."""

    quantisations: ClassVar[tuple[str, ...]] = ("float32",)
    runs: ClassVar[bool] = False

    def refusals(self, folder: Path) -> list[str]:
        """Refuse what is no table of n-grams."""
        kind = read_plan(folder).recipe.model.kind
        if kind == "ngram":
            return []
        return [f"{folder}: model.kind is {kind}; arpa holds n-grams alone. Train an ngram model."]

    def write(self, folder: Path, target: Path, quantise: str) -> Mapping[str, Any]:
        """Write the file."""
        opened = folders.load(folder)
        table, vocabulary = opened.model.backoff_table(), opened.target.vocabulary
        if table is None or vocabulary is None:
            raise RecipeError(f"{folder}: is no n-gram model of text; expected one. Train one.")
        with (target / "model.arpa").open("w", encoding="utf-8", newline="\n") as file:
            file.writelines(arpa_lines(table, names_of(vocabulary)))
        return read_plan(folder).recipe.plain()
