"""Whatever is sent, nothing breaks: every answer is below 500, and is JSON where it says so."""

from collections.abc import Iterator
from contextlib import suppress
from typing import Any

import pytest
import schemathesis
from hypothesis import HealthCheck, Phase, given, settings
from hypothesis.errors import Unsatisfiable
from schemathesis import GenerationMode
from schemathesis.checks import not_a_server_error

from saccade.server.app import Settings, create_app
from saccade.server.limits import Limits
from saccade.server.models import Served

LIMITS = Limits(characters=60, items=4, beam=3, cells=2_000)


@pytest.fixture
def api(pair: list[Served]) -> Iterator[Any]:
    app = create_app(pair, Settings(limits=LIMITS))
    yield schemathesis.openapi.from_asgi("/openapi.json", app)
    app.state.desk.close()


def _attack(api: Any, n: int) -> int:
    """Send `n` requests that fit the description and `n` that do not to every route."""
    tried = 0

    def send(case: Any) -> None:
        nonlocal tried
        tried += 1
        answer = case.call()
        case.validate_response(answer, checks=[not_a_server_error])
        if answer.status_code >= 400:
            assert set(answer.json()) == {"error"}
            assert answer.status_code != 422

    plain: Any = settings(
        max_examples=n,
        deadline=None,
        suppress_health_check=list(HealthCheck),
        phases=[Phase.generate],
        database=None,
        derandomize=True,
    )
    for operation in api.get_all_operations():
        for mode in GenerationMode:
            cases = operation.ok().as_strategy(generation_mode=mode)
            given_cases: Any = given(cases)
            attempt = plain(given_cases(send))
            with suppress(Unsatisfiable):  # a route that takes nothing cannot be given it wrong
                attempt()
    return tried


def test_nothing_breaks(api: Any) -> None:
    assert _attack(api, 3) > 30


@pytest.mark.slow
def test_nothing_breaks_however_long_one_tries(api: Any) -> None:
    assert _attack(api, 300) > 1000
