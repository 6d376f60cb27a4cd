"""What a fork of the process that opened a model may do with it."""

import os
from pathlib import Path

import pytest
import torch

import saccade
from saccade.errors import WorkerError
from saccade.predict.fork import Origin
from tests.engines.folders import write_noise


def test_a_fork_with_several_threads_is_refused_before_it_waits_for_ever(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    origin, parent = Origin(), os.getpid()
    torch.set_num_threads(2)
    origin.check()
    monkeypatch.setattr(os, "getpid", lambda: parent + 1)
    with pytest.raises(WorkerError) as caught:
        origin.check()
    assert str(caught.value) == (
        f"this process, {parent + 1}, is a fork of {parent}, which opened the model, and is to"
        " compute with 2 threads; they do not survive a fork. Call torch.set_num_threads(1) first,"
        " or start processes by spawn and open the model in each: docs/faq.md has an example."
    )
    torch.set_num_threads(1)
    origin.check()


def test_predicting_and_scoring_ask(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    model = saccade.load(write_noise(tmp_path))
    assert model.predict("a b").text is not None
    parent = os.getpid()
    torch.set_num_threads(2)
    monkeypatch.setattr(os, "getpid", lambda: parent + 1)
    with pytest.raises(WorkerError, match="is a fork of"):
        model.predict("a b")
    with pytest.raises(WorkerError, match="is a fork of"):
        model.score(["a b"], ["a"])
