"""Run folders: what is refused, by text, and that nothing is lost or locked by a kill."""

import json
import shutil
from pathlib import Path

import pytest

from saccade import recipe as recipes
from saccade.errors import CheckpointError, RecipeError
from saccade.folders import claims, starting
from saccade.folders import model as folders
from saccade.folders.identity import read_identity
from saccade.run import train
from saccade.tokenizers.character import Character
from saccade.train import weights
from saccade.train.checkpoint import Checkpoints
from saccade.train.seals import seal_of
from tests.engines.folders import plain_recipe, write_noise
from tests.samples import text_codecs
from tests.train import small


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("made") / "run"
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("SACCADE_HOME", str(folder.parent / "home"))
        small.run(folder, max_steps=2)
    return folder


@pytest.fixture
def run(made: Path, tmp_path: Path) -> Path:
    return Path(shutil.copytree(made, tmp_path / "run"))


def refusal(folder: Path) -> str:
    with pytest.raises(CheckpointError) as caught:
        folders.load(folder)
    return str(caught.value)


def test_a_whole_folder_loads(run: Path) -> None:
    assert folders.load(run).translate(["12", "3"])[0].source_text == "12"
    facts = json.loads((run / "saccade.json").read_text(encoding="utf-8"))
    assert facts["format"] == 2
    assert facts["seed"] == 1
    assert set(facts["data"]) == {"train 1", "valid"}
    assert {"saccade", "torch", "python"} <= set(facts["versions"])


def test_no_folder(tmp_path: Path) -> None:
    assert refusal(tmp_path / "no") == (
        f"{tmp_path / 'no'}: no such model folder. `saccade train RECIPE` makes one."
    )


def test_not_ours(tmp_path: Path) -> None:
    assert refusal(tmp_path) == (
        f"{tmp_path}: not a saccade model folder: it has no saccade.json. Give the folder that"
        " `saccade train` wrote."
    )


def test_newer_format(run: Path) -> None:
    path = run / "saccade.json"
    path.write_text(json.dumps({**json.loads(path.read_text()), "format": 9}), encoding="utf-8")
    assert refusal(run) == (
        f"{run}: written in format 9 by a newer saccade; this one reads up to format 2. Upgrade"
        " saccade."
    )


@pytest.mark.parametrize("text", ["", "[1]", '{"format": "x"}', '{"for', "{}"])
def test_damaged_facts(run: Path, text: str) -> None:
    (run / "saccade.json").write_text(text, encoding="utf-8")
    message = refusal(run)
    assert message.startswith(f"{run / 'saccade.json'}: damaged (")
    assert message.endswith("expected the facts of a run. Copy the model folder again.")


def test_a_tokenizer_of_another_model(run: Path, tmp_path: Path) -> None:
    other = tmp_path / "other"
    data = {
        "train": {"kind": "pairs", "pairs": [["a", "b"]]},
        "valid": {"kind": "pairs", "pairs": [["a", "b"]]},
    }
    small.run(other, max_steps=1, data=data)
    shutil.copy(other / "source.json", run / "source.json")
    path = run / "source.json"
    assert refusal(run).startswith(f"{path}: damaged or changed: its SHA-256 is {seal_of(path)};")
    small.unseal(run)
    assert refusal(run) == (
        f"{path}: this tokenizer does not belong to the model: it is not the one that was saved"
        " with it. Put the original file back."
    )


def test_a_missing_tokenizer(run: Path) -> None:
    (run / "target.json").unlink()
    assert refusal(run).startswith(f"{run / 'target.json'}: no such vocabulary")


def test_a_recipe_that_cannot_be_followed(run: Path) -> None:
    (run / "recipe.yaml").write_text("name: [", encoding="utf-8")
    assert refusal(run).startswith(f"{run}: its recipe cannot be followed.\n{run / 'recipe.yaml'}:")


def test_truncated_weights(run: Path) -> None:
    path = run / "model.safetensors"
    path.write_bytes(path.read_bytes()[:500])
    assert refusal(run).startswith(f"{path}: not a whole safetensors file (")


