"""The recipes that `fit` tries on a job, as a user would write them."""

from dataclasses import dataclass
from itertools import pairwise
from typing import Any

from saccade.errors import RecipeError
from saccade.fit.files import UserData
from saccade.fit.jobs import TaskKind
from saccade.fit.rules import LONGEST, RunSizes
from saccade.fit.survey import Survey

Plain = dict[str, Any]
VALIDATIONS = 12  # in a whole run; the stops of `halving` are multiples of a quarter of them
_COPIES = 0.25  # share of target words that stand in their source, from which copying is tried
_REPEATED = 2.0  # times that a word occurs on average, from which those that occur once are unknown
_ONE_ALPHABET = 0.9  # share of target letters that the source has, from which they are one


@dataclass(frozen=True, slots=True)
class Candidate:
    """One recipe to try: its name and sections, and what speaks for it."""

    name: str
    recipe: Plain
    why: str


def candidates_for(
    job: TaskKind, found: Survey, corpus: UserData, sizes: RunSizes, *, held: float, seed: int
) -> list[Candidate]:
    """List the recipes that suit a job, the most promising first.

    Args:
        job: what kind of task it is.
        found: what the pairs are like.
        corpus: the readers.
        sizes: what the rules say.
        held: the share of the pairs that each held-out part takes, where no file was given.
        seed: of all of them.
    """
    models = _MODELS[job.name](found, sizes)
    return [
        Candidate(name, _recipe(job, found, corpus, sizes, held, seed, own), why)
        for name, own, why in models
    ]


def _recipe(
    job: TaskKind,
    found: Survey,
    corpus: UserData,
    sizes: RunSizes,
    held: float,
    seed: int,
    own: Plain,
) -> Plain:
    data: Plain = {**_splits(corpus, held), **_sides(job, found, sizes)}
    if own["joint"]:
        data["joint"] = True
    training: Plain = {
        "objective": {"kind": "cross_entropy", "smoothing": 0.1 if job.writes_text else 0.05},
        "learning_rate": own["rate"],
        "schedule": {"kind": "cosine", "warmup": sizes.warmup},
        "batch_tokens": sizes.batch_tokens,
        "metrics": list(job.metrics[:1]),
        "select": job.metrics[0] if job.metrics else "loss",
    }
    decoding: Plain = {"metrics": list(job.metrics), **_decoding(job)}
    recipe = {
        "name": own["name"],
        "seed": seed,
        "data": data,
        "model": own["model"],
        "training": training,
        "decoding": decoding,
    }
    return with_updates(recipe, int(own["longer"] * sizes.updates))


