"""A trained model with its codecs: raw values in, raw values out.

The output for an input depends on that input alone: not on the batch it stands in, nor on the order
of the inputs, nor on where they come from.
"""

import hashlib
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from copy import copy
from dataclasses import replace
from itertools import islice, repeat
from typing import Any, Unpack, overload

import numpy as np
import torch
from torch import Tensor

from saccade.data.batching import collate, pad
from saccade.data.codecs import Codecs
from saccade.errors import DataError
from saccade.flow import Batch, Padded
from saccade.guards.profile import Profile
from saccade.inference.searcher import TorchSearcher
from saccade.modalities._copying import slot_words
from saccade.modalities.base import Array, Codec
from saccade.models.base import Model, writer
from saccade.nouns import SOURCE_NAME, Example, Hypothesis, Raw
from saccade.parts import Part
from saccade.predict.decode import CHUNK, USUAL, Decode, PredictOptions, check_chunk, read_options
from saccade.predict.following import DrawOptions, Reach, ValueDraw, write_values
from saccade.predict.fork import Origin
from saccade.predict.home import Resident, sizes_of
from saccade.predict.inputs import read_input, read_inputs, scoring_vocabulary
from saccade.predict.looker import Arrays, Maps, SelfMap
from saccade.predict.prediction import Prediction, Predictions, Scored
from saccade.predict.replacing import check_replacing
from saccade.predict.shapers import LanguageModelFor, repair_of, shapers_of
from saccade.predict.thread_pool import map_threads
from saccade.predict.watching import self_attention_names, self_maps
from saccade.recipe import Decoding
from saccade.search._plan import longest_output, smaller_at_the_end, sorted_batches
from saccade.search.base import Found, Search, Searcher, Task, numbered
from saccade.shaping.lexicon import Counts
from saccade.tokenizers._vocabulary import END, PAD, START, UNK

_SMALL = 128  # places of a batch that is not cut for the threads
Progress = Callable[[Sequence[int], Tensor], None]  # (numbers of lines, their tokens so far [N, t])
Given = Mapping[str, Raw]  # one input, by the name of its source
One = str | Array | Given
_NOTHING = Found((Hypothesis((), 0.0, ()),))  # empty in, empty out


