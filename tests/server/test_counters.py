"""What the server counts, as Prometheus reads it."""

import re

from saccade.server.counters import Counters, Histogram


def test_a_histogram_counts_what_is_at_most_each_edge() -> None:
    one = Histogram((1.0, 2.5))
    for value in (0.5, 1.0, 2.0, 9.0):
        one.add(value)
    assert list(one.lines("size", (("model", "a"),))) == [
        'size_bucket{model="a",le="1"} 2',
        'size_bucket{model="a",le="2.5"} 3',
        'size_bucket{model="a",le="+Inf"} 4',
        'size_sum{model="a"} 12.500000',
        'size_count{model="a"} 4',
    ]


def test_names_of_models_cannot_break_the_text() -> None:
    counters = Counters()
    counters.of_model('odd"}\nname\\').batch(2, 30, 0.5)
    counters.request("/v1/predict", 200, 0.01)
    counters.request("/v1/predict", 200, 0.02)
    text = counters.text({'odd"}\nname\\': 3})
    assert r'saccade_pieces_total{model="odd\"}\nname\\"} 30' in text
    assert 'saccade_requests_total{route="/v1/predict",status="200"} 2' in text
    assert text.endswith('saccade_held_texts{model="odd\\"}\\nname\\\\"} 3\n')
    line = re.compile(r"#.*|saccade_\w+\{.*\} [\d.]+")
    assert all(line.fullmatch(one) for one in text.splitlines())
