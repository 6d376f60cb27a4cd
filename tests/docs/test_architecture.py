"""The architecture page names the files and layers there are."""

import json
import os
import re
import subprocess
import sys
from pathlib import Path

from docs.draw_layers import PAGE, renewed

TRACE = """
import json, sys
from pathlib import Path
import torch
from saccade import recipe, starters
from saccade.learners._bench import Bench
from saccade.objectives.base import Moment

bench = Bench(recipe.parse(starters.text_of("demo")), Path(), "cpu", None, None)
plan, visited = bench.batches.epoch(0), {}
bench.model.train()

def watch(frame, event, _):
    path = frame.f_code.co_filename
    if event == "call" and "/saccade/" in path:
        visited[path.rpartition("/saccade/")[2].removesuffix(".py")] = None

sys.setprofile(watch)
batch = bench.batches.batch(plan[0], 0)
bench.objective(bench.model, batch, Moment(0, torch.Generator()))
sys.setprofile(None)
print(json.dumps(list(visited)))
"""


def visited(tmp_path: Path) -> list[str]:
    """Return the files that one batch of the recurrent demo visits from disk to loss."""
    environment = {**os.environ, "SACCADE_NATIVE": "off", "SACCADE_HOME": str(tmp_path)}
    done = subprocess.run(
        [sys.executable, "-c", TRACE], capture_output=True, check=True, env=environment
    )
    files: list[str] = json.loads(done.stdout)
    return [name for name in files if not name.startswith("kernels/")]


def test_the_page_names_the_files_that_a_batch_visits(tmp_path: Path) -> None:
    found = visited(tmp_path)
    row = re.search(r"a batch from disk to loss \|([^|]*)\|", PAGE.read_text(encoding="utf-8"))
    assert row
    assert set(re.findall(r"`([^`]+)`", row[1])) == set(found)
    assert len(found) <= 15


def test_the_page_shows_the_layers_of_the_law() -> None:
    page = PAGE.read_text(encoding="utf-8")
    assert renewed(page) == page
