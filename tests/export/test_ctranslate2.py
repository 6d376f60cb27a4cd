from pathlib import Path
from typing import Any

import ctranslate2
import pytest
import torch

import saccade
from saccade.errors import RecipeError
from saccade.export.base import export
from saccade.tokenizers._vocabulary import Vocabulary
from tests.engines.folders import SOURCES, stack, write_noise

RNN = {"kind": "rnn", "hidden": 8}


@pytest.mark.parametrize(
    ("model", "told"),
    [
        (
            {"encoder": RNN, "decoder": stack()},
            r"model.encoder.kind is rnn, which ctranslate2 has no counterpart of; expected transf",
        ),
        ({"encoder": stack(), "decoder": RNN}, r"model.decoder.kind is rnn, which ctranslate2"),
        (
            {"encoder": stack(neighbourhood=2), "decoder": stack()},
            r"model.encoder.neighbourhood is 2, which ctranslate2 has no .* expected 0",
        ),
        (
            {"encoder": stack(attention="scaled_dot"), "decoder": stack()},
            r"encoder.attention is scaled_dot, .*; expected multihead. Use .*, or export to onnx",
        ),
        (
            {"encoder": stack(), "decoder": stack(attention={"heads": 2, "score": "additive"})},
            r"model.decoder.attention.score is additive, .*; expected scaled_dot",
        ),
        (
            {"encoder": stack(), "decoder": stack(attention={"heads": 2, "key_width": 3})},
            r"model.decoder.attention.key_width is 3, .*; expected 0",
        ),
        (
            {"encoder": stack(), "decoder": stack(positions={"kind": "rotary", "across": True})},
            r"model.decoder.positions.across is true, .*; expected false",
        ),
        (
            {"encoder": stack(positions="merged"), "decoder": stack()},
            r"model.encoder.positions is merged, .*; expected one of learned, none, relative, ro",
        ),
    ],
)
def test_what_has_no_counterpart_is_refused(
    tmp_path: Path, model: dict[str, Any], told: str
) -> None:
    folder = write_noise(tmp_path / "model", model)
    with pytest.raises(RecipeError, match=told):
        export("ctranslate2", folder, tmp_path / "out")
    assert not (tmp_path / "out").exists()
    line = "four five"
    automatic = saccade.load(folder, engine="auto").translate(line)
    assert automatic.text == saccade.load(folder).translate(line).text


def test_other_models_are_refused(tmp_path: Path) -> None:
    model = {"kind": "pointer_generator", "encoder": RNN, "decoder": RNN}
    folder = write_noise(tmp_path / "model", model, joint=True)
    with pytest.raises(RecipeError, match=r"model.kind is pointer_generator, .* encoder_decoder"):
        export("ctranslate2", folder, tmp_path / "out")


def test_unknown_rounding_is_refused(tmp_path: Path) -> None:
    folder = write_noise(tmp_path / "model")
    told = r"--quantise int3: ctranslate2 does not know it; expected one of float32, int8\."
    with pytest.raises(RecipeError, match=told):
        export("ctranslate2", folder, tmp_path / "out", "int3")


@pytest.mark.parametrize("quantise", ["float32", "int8"])
def test_the_folder_works_with_the_package_alone(tmp_path: Path, quantise: str) -> None:
    folder, out = write_noise(tmp_path / "model"), tmp_path / "out"
    before = saccade.load(folder).translate(SOURCES)
    export("ctranslate2", folder, out, quantise)
    after = saccade.load(folder).translate(SOURCES)
    assert [f.score for f in after] == [f.score for f in before]
    source, target = (Vocabulary.load(out / f"{side}.json") for side in ("source", "target"))
    plain = ctranslate2.Translator(str(out), device="cpu", intra_threads=1)
    pieces = [[source.spellings[i] for i in source.encode(text)] for text in SOURCES]
    found = plain.translate_batch(pieces, beam_size=1, max_decoding_length=10)
    ids = [[target.spellings.index(piece) for piece in one.hypotheses[0]] for one in found]
    if quantise == "float32":
        greedy = saccade.load(folder).translate(SOURCES, beam=1)
        assert [target.decode(row) for row in ids] == [f.text[:10] for f in greedy]


def test_the_weights_are_not_touched_by_rounding(tmp_path: Path) -> None:
    folder = write_noise(tmp_path / "model")
    model = saccade.load(folder).model
    before = {name: p.clone() for name, p in model.named_parameters()}
    export("ctranslate2", folder, tmp_path / "out", "int8")
    assert all(torch.equal(before[name], p) for name, p in model.named_parameters())