class Predictor(Resident):
    """Predicts, scores and looks inside. Safe to use from several threads.

    It holds no state but the weights, which its searcher may hold once more in a faster layout.
    A text given to a model that has no source, a language model, is the beginning of its output.

    Args:
        model: what was trained.
        codecs: how raw values are read and written.
        decoding: how to search.
        profile: what was usual in training, for the guards; some are silent without.
        lexicon: all that may be written, if not everything.
        searcher: who searches the model; torch if not given.
        language_model: what else has a say in what is written, if anything.
    """

    def __init__(
        self,
        model: Model,
        codecs: Codecs,
        decoding: Decoding,
        profile: Profile | None = None,
        lexicon: Counts | None = None,
        searcher: Searcher | None = None,
        language_model: LanguageModelFor | None = None,
    ) -> None:
        self.model = model.eval()
        self.codecs = codecs
        self.sources, self.target = codecs.sources, codecs.target
        self.decoding = decoding
        self.profile = profile
        self._shapers = shapers_of(decoding, codecs.target.vocabulary, lexicon, language_model)
        self._repair = repair_of(decoding, codecs.target.vocabulary, language_model)
        self._searcher, self._origin = searcher or TorchSearcher(model), Origin()
        if decoding.replace_unknown:
            check_replacing(self)

    def searched_by(self, searcher: Searcher) -> "Predictor":
        """Return the same predictor with another searcher of the same model."""
        other = copy(self)
        other._searcher = searcher
        return other

    def whole(self) -> "Predictor":
        """Return itself."""
        return self

    def sizes(self) -> dict[str, str]:
        """Say what the model reads and writes, and how many parameters it has."""
        return sizes_of(self)

    @property
    def source(self) -> Codec:
        """The codec of the only source, or of the first."""
        return self.codecs.source

    @property
    def attention_names(self) -> tuple[str, ...]:
        """What the attention maps are called; empty for a model without attention."""
        return self.model.attention_names

    @property
    def covers(self) -> bool:
        """Whether what was read can be told from the maps."""
        return self.model.covers

    @property
    def device(self) -> torch.device:
        """Where the weights are; the processor, if they are not torch's."""
        weight = next(self.model.parameters(), None)
        return torch.device("cpu") if weight is None else weight.device

    def given(self, example: Example) -> Given:
        """Return what the model is given of an example: the sources, or half of the only text."""
        if self.model.reads:
            return {name: example.sources[name] for name in self.sources}
        return {SOURCE_NAME: example.target[: len(example.target) // 2]}

    @overload
    def predict(self, given: list[Any], **options: Unpack[PredictOptions]) -> Predictions: ...
    @overload
    def predict(self, given: One, **options: Unpack[PredictOptions]) -> Prediction: ...
    def predict(
        self, given: One | list[Any], **options: Unpack[PredictOptions]
    ) -> Prediction | Predictions:
        """Predict the output for one input, or for a list of them.

        Args:
            given: text, or an array of numbers, as the model's source is; a text is read as the
                source's codec reads it. Of a model with several sources a mapping from their names.
                A list is several inputs.
            options: those of `Decode`, and `watch` and `chunk` of `stream`.
        """
        decode, call = read_options(options, ("watch", "chunk"))
        if self.target.vocabulary is None:
            decode.check_values("forecast", draws=self.model.head.draws)
        if isinstance(given, list):
            return Predictions(self.stream(given, decode, **call))
        return next(self.stream([given], decode, **call))

    translate = predict
    forecast = predict

    def stream(
        self,
        inputs: Iterable[Any],
        decode: Decode = USUAL,
        *,
        watch: Progress | None = None,
        chunk: int = CHUNK,
    ) -> Iterator[Prediction]:
        """Predict outputs for inputs as they come and yield results in their order.

        Args:
            inputs: any iterable of what `predict` takes.
            decode: how to write.
            watch: told after every step how far the lines of a batch have come; lines are counted
                from 0 in each chunk. It changes nothing; what it raises ends the stream.
            chunk: how many inputs to read before the first result is yielded.
        """
        check_chunk(chunk)
        rest = read_inputs(inputs, self.sources)
        if self.target.vocabulary is None:
            reach = Reach.of(self.target.horizon, decode.steps, self.decoding, self.model)
            while several := list(islice(rest, chunk)):
                yield from self._follow(several, decode, reach)
            return
        chosen = decode.resolve(self.decoding.search)
        search = Part(Search, chosen.kind, chosen.options).build()
        prefix = decode.prefix
        prefixes = repeat(prefix) if isinstance(prefix, str) else iter(prefix)
        while several := list(islice(rest, chunk)):
            begun = list(islice(prefixes, len(several)))
            if len(begun) < len(several):
                raise DataError(
                    f"translate: {len(begun)} prefixes for {len(several)} lines; expected one for"
                    " each line; give as many, or one text for all."
                )
            forced = self.target.vocabulary.encode_many(begun) if any(begun) else []
            yield from self._search(several, search, forced, trace=decode.trace, watch=watch)

    def encode(self, several: Sequence[Given]) -> list[dict[str, Array]]:
        """Encode inputs as the model reads them; one without a source reads nothing."""
        self._origin.check()
        rows: list[dict[str, Array]] = [{} for _ in several]
        for name, codec in self.sources.items():
            raws = [one[name] if self.model.reads else "" for one in several]
            for row, array in zip(rows, codec.encode(raws), strict=True):
                row[name] = array
        return rows

    @torch.inference_mode()
    def _search(
        self,
        several: Sequence[Given],
        search: Search,
        prefixes: Sequence[list[int]],
        *,
        trace: bool,
        watch: Progress | None,
    ) -> list[Prediction]:
        arrays = self.encode(several)
        begins = self._begins(several, prefixes)
        sizes = [self._size(row) for row in arrays] if self.model.reads else [*map(len, begins)]
        done = [_NOTHING] * len(several)
        work = [i for i, size in enumerate(sizes) if size or not self.model.reads]
        searcher = self._searcher
        groups = self._groups([sizes[i] for i in work], searcher.batch_places(search.lines))
        batches = [[work[i] for i in rows] for rows in groups]

        @torch.inference_mode()
        def find(rows: list[int]) -> list[Found]:
            task = self._task(rows, sizes, begins, watch)
            if search.draws:
                task = replace(task, keys=[self.key(several[i]) for i in rows])
            sources = self._pad([arrays[i] for i in rows])
            return searcher.search(sources, search, task, trace=trace)

        all_found = [find(rows) for rows in batches] if watch else map_threads(find, batches)
        for rows, found in zip(batches, all_found, strict=True):
            for i, one in zip(rows, found, strict=True):
                done[i] = one
        if self._repair and not any(prefixes):
            done = self._repair.mend(done)
        worked = set(work)
        return [
            Prediction(
                given,
                row,
                one.hypotheses[0],
                self,
                others=one.hypotheses[1:],
                tree=one.tree,
                copied=self._copied(given),
                replacing=self.decoding.replace_unknown,
                blank=i not in worked,
            )
            for i, (given, row, one) in enumerate(zip(several, arrays, done, strict=True))
        ]

    def _begins(
        self, several: Sequence[Given], prefixes: Sequence[list[int]]
    ) -> Sequence[tuple[int, ...]]:
        """Return the symbols that outputs must begin with."""
        forced: Sequence[Sequence[int]] = prefixes or [()] * len(several)
        if self.model.reads:
            return [tuple(one) for one in forced]
        read = self.target.encode([one[SOURCE_NAME] for one in several])
        return [(*a, *(int(i) for i in b)) for a, b in zip(forced, read, strict=True)]

    def size(self, given: One) -> int:
        """Return how many places an input has, without END."""
        return self._size(self.encode([read_input(given, self.sources, "input")])[0])

    def _size(self, arrays: Arrays) -> int:
        """Return how many places an input has."""
        shapes = {name: np.array([array.shape], np.int32) for name, array in arrays.items()}
        return max(int(codec.lengths(shapes[name])[0]) for name, codec in self.sources.items())

    def _pad(self, rows: Sequence[Arrays]) -> dict[str, Padded]:
        padded = pad(self.codecs, {name: [row[name] for row in rows] for name in self.sources})
        return {name: source.to(self.device) for name, source in padded.items()}

    def _copied(self, given: Given) -> tuple[str, ...]:
        vocabulary = self.source.vocabulary
        first = next(iter(given.values()))
        return () if vocabulary is None else tuple(slot_words(vocabulary, first))

    def _groups(self, sizes: list[int], most: int) -> list[list[int]]:
        """Group inputs by size, two batches a thread or more: who is done first takes another.

        None has more than `most` places, if it has more than one input.
        """
        places, n_batches = sum(sizes) + len(sizes), 2 * torch.get_num_threads()
        share = max(_SMALL, min(places // n_batches, most))
        batches = sorted_batches(sizes, min(self.decoding.batch_tokens, share))
        return smaller_at_the_end(batches, torch.get_num_threads())

    def _task(
        self,
        rows: list[int],
        sizes: Sequence[int],
        begins: Sequence[tuple[int, ...]],
        watch: Progress | None,
    ) -> Task:
        """Say what to search for."""
        ratio, extra = self.decoding.max_ratio, self.decoding.max_extra
        limits = [longest_output(sizes[i], ratio, extra) for i in rows]
        forced = [begins[i] for i in rows]
        return Task(
            start=START,
            end=END,
            limits=torch.tensor(limits, device=self.device),
            banned=(PAD, START) if self.decoding.replace_unknown else (PAD, START, UNK),
            prefixes=forced if any(forced) else (),
            shapers=self._shapers.several,
            fused=self._shapers.fused,
            watch=numbered(watch, rows) if watch else None,
        )

    def key(self, given: Given) -> int:
        """Return a number that goes with an input wherever it stands, to seed sampling with."""
        text = "\n".join(self.sources[name].write(raw) for name, raw in given.items())
        return int.from_bytes(hashlib.blake2b(text.encode(), digest_size=7).digest(), "big")

    @torch.inference_mode()
    def _follow(self, several: Sequence[Given], decode: Decode, reach: Reach) -> list[Prediction]:
        """Write places of values, as far as they reach or up to an end."""
        model, arrays = writer(self.model), self.encode(several)
        found: list[Any] = [None] * len(several)
        options = None if decode.sample is None else DrawOptions.of(decode.sample)
        sizes = [self._size(a) for a in arrays]
        for rows in sorted_batches(sizes, self.decoding.batch_tokens):
            sources = [next(iter(arrays[i].values())) for i in rows]
            first = torch.from_numpy(self.target.first(sources)).to(self.device)
            draw = ValueDraw(options, [self.key(several[i]) for i in rows]) if options else None
            padded = self._pad([arrays[i] for i in rows])
            most = [reach.limit(sizes[i]) for i in rows]
            for i, one in zip(rows, write_values(model, padded, first, most, draw), strict=True):
                found[i] = one
        return [
            Prediction(given, row, one, self)
            for given, row, one in zip(several, arrays, found, strict=True)
        ]

    @torch.inference_mode()
    def score(self, sources: Sequence[Any], targets: Sequence[Raw]) -> list[Scored]:
        """Say how likely each target is for its source: forced decoding, nothing is searched.

        The sources of a model without any, a language model, do not matter.
        """
        vocabulary = scoring_vocabulary(self.target, sources, targets)
        several = list(read_inputs(sources, self.sources))
        read = self.encode(several)
        raws = [next(iter(one.values())) if self.model.reads else "" for one in several]
        written = self.target.encode_targets(targets, raws)
        sizes = [max(self._size(a), len(t)) for a, t in zip(read, written, strict=True)]
        scored: list[Scored | None] = [None] * len(sizes)
        for rows in sorted_batches(sizes, self.decoding.batch_tokens):
            batch = self.batch([read[i] for i in rows], [written[i] for i in rows])
            for i, row in zip(rows, self._token_scores(batch), strict=True):
                pieces = vocabulary.pieces([*(int(j) for j in written[i]), END])
                scored[i] = Scored(pieces, tuple(row))
        return [one for one in scored if one is not None]

    def batch(self, arrays: Sequence[Arrays], targets: Sequence[Any]) -> Batch:
        """Make a batch of inputs and of what was or is to be written for them."""
        sources = {name: [np.asarray(row[name]) for row in arrays] for name in self.sources}
        written = [np.asarray(one, dtype=self.target.dtype) for one in targets]
        return collate(self.codecs, sources, written).to(self.device)

    def token_scores(self, arrays: Arrays, target: Any) -> tuple[float, ...]:
        """Return the log-probability of every symbol of `target` and of END last."""
        with torch.inference_mode():
            return tuple(self._token_scores(self.batch([arrays], [target]))[0])

    def _token_scores(self, batch: Batch) -> list[list[float]]:
        log_probs = self.model.head.log_probs(self.model(batch).features)  # [B, T, V]
        of_target = log_probs.gather(2, batch.target.values[:, :, None])[:, :, 0]  # [B, T]
        lengths = batch.target.lengths.tolist()
        return [row[:n] for row, n in zip(of_target.tolist(), lengths, strict=True)]

    @torch.inference_mode()
    def look(self, arrays: Arrays, target: Any) -> Maps:
        """Return where the model looks while it writes `target`: `[A, T, S]`, END included."""
        weights = self.model(self.batch([arrays], [target]), look=True).weights
        maps: Maps = weights[0].transpose(0, 1).cpu().numpy().astype(np.float32)
        return maps

    @property
    def self_attention_names(self) -> tuple[str, ...]:
        """What the maps of self-attention are called."""
        return self_attention_names(self.model)

    def look_within(self, arrays: Arrays, target: Any) -> tuple[SelfMap, ...]:
        """Return where layers look among the places that they read or write themselves."""
        return self_maps(self.model, self.batch([arrays], [target]))

    def grid(self, arrays: Arrays) -> tuple[int, ...]:
        """Return the shape of the places that the model can look at."""
        shapes = {name: np.asarray(array).shape for name, array in arrays.items()}
        return self.model.grid({n: self.sources[n].laid(shape) for n, shape in shapes.items()})
