"""What engines that run a converted model share: text in, text out, around a search of their own.

A model folder is converted once, into MODEL/engines/NAME-QUANTISE/, and again when its weights,
recipe or vocabularies change. What the engine does not know, attention and rare options, is left to
torch, which is imported only then.
"""

import os
from abc import abstractmethod
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar, Protocol, Unpack, overload

from saccade.engines._open import load
from saccade.engines._order import Order, order_of, order_problems
from saccade.engines.base import Engine, EngineOptions, Opened
from saccade.errors import CheckpointError, RecipeError
from saccade.export.base import (
    Exporter,
    Facts,
    export,
    export_problems,
    is_export,
    key_of,
    of_extra,
    read_export,
)
from saccade.folders.facts import read_facts, read_profile
from saccade.modalities._copying import encode_sources, slot_words
from saccade.modalities._notation import TextNotation, Values
from saccade.nouns import SOURCE_NAME, Hypothesis
from saccade.predict.decode import (
    CHUNK,
    USUAL,
    Decode,
    PredictOptions,
    SearchChoice,
    check_chunk,
    read_options,
)
from saccade.predict.home import Resident
from saccade.predict.inputs import read_inputs
from saccade.predict.looker import Arrays, Maps, SelfMap
from saccade.predict.prediction import Prediction, Predictions
from saccade.search._plan import longest_output
from saccade.tokenizers._vocabulary import Reading, Vocabulary

if TYPE_CHECKING:
    from saccade.predict.predictor import Predictor

_NOTHING: tuple[Hypothesis, ...] = (Hypothesis((), 0.0, ()),)  # empty in, empty out


class Runner(Protocol):
    """A converted model in memory: ids in, hypotheses out.

    crowded: whether one line is to be searched by one thread, as others have work for the cores.
    """

    crowded: bool

    def search(
        self, sources: Sequence[Sequence[int]], limits: Sequence[int], order: Order
    ) -> list[tuple[Hypothesis, ...]]:
        """Search for the outputs of every source, the best `order.n_best` of each first.

        Args:
            sources: ids without END, none of them empty, in any order.
            limits: the most symbols of each output, END not counted.
            order: how to search.

        Returns:
            Hypotheses as `search.beam` makes them; `token_scores` may be left empty.
        """

    def token_scores(self, source: Sequence[int], target: Sequence[int]) -> tuple[float, ...]:
        """Return the log-probability of every symbol of `target` and of END last."""


class Keeping(Engine):
    """An engine that runs what the exporter of the same name wrote, kept beside the model."""

    name: ClassVar[str]

    def __init__(self) -> None:
        self._keys: dict[Path, str] = {}  # hashing the weights once is enough

    @abstractmethod
    def wake(self, kept: "Conversion") -> Opened:
        """Open an exported folder."""

    def refusals(self, folder: Path, wanted: EngineOptions) -> list[str]:
        """Refuse other devices, other engines' folders, and what the exporter refuses."""
        if wanted.device != "cpu":
            return [
                f"--device {wanted.device}: the engine {self.name} runs on the cpu here. Use"
                " --engine torch."
            ]
        if is_export(folder):
            return _misfits(folder, self.name, wanted.quantise)
        read_facts(folder)
        if self._fresh(folder, wanted.quantise):
            return []
        exporter = of_extra(Exporter, self.name)()
        problems = export_problems(exporter, self.name, folder, wanted.quantise)
        if not problems and not os.access(folder, os.W_OK):
            problems.append(
                f"{folder}: cannot be written, and {self.name} keeps the converted model there."
                " Change its rights, or export it elsewhere: saccade export."
            )
        return problems

    def open(self, folder: Path, wanted: EngineOptions) -> Opened:
        """Open an exported folder, or convert a model folder if that was not done before."""
        return self._open(folder, wanted, None)

    def open_beside(self, folder: Path, wanted: EngineOptions, predictor: "Predictor") -> Opened:
        """Do the same, and let the predictor do what this engine cannot."""
        return self._open(folder, wanted, predictor)

    def _open(self, folder: Path, wanted: EngineOptions, beside: "Predictor | None") -> Opened:
        if is_export(folder):
            return self.wake(Conversion(folder, read_export(folder), beside=beside))
        place = self._place(folder, wanted.quantise)
        facts = self._fresh(folder, wanted.quantise) or self._convert(folder, place, wanted)
        return self.wake(Conversion(place, facts, folder, wanted.lenient, beside))

    def _place(self, folder: Path, quantise: str) -> Path:
        return folder / "engines" / f"{self.name}-{quantise or 'float32'}"

    def _fresh(self, folder: Path, quantise: str) -> Facts | None:
        """Return what the converted model says of itself, if it is of this very model."""
        place = self._place(folder, quantise)
        if not is_export(place) or not (folder / "model.safetensors").exists():
            return None
        try:
            facts = read_export(place)
        except CheckpointError:  # damaged or of another format: converted anew
            return None
        if folder not in self._keys:
            self._keys[folder] = key_of(folder)
        return facts if facts.key == self._keys[folder] else None

    def _convert(self, folder: Path, place: Path, wanted: EngineOptions) -> Facts:
        try:
            return export(self.name, folder, place, wanted.quantise)
        except CheckpointError:
            facts = self._fresh(folder, wanted.quantise)  # another process was first
            if facts is None:
                raise
            return facts


