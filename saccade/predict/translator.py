"""A trained model with its vocabularies: raw text in, raw text out.

The output for a sentence depends on the sentence alone: not on the batch it stands in, nor on the
order of the lines, nor on where they come from.
"""

import hashlib
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import islice, repeat
from typing import Any, overload

import numpy as np
import torch
from torch import Tensor

from saccade.data.batching import collate, pad
from saccade.errors import DataError, RecipeError
from saccade.fast.model import Clear, Ready
from saccade.fast.panels import ROUNDED
from saccade.fast.threads import each
from saccade.flow import Batch
from saccade.guards.profile import Profile
from saccade.modalities._copying import encode_pairs, encode_sources, slot_words
from saccade.models.base import Model
from saccade.nouns import Example, Hypothesis
from saccade.parts import Part
from saccade.predict.decode import CHUNK, USUAL, Decode, check_chunk, read_options
from saccade.predict.translation import Maps, Translation
from saccade.recipe import Decoding
from saccade.search._plan import longest_output, smaller_at_the_end, sorted_batches
from saccade.search.base import Found, Search, Task, Watch
from saccade.shaping.lexicon import Counts, Lexicon
from saccade.tokenizers._vocabulary import END, PAD, START, UNK, Vocabulary

_SMALL, _LARGE = 128, 1024  # pieces of a batch that is not cut for the threads, and of the largest
Progress = Callable[[Sequence[int], Tensor], None]  # (numbers of lines, their tokens so far [N, t])


@dataclass(frozen=True, slots=True)
class Scored:
    """How likely a model finds a given pair: log-probability of every target piece and of END."""

    tokens: tuple[str, ...]
    token_scores: tuple[float, ...]

    @property
    def score(self) -> float:
        """Log-probability of the whole target."""
        return sum(self.token_scores)


