"""The codecs of all sides of a recipe's examples, and how examples become arrays."""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass

from saccade.errors import DataError
from saccade.modalities.base import Array, Codec
from saccade.nouns import Example, Raw, Side

TARGET = "target"


@dataclass(frozen=True, slots=True)
class Codecs:
    """One codec for each source, by name, and the target's."""

    sources: Mapping[str, Codec]
    target: Codec

    @property
    def source(self) -> Codec:
        """The only source's, or the first's."""
        return next(iter(self.sources.values()))

    @property
    def sides(self) -> dict[str, Codec]:
        """All of them, the sources first."""
        return {**self.sources, TARGET: self.target}

    @property
    def shape(self) -> tuple[dict[str, Side], Side]:
        """What a model must know to be built."""
        return {name: codec.side for name, codec in self.sources.items()}, self.target.side

    def describe(self) -> str:
        """Say what was learned of every side."""
        return "; ".join(f"{name} {codec.describe()}" for name, codec in self.sides.items())

    def encode(
        self, examples: Sequence[Example], sides: Collection[str] = ()
    ) -> dict[str, list[Array]]:
        """Encode every side for a store, or only `sides`; the target has an array a reference."""
        origins = [example.origin for example in examples]
        found = {
            name: codec.variants([self._source(e, name) for e in examples], origins)
            for name, codec in self.sources.items()
            if not sides or name in sides
        }
        if sides and TARGET not in sides:
            return found
        rows = [(reference, e) for e in examples for reference in e.references]
        found[TARGET] = self.target.encode_targets(
            [reference for reference, _ in rows],
            [e.source for _, e in rows],
            [e.origin for _, e in rows],
        )
        return found

    def _source(self, example: Example, name: str) -> Raw:
        if name not in example.sources:
            raise DataError(
                f"{example.origin}: has no source '{name}'; it has {', '.join(example.sources)}."
                " Name the sources of the reader as in data.sources."
            )
        return example.sources[name]