@dataclass(frozen=True, slots=True)
class Conversion:
    """An exported folder and what it says of itself.

    home: the model folder it was made of, for torch to look into; None if it is not at hand.
    lenient: leave to torch what the engine cannot do.  beside: the model opened by torch, in a
    process that has other work for the cores.
    """

    folder: Path
    facts: Facts
    home: Path | None = None
    lenient: bool = False
    beside: "Predictor | None" = None


class Converting(Keeping):
    """An engine with a search of its own."""

    @abstractmethod
    def run(self, folder: Path, facts: Facts) -> Runner:
        """Load an exported folder."""

    def wake(self, kept: Conversion) -> "Converted":
        """Put the vocabularies around the search."""
        runner, home = self.run(kept.folder, kept.facts), kept.home
        runner.crowded = runner.crowded or kept.beside is not None

        def open_torch() -> "Predictor | None":
            return kept.beside or (None if home is None else load(home))

        return Converted(kept.folder, kept.facts, runner, open_torch, lenient=kept.lenient)


def _misfits(folder: Path, name: str, quantise: str) -> list[str]:
    facts = read_export(folder)
    problems = []
    if facts.engine != name:
        problems.append(
            f"{folder}: was exported for {facts.engine}, not for {name}. Use --engine"
            f" {facts.engine}, or export the model again."
        )
    if quantise not in ("", facts.quantise):
        problems.append(
            f"--quantise {quantise}: {folder} was exported with {facts.quantise}. Leave it out, or"
            " export the model again."
        )
    return problems


