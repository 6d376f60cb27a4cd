"""A language is told only where a model can tell."""

from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from saccade.guards.statistics import gather
from saccade.predict.predictor import Predictor
from saccade.server.detection import detect
from saccade.server.models import Served
from tests.server.conftest import Serve

FRENCH = ["le petit chat dort dans la maison", "une fille voit les grands chiens du jardin"]
GERMAN = ["die kleine katze schläft im haus", "ein mädchen sieht die großen hunde im garten"]


def learned(served: Served, lines: list[str], code: str, times: int = 150) -> Served:
    """Return a model with the profile of other training lines."""
    old = served.translator
    lengths = np.full(len(lines) * times, 8)
    profile = gather(lines * times, lengths, lengths)
    predictor = Predictor(old.model, old.codecs, old.decoding, profile)
    return replace(served, translator=predictor, source=code)


def test_the_language_that_a_text_looks_like_comes_first(tiny: Served) -> None:
    models = [learned(tiny, FRENCH, "fr"), learned(tiny, GERMAN, "de")]
    assert detect(models, "die katze im garten")[0]["language"] == "de"
    found = detect(models, "le chat dort dans la maison")
    assert found[0]["language"] == "fr"
    assert found[0]["confidence"] > 80
    assert found[1] == {"language": "de", "confidence": 0.0}


@pytest.mark.parametrize("text", ["", "le chat", "12345 67890 12345", "zyx wvu tsr qpo nml kji"])
def test_nobody_can_tell(tiny: Served, text: str) -> None:
    assert detect([learned(tiny, FRENCH, "fr")], text) == [{"language": "fr", "confidence": 0.0}]


def test_a_model_without_a_name_or_with_little_to_go_by_does_not_tell(tiny: Served) -> None:
    for model in (learned(tiny, FRENCH, "src"), learned(tiny, FRENCH, "fr", times=20)):
        assert detect([model], FRENCH[0])[0]["confidence"] == 0


def test_the_route_and_auto(serve: Serve, tiny: Served) -> None:
    french = replace(learned(tiny, FRENCH, "fr"), name="a", target="en")
    german = replace(learned(tiny, GERMAN, "de"), name="b", target="en")
    client = serve(german, french)
    body: dict[str, Any] = {"q": FRENCH[0]}
    for sent in (client.post("/detect", json=body), client.post("/detect", data=body)):
        assert sent.json()[0]["language"] == "fr"
    told = client.post("/translate", json=body | {"source": "auto", "target": "en"}).json()
    assert told["detectedLanguage"] == client.post("/detect", json=body).json()[0]
    answer = client.post("/detect", json={"q": None})
    assert answer.status_code == 400
    assert "body.q: Input should be a valid string" in answer.json()["error"]
