"""Recipes of older versions name models that have other names now."""

from saccade.models._legacy import upgraded


def test_a_forecaster_becomes_an_encoder_decoder_of_numbers() -> None:
    old = {
        "model": {"kind": "forecaster", "relative": True, "encoder": "rnn"},
        "data": {"source": {"max_length": 9}, "train": []},
    }
    new, notes = upgraded(old)
    assert new["model"] == {
        "kind": "encoder_decoder",
        "embedding": 32,
        "dropout": 0.0,
        "encoder": "rnn",
        "head": {"kind": "values", "relative": True},
    }
    assert new["data"]["source"] == {"kind": "numbers", "max_length": 9}
    assert new["data"]["target"] == {"kind": "numbers"}
    assert notes == [
        "model forecaster: data.source and data.target are now of kind numbers.",
        "model forecaster is now encoder_decoder with head: values.",
    ]
    assert old["data"] == {"source": {"max_length": 9}, "train": []}, "what was given stays"


def test_what_is_written_as_today_stays() -> None:
    numbers = {"kind": "numbers"}
    today = {"model": "dense_forecaster", "data": {"source": numbers, "target": numbers}}
    assert upgraded(today) == (
        {"model": {"kind": "dense_forecaster"}, "data": today["data"]},
        [],
    )
    for untouched in ({"model": 3, "data": {}}, {"model": "tagger", "data": {}}, {"data": 1}):
        assert upgraded(untouched) == (untouched, [])
