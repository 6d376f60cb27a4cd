"""What engines that run a converted model share, seen through ctranslate2."""

import json
import os
from pathlib import Path

import pytest

import saccade
from saccade.engines._converted import Converted
from saccade.errors import CheckpointError, RecipeError
from saccade.export.base import FACTS, export, key_of
from saccade.parts import Part
from saccade.search.base import Search
from tests.engines.folders import SOURCES, write_noise


def _kept(folder: Path) -> Path:
    return folder / "engines" / "ctranslate2-float32"


def _written(folder: Path) -> int:
    return (_kept(folder) / "model.bin").stat().st_mtime_ns


def test_a_model_is_converted_once(tmp_path: Path) -> None:
    folder = write_noise(tmp_path)
    saccade.load(folder, engine="ctranslate2")
    first = _written(folder)
    saccade.load(folder, engine="auto")
    assert _written(folder) == first


def test_another_training_converts_anew(tmp_path: Path) -> None:
    folder = write_noise(tmp_path)
    saccade.load(folder, engine="ctranslate2")
    before = json.loads((_kept(folder) / FACTS).read_text())["key"]
    other = write_noise(tmp_path / "other", seed=2)
    for name in ("model.safetensors", "saccade.json"):  # the second has the seal of the first
        (other / name).replace(folder / name)
    found = saccade.load(folder, engine="ctranslate2").translate(SOURCES)
    assert [f.text for f in found] == [f.text for f in saccade.load(folder).translate(SOURCES)]
    assert json.loads((_kept(folder) / FACTS).read_text())["key"] == key_of(folder) != before


def test_a_changed_recipe_converts_anew(tmp_path: Path) -> None:
    folder = write_noise(tmp_path)
    saccade.load(folder, engine="ctranslate2")
    recipe = folder / "recipe.yaml"
    recipe.write_text(recipe.read_text().replace("max_extra: 10", "max_extra: 0"))
    found = saccade.load(folder, engine="ctranslate2").translate(SOURCES)
    assert [f.text for f in found] == [f.text for f in saccade.load(folder).translate(SOURCES)]


@pytest.mark.parametrize("damage", ["", '{"format": 99}', "null"])
def test_damaged_facts_convert_anew(tmp_path: Path, damage: str) -> None:
    folder = write_noise(tmp_path)
    saccade.load(folder, engine="ctranslate2")
    (_kept(folder) / FACTS).write_text(damage)
    assert saccade.load(folder, engine="ctranslate2").translate("four").text


def test_an_export_is_opened_alone(tmp_path: Path) -> None:
    folder, out = write_noise(tmp_path / "model"), tmp_path / "out"
    export("ctranslate2", folder, out)
    expected = [f.text for f in saccade.load(folder).translate(SOURCES)]
    (folder / "model.safetensors").unlink()
    alone = saccade.load(out, engine="auto")
    found = alone.translate(SOURCES)
    assert [f.text for f in found] == expected
    assert alone.attention_names == ()
    assert found[0].attention is None
    assert found[0].self_attention == {}
    assert found[0].alignment == []
    with pytest.raises(RecipeError, match=r"out: was exported for ctranslate2; expected a model"):
        saccade.load(out)
    with pytest.raises(RecipeError, match=r"--quantise int8: .*out was exported with float32"):
        saccade.load(out, engine="ctranslate2", quantise="int8")


def test_an_export_of_a_newer_format(tmp_path: Path) -> None:
    folder, out = write_noise(tmp_path / "model"), tmp_path / "out"
    export("ctranslate2", folder, out)
    facts = json.loads((out / FACTS).read_text())
    (out / FACTS).write_text(json.dumps({**facts, "format": 9}))
    with pytest.raises(CheckpointError, match=r"exported in format 9, but this saccade reads form"):
        saccade.load(out, engine="auto")
    (out / FACTS).write_text("{")
    with pytest.raises(CheckpointError, match=r"engine.json: damaged .* Export it again."):
        saccade.load(out, engine="auto")


def test_what_the_engine_cannot_do(tmp_path: Path) -> None:
    folder = write_noise(tmp_path)
    strict = saccade.load(folder, engine="ctranslate2")
    told = r"prefix: the engine ctranslate2-float32 cannot do it; torch can. Use --engine torch."
    with pytest.raises(RecipeError, match=told):
        strict.translate("four", prefix="un")
    with pytest.raises(RecipeError, match=r"sample: the engine ctranslate2-float32 cannot do it"):
        strict.translate("four", sample={})
    with pytest.raises(RecipeError, match=r"trace: the engine ctranslate2-float32 cannot do it"):
        strict.translate("four", trace=True)
    with pytest.raises(RecipeError, match=r"beam.wdth: beam has no option 'wdth'. Did you mean"):
        strict.translate("four", search=Part(Search, "beam", {"wdth": 3}))
    with pytest.raises(RecipeError, match=r"beam.width: 0 is below 1"):
        strict.translate("four", beam=0)
    with pytest.raises(RecipeError, match=r"chunk is 0; expected 1 or more lines"):
        strict.translate("four", chunk=0)