class Converted(Resident):
    """A converted model with its vocabularies: raw text in, raw text out, as `Predictor` does.

    Args:
        folder: what an exporter wrote.
        facts: what it says of itself.
        runner: the engine.
        open_torch: opens the same model with torch; gives None if its weights are not at hand.
        lenient: leave to torch what the engine cannot do.
    """

    def __init__(
        self,
        folder: Path,
        facts: Facts,
        runner: Runner,
        open_torch: Callable[[], "Predictor | None"],
        *,
        lenient: bool = False,
    ) -> None:
        self.engine = f"{facts.engine}-{facts.quantise}"
        reading = Reading(facts.reverse, facts.separator)
        source = Vocabulary.load(folder / "source.json")
        self._source = source.read_as(reading)
        self._target = Vocabulary.load(folder / "target.json", source)
        self.sources = {SOURCE_NAME: TextNotation(self._source)}
        self.target = TextNotation(self._target)
        self.profile = read_profile(folder)
        self._facts, self._runner, self._open_torch = facts, runner, open_torch
        self._lenient, self._folder = lenient, folder

    @cached_property
    def _torch(self) -> "Predictor | None":
        """The same model run by torch, which is imported here and nowhere else."""
        return self._open_torch()

    def whole(self) -> "Predictor | None":
        """Return the same model run by torch."""
        return self._torch

    def sizes(self) -> dict[str, str]:
        """Say how many symbols the model reads and writes."""
        return {
            "name": self._facts.name,
            "reads": f"{SOURCE_NAME} ({len(self._source):,} symbols)",
            "writes": f"{len(self._target):,} symbols",
            "folder": str(self._folder),
        }

    @property
    def attention_names(self) -> tuple[str, ...]:
        """What the attention maps are called; empty if the torch weights are not at hand."""
        return self._torch.attention_names if self._torch else ()

    @property
    def covers(self) -> bool:
        """Whether all that was read can be told from the maps: those are of attention."""
        return True

    def look(self, arrays: Arrays, target: Values) -> Maps:
        """Return where the model looks while it writes `target`: a pass of torch."""
        assert self._torch is not None, "there are no maps to look at"
        return self._torch.look(arrays, target)

    @property
    def self_attention_names(self) -> tuple[str, ...]:
        """What the maps of self-attention are called, likewise."""
        return self._torch.self_attention_names if self._torch else ()

    def look_within(self, arrays: Arrays, target: Values) -> tuple[SelfMap, ...]:
        """Return the maps of self-attention: a pass of torch."""
        return self._torch.look_within(arrays, target) if self._torch else ()

    def grid(self, arrays: Arrays) -> tuple[int, ...]:
        """Return how many places can be looked at: those of the text, and END."""
        return (len(arrays[SOURCE_NAME]) + 1,)

    def token_scores(self, arrays: Arrays, target: Values) -> tuple[float, ...]:
        """Return the log-probability of every symbol of `target` and of END last."""
        return self._runner.token_scores(arrays[SOURCE_NAME], target)

    @overload
    def predict(self, given: list[Any], **options: Unpack[PredictOptions]) -> Predictions: ...
    @overload
    def predict(self, given: Any, **options: Unpack[PredictOptions]) -> Prediction: ...
    def predict(self, given: Any, **options: Unpack[PredictOptions]) -> Any:
        """Translate one text, or a list of them; options are those of `Decode`, and `chunk`."""
        decode, call = read_options(options, ("chunk",))
        if isinstance(given, list):
            return Predictions(self.stream(given, decode, **call))
        return next(self.stream([given], decode, **call))

    translate = predict

    def stream(
        self, inputs: Iterable[Any], decode: Decode = USUAL, *, chunk: int = CHUNK
    ) -> Iterator[Prediction]:
        """Translate lines as they come and yield results in their order: `Predictor.stream`."""
        lines = (one[SOURCE_NAME] for one in read_inputs(inputs, self.sources))
        check_chunk(chunk)
        search = self._facts.decoding["search"]
        own = SearchChoice(search["kind"], {k: v for k, v in search.items() if k != "kind"})
        problems = order_problems(self.engine, self._facts.decoding, decode, own)
        if problems and self._lenient and self._torch:
            yield from self._torch.stream(lines, decode, chunk=chunk)
            return
        if problems:
            raise RecipeError(problems)
        order, rest = order_of(self._facts.decoding, decode.resolve(own)), iter(lines)
        while texts := list(islice(rest, chunk)):
            yield from self._translate(texts, order)

    def _translate(self, texts: list[str], order: Order) -> list[Prediction]:
        decoding = self._facts.decoding
        ids = encode_sources(self._source, texts)
        work = [i for i, row in enumerate(ids) if row]
        ratio, extra = decoding["max_ratio"], decoding["max_extra"]
        limits = [longest_output(len(ids[i]), ratio, extra) for i in work]
        found = self._runner.search([ids[i] for i in work], limits, order) if work else []
        done = [_NOTHING] * len(texts)
        for i, one in zip(work, found, strict=True):
            done[i] = one
        return [
            Prediction(
                {SOURCE_NAME: text},
                {SOURCE_NAME: tuple(row)},
                hypotheses[0],
                self,
                others=hypotheses[1:],
                copied=tuple(slot_words(self._source, text)),
                replacing=decoding["replace_unknown"],
                blank=not row,
            )
            for text, row, hypotheses in zip(texts, ids, done, strict=True)
        ]