class Translator:
    """Translates, scores and looks inside. Safe to use from several threads.

    It holds no state but the weights, and those once more in the layout that is fast to decode.

    A text given to a model that has no source, a language model, is the beginning of its output.

    Args:
        model: what was trained.
        source: the pieces of the source.
        target: the pieces of the target.
        decoding: how to search.
        profile: what was usual in training, for the guards; some are silent without.
        lexicon: all that may be written, if not everything.
        quantise: "int8" to search with weights in bytes; what is scored or looked at stays exact.
    """

    def __init__(
        self,
        model: Model,
        source: Vocabulary,
        target: Vocabulary,
        decoding: Decoding,
        profile: Profile | None = None,
        lexicon: Counts | None = None,
        *,
        quantise: str = "",
    ) -> None:
        self.model = model.eval()
        self.source = source
        self.target = target
        self.decoding = decoding
        self.profile = profile
        weight = decoding.lexicon_weight
        self._shapers = [] if lexicon is None else [Lexicon(lexicon, target, weight)]
        self._ready = Ready(model, rounds=quantise == ROUNDED)
        if decoding.replace_unknown:
            _check_replacing(self)

    @property
    def attention_names(self) -> tuple[str, ...]:
        """What the attention maps are called; empty for a model without attention."""
        return self.model.attention_names

    @property
    def device(self) -> torch.device:
        """Where the weights are; the processor, if they are not torch's."""
        weight = next(self.model.parameters(), None)
        return torch.device("cpu") if weight is None else weight.device

    def given(self, example: Example) -> str:
        """Return what the model is given of an example: the source, or half of the only text."""
        return example.source if self.model.reads else example.target[: len(example.target) // 2]

    @overload
    def translate(self, text: str, **options: Any) -> Translation: ...
    @overload
    def translate(self, text: list[str], **options: Any) -> list[Translation]: ...
    def translate(self, text: str | list[str], **options: Any) -> Translation | list[Translation]:
        """Translate one text, or a list of them.

        Args:
            text: one sentence or several.
            options: those of `Decode`, and `watch` and `chunk` of `stream`.
        """
        decode, call = read_options(options, ("watch", "chunk"))
        if isinstance(text, str):
            return next(self.stream([text], decode, **call))
        return list(self.stream(text, decode, **call))

    def stream(
        self,
        lines: Iterable[str],
        decode: Decode = USUAL,
        *,
        watch: Progress | None = None,
        chunk: int = CHUNK,
    ) -> Iterator[Translation]:
        """Translate lines as they come and yield results in their order.

        Args:
            lines: any iterable of text.
            decode: how to write.
            watch: told after every step how far the lines of a batch have come; lines are counted
                from 0 in each chunk. It changes nothing; what it raises ends the stream.
            chunk: how many lines to read before the first result is yielded.
        """
        check_chunk(chunk)
        chosen = decode.resolve(self.decoding.search)
        search = Part(Search, chosen.kind, chosen.options).build()
        prefix = decode.prefix
        rest, prefixes = iter(lines), repeat(prefix) if isinstance(prefix, str) else iter(prefix)
        while texts := list(islice(rest, chunk)):
            begun = list(islice(prefixes, len(texts)))
            if len(begun) < len(texts):
                raise DataError(
                    f"translate: {len(begun)} prefixes for {len(texts)} lines; expected one for"
                    " each line; give as many, or one text for all."
                )
            forced = self.target.encode_many(begun) if any(begun) else []
            yield from self._translate(texts, search, forced, trace=decode.trace, watch=watch)

    @torch.inference_mode()
    def _translate(
        self,
        texts: list[str],
        search: Search,
        prefixes: Sequence[list[int]],
        *,
        trace: bool,
        watch: Progress | None,
    ) -> list[Translation]:
        given = encode_sources(self.source, texts)
        ids = given if self.model.reads else [[] for _ in texts]
        replacing = self.decoding.replace_unknown
        done = [Found((Hypothesis((), 0.0, ()),))] * len(texts)  # empty in, empty out
        work = [i for i, row in enumerate(given) if row or not self.model.reads]
        lengths = [len(given[i]) for i in work]
        form = self._ready.form if search.once else Clear(self.model)
        most = form.held // search.lines
        batches = [[work[i] for i in rows] for rows in self._batches(lengths, most)]

        @torch.inference_mode()
        def find(rows: list[int]) -> list[Found]:
            source = pad([[*ids[i], END] for i in rows]).to(self.device)
            task = self._task(rows, texts, given, prefixes, watch)
            step, state = form.begin(source)
            return search(step, state, task, trace=trace)

        all_found = [find(rows) for rows in batches] if watch else each(find, batches)
        for rows, found in zip(batches, all_found, strict=True):
            for i, one in zip(rows, found, strict=True):
                done[i] = one
        return [
            Translation(
                text,
                tuple(row),
                one.hypotheses[0],
                self,
                others=one.hypotheses[1:],
                tree=one.tree,
                copied=tuple(slot_words(self.source, text)),
                replacing=replacing,
            )
            for text, row, one in zip(texts, ids, done, strict=True)
        ]

    def _batches(self, lengths: list[int], most: int) -> list[list[int]]:
        """Group texts by length, two batches a thread or more: who is done first takes another.

        None has more than so many pieces, if it has more than one text.
        """
        pieces, n_batches = sum(lengths) + len(lengths), 2 * torch.get_num_threads()
        share = max(_SMALL, min(pieces // n_batches, _LARGE, most))
        batches = sorted_batches(lengths, min(self.decoding.batch_tokens, share))
        return smaller_at_the_end(batches, torch.get_num_threads())

    def _task(
        self,
        rows: list[int],
        texts: list[str],
        given: list[list[int]],
        prefixes: Sequence[list[int]],
        watch: Progress | None,
    ) -> Task:
        """Say what to search for; a text given to a model without a source is a beginning."""
        ratio, extra = self.decoding.max_ratio, self.decoding.max_extra
        limits = [longest_output(len(given[i]), ratio, extra) for i in rows]
        begins = [
            (*(prefixes[i] if prefixes else ()), *(() if self.model.reads else given[i]))
            for i in rows
        ]
        return Task(
            start=START,
            end=END,
            limits=torch.tensor(limits, device=self.device),
            banned=(PAD, START) if self.decoding.replace_unknown else (PAD, START, UNK),
            prefixes=begins if any(begins) else (),
            keys=[_key(texts[i]) for i in rows],
            shapers=self._shapers,
            watch=_numbered(watch, rows) if watch else None,
        )

    @torch.inference_mode()
    def score(self, sources: Sequence[str], targets: Sequence[str]) -> list[Scored]:
        """Say how likely each target is for its source: forced decoding, nothing is searched.

        The sources of a model without any, a language model, do not matter.
        """
        if len(sources) != len(targets):
            raise DataError(
                f"score: {len(sources)} sources but {len(targets)} targets; expected one target for"
                " each source; give two lists of one length."
            )
        read = sources if self.model.reads else [""] * len(sources)
        source_ids, target_ids = encode_pairs(self.source, self.target, read, targets)
        lengths = [max(len(s), len(t)) for s, t in zip(source_ids, target_ids, strict=True)]
        scored: list[Scored | None] = [None] * len(lengths)
        for rows in sorted_batches(lengths, self.decoding.batch_tokens):
            batch = collate([source_ids[i] for i in rows], [target_ids[i] for i in rows])
            batch = batch.to(self.device)
            for i, row in zip(rows, self._token_scores(batch), strict=True):
                scored[i] = Scored(self.target.pieces((*target_ids[i], END)), tuple(row))
        return [one for one in scored if one is not None]

    def token_scores(self, source: Sequence[int], target: Sequence[int]) -> tuple[float, ...]:
        """Return the log-probability of every symbol of `target` and of END last."""
        with torch.inference_mode():
            return tuple(self._token_scores(collate([source], [target]).to(self.device))[0])

    def _token_scores(self, batch: Batch) -> list[list[float]]:
        log_probs = self.model.log_probs(self.model(batch).features)  # [B, T, V]
        of_target = log_probs.gather(2, batch.target.values[:, :, None])[:, :, 0]  # [B, T]
        lengths = batch.target.lengths.tolist()
        return [row[:n] for row, n in zip(of_target.tolist(), lengths, strict=True)]

    @torch.inference_mode()
    def look(self, source: Sequence[int], target: Sequence[int]) -> Maps:
        """Return where the model looks while it writes `target`: `[A, T + 1, S + 1]` with END."""
        weights = self.model(collate([source], [target]).to(self.device), look=True).weights
        maps: Maps = weights[0].transpose(0, 1).cpu().numpy().astype(np.float32)
        return maps


def _numbered(watch: Progress, rows: Sequence[int]) -> Watch:
    """Tell `watch` the numbers of lines instead of the rows of a batch."""
    return lambda found, tokens: watch([rows[i] for i in found.tolist()], tokens)


def _check_replacing(translator: Translator) -> None:
    problems = []
    if not translator.attention_names:
        problems.append(
            "decoding.replace_unknown: the model has no attention, so nobody knows which word to"
            " take; expected one that looks at the source. Set it to false."
        )
    if not (translator.source.whole_words and translator.target.whole_words):
        problems.append(
            "decoding.replace_unknown: the pieces are not whole words, so an unknown one is no"
            " word; expected the tokenizer word on both sides. Set it to false."
        )
    if problems:
        raise RecipeError(problems)


def _key(text: str) -> int:
    """Return a number that goes with a text wherever it stands, to seed sampling with."""
    return int.from_bytes(hashlib.blake2b(text.encode(), digest_size=7).digest(), "big")
