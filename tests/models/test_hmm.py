"""A hidden Markov model writes tags with the probability that all paths give them."""

import shutil
from collections.abc import Sequence
from itertools import product
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch

from saccade import recipe as recipes
from saccade import run
from saccade.errors import CheckpointError, DataError, RecipeError, ShapeError
from saccade.folders import model as folders
from saccade.models.base import LaidPairs, LaidSide, trellis_writer
from saccade.models.hmm import FAR, HiddenMarkov
from saccade.models.tagger import Tagger
from saccade.objectives.cross_entropy import cross_entropy
from saccade.parts import Part
from saccade.predict.predictor import Predictor
from saccade.recipe import Decoding
from saccade.search.base import Search
from saccade.tokenizers._vocabulary import END, START, Vocabulary
from saccade.tokenizers.word import Word
from saccade.train import weights
from tests.samples import batch_of, sides, text_codecs
from tests.train import small

TEXTS = ["the dog sees the cat", "a cat sleeps", "dogs sleep", "the dogs see a dog", "sees"]
TAGS = ["D N V D N", "D N V", "N V", "D N V D N", "V"]
FACTORS = ["the￨d dog￨n sees￨v the￨d cat￨n", "a￨d cat￨n sleeps￨v", "dogs￨n sleep￨v"]


def laid(vocabulary: Vocabulary, texts: Sequence[str]) -> LaidSide:
    ids = vocabulary.encode_many(texts)
    return LaidSide(np.array([i for one in ids for i in one]), np.array([len(one) for one in ids]))


def counted(
    texts: Sequence[str] = TEXTS, tags: Sequence[str] = TAGS, **options: Any
) -> tuple[HiddenMarkov, Predictor]:
    factors = options.get("factors", 1) == 2
    source = Word(punctuation=False, factors=factors, suffixes=3).fit(texts, [])
    target = Word(punctuation=False).fit(tags, [])
    codecs = text_codecs(source, target)
    model = HiddenMarkov({"source": codecs.source.side}, codecs.target.side, **options)
    for i in range(model.iterations):
        model.count(LaidPairs({"source": laid(source, texts)}, laid(target, tags)), i)
    search = Part(Search, model.search)
    return model.eval(), Predictor(model, codecs, Decoding(search=search))


VARIANTS: list[dict[str, Any]] = [{"order": 1}, {"order": 2}, {"order": 2, "lexical": 2}]
each_variant = pytest.mark.parametrize("options", VARIANTS, ids=str)


@each_variant
def test_tags_are_as_likely_as_all_paths_say(options: dict[str, Any]) -> None:
    """By listing every sequence of tags, and the equation of the joint probability."""
    model, predictor = counted(**options)
    vocabulary = predictor.codecs.target.vocabulary
    assert vocabulary is not None
    for text in ("the cats see", "sees", "unheard of", ""):
        joint = {}
        for tags in product("DNV", repeat=len(text.split())):
            joint[" ".join(tags)] = joint_probability(model, predictor, text, tags)
        total = sum(joint.values())
        scored = predictor.score([text] * len(joint), list(joint))
        for one, (said, p) in zip(scored, joint.items(), strict=True):
            if p > 0:
                assert one.score == pytest.approx(np.log(p / total), abs=2e-4), said
            else:
                assert one.score <= FAR
        best = predictor.predict(text)
        assert best.text == max(joint, key=lambda tags: joint[tags])
        assert best.score == pytest.approx(np.log(joint[best.text] / total), abs=1e-4)


def joint_probability(
    model: HiddenMarkov, predictor: Predictor, text: str, tags: tuple[str, ...]
) -> float:
    """Multiply p(s | history) and p(x | s), state by state; 0 if a word cannot have its tag."""
    tables, outer = model.tables, len(model.tables.tags) - 1
    words, names = predictor.codecs.source.vocabulary, predictor.codecs.target.vocabulary
    assert words is not None
    assert names is not None
    states, p = [outer, outer], 1.0
    for word, tag in zip(words.encode(text), names.encode(" ".join(tags)), strict=True):
        candidates = tables.candidates[tables.groups[word]].tolist()
        fitting = [i for i, s in enumerate(candidates) if s >= 0 and tables.tags[s] == tag]
        if not fitting:
            return 0.0
        p *= float(tables.scores[word, fitting[0]])
        states.append(candidates[fitting[0]])
    states.append(outer)
    for a, b, c in zip(states, states[1:], states[2:], strict=False):
        p *= float(tables.follow(*(torch.tensor(s) for s in (a, b, c))))
    return p


