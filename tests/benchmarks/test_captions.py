"""Captions a second: the plain loop computes the model that it is compared with."""

import numpy as np
import pytest
import torch

from benchmarks import captions
from benchmarks.captions import copied, in_turn, looped, searched, table
from saccade.data.codecs import Codecs
from saccade.inference.searcher import TorchSearcher
from saccade.modalities.base import Array
from saccade.modalities.features import FeaturesCodec
from saccade.modalities.text import TextCodec
from saccade.models.base import Model
from saccade.native.searcher import fastest_searcher
from saccade.nouns import SOURCE_NAME, Side
from saccade.parts import Part
from saccade.tokenizers.word import Word

WORDS = "a b c d e f g h i j k l m n o p q r s t u v w x y z"


def captioner(n_symbols: int) -> Model:
    torch.manual_seed(1)
    decoder = {
        "kind": "rnn",
        "cell": "lstm",
        "attention": {"kind": "gated", "attention": {"kind": "additive", "hidden": 16}},
        "hidden": 16,
    }
    options = {"embedding": 16, "encoder": "none", "decoder": decoder}
    sides = {SOURCE_NAME: Side(8, embedder="projected")}
    model = Part(Model, "encoder_decoder", options).build(sides, Side(n_symbols)).eval()
    with torch.no_grad():
        for weight in model.parameters():
            weight.mul_(3.0)  # so that captions differ, and end
    return model


def grids(n: int) -> list[Array]:
    return list(np.random.default_rng(1).normal(size=(n, 2, 3, 8)).astype(np.float16))


def test_all_sides_write_the_same(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(captions, "BATCH", 7)
    vocabulary = Word(min_count=1).fit([WORDS], [])
    model = captioner(len(vocabulary))
    codec = FeaturesCodec.__new__(FeaturesCodec)  # it pads, and computes nothing
    codec.channels = 8
    codecs = Codecs({SOURCE_NAME: codec}, TextCodec(vocabulary))
    plain = copied(model)
    sides = {
        "ours": searched(fastest_searcher(model), codecs),
        "torch": searched(TorchSearcher(model), codecs),
        "leave": looped(plain, leave=True),
        "stay": looped(plain, leave=False),
    }
    rates, written = in_turn(sides, grids(20), 1)
    assert written["ours"] == written["torch"] == written["leave"] == written["stay"]
    lengths = {len(one) for one in written["ours"]}
    assert len(lengths) > 2, lengths  # some end, at different places
    assert "| stay |" in table(rates, written)
    assert "20 of 20" in table(rates, written)


def test_the_table_divides_by_ours() -> None:
    text = table({"ours": [30.0, 20.0, 10.0], "b": [5.0]}, {"ours": [[1], [2]], "b": [[1], [3]]})
    assert text.splitlines()[2:] == [
        "| ours | 20 | 10 to 30 | 1.00 x | 2 of 2 |",
        "| b | 5 | 5 to 5 | 4.00 x | 1 of 2 |",
    ]
