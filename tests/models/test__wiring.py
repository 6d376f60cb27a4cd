"""Models that cannot read or write what a recipe names are refused before anything is built."""

from typing import Any

import pytest

from saccade import recipe as recipes
from saccade.errors import RecipeError
from saccade.modalities.base import Modality
from saccade.models._wiring import misfits
from saccade.models.base import Model
from saccade.parts import Part, check_part, kinds

TEXT, NUMBERS, IMAGE, BITS = (Part(Modality, kind) for kind in ("text", "numbers", "image", "bits"))
ONE, TWO = {"source": TEXT}, {"story": TEXT, "question": TEXT}


def model(kind: str, **options: Any) -> Part[Model]:
    problems: list[str] = []
    found = check_part(Model, {"kind": kind, **options}, "model", problems)
    assert found is not None
    assert not problems
    return found


@pytest.mark.parametrize("kind", ["closed", "path", "pointer", "values"])
def test_a_head_of_another_model_is_refused(kind: str) -> None:
    said = [
        f"model.head: {kind} cannot be the head of encoder_decoder with a target of kind text."
        " Use symbols, or leave head out."
    ]
    assert misfits(model("encoder_decoder", head=kind), ONE, TEXT) == said
    assert misfits(model("encoder_decoder", head="symbols"), ONE, TEXT) == []
    assert misfits(model("encoder_decoder", head="values"), {"source": NUMBERS}, NUMBERS) == []


def test_a_recipe_check_says_so() -> None:
    reader = {"kind": "tsv", "path": "a"}
    plain: dict[str, Any] = {"data": {"train": reader, "valid": reader}}
    plain |= {"training": {"max_steps": 1}, "model": {"kind": "language_model", "head": "pointer"}}
    with pytest.raises(RecipeError, match=r"r: model.head: pointer cannot be the head of"):
        recipes.from_plain(plain, "r")


def test_models_of_one_source_refuse_two() -> None:
    assert misfits(model("tagger"), TWO, TEXT) == [
        "model: tagger reads one source, but data.sources names 2: story, question. Use classifier,"
        " dynamic_memory, encoder_decoder, ensemble or memory_network."
    ]
    (said,) = misfits(model("language_model"), TWO, TEXT)
    assert said.startswith("model: language_model reads no source, but data.sources names 2: story")
    for kind in ("classifier", "encoder_decoder"):
        assert misfits(model(kind), TWO, TEXT) == []


def test_models_that_read_text_refuse_pictures() -> None:
    assert misfits(model("tagger"), {"source": IMAGE}, TEXT) == [
        "model: tagger reads text or video, but data.source is of kind image. Use classifier, ctc,"
        " encoder_decoder, ensemble, joint_ctc, read_then_write or recurrent_attention."
    ]
    assert misfits(model("classifier"), {"source": IMAGE}, TEXT) == []


def test_symbols_are_not_values() -> None:
    assert misfits(model("dense_forecaster"), {"source": NUMBERS}, TEXT) == [
        "model: dense_forecaster writes values, but data.target is of kind text, which has symbols."
        " Use classifier, ctc, encoder_decoder, ensemble, joint_ctc or read_then_write."
    ]
    (said,) = misfits(model("classifier"), {"source": NUMBERS}, NUMBERS)
    assert said == (
        "model: classifier writes symbols, but data.target is of kind numbers, which has values."
        " Use dense_forecaster, encoder_decoder, kalman or read_then_write."
    )


def test_what_no_model_writes() -> None:
    assert misfits(model("encoder_decoder"), ONE, IMAGE) == [
        "data.target: image can be read but not written; expected text or numbers. Change"
        " data.target.kind."
    ]
    assert misfits(model("encoder_decoder"), ONE, NUMBERS) == [
        "data.target: numbers go on from their source, but data.source is of kind text; expected"
        " numbers. Change data.source."
    ]


def test_a_model_without_a_source_takes_no_pictures() -> None:
    assert misfits(model("language_model"), {"source": IMAGE}, TEXT) == [
        "model: language_model reads no source, but data.source is of kind image. Use classifier,"
        " ctc, encoder_decoder, ensemble, joint_ctc, read_then_write or recurrent_attention."
    ]


def test_embedders_fit_their_sources() -> None:
    wrong = model("encoder_decoder", embedder="cnn")
    assert misfits(wrong, ONE, TEXT) == [
        "model.embedder: cnn cannot read source 'source' of kind text. Use symbols, or leave it"
        " out."
    ]
    both = {"picture": IMAGE, "question": TEXT}
    fitting = model("encoder_decoder", embedders={"picture": "cnn"}, embedder="symbols")
    assert misfits(fitting, both, TEXT) == []
    swapped = model("encoder_decoder", embedders={"question": "cnn"})
    (said,) = misfits(swapped, both, TEXT)
    assert said.startswith("model.embedders.question: cnn cannot read source 'question' of kind")


def test_embedders_and_encoders_name_sources() -> None:
    odd = model("encoder_decoder", embedders={"storry": "symbols"}, encoders={"x": "rnn"})
    assert misfits(odd, TWO, TEXT) == [
        "model.embedders: there is no source 'storry'. Did you mean 'story'? Sources: story,"
        " question.",
        "model.encoders: there is no source 'x'. Sources: story, question.",
    ]


@pytest.mark.parametrize("kind", kinds(Model))
def test_every_model_fits_something(kind: str) -> None:
    others = {
        "dense_forecaster": (NUMBERS, NUMBERS),
        "draw": (TEXT, BITS),
        "kalman": (NUMBERS, NUMBERS),
        "recurrent_attention": (IMAGE, TEXT),
    }
    source, target = others.get(kind, (TEXT, TEXT))
    assert misfits(model(kind), {"source": source}, target) == []


def test_a_model_of_bits_writes_nothing_else() -> None:
    assert misfits(model("draw"), {"source": TEXT}, Part(Modality, "strokes")) == [
        "model: draw writes bits, but data.target is of kind strokes. Use dense_forecaster,"
        " encoder_decoder or read_then_write."
    ]


@pytest.mark.parametrize("name", ["../x", "a.b", "", "values", "two words"])
def test_names_of_sources_are_words(name: str) -> None:
    assert misfits(model("encoder_decoder"), {name: TEXT}, TEXT) == [
        f"data.sources: '{name}' cannot be the name of a source; expected a word of letters, digits"
        " and _, such as story. Choose another."
    ]
