"""What is compared by length, and which runs are trained for it."""

import json
from pathlib import Path

from saccade.experiments.comparison import Variant, by_length, train_all
from saccade.experiments.measures import Judged
from saccade.folders.facts import BEGUN, FORMAT
from saccade.folders.rivals import RIVALS
from saccade.metrics.exact_match import ExactMatch
from saccade.nouns import pair
from tests.train import small


def judged(outputs: list[str], references: list[str]) -> Judged:
    return Judged(ExactMatch(), outputs, [[one] for one in references], {})


def test_single_words_are_told_apart_by_their_letters() -> None:
    sources = ["ab", "abc", "abcdefgh", "abcdefghi"]
    examples = [pair(source, "x") for source in sources]
    found = by_length(judged(["x", "x", "y", "y"], ["x"] * 4), examples)
    assert len(found) > 1
    assert [found[0].value, found[-1].value] == [100.0, 0.0]
    assert sum(one.count for one in found) == 4


def test_sentences_are_told_apart_by_their_words() -> None:
    examples = [pair("a b", "x"), pair("abcdefgh", "x")]
    found = by_length(judged(["x", "y"], ["x", "x"]), examples)
    assert [(one.length, one.value) for one in found] == [(1.0, 0.0), (2.0, 100.0)]


def test_models_without_a_source_have_nothing_to_tell() -> None:
    assert by_length(judged(["x"], ["x"]), [pair("", "x")]) == []


def _trained(folder: Path) -> Path:
    """Return the folder of a run that is to be compared, trained if it is not finished."""
    recipe = small.recipe(max_steps=2, validate_every=1)
    (found,) = train_all([Variant("run", recipe)], folder, console=small.quiet())["run"]
    return found


def test_a_run_that_was_stopped_before_its_report_is_not_finished(tmp_path: Path) -> None:
    run = _trained(tmp_path)
    last = [run / RIVALS, run / "report.html"]
    for path in last:
        path.unlink()
    assert _trained(tmp_path) == run
    assert all(path.exists() for path in last)


def test_a_run_that_was_stopped_at_its_first_checkpoint_begins_again(tmp_path: Path) -> None:
    run = _trained(tmp_path)
    (run / "model.safetensors").unlink()
    facts = {"format": FORMAT, BEGUN: True}
    (run / "saccade.json").write_text(json.dumps(facts), encoding="utf-8")
    assert _trained(tmp_path) == run
    assert (run / "model.safetensors").exists()
