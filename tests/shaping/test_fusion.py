import shutil
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch
from torch.testing import assert_close

from saccade import recipe as recipes
from saccade import run
from saccade.errors import RecipeError
from saccade.export.base import export
from saccade.flow import padded
from saccade.folders import model as folders
from saccade.kernels.backoff import gains_along
from saccade.models.base import LaidPairs, LaidSide, Model
from saccade.models.language_model import LanguageModel
from saccade.models.ngram import NGram
from saccade.parts import Part
from saccade.predict.predictor import Predictor
from saccade.predict.shapers import LanguageModelFor
from saccade.search.base import Search
from saccade.shaping.fusion import Fusion
from saccade.tokenizers._vocabulary import END, START
from tests.samples import PAIRS, codecs, scramble, sides, trained, vocabulary
from tests.train import small


def language_model() -> LanguageModel:
    part = Part(Model, "language_model", {"embedding": 12, "dropout": 0.0})
    model = scramble(part.build(*sides(len(vocabulary()))), scale=0.2)
    assert isinstance(model, LanguageModel)
    return model


def test_adds_what_the_language_model_says() -> None:
    model = language_model()
    prefixes = torch.tensor([[5, 6], [7, 4]])
    before = torch.full((2, len(vocabulary())), -1.0)
    found = Fusion(model, 0.4, 0.25)(prefixes, before)
    state = model.start({"source": padded([[END]] * 2)})
    for token in (torch.tensor([START, START]), prefixes[:, 0]):
        state = model.step(token, state).state
    log_probs = model.step(prefixes[:, 1], state).log_probs
    expected = -1.0 + 0.4 * log_probs
    assert_close(found[:, END], expected[:, END])
    assert_close(found[:, 4:], expected[:, 4:] + 0.25)
    assert_close(before, torch.full_like(before, -1.0))
    assert Fusion(model, 0.4)(prefixes[:, :0], before).shape == before.shape


def counted(order: int = 3) -> NGram:
    model = NGram(*sides(len(vocabulary())), order=order)
    ids = [vocabulary().encode(text) for pair in PAIRS for text in pair]
    laid = LaidSide(
        np.array([i for line in ids for i in line]), np.array([len(line) for line in ids])
    )
    model.count(LaidPairs({}, laid), 0)
    return model


@pytest.mark.parametrize("order", [1, 2, 4])
def test_an_ngram_model_is_asked_for_its_last_symbols_alone(order: int) -> None:
    model, before = counted(order), torch.zeros(2, len(vocabulary()))
    prefixes = torch.tensor([vocabulary().encode("deux ch"), vocabulary().encode("un chat")])
    found = Fusion(model, 0.5)(prefixes, before)
    state, log_probs = model.start({"source": padded([[END]] * 2)}), before
    for token in torch.nn.functional.pad(prefixes, (1, 0), value=START).T:
        log_probs, state = model.step(token, state)
    assert torch.equal(found, 0.5 * log_probs)


def test_as_a_table_it_adds_the_same() -> None:
    n = len(vocabulary())
    turned = [*range(4), *range(n - 1, 3, -1)]
    fusion = Fusion(counted(), 0.4, 0.25, turned)
    line = [turned[i] for i in vocabulary().encode("six chats")]
    table = fusion.table()
    assert table is not None
    found = gains_along(table, torch.tensor([line, line]), torch.tensor([len(line), 3]), END)
    if found is None:
        pytest.skip("no kernels")
    asked = torch.zeros(1, n)
    expected = [
        fusion(torch.tensor([line[:i]], dtype=torch.long), asked)[0, w].item()
        for i, w in enumerate([*line, END])
    ]
    assert found[0].tolist() == expected
    assert found[1, :3].tolist() == expected[:3]
    assert Fusion(language_model(), 0.4).table() is None


@pytest.mark.parametrize("kind", ["network", "counts"])
@pytest.mark.parametrize("search", ["beam", "ctc_prefix", "greedy"])
def test_every_search_asks_it(search: str, kind: str) -> None:
    other = language_model() if kind == "network" else counted()
    decoding = recipes.Decoding(search=Part(Search, search), language_model_weight=0.5)
    model = trained("ctc")
    alone = Predictor(model, codecs(), decoding)
    fused = Predictor(model, codecs(), decoding, language_model=LanguageModelFor(other))
    sources = [source for source, _ in PAIRS]
    both = [one.translate(sources) for one in (alone, fused)]
    changed = [a.score - b.score for a, b in zip(*both, strict=True)]
    assert min(changed) > 0.1


def test_symbols_go_by_their_names() -> None:
    model, n = language_model(), len(vocabulary())
    turned = [*range(4), *range(n - 1, 3, -1)]
    prefixes, before = torch.tensor([[5, 6]]), torch.zeros(1, n)
    plain = Fusion(model, 0.4)(torch.tensor([[turned[5], turned[6]]]), before)
    assert_close(Fusion(model, 0.4, ids=turned)(prefixes, before), plain[:, turned])


def recipe(model: dict[str, Any], **decoding: Any) -> recipes.Recipe:
    raw = small.recipe().plain()
    raw["model"], raw["decoding"] = model, decoding
    raw["training"] = {"max_steps": 2}
    return recipes.from_plain(raw)


@pytest.mark.parametrize("kind", ["language_model", "ngram"])
def test_a_folder_carries_its_language_model(kind: str, tmp_path: Path) -> None:
    own = {"kind": "ctc", "embedding": 8, "encoder": {"kind": "rnn", "hidden": 8}}
    first, second = tmp_path / "lm", tmp_path / "run"
    options = {"embedding": 8} if kind == "language_model" else {"order": 3}
    run.train(recipe({"kind": kind, **options}), first, console=small.quiet())
    fused = recipe(own, language_model=str(first), language_model_weight=0.7)
    made = run.train(fused, second, console=small.quiet())
    loaded = folders.load(second)
    assert (second / "language_model" / "model.safetensors").is_file()
    scores = [one.score for one in loaded.translate(["37", "74"])]
    assert scores == pytest.approx([x.score for x in made.predictor.translate(["37", "74"])])
    shutil.rmtree(second / "language_model")
    assert scores != [one.score for one in folders.load(second).translate(["37", "74"])]
    run.train(fused, second, resume=False, overwrite=True, console=small.quiet())
    with pytest.raises(RecipeError, match="carries a language model that has a say in what is wri"):
        export("onnx", second, tmp_path / "onnx")
    with pytest.raises(RecipeError, match="run is no language model; expected a folder of model"):
        folders.load_language_model(second, loaded.target)
    with pytest.raises(RecipeError, match=r"lm does not know \d+ of the \d+ symbols that are wri"):
        folders.load_language_model(first, codecs().target)


def test_a_weight_below_nothing_is_refused() -> None:
    with pytest.raises(RecipeError, match=r"language_model_weight: -1 is below 0; 0 leaves the"):
        Fusion(language_model(), -1)
