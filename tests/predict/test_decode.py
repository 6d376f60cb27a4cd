"""The options of decoding: one value for the command line, the server, Python and the engines."""

import inspect
import subprocess
import sys
from collections.abc import Mapping
from dataclasses import fields
from typing import Any, Unpack, get_type_hints

import pytest

from saccade.api import Trained
from saccade.cli.forecast import forecast
from saccade.cli.translate import translate
from saccade.engines._converted import Converted
from saccade.engines._order import BEAM
from saccade.engines.base import Opened
from saccade.errors import RecipeError
from saccade.parts import Part, find, schema
from saccade.predict.decode import (
    GREEDY,
    USUAL,
    Decode,
    DecodeOptions,
    PredictOptions,
    SampleOptions,
    SearchChoice,
    read_options,
)
from saccade.predict.predictor import Predictor
from saccade.search.base import Search
from saccade.server.schema import Predict

OWN = SearchChoice("beam", {"width": 3, "patient": False})
DEFAULTS = {field.name: field.default for field in fields(Decode)}


def test_equal_options_are_one_key() -> None:
    first = Decode(2, sample={"seed": 3, "top_k": 4}, prefix=["a", "b"])
    same = Decode(beam=2, sample={"top_k": 4, "seed": 3}, prefix=("a", "b"))
    assert len({first, same}) == 1
    assert len({USUAL, Decode(), Decode(None), GREEDY, Decode(search=Part(Search, "greedy"))}) == 2
    listed = Decode(search=SearchChoice("mylab.search", {"widths": [1, 2]}))
    assert listed in {listed}


@pytest.mark.parametrize(
    "other",
    [
        Decode(beam=3),
        Decode(nbest=2),
        Decode(length_penalty=0.0),
        GREEDY,
        Decode(search=SearchChoice("beam", {"width": 2})),
        Decode(sample={}),
        Decode(sample={"seed": 1}),
        Decode(prefix="a"),
        Decode(trace=True),
    ],
    ids=repr,
)
def test_every_option_tells_two_apart(other: Decode) -> None:
    assert other != USUAL


def test_what_was_given_cannot_change_later() -> None:
    options, begins = {"seed": 1}, ["a"]
    decode = Decode(sample=options, search=Part(Search, "sample", options), prefix=begins)
    options["seed"], begins[0] = 2, "b"
    assert decode.prefix == ("a",)
    assert decode.sample == {"seed": 1}
    assert decode.search == SearchChoice("sample", {"seed": 1})


@pytest.mark.parametrize(
    ("decode", "kind", "options"),
    [
        (USUAL, "beam", OWN.options),
        (Decode(trace=True, prefix="a"), "beam", OWN.options),
        (Decode(beam=2), "beam", {"width": 2, "patient": False, "n_best": 1}),
        (Decode(nbest=4), "beam", {"width": 4, "patient": False, "n_best": 4}),
        (Decode(beam=0), "beam", {"width": 0, "patient": False, "n_best": 1}),
        (
            Decode(length_penalty=2),
            "beam",
            {"width": 3, "patient": False, "n_best": 1, "length_penalty": 2.0},
        ),
        (Decode(beam=2, search=Part(Search, "greedy")), "greedy", {}),
        (Decode(nbest=2, sample={"seed": 5}), "sample", {"n": 2, "seed": 5}),
        (Decode(nbest=2, sample={"n": 3}, search=Part(Search, "greedy")), "sample", {"n": 3}),
    ],
)
def test_the_search_to_run(decode: Decode, kind: str, options: dict[str, Any]) -> None:
    assert decode.resolve(OWN) == SearchChoice(kind, options)


def test_a_beam_takes_nothing_from_another_search() -> None:
    own = Part(Search, "sample", {"seed": 3})
    assert USUAL.resolve(own) == SearchChoice("sample", {"seed": 3})
    assert Decode(nbest=2).resolve(own) == SearchChoice("beam", {"width": 5, "n_best": 2})