def test_weights_of_another_model(run: Path) -> None:
    recipe = run / "recipe.yaml"
    text = (
        recipe.read_text(encoding="utf-8")
        .replace("embedding: 16", "embedding: 12")
        .replace("hidden: 16", "hidden: 12")
    )
    recipe.write_text(text, encoding="utf-8")
    assert "the recipe's model needs [" in refusal(run)


def test_missing_weights(run: Path) -> None:
    (run / "model.safetensors").unlink()
    assert folders.read_weights(run)[1].endswith("model.safetensors")  # a checkpoint's
    shutil.rmtree(run / "checkpoints")
    assert refusal(run) == (
        f"{run}: its weights are missing: there is neither model.safetensors nor a checkpoint."
        " Copy the model folder again."
    )


def test_a_checkpoint_without_its_weights(run: Path) -> None:
    (run / "model.safetensors").unlink()
    lost = run / "checkpoints" / Checkpoints(run).index().best[0] / "model.safetensors"
    lost.unlink()
    assert refusal(run) == f"{lost}: missing; this checkpoint is not whole. Use another."


def test_killed_before_the_first_checkpoint(tmp_path: Path) -> None:
    folder = tmp_path / "run"
    claims.begin(folder)
    assert refusal(folder) == (
        f"{folder}: holds no weights yet: it was stopped before its first checkpoint. Train it"
        " again: `saccade train RECIPE`."
    )
    (folder / "source.json").write_text("half", encoding="utf-8")
    with pytest.raises(CheckpointError) as caught:
        small.run(folder, resume=True)
    assert str(caught.value) == (
        f"{folder}: nothing to resume: no run came to its first checkpoint there. Leave out"
        " --resume."
    )
    small.run(folder, max_steps=1)
    folders.load(folder)


@pytest.mark.parametrize("name", ["target.json", "recipe.yaml", "saccade.json"])
def test_killed_between_the_files_of_the_identity(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str
) -> None:
    folder, real = tmp_path / "run", Path.replace

    def killed(self: Path, target: Path) -> Path:
        if target.name == name and (name != "saccade.json" or target.exists()):
            raise KeyboardInterrupt
        return real(self, target)

    with monkeypatch.context() as patch:
        patch.setattr(Path, "replace", killed)
        with pytest.raises(KeyboardInterrupt):
            small.run(folder, max_steps=1)
    small.run(folder, max_steps=1)
    folders.load(folder)


def test_a_used_folder_is_not_touched(run: Path, tmp_path: Path) -> None:
    with pytest.raises(CheckpointError) as caught:
        small.run(run)
    assert str(caught.value) == (
        f"{run}: already holds files. Go on with --resume, or start anew with --overwrite."
    )
    mine = tmp_path / "mine"
    mine.mkdir()
    (mine / "thesis.tex").write_text("x", encoding="utf-8")
    with pytest.raises(CheckpointError) as caught:
        train(small.recipe(), mine, overwrite=True, console=small.quiet())
    assert str(caught.value) == (
        f"{mine}: not a run of saccade, so --overwrite will not delete it. Choose another."
    )
    with pytest.raises(CheckpointError) as caught:
        small.run(mine / "thesis.tex")
    assert str(caught.value) == (
        f"{mine / 'thesis.tex'}: is a file; expected a folder to write the run to. Choose another."
    )
    with pytest.raises(CheckpointError, match="nothing to resume"):
        small.run(mine, resume=True)
    assert (mine / "thesis.tex").exists()


def test_overwriting_begins_anew(run: Path) -> None:
    (run / "old").write_text("x", encoding="utf-8")
    result = train(small.recipe(max_steps=1), run, overwrite=True, console=small.quiet())
    assert result.progress.step == 1
    assert not (run / "old").exists()
    assert Checkpoints(run).index().names == ["step-00000001"]


def test_data_that_cannot_be_read_costs_the_old_run_nothing(run: Path) -> None:
    before = sorted(path.name for path in run.rglob("*"))
    data = {"train": {"kind": "pairs", "pairs": []}, "valid": {"kind": "pairs", "pairs": []}}
    with pytest.raises(Exception, match="the list is empty"):
        train(small.recipe(data=data), run, overwrite=True, console=small.quiet())
    assert sorted(path.name for path in run.rglob("*")) == before


