"""The verbs: train, evaluate, average, and what they promise."""

import sys
from pathlib import Path
from typing import Any

import pytest
import torch

from saccade import recipe as recipes
from saccade.errors import CheckpointError, DataError, RecipeError, TrainingError
from saccade.folders import model as folders
from saccade.folders import starting
from saccade.folders.identity import read_identity
from saccade.learners import _bench
from saccade.metrics.base import Metric
from saccade.nouns import Hypothesis, Side
from saccade.parts import Part
from saccade.predict.prediction import Prediction
from saccade.predict.predictor import Predictor
from saccade.run import average, count_parameters, evaluate, read_recipe, train
from saccade.train import weights
from saccade.train.checkpoint import Checkpoints
from tests.train import small


def test_the_same_seed_is_the_same_run_and_another_another(tmp_path: Path) -> None:
    small.run(tmp_path / "a", max_steps=3)
    torch.manual_seed(99)
    small.run(tmp_path / "b", max_steps=3)
    small.assert_same(tmp_path / "a", tmp_path / "b")
    small.run(tmp_path / "c", max_steps=3, seed=2)
    losses = [[row["loss"] for row in small.rows(tmp_path / name)] for name in "ac"]
    assert losses[0] != losses[1]


def test_the_world_outside_stays_as_it_was(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    torch.manual_seed(5)
    before, asked = torch.get_rng_state(), list[int]()
    monkeypatch.setattr(torch, "get_num_threads", lambda: 7)
    monkeypatch.setattr(torch, "set_num_threads", asked.append)
    small.run(tmp_path, max_steps=2, threads=2)
    assert torch.equal(torch.get_rng_state(), before)
    assert (asked[0], asked[-1]) == (2, 7)  # decoding on several threads asks in between


def test_a_run_folder_is_complete(tmp_path: Path) -> None:
    run = small.run(tmp_path / "run", max_steps=3)
    names = {path.name for path in (tmp_path / "run").iterdir()}
    assert names == {
        *("recipe.yaml", "saccade.json", "source.json", "target.json", "model.safetensors"),
        *("checkpoints", "metrics.jsonl", "train.log", "README.md", "report.html", "profile.json"),
        *("examples.json", "rivals.json"),
    }
    assert count_parameters(run.predictor.model) > 1000
    assert run.reason == "reached max_steps 3"
    loaded = folders.load(run.folder)
    assert loaded.translate("123").text == run.predictor.translate("123").text


def test_patience_stops_after_so_many_worse(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    losses = iter([3.0, 2.0, 2.5, 2.0, 9.0])
    monkeypatch.setattr("saccade.learners._bench.loss_of", lambda *_: next(losses))
    options: dict[str, Any] = {"schedule": "constant", "min_steps": 1}
    run = small.run(tmp_path, max_steps=0, patience=2, validate_every=1, **options)
    assert run.reason == "no better loss in 2 validations"
    assert (run.progress.step, run.progress.stale()) == (4, 2)
    assert run.progress.best is not None
    assert run.progress.best.step == 2
    assert Checkpoints(tmp_path).index().best[0] == "step-00000002"


def test_patience_waits_for_warm_up_and_a_least_number_of_steps(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("saccade.learners._bench.loss_of", lambda *_: 1.0)
    options: dict[str, Any] = {"max_steps": 0, "patience": 2, "validate_every": 1}
    slow: dict[str, Any] = {"schedule": {"kind": "inverse_sqrt", "warmup": 6}, "min_steps": 3}
    assert small.run(tmp_path / "warm", **options, **slow).progress.step == 8
    options |= {"schedule": "constant", "min_steps": 5}
    assert small.run(tmp_path / "least", **options).progress.step == 7


def test_a_metric_that_does_not_move_leaves_the_choice_to_the_loss(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    losses = iter([3.0, 2.0, 2.5, 1.0, 1.5, 1.5])
    monkeypatch.setattr("saccade.learners._bench.loss_of", lambda *_: next(losses))
    options: dict[str, Any] = {"metrics": ["exact_match"], "select": "exact_match"}
    options |= {"schedule": "constant", "learning_rate": 1e-9, "min_steps": 1, "patience": 2}
    run = small.run(tmp_path, max_steps=0, validate_every=1, **options)
    assert run.progress.step == 6, "a lower loss is an improvement"
    assert run.progress.best is not None
    assert run.progress.best.step == 4
    assert Checkpoints(tmp_path).index().best[0] == "step-00000004"
    log = (tmp_path / "train.log").read_text(encoding="utf-8").splitlines()
    marked = [line.split("step ")[1][0] for line in log if line.endswith(" *")]
    assert marked == ["1", "2", "4"]
    chosen = weights.load(tmp_path / "checkpoints" / "step-00000004" / "model.safetensors")
    small.equal(weights.load(tmp_path / "model.safetensors"), chosen)


def test_a_warm_up_longer_than_the_run_is_told_at_the_start(tmp_path: Path) -> None:
    small.run(tmp_path, max_steps=3)
    log = (tmp_path / "train.log").read_text(encoding="utf-8").splitlines()
    assert "Warning: warm-up of 400 steps, but this run has 3: the learning rate" in log[1]


@pytest.mark.parametrize(("metric", "better"), [("exact_match", 1), ("bleu", 1), ("wer", 0)])
def test_the_best_checkpoint_by_any_metric(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, metric: str, better: int
) -> None:
    text, side = "one two three four five", {"tokenizer": "character"}
    pairs = {"kind": "pairs", "pairs": [["12345", text]]}
    data = {"train": pairs, "valid": pairs, "source": side, "target": side}
    outputs = iter(["no", text, "one two"])

    def written(opened: Predictor, *_: object) -> list[Prediction]:
        tokens = opened.target.encode([next(outputs)])[0]
        hypothesis = Hypothesis(tuple(tokens.tolist()), 0.0, ())
        return [Prediction({"source": "12345"}, {}, hypothesis, opened)]

    monkeypatch.setattr(_bench, "outputs_for", written)
    options: dict[str, Any] = {"max_steps": 3, "validate_every": 1, "keep_last": 3}
    small.run(tmp_path, data=data, metrics=[metric], select=metric, **options)
    index = Checkpoints(tmp_path).index()
    assert index.best[0] == "step-00000002"
    assert (index.figures["step-00000002"] < 0) == bool(better)
    best = weights.load(tmp_path / "checkpoints" / "step-00000002" / "model.safetensors")
    small.equal(weights.load(tmp_path / "model.safetensors"), best)


def test_the_metric_is_measured_on_what_the_model_writes(tmp_path: Path) -> None:
    run = small.run(tmp_path, max_steps=1, metrics=["exact_match", "bleu"], ema=0.5)
    assert set(run.progress.validations[-1].figures) == {"loss", "exact_match", "bleu"}


def test_minutes_end_a_run(tmp_path: Path) -> None:
    run = small.run(tmp_path, max_steps=0, max_minutes=1e-6)
    assert run.reason == "reached max_minutes 1e-06"
    assert run.progress.step == 1


def test_epochs_end_a_run(tmp_path: Path) -> None:
    run = small.run(tmp_path, max_steps=0, max_epochs=1)
    assert run.reason == "reached max_epochs 1"
    assert (run.progress.epoch, run.progress.batch) == (1, 0)
    assert [validation.due for validation in run.progress.validations] == [True]


def test_a_validation_that_is_not_a_number(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("saccade.learners._bench.loss_of", lambda *_: float("nan"))
    with pytest.raises(TrainingError) as caught:
        small.run(tmp_path, max_steps=2, validate_every=1)
    assert str(caught.value) == (
        "step 1: the validation loss is nan; expected a number. The last checkpoint is kept; begin"
        " a new run with --from it and a lower training.learning_rate."
    )


def test_a_loss_that_is_not_a_number_ends_a_run_that_chooses_by_a_metric(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("saccade.learners._bench.loss_of", lambda *_: float("nan"))
    with pytest.raises(TrainingError, match="step 2: the validation loss is nan; expected a numb"):
        small.run(tmp_path, max_steps=2, metrics=["cer"], select="cer", validate_every=2)


def test_starting_from_another_model(tmp_path: Path) -> None:
    small.run(tmp_path / "a", max_steps=2)
    train(
        small.recipe(max_steps=1, seed=3),
        tmp_path / "b",
        start_from=tmp_path / "a",
        console=small.quiet(),
    )
    first = read_identity(tmp_path / "a").facts["vocabularies"]
    assert read_identity(tmp_path / "b").facts["vocabularies"] == first


def test_paths_start_at_the_root(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    data_folder, elsewhere = tmp_path / "data", tmp_path / "elsewhere"
    for folder in (data_folder, elsewhere):
        folder.mkdir()
    (data_folder / "p.tsv").write_text("12\tot\n3\tt\n", encoding="utf-8")
    monkeypatch.chdir(elsewhere)
    files = {"kind": "tsv", "path": "p.tsv"}
    side = {"tokenizer": "character"}
    data = {"train": files, "valid": files, "test": files, "source": side, "target": side}
    recipe = small.recipe(data=data, max_steps=1, metrics=["bleu"])
    run = train(recipe, Path("run"), root=data_folder, console=small.quiet())
    assert "12" in (run.folder / "report.html").read_text(encoding="utf-8")
    assert len(evaluate(run.folder, root=data_folder).examples) == 2


def test_the_final_model_averages_the_last_validated(tmp_path: Path) -> None:
    small.run(tmp_path, max_steps=4, validate_every=1, average=3)
    names = Checkpoints(tmp_path).index().validated[-3:]
    assert names == ["step-00000002", "step-00000003", "step-00000004"]
    found = [weights.load(tmp_path / "checkpoints" / n / "model.safetensors") for n in names]
    small.equal(weights.load(tmp_path / "model.safetensors"), weights.average(found))


def test_an_average_never_holds_the_untrained_start(tmp_path: Path) -> None:
    small.run(tmp_path, max_steps=2, validate_every=1, average=5)
    assert Checkpoints(tmp_path).index().names == ["step-00000001", "step-00000002"]


def test_average_writes_a_model(tmp_path: Path) -> None:
    small.run(tmp_path / "run", max_steps=3, validate_every=1, keep_last=3, keep_best=3)
    assert average(tmp_path / "run", tmp_path / "mean", last=2) == [
        "step-00000002",
        "step-00000003",
    ]
    folders.load(tmp_path / "mean").translate("1")
    assert len(average(tmp_path / "run", tmp_path / "all")) == 3
    assert len(average(tmp_path / "run", tmp_path / "best", best=1)) == 1
    with pytest.raises(CheckpointError) as caught:
        average(tmp_path / "run", tmp_path / "more", last=9)
    assert str(caught.value) == (
        f"{tmp_path / 'run'}: asked for 9 validated checkpoints, found 3. Keep more with"
        " training.keep_last or training.keep_best."
    )
    with pytest.raises(CheckpointError, match="already holds files"):
        average(tmp_path / "run", tmp_path / "mean", last=2)
    with pytest.raises(CheckpointError) as caught:
        small.run(tmp_path / "mean", resume=True, max_steps=3, validate_every=1, keep_best=3)
    assert str(caught.value) == (
        f"{tmp_path / 'mean'}: holds no checkpoint to resume; it is a finished model. Begin a new"
        " run with --from this folder."
    )


def test_evaluate(tmp_path: Path) -> None:
    small.run(tmp_path, max_steps=1)
    found = evaluate(tmp_path, "valid", metrics=[Part(Metric, "exact_match")], most=5)
    assert (found.split, len(found.examples), len(found.predictions)) == ("valid", 5, 5)
    assert set(found.figures) == {"exact_match"}
    assert found.plain()["examples"] == 5
    with pytest.raises(RecipeError) as caught:
        evaluate(tmp_path, "tset")
    assert str(caught.value) == f"{tmp_path}: no split 'tset'; there are valid."


def test_a_disk_without_room_for_the_ids(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def full(*_: object) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr("saccade.data.store.build", full)
    with pytest.raises(DataError) as caught:
        small.run(tmp_path / "run")
    assert str(caught.value) == (
        f"{tmp_path / 'home' / 'store'}: the encoded data cannot be kept there: No space left on"
        " device; expected a place to write. Free some space, or set SACCADE_HOME to another"
        " folder."
    )
    assert not (tmp_path / "run").exists()


def test_reading_a_recipe_with_another_seed(tmp_path: Path) -> None:
    path = tmp_path / "r.yaml"
    path.write_text(small.recipe().to_yaml(), encoding="utf-8")
    assert read_recipe(path, ["training.clip=2"], seed=7).seed == 7
    assert read_recipe(path, ["training.clip=2"]).training.clip == 2.0


def test_tensorboard_that_is_not_installed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "torch.utils.tensorboard", None)
    with pytest.raises(RecipeError) as caught:
        small.run(tmp_path / "run", tensorboard=True)
    assert str(caught.value) == (
        "training.tensorboard: TensorBoard is not installed. pip install saccade[track], or set it"
        " to false."
    )
    assert not (tmp_path / "run").exists()


def test_a_language_model_starts_a_decoder_weight_for_weight(tmp_path: Path) -> None:
    reader = {"kind": "pairs", "pairs": [["", target] for _, target in small.pairs(0, 40)]}
    plain = {"kind": "rnn", "hidden": 16, "attention": "none", "wiring": "luong"}
    raw = small.recipe(max_steps=1).plain()
    data = {"train": [reader], "valid": reader, "target": raw["data"]["target"]}
    model = {"kind": "language_model", "embedding": 16, "decoder": plain}
    writer = recipes.from_plain({**raw, "data": data, "model": model})
    train(writer, tmp_path / "lm", console=small.quiet())
    rnn = {"kind": "rnn", "hidden": 8}
    raw["model"] |= {"encoder": rnn, "decoder": {**plain, "attention": "dot"}}
    recipe = recipes.from_plain(raw)
    run = train(recipe, tmp_path / "mt", start_from=tmp_path / "lm", console=small.quiet())
    known, identity = folders.read_weights(tmp_path / "lm")[0], read_identity(run.folder)
    assert identity.codecs.target.fingerprint == run.predictor.target.fingerprint
    fresh = folders.build_model(recipe, identity.codecs)
    said = starting.start_weights(fresh, recipe, tmp_path / "lm")
    own = weights.of(fresh)
    taken = [n for n in own if n in known and torch.equal(own[n], known[n])]
    assert {"target_embedding.weight", "head.bias", "decoder.cells.0.U"} <= set(taken)
    assert f"took {len(taken)} weights ({', '.join(taken)}); new are" in said
    raw["model"] |= {"embedding": 8, "tie": "none", "decoder": {"kind": "transformer", "layers": 1}}
    raw["model"]["decoder"]["attention"] = {"kind": "multihead", "heads": 2}
    narrow = recipes.from_plain(raw)
    other = narrow.model.build(identity.codecs.shape[0], Side(7))
    with pytest.raises(
        CheckpointError, match=r"none of its 10 weights fits the recipe's model; exp"
    ):
        starting.start_weights(other, narrow, tmp_path / "lm")


def test_the_encoder_of_ctc_starts_one_with_attention(tmp_path: Path) -> None:
    raw = small.recipe(max_steps=1).plain()
    encoder = {"kind": "rnn", "hidden": 8}
    ctc = {"kind": "ctc", "embedding": 16, "encoder": encoder, "split": 4}
    training = {**raw["training"], "objective": "ctc"}
    decoding = {**raw["decoding"], "search": "ctc_greedy"}
    frames = recipes.from_plain({**raw, "model": ctc, "training": training, "decoding": decoding})
    train(frames, tmp_path / "ctc", console=small.quiet())
    raw["model"] |= {"embedding": 16, "encoder": encoder}
    recipe = recipes.from_plain(raw)
    train(recipe, tmp_path / "attention", start_from=tmp_path / "ctc", console=small.quiet())
    known, identity = (
        folders.read_weights(tmp_path / "ctc")[0],
        read_identity(tmp_path / "ctc"),
    )
    fresh = folders.build_model(recipe, identity.codecs)
    said = starting.start_weights(fresh, recipe, tmp_path / "ctc")
    own = weights.of(fresh)
    taken = [n for n in own if n in known and torch.equal(own[n], known[n])]
    assert taken == [n for n in own if n.startswith("reading.")]
    assert said.startswith("Started from the ctc ")
    assert f"took {len(taken)} weights" in said


def test_a_pair_that_does_not_match_is_named(tmp_path: Path) -> None:
    reader = {"kind": "pairs", "pairs": [["a b", "X Y"], ["a b a", "X Y"]]}
    side = {"tokenizer": {"kind": "word", "punctuation": False}}
    data = {"train": [reader], "valid": reader, "source": side, "target": side}
    raw = {**small.recipe(max_steps=1).plain(), "data": data, "model": {"kind": "tagger"}}
    message = (
        r"pairs:2: 3 source pieces but 2 target symbols; expected 1 of the one for each of the"
        r" other \(1 of 2 pairs differ\)\. Mend the data, or cut both sides at spaces"
    )
    with pytest.raises(DataError, match=message):
        train(recipes.from_plain(raw), tmp_path / "run", console=small.quiet())
