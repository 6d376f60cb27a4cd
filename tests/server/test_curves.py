import shutil
from dataclasses import replace
from pathlib import Path

from saccade.server.models import Served
from tests.server.conftest import Serve


def test_curves_of_a_finished_and_of_a_running_run(
    serve: Serve, tiny: Served, tmp_path: Path
) -> None:
    told = serve().get("/v1/models/tiny/curves").json()
    assert (told["state"], told["step"]) == ("finished", 30)
    assert told["series"]["training loss"][0][0] == 30
    assert "validation loss" in told["series"]
    assert told["views"]["loss"].startswith("<svg ")

    shutil.copytree(tiny.folder, tmp_path / "run")
    (tmp_path / "run" / "model.safetensors").unlink()
    client = serve(replace(tiny, folder=tmp_path / "run"))
    path = tmp_path / "run" / "metrics.jsonl"
    with path.open("a", encoding="utf-8") as file:
        file.write('{"kind": "train", "step": 120, "epoch": 40, "nll": 0.1, "learning_rate": 1}\n')
        file.write('{"kind": "train", "st')  # being written
    told = client.get("/v1/models/tiny/curves").json()
    assert (told["state"], told["step"], told["epoch"]) == ("training", 120, 40)
    assert told["series"]["training loss"][-1] == [120, 0.1]
    assert told["damaged"] == ""
    path.write_bytes(b"\xff\n" + path.read_bytes())
    told = client.get("/v1/models/tiny/curves").json()
    assert "line 1 is damaged and left out" in told["damaged"]
    assert told["step"] == 120
    path.unlink()
    none = {"state": "none", "step": 0, "epoch": 0, "damaged": "", "series": {}, "views": {}}
    assert client.get("/v1/models/tiny/curves").json() == none
    answer = client.get("/v1/models/tony/curves")
    assert answer.status_code == 404
    assert "model: 'tony' is not served. Did you mean 'tiny'?" in answer.json()["error"]