def test_a_model_of_one_vocabulary_is_not_given_two() -> None:
    pairs = {"kind": "pairs", "pairs": [["ab", "cd"]]}
    side = {"tokenizer": "character"}
    raw = {
        "data": {"train": pairs, "valid": pairs, "source": side, "target": side},
        "model": {"kind": "pointer_generator", "embedding": 8},
        "training": {"max_steps": 1},
    }
    recipe = recipes.from_plain(raw)
    source, target = Character().fit(["ab"], []), Character().fit(["cd"], [])
    message = (
        "model pointer_generator: source and target must have the same symbols, but each has a"
        " vocabulary of its own. Set data.joint: true."
    )
    with pytest.raises(RecipeError, match=message):
        folders.build_model(recipe, text_codecs(source, target))
    assert folders.build_model(recipe, text_codecs(source)).one_vocabulary


def test_the_profile_is_written_read_and_may_be_absent(run: Path) -> None:
    profile = folders.load(run).profile
    assert profile is not None
    assert profile.n_lines > 0
    (run / "profile.json").unlink()
    assert folders.load(run).profile is None
    assert folders.load(run).translate("12").flags is not None


def test_a_damaged_profile(run: Path) -> None:
    (run / "profile.json").write_text("{", encoding="utf-8")
    assert refusal(run).startswith(f"{run / 'profile.json'}: damaged (")


def test_resuming_an_old_run_gives_it_a_profile(run: Path) -> None:
    before = (run / "profile.json").read_bytes()
    (run / "profile.json").unlink()
    small.run(run, resume=True, max_steps=3)
    assert (run / "profile.json").read_bytes() == before


def test_the_order_of_reading_belongs_to_the_model(tmp_path: Path) -> None:
    data = small.recipe().plain()["data"]
    data["source"]["reverse"] = True
    small.run(tmp_path / "run", max_steps=2, data=data)
    model = folders.load(tmp_path / "run")
    assert model.translate("123").source_tokens == ("3", "2", "1", "</s>")
    plain = (tmp_path / "run" / "recipe.yaml").read_text(encoding="utf-8")
    changed = plain.replace("reverse: true", "reverse: false")
    (tmp_path / "run" / "recipe.yaml").write_text(changed, encoding="utf-8")
    assert "this tokenizer does not belong to the model" in refusal(tmp_path / "run")


def test_a_joint_vocabulary_is_reversed_on_the_source_alone(tmp_path: Path) -> None:
    data = {**small.recipe().plain()["data"], "joint": True}
    data["source"]["reverse"] = True
    small.run(tmp_path / "run", max_steps=2, data=data)
    model = folders.load(tmp_path / "run")
    source, target = model.source.vocabulary, model.target.vocabulary
    assert source is not None
    assert target is not None
    assert target.pieces(target.encode("12")) == ("1", "2")
    assert source.pieces(source.encode("12")) == ("2", "1")


def test_what_ctc_has_learned_starts_models_of_other_kinds(tmp_path: Path) -> None:
    encoder = {"kind": "rnn", "hidden": 8}
    write_noise(tmp_path / "ctc", {"kind": "ctc", "encoder": encoder})
    known, codecs = (
        folders.read_weights(tmp_path / "ctc")[0],
        read_identity(tmp_path / "ctc").codecs,
    )
    for kind, within in (("encoder_decoder", ""), ("joint_ctc", "inner.")):
        decoder = {"kind": "rnn", "hidden": 8}
        plan = plain_recipe({"kind": kind, "encoder": encoder, "decoder": decoder})
        recipe = recipes.from_plain(plan)
        model = folders.build_model(recipe, codecs)
        said = starting.start_weights(model, recipe, tmp_path / "ctc")
        own = weights.of(model)
        taken = [name for name in known if name.startswith("reading.")]
        assert taken
        assert all(own[within + name].equal(known[name]) for name in taken)
        assert said.startswith("Started from the ctc ")
        assert "new are" in said