def with_updates(recipe: Plain, updates: int) -> Plain:
    """Return a recipe whose run has so many updates, with schedule and validations to suit."""
    training = recipe["training"]
    schedule = {
        **training["schedule"],
        "warmup": min(training["schedule"]["warmup"], max(updates // 10, 1)),
        "steps": updates,
    }
    own = {
        "schedule": schedule,
        "max_steps": updates,
        "validate_every": max(updates // VALIDATIONS, 1),
        "report_every": max(updates // 40, 1),
        "ema": 0.998 if updates >= 1500 else 0.99 if updates >= 300 else 0.9,
    }
    return {**recipe, "training": {**training, **own}}


def _splits(corpus: UserData, held: float) -> Plain:
    """Name the readers; what has no file of its own is a share of the pairs, by their source."""
    valid, test = corpus.valid, corpus.test
    if valid and test:
        return {"train": corpus.train, "valid": valid, "test": test}
    if len(corpus.train) > 1:
        raise RecipeError(
            f"fit: {len(corpus.train)} files to train on need --valid and --test; only one file can"
            " be split. Name both, or put all pairs into one file."
        )
    whole = corpus.train[0]
    if not corpus.has_source:
        edges = [0.0, 1 - 2 * held, 1 - held, 1.0]
        parts = [
            {**whole, "first": round(first, 4), "last": round(last, 4)}
            for first, last in pairwise(edges)
        ]
        return {"train": [parts[0]], "valid": valid or parts[1], "test": test or parts[2]}
    shares = {"valid": 0.0 if valid else held, "test": 0.0 if test else held}

    def part(name: str) -> Plain:
        return {"kind": "split", "part": name, **shares, "corpus": whole}

    return {
        "train": [part("train")],
        "valid": valid or part("valid"),
        "test": test or part("test"),
    }


def _sides(job: TaskKind, found: Survey, sizes: RunSizes) -> Plain:
    usual = ["nfc", "strip", "squeeze"]
    levels: dict[str, Plain] = {
        "characters": {"tokenizer": "character", "normalise": ["nfd", "strip"]},
        "symbols": {"tokenizer": {"kind": "word", "punctuation": False}, "normalise": usual},
        "pieces": {"tokenizer": {"kind": "bpe", "size": sizes.pieces}, "normalise": usual},
        "words": {
            "tokenizer": {
                "kind": "word",
                "punctuation": job.name == "labels",
                "min_count": 2 if found.source.repeated >= _REPEATED else 1,
            },
            "normalise": [*usual, "lowercase", *(["digits"] if job.name == "tags" else [])],
        },
        "label": {"tokenizer": "line"},
    }
    source, target = dict(levels[job.source]), dict(levels[job.target])
    if job.target == "characters":
        target["normalise"] = ["nfc", "strip"]
        if found.shared >= _ONE_ALPHABET:
            source["normalise"] = ["nfc", "strip"]
    if found.featured:
        source["tokenizer"] = "featured"
    if job.name == "completion":
        return {"target": {**target, "normalise": ["nfc"], "max_length": LONGEST}}
    lengths = sizes.max_length
    return {
        "source": {**source, "max_length": lengths["source"]},
        "target": {**target, "max_length": lengths["target"]},
    }


def _decoding(job: TaskKind) -> Plain:
    if job.name == "tags":
        return {"search": "greedy"}
    if job.name == "labels":
        return {"search": {"kind": "beam", "width": 5, "length_penalty": 0.0}}
    if job.name == "completion":
        return {
            "search": {"kind": "sample", "temperature": 0.8},
            "max_ratio": 1.0,
            "max_extra": 400,
        }
    return {"search": {"kind": "beam", "width": 5}}


Choice = tuple[str, Plain, str]
_ROTARY = "a Transformer with rotary positions"


def _characters(found: Survey, sizes: RunSizes) -> list[Choice]:
    recurrent = ("recurrent", _recurrent(sizes), "an LSTM with attention: steady on few words")
    transformer = ("transformer", _transformer(sizes, across=True), _ROTARY)
    if found.shared < _ONE_ALPHABET or found.target.words >= 2:
        return [recurrent, transformer]
    pointer = ("pointer", _pointer(sizes), "both sides share an alphabet: it may copy letters")
    return [pointer, transformer, recurrent]


def _inflection(_found: Survey, sizes: RunSizes) -> list[Choice]:
    return [
        ("pointer", _pointer(sizes), "forms copy most letters of their lemma"),
        ("transformer", _transformer(sizes, across=True), _ROTARY),
    ]


def _sentences(found: Survey, sizes: RunSizes) -> list[Choice]:
    recurrent = ("recurrent", _recurrent(sizes), "an LSTM with attention: steady on few pairs")
    transformer = ("transformer", _transformer(sizes), "a Transformer: best where pairs are many")
    few = sizes.pairs < 5000 or sizes.width <= 128  # of pairs, or of time
    order = [recurrent, transformer] if few else [transformer, recurrent]
    if found.copied < _COPIES:
        return order
    said = f"{100 * found.copied:.0f} % of the target words stand in their source: it may copy"
    return [("pointer", _pointer(sizes), said), *order]


def _labels(_found: Survey, _sizes: RunSizes) -> list[Choice]:
    model: Plain = {
        "kind": "classifier",
        "embedding": 128,
        "hidden": 128,
        "dropout": 0.5,
        "word_dropout": 0.1,
        "encoder": {"kind": "rnn", "cell": "lstm", "hidden": 128},
        "attention": "additive",
    }
    bag = {**model, "encoder": {"kind": "bag"}}
    return [
        ("recurrent", _own("recurrent", model, 0.002), "an LSTM reads the text"),
        ("bag", _own("bag", bag, 0.002), "a bag of words: hard to beat on few texts"),
    ]


def _tags(_found: Survey, _sizes: RunSizes) -> list[Choice]:
    model: Plain = {
        "kind": "tagger",
        "embedding": 128,
        "hidden": 128,
        "dropout": 0.4,
        "word_dropout": 0.05,
        "encoder": {"kind": "rnn", "cell": "lstm", "hidden": 128},
    }
    return [("recurrent", _own("recurrent", model, 0.003), "an LSTM reads both ways")]


def _completion(_found: Survey, _sizes: RunSizes) -> list[Choice]:
    decoder = {
        "kind": "rnn",
        "cell": "lstm",
        "hidden": 384,
        "wiring": "luong",
        "input_feeding": False,
        "attention": "none",
        "dropout": 0.2,
    }
    model = {"kind": "language_model", "embedding": 128, "dropout": 0.1, "decoder": decoder}
    model["tie"] = False
    return [("recurrent", _own("recurrent", model, 0.003), "an LSTM, letter by letter")]


def _own(
    name: str, model: Plain, rate: float, *, joint: bool = False, longer: float = 1.0
) -> Plain:
    """Gather what a model brings; `longer` is how many times the usual updates it needs."""
    return {"name": name, "model": model, "rate": rate, "joint": joint, "longer": longer}


def _recurrent(sizes: RunSizes) -> Plain:
    width, dropout = sizes.width, sizes.dropout
    model: Plain = {
        "kind": "encoder_decoder",
        "embedding": width,
        "dropout": dropout,
        "encoder": {"kind": "rnn", "cell": "lstm", "hidden": width},
        "decoder": {
            "kind": "rnn",
            "cell": "lstm",
            "hidden": 2 * width,
            "wiring": "luong",
            "attention": "bilinear",
            "dropout": dropout,
        },
    }
    return _own("recurrent", model, 0.0015)


def _pointer(sizes: RunSizes) -> Plain:
    own = _recurrent(sizes)
    return _own("pointer", {**own["model"], "kind": "pointer_generator"}, 0.0015, joint=True)


def _transformer(sizes: RunSizes, *, across: bool = False) -> Plain:
    """Describe a Transformer; `across` is for pairs that go side by side, as letters and phones.

    With 800 French words and 400 updates alike, 34 % of the validation words were wrong with it
    and 66 % without (docs/results/pronunciation.md).
    """
    width, dropout = sizes.width, sizes.dropout
    layer = {
        "kind": "transformer",
        "layers": sizes.layers,
        "feed_forward": 4 * width,
        "dropout": dropout,
        "attention": {"kind": "multihead", "heads": 4},
        "positions": {"kind": "rotary", "across": True} if across else "rotary",
    }
    model: Plain = {
        "kind": "encoder_decoder",
        "embedding": width,
        "dropout": dropout,
        "encoder": layer,
        "decoder": layer,
    }
    return _own("transformer", model, 0.001, longer=1.0 if sizes.pairs >= 5000 else 2.0)


_MODELS = {
    "translation": _sentences,
    "characters": _characters,
    "inflection": _inflection,
    "pronunciation": _characters,
    "labels": _labels,
    "tags": _tags,
    "completion": _completion,
}