@pytest.mark.parametrize(
    ("options", "told"),
    [
        ({"beam": "3"}, r"translate: beam: expected a whole number, found '3'. Remove the quotes."),
        ({"nbest": 2.0}, r"translate: nbest: expected a whole number, found 2.0."),
        ({"nbest": None}, r"translate: nbest: expected a whole number, found None."),
        ({"length_penalty": "x"}, r"translate: length_penalty: expected a number, found 'x'"),
        ({"trace": 1}, r"translate: trace: expected true or false, found 1"),
        ({"search": "greedy"}, r"translate: search: expected a part, found 'greedy'. Give one"),
        ({"sample": 0.8}, r"translate: sample: expected options of search.sample, found 0.8."),
        ({"nbset": 2}, r"translate: no option 'nbset'. Did you mean 'nbest'\? Options: beam, nb"),
        ({"chnk": 2}, r"translate: no option 'chnk'. Did you mean 'chunk'\?"),
    ],
)
def test_wrong_options_are_refused(options: dict[str, Any], told: str) -> None:
    with pytest.raises(RecipeError, match=told):
        read_options(options, ["chunk"])


def test_all_problems_are_told_at_once() -> None:
    with pytest.raises(RecipeError) as found:
        Decode(beam="3", sample=1)  # type: ignore[arg-type]
    assert len(found.value.problems) == 2


def test_keywords_are_a_decode_and_those_of_the_call() -> None:
    decode, call = read_options({"beam": 3, "prefix": ["a"], "chunk": 7}, ["watch", "chunk"])
    assert decode == Decode(beam=3, prefix=("a",))
    assert call == {"chunk": 7}


def test_streams_take_options_as_one_value() -> None:
    for opened in (Predictor, Converted):
        assert not set(inspect.signature(opened.stream).parameters) & set(DEFAULTS)


def test_the_command_and_the_server_offer_the_same_options() -> None:
    command = {name: p.default for name, p in inspect.signature(translate).parameters.items()}
    request = {name: field.default for name, field in Predict.model_fields.items()}
    assert not {"search", "trace"} & set(command)  # inspect shows the tree
    assert set(DEFAULTS) - set(command) == {"search", "steps", "trace"}
    assert inspect.signature(forecast).parameters["steps"].default == DEFAULTS["steps"]
    apart = {"search", "sample", "steps", "trace"}  # trace: `want` the tree
    assert set(DEFAULTS) - set(request) == apart
    for offered in (command, request):
        shared = (set(DEFAULTS) & set(offered)) - {"sample"}  # the command's is a flag
        assert {name: offered[name] for name in shared} == {n: DEFAULTS[n] for n in shared}


def test_converted_engines_know_the_options_of_beam_search() -> None:
    assert schema(find(Search, "beam")) == BEAM
    assert not schema(find(Search, "greedy"))
    resolved = Decode(nbest=1, length_penalty=1.0).resolve(SearchChoice("greedy"))
    assert resolved.options["width"] == BEAM["width"].default


def test_it_is_light() -> None:
    code = "import sys, saccade.predict.decode; print(*{'torch', 'numpy'} & set(sys.modules))"
    found = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert found.stdout.strip() == ""


def test_keywords_for_editors_are_those_of_decode() -> None:
    typed, real = get_type_hints(DecodeOptions), get_type_hints(Decode)
    assert typed.pop("sample") == SampleOptions | None
    assert real.pop("sample") == Mapping[str, Any] | None
    assert typed == real
    known = schema(find(Search, "sample"))
    drawn = {n: option.type for n, option in known.items()} | {"bias": float}  # of values
    assert get_type_hints(SampleOptions) == drawn
    assert DecodeOptions.__required_keys__ == frozenset()
    stream = set(inspect.signature(Predictor.stream).parameters) - {"self", "inputs", "decode"}
    assert set(get_type_hints(PredictOptions)) - set(get_type_hints(DecodeOptions)) == stream


@pytest.mark.parametrize("opened", [Predictor, Converted, Trained, Opened])
def test_every_model_takes_the_typed_keywords(opened: type[Any]) -> None:
    for verb in (opened.predict, opened.translate):
        assert get_type_hints(verb)["options"] == Unpack[PredictOptions]
