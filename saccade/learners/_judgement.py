"""The end of a training: is the model better than an answer that needs no model?"""

from collections.abc import Iterator, Mapping
from itertools import islice

from saccade.data.codecs import TARGET
from saccade.learners._bench import Bench
from saccade.metrics.base import Metric, name_of
from saccade.nouns import Example
from saccade.parts import Part
from saccade.predict.baselines import StandIn, constants_of
from saccade.predict.decode import quick
from saccade.predict.evaluation import outputs_for
from saccade.predict.frequencies import Frequencies
from saccade.predict.verdict import Rivals, Verdict, tells

_LEARNED = 200_000  # training examples that constants are learned from, from all over them
_DECODED = 500  # validation examples that are decoded if no metric of the training was


def judge(bench: Bench, figures: Mapping[str, float]) -> Rivals:
    """Compare the bench's model with what needs no model, on the validation set.

    Judge is the metric that chooses the checkpoint, or else the first of `training.metrics` and
    `decoding.metrics` that can tell a perfect model from a constant there, or else the loss. A
    language model is judged by its loss.

    Args:
        bench: where the model was trained.
        figures: the model's figures on the validation set, as `Bench.measure` gives them.
    """
    target = bench.recipe.data.target.build()
    examples = bench.read_examples()
    constants = list[StandIn]()
    if bench.model.reads:
        constants = constants_of(_training_examples(bench), examples, target.raw)
    counts = _frequencies(bench) if target.discrete else None
    verdict = _by_metric(bench, figures, constants, examples) if constants else None
    if verdict is None and counts is not None:
        held_out = bench.prepared.valid
        loss = counts.nats_per_place(held_out.flat(TARGET), held_out.lengths[TARGET])
        words = "symbols by their frequency in the training data"
        verdict = Verdict("loss", figures["loss"], loss, higher_is_better=False, answer=words)
    return Rivals(tuple(constants), counts, verdict)


def _training_examples(bench: Bench) -> Iterator[Example]:
    every = -(-sum(map(len, bench.prepared.train)) // _LEARNED)
    for reader in bench.prepared.readers:
        yield from islice(reader.read(), 0, None, max(every, 1))


def _frequencies(bench: Bench) -> Frequencies:
    stores, size = bench.prepared.train, bench.codecs.target.side.size
    return Frequencies.of(
        [store.flat(TARGET) for store in stores], [store.lengths[TARGET] for store in stores], size
    )


def _by_metric(
    bench: Bench, figures: Mapping[str, float], constants: list[StandIn], examples: list[Example]
) -> Verdict | None:
    training = bench.recipe.training
    names: dict[str, Part[Metric]] = {}
    for part in training.metrics:
        names[name_of(part, ["loss", *names])] = part
    chosen = {training.select: names[training.select]} if training.select in names else {}
    for name, part in {**chosen, **names}.items():
        if found := tells(part, constants, examples):
            return _verdict(name, part, figures[name], found)
    for part in bench.recipe.decoding.metrics:
        few = examples[:: -(-len(examples) // _DECODED)]
        if found := tells(part, constants, few):
            outputs = [
                one.output for one in outputs_for(bench.predictor, few, quick(bench.model.quick))
            ]
            references = [list(example.references) for example in few]
            value = part.build().corpus(outputs, references).value
            return _verdict(part.kind, part, value, found)
    return None


def _verdict(name: str, part: Part[Metric], value: float, found: tuple[StandIn, float]) -> Verdict:
    constant, figure = found
    higher = part.build().higher_is_better
    return Verdict(name, value, figure, higher_is_better=higher, answer=str(constant))