def test_no_repeat_is_left_to_torch(tmp_path: Path) -> None:
    folder = write_noise(tmp_path, decoding={"no_repeat": 1})
    told = r"decoding.no_repeat: the engine ctranslate2-float32 cannot do it; torch can."
    with pytest.raises(RecipeError, match=told):
        saccade.load(folder, engine="ctranslate2").translate("four five six")
    found = saccade.load(folder, engine="auto").translate("four five six").text
    assert found == saccade.load(folder).translate("four five six").text
    assert len(set(found)) == len(found), "no character twice"


@pytest.mark.parametrize("name", ["length_offset", "coverage_penalty"])
def test_penalties_of_gnmt_are_left_to_torch(tmp_path: Path, name: str) -> None:
    folder = write_noise(tmp_path, decoding={"search": {"kind": "beam", name: 0.5}})
    told = rf"decoding.search.{name}: the engine ctranslate2-float32 has none. Use torch, or set it"
    with pytest.raises(RecipeError, match=told):
        saccade.load(folder, engine="ctranslate2").translate("four five six")
    found = saccade.load(folder, engine="auto").translate("four five six")
    expected = saccade.load(folder, engine="torch").translate("four five six")
    assert found.text == expected.text
    assert found.score == pytest.approx(expected.score)


def test_the_automatic_engine_leaves_it_to_torch(tmp_path: Path) -> None:
    folder = write_noise(tmp_path)
    torch, lenient = saccade.load(folder), saccade.load(folder, engine="auto")
    assert isinstance(lenient, Converted)
    for options in ({"prefix": "un"}, {"sample": {"seed": 3}}, {"trace": True}):
        expected = torch.translate(SOURCES, **options)
        found = lenient.translate(SOURCES, **options)
        assert [f.text for f in found] == [f.text for f in expected]


def test_a_search_that_is_named(tmp_path: Path) -> None:
    folder = write_noise(tmp_path)
    torch, strict = saccade.load(folder), saccade.load(folder, engine="ctranslate2")
    for search in (Part(Search, "greedy"), Part(Search, "beam", {"width": 2})):
        expected = torch.translate(SOURCES, search=search)
        assert [f.text for f in strict.translate(SOURCES, search=search)] == [
            f.text for f in expected
        ]


def test_other_searches_are_left_to_torch_too(tmp_path: Path) -> None:
    folder = write_noise(tmp_path, decoding={"search": {"kind": "sample", "seed": 5}})
    expected = saccade.load(folder).translate("four").text
    assert saccade.load(folder, engine="auto").translate("four").text == expected
    told = r"decoding.search: the engine ctranslate2-float32 has no search 'sample'; it knows beam"
    with pytest.raises(RecipeError, match=told):
        saccade.load(folder, engine="ctranslate2").translate("four")


def test_a_folder_that_cannot_be_written(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    folder = write_noise(tmp_path)
    monkeypatch.setattr(os, "access", lambda *_: False)
    with pytest.raises(RecipeError, match=r"cannot be written, and ctranslate2 keeps the convert"):
        saccade.load(folder, engine="ctranslate2")
    assert saccade.load(folder, engine="auto").translate("four").text


def test_a_run_that_is_not_over(tmp_path: Path) -> None:
    folder = write_noise(tmp_path)
    (folder / "model.safetensors").unlink()
    with pytest.raises(RecipeError, match=r"has no model.safetensors, so its training is not over"):
        saccade.load(folder, engine="ctranslate2")


def test_other_devices_are_torch_s(tmp_path: Path) -> None:
    folder = write_noise(tmp_path)
    with pytest.raises(RecipeError, match=r"--device cuda: the engine ctranslate2 runs on the cpu"):
        saccade.load(folder, engine="ctranslate2", device="cuda")


def test_an_unwritable_key(tmp_path: Path) -> None:
    folder = write_noise(tmp_path)
    (folder / "source.json").unlink()
    with pytest.raises(CheckpointError, match=r"source.json: cannot be read .* finished model"):
        key_of(folder)