@each_variant
def test_histories_have_distributions(options: dict[str, Any]) -> None:
    model, _ = counted(**options)
    n = len(model.tables.tags)
    a, b, c = (torch.arange(n).reshape(shape) for shape in ((n, 1, 1), (1, n, 1), (1, 1, n)))
    torch.testing.assert_close(
        model.tables.follow(a, b, c).sum(dim=2), torch.ones(n if model.order > 1 else 1, n).double()
    )


@each_variant
def test_every_search_finds_the_same(options: dict[str, Any]) -> None:
    _, predictor = counted(**options)
    texts = [*TEXTS, "a dogs dog", "the unheard sees"]
    exact = [one.text for one in predictor.predict(texts)]
    beam = Part(Search, "beam", {"width": 30})
    assert [one.text for one in predictor.predict(texts, search=beam)] == exact
    assert all(
        len(one.text.split()) == len(text.split())
        for one, text in zip(predictor.predict(texts, sample={"seed": 3}), texts, strict=True)
    )


def test_it_learns_tags_with_factors() -> None:
    tags = ["B I O B I", "B I O", "B O"]
    model, predictor = counted(FACTORS, tags, factors=2)
    assert model.pieces_each == 2
    assert [one.text for one in predictor.predict(FACTORS)] == tags
    assert predictor.predict("the￨d unheard￨n sleep￨v").text == "B I O"
    assert len(predictor.predict("the￨new sees￨n").text.split()) == 2  # a factor never seen
    with pytest.raises(ShapeError, match="hmm: a sentence has 3 pieces; expected a multiple of f"):
        predictor.predict("the cat￨n")


def test_the_suffix_of_an_unknown_word_counts() -> None:
    texts = ["he walks slowly", "she talks quickly", "he ran"]
    _, predictor = counted(texts, ["P V A", "P V A", "P V"], order=1)
    found = predictor.score(["he bikes", "he badly"], ["P A", "P A"])
    assert found[1].score > found[0].score


def test_an_empty_sentence_and_one_tag() -> None:
    _, predictor = counted()
    assert predictor.predict("").text == ""
    _, alone = counted(["a b", "c"], ["X X", "X"])
    assert alone.predict("a zzz c").text == "X X X"
    assert alone.score(["a"], ["X"])[0].score == 0.0


def test_a_tag_that_was_never_seen_is_unlikely_and_finite() -> None:
    model, predictor = counted()
    names = predictor.codecs.target.vocabulary
    assert names is not None
    scored = predictor.score(["the dog"], ["D ZZZ"])[0]  # UNK
    assert scored.token_scores[1] == FAR
    batch = batch_of(([4, 5], names.encode("D N")))
    assert cross_entropy(model, batch, 0.0).total.isfinite()


def test_a_tag_that_cannot_be_is_passed_over() -> None:
    model, predictor = counted()
    source = batch_of(([4, 5, 6], [4])).sources
    _, state = model.step(torch.tensor([START]), model.start(source))
    odd = model.step(torch.tensor([END]), state).log_probs
    assert odd.exp().sum() == pytest.approx(1.0, abs=1e-5)
    assert len(predictor.predict("dog", nbest=3).nbest) == 3


def test_what_cannot_be_is_refused() -> None:
    with pytest.raises(RecipeError) as caught:
        HiddenMarkov(*sides(8), order=3, factors=4, rare=0, prior=-1.0, lexical=-1)
    for told in (
        "hmm.order: 3 is not 1 or 2, the tags before one that it depends on.",
        "hmm.factors: 4 is not 1, words alone, or 2, as in word￨POS.",
        "hmm.rare: 0 is not 1 or more; 10 is usual.",
        "hmm.prior: -1.0 is not between 0 and 1000; 0.5 is usual.",
        "hmm.lexical: -1 is not 0, which is off, or more.",
    ):
        assert told in str(caught.value)
    nothing, some = (
        LaidSide(np.zeros(0, int), np.zeros(0, int)),
        LaidSide(np.ones(2), np.array([2])),
    )
    with pytest.raises(DataError, match="hmm: there is nothing to count; expected some words"):
        HiddenMarkov(*sides(8)).count(LaidPairs({"source": nothing}, nothing), 0)
    with pytest.raises(DataError, match="hmm: 2 source pieces for 2 tags; expected 2 for each tag"):
        HiddenMarkov(*sides(8), factors=2).count(LaidPairs({"source": some}, some), 0)
    with pytest.raises(RecipeError, match="inspect: Tagger has no trellis of states; expected a m"):
        trellis_writer(Tagger(*sides(9, 8)), "inspect")


WORDS = {"tokenizer": {"kind": "word", "punctuation": False}}


def recipe(max_steps: int | None = None, **model: Any) -> recipes.Recipe:
    pairs = {"kind": "pairs", "pairs": [list(one) for one in zip(TEXTS, TAGS, strict=True)]}
    raw = {
        "name": "hmm",
        "data": {"train": pairs, "valid": pairs, "source": WORDS, "target": WORDS},
        "model": {"kind": "hmm", **model},
        "training": {"max_steps": max_steps} if max_steps else {},
        "decoding": {"metrics": ["accuracy"]},
    }
    return recipes.from_plain(raw)


def test_a_run_is_written_opened_and_used(tmp_path: Path) -> None:
    made = run.train(recipe(), tmp_path / "hmm", console=small.quiet())
    assert made.reason == "counted in 1 pass"
    loaded = folders.load(tmp_path / "hmm")
    assert loaded.decoding.search.kind == "viterbi"
    assert [one.text for one in loaded.predict(TEXTS)] == TAGS
    assert (tmp_path / "hmm" / "report.html").is_file()


DAMAGE: dict[str, tuple[str, Any, str]] = {
    "nan": ("scores", (0, float("nan")), "scores has a number that is not finite"),
    "negative": ("pairs", (0, -0.5), "pairs has a number that is no probability"),
    "key": ("pair_keys", (0, 99), "its keys are not in order"),
    "range": ("triple_keys", (-1, 10**9), "a key is out of range"),
    "group": ("groups", (0, 7), "a group is out of range"),
    "state": ("candidates", (0, 9), "a state is out of range"),
    "nowhere": ("candidates", (0, -1), "a group has no state"),
    "end": ("candidates", (-1, 0), "the last group is not END"),
    "tag": ("tags", (0, 400), "a tag is out of range"),
    "fits": ("scores", (slice(0, 3), 0.0), "a word fits no state"),
    "zero": ("ones", (0, 0.0), "a probability of a state is 0"),
}


def test_a_damaged_folder_is_named(trained: Path, tmp_path: Path) -> None:
    found, model = weights.load(trained / "model.safetensors"), folders.load(trained).model
    for name, (place, value), told in DAMAGE.values():
        odd = found[f"tables.{name}"].clone()
        odd.view(-1)[place] = value
        with pytest.raises(CheckpointError, match=rf"w: {told}; expected the tables of a hidden"):
            model.accept({**found, f"tables.{name}": odd}, "w")
    shutil.copytree(trained, tmp_path / "hmm")
    small.unseal(tmp_path / "hmm")
    found["tables.ones"][0] = -1.0
    weights.save(tmp_path / "hmm" / "model.safetensors", found)
    with pytest.raises(
        CheckpointError, match=r"model.safetensors: ones has a number that is no pro"
    ):
        folders.load(tmp_path / "hmm")


@pytest.fixture(scope="module")
def trained(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("trained") / "hmm"
    run.train(recipe(), folder, console=small.quiet())
    return folder


def test_tables_of_other_sizes_are_refused(trained: Path) -> None:
    found = weights.load(trained / "model.safetensors")
    model = folders.load(trained).model
    missing = {name: one for name, one in found.items() if name != "tables.ones"}
    with pytest.raises(
        CheckpointError, match="w: the weights are another model's: ones is missing"
    ):
        model.accept(missing, "w")
    for name, odd, told in (
        ("scores", found["tables.scores"][:3], r"scores has the shape \[3, 3\]"),
        ("keys", found["tables.keys"][:5], r"groups has the shape"),
        ("ones", found["tables.ones"].float(), "ones holds numbers of kind float32"),
        ("candidates", found["tables.candidates"][0], "scores has the shape"),
    ):
        with pytest.raises(CheckpointError, match=f"w: {told}"):
            model.accept({**found, f"tables.{name}": odd}, "w")
